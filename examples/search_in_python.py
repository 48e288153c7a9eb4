"""Index the example blog and search it, without the HTTP service: `python examples/search_in_python.py 和服`.

PostgreSQL is started by the program itself; its data goes into a folder that is removed at the end.
"""

import sys
import tempfile
from pathlib import Path

from index.db import connection, open_pool
from index.embedded import EmbeddedPostgres
from index.generations import reindex
from index.migrate import migrate
from index.search import search
from index.sources import read_posts
from index.types import SearchRequest
from segmenter.analyzer import Analyzer

BLOG = Path(__file__).parent / "blog"


def main(query: str) -> None:
    analyzer = Analyzer.default()
    with tempfile.TemporaryDirectory() as folder, EmbeddedPostgres(Path(folder)) as server:
        with open_pool(server.url) as pool:
            with connection(pool) as conn:
                migrate(conn)
            report = reindex(pool, analyzer, read_posts([BLOG]))
            print(f"{report.added} posts indexed", file=sys.stderr)
            with connection(pool) as conn:
                result = search(conn, analyzer, SearchRequest(query))
        for hit in result.hits:
            print(f"{hit.score:7.2f}  {hit.title}\n         {' '.join(hit.snippet.split())}")


if __name__ == "__main__":
    main(" ".join(sys.argv[1:]) or "和服")
