"""Show what would be indexed of a folder, and what is wrong with the rest: `python examples/read_a_folder.py PATH…`."""

import sys

from index.sources import read_posts
from index.types import BadPost, Post, PostWarning


def main(paths: list[str]) -> int:
    failed = 0
    for post in read_posts(paths):
        if isinstance(post, BadPost | PostWarning):
            failed += isinstance(post, BadPost)
            print(f"{post.where}: {post.reason}", file=sys.stderr)
        elif isinstance(post, Post):
            date = post.published_at.date().isoformat() if post.published_at else "-"
            print(f"{post.id}\t{date}\t{len(post.body)}\t{post.title}\t{' '.join(post.tags)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] or ["examples/blog"]))
