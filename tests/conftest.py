"""Fixtures of real PostgreSQL for every test; they are defined beside the tests of the index."""

from tests.index.conftest import database, databases, pgvector, pool

__all__ = ["database", "databases", "pgvector", "pool"]
