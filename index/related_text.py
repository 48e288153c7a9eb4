"""Posts like a text that is not one of them."""

from dataclasses import replace

import numpy as np
from psycopg import Connection

from index import semantic
from index.collection import Collection, serving_collection, snapshot
from index.content import clean
from index.errors import driver_errors
from index.reader import Reader, SourcePost
from index.related import counts_of, likest, near_text
from index.rows import DocumentAnalyzer
from index.types import Post, Related


def related_to_text(conn: Connection, analyzer: DocumentAnalyzer, post: Post, limit: int = 5) -> list[Related]:
    """The posts most like a title, body and tags; the id of `post` does not matter.

    Raises `UnusablePost` where it could not be stored either, and other `IndexingError` when PostgreSQL fails.
    """
    usable = clean(replace(post, id="text"))
    with driver_errors(), snapshot(conn):
        collection = serving_collection(conn)
        if collection is None:
            return []
        source = SourcePost(collection.size, usable.title, usable.body, usable.tags)
        near = near_text(semantic.meaning(conn, collection.generation), source)
        reader, counts = Reader(conn, collection.generation), counts_of(analyzer, source)
        return likest(reader, _with_one_more(collection), counts, source, limit, fewest=1, near=near)


def _with_one_more(collection: Collection) -> Collection:
    """The collection with a document number after all others, which stands for the text."""
    return replace(
        collection,
        live=np.append(collection.live, np.False_),
        title_length=np.append(collection.title_length, np.int32(0)),
        body_length=np.append(collection.body_length, np.int32(0)),
        title_ratio=np.append(collection.title_ratio, np.float32(0)),
        body_ratio=np.append(collection.body_ratio, np.float32(0)),
    )
