"""Numbered forward-only SQL migrations."""
