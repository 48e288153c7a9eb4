"""Tokens to PostgreSQL and back."""
