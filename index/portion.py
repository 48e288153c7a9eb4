"""Analysing posts for a bulk load: a job in, everything that COPY needs out."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from index.postings import Collector
from index.rows import DocumentAnalyzer, IndexedPost, Prepared, index_posts, passage_lines
from index.types import BadPost


@dataclass(frozen=True, slots=True)
class Job:
    """Posts to analyse for a generation; they get the document numbers from `first_ord` on."""

    generation: int
    first_ord: int
    posts: Sequence[Prepared]


@dataclass(frozen=True, slots=True)
class Analysed:
    """The rows of a job: posts without their passages, the passages as lines for COPY, the postings of all."""

    posts: Sequence[tuple[int, IndexedPost]]
    passages: str
    postings: Collector
    failed: Sequence[BadPost]
    characters: int


def analyse(analyzer: DocumentAnalyzer, job: Job) -> Analysed:
    """Do the job."""
    posts: list[tuple[int, IndexedPost]] = []
    lines: list[str] = []
    postings = Collector()
    failed: list[BadPost] = []
    for ord, result in enumerate(index_posts(analyzer, job.posts), start=job.first_ord):
        if isinstance(result, BadPost):
            failed.append(result)
            continue
        lines.append(passage_lines(job.generation, ord, result.passages))
        for kind, counts in result.counts:
            postings.add(ord, kind, counts)
        posts.append((ord, replace(result, passages=[], counts=[])))
    return Analysed(posts, "".join(lines), postings, failed, sum(size(post) for post in job.posts))


def size(prepared: Prepared) -> int:
    """The characters of a post, for cutting work into portions and for progress."""
    post = prepared[0]
    return len(post.title) + len(post.body)
