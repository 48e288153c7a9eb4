"""Known-item search by sentence vectors alone: each title against the bodies, by cosine.

    python bench/vectors.py [--posts FILE] [--limit N] [--no-peers] [--json]

Only the 1,900 articles with the smallest SHA-256 of their id take part: their text was in no training. BM25 over
jieba's search-mode tokens stands beside, and both together (sum of scores scaled to 1). Keys: mrr10, first, peers.
"""

import hashlib
from typing import Any

import numpy as np
from corpus import POSTS, parser, ranking, read_posts, report
from numpy.typing import NDArray

from segmenter.vectors import VectorModel

HELD_OUT = 1900


def figures(scores: NDArray[np.floating[Any]]) -> dict[str, float]:
    """MRR@10 and the share of first places of the diagonal among each row; ties count against it."""
    return ranking((scores >= np.diag(scores)[:, None]).sum(axis=1).tolist())


def bm25_scores(titles: list[str], bodies: list[str]) -> NDArray[np.floating[Any]]:
    """BM25 of every title against every body, by bm25s over jieba's search mode."""
    import bm25s
    import jieba

    index = bm25s.BM25()
    index.index([jieba.lcut_for_search(body.lower()) for body in bodies], show_progress=False)
    return np.stack([index.get_scores(jieba.lcut_for_search(title.lower())) for title in titles])


def main() -> None:
    """Print the figures."""
    options = parser(__doc__)
    options.add_argument("--posts", default=POSTS, type=type(POSTS))
    options.add_argument("--limit", type=int, default=HELD_OUT)
    options.add_argument("--no-peers", action="store_true")
    args = options.parse_args()
    posts = sorted(read_posts(args.posts), key=lambda post: hashlib.sha256(post["id"].encode()).hexdigest())
    posts = posts[: args.limit]
    titles, bodies = [post["title"] for post in posts], [post["body"] for post in posts]
    model = VectorModel.load()
    cosines = model.vectors(titles) @ model.vectors(bodies).T
    found: dict[str, Any] = {"queries": len(posts), **figures(cosines), "peers": {}}
    if not args.no_peers:
        words = bm25_scores(titles, bodies)
        scaled = words / np.maximum(words.max(axis=1, keepdims=True), 1e-9)
        found["peers"] = {"bm25s over jieba": figures(words)}
        found["fused"] = {f"bm25s + {share} x cosine": figures(scaled + share * cosines) for share in (0.1, 0.2, 0.4)}
    report(found, args.json)


if __name__ == "__main__":
    main()
