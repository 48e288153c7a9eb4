"""A post as the rows that stand for it: one of `post`, its passages, and what its postings count."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from index.content import extra_json
from index.errors import IndexingError
from index.passages import Passage, cut_post, tag_text
from index.postings import (
    BODY_GRAMS,
    BODY_WORDS,
    TAG_GRAMS,
    TAG_WORDS,
    TITLE_GRAMS,
    TITLE_WORDS,
    gram_counts,
    word_counts,
)
from index.types import BadPost, Post
from segmenter.types import Analysis

Prepared = tuple[Post, bytes]
"""A post that is clean, and its content hash."""


class DocumentAnalyzer(Protocol):
    """What the index needs of `segmenter.analyzer.Analyzer`. It is pickled when worker processes help."""

    def analyze_batch(self, texts: Sequence[str]) -> list[Analysis]: ...
    def stream(self, text: str) -> str: ...
    def fingerprint(self) -> str: ...
    def stream_fingerprint(self) -> str: ...


@dataclass(frozen=True, slots=True)
class IndexedPost:
    """A post with everything that was computed from it; lengths are sums of what its word postings count."""

    post: Post
    content_hash: bytes
    extra: str
    title_length: int
    body_length: int
    passages: list[Passage]
    counts: list[tuple[int, Counter[str]]]


def index_posts(analyzer: DocumentAnalyzer, posts: Sequence[Prepared]) -> list[IndexedPost | BadPost]:
    """Analyse the posts, in order. One that makes the analyzer fail is a `BadPost`, and the rest go on."""
    texts = [text for post, _ in posts for text in _fields(post)]
    try:
        analyses = analyzer.analyze_batch(texts)
        return [_indexed(*prepared, analyses[3 * i : 3 * i + 3]) for i, prepared in enumerate(posts)]
    except Exception as error:  # whatever one text does to the analyzer, it must not take the others with it
        if len(posts) == 1:
            post = posts[0][0]
            return [BadPost(post.id, _reason(error), post.id)]
        return [result for prepared in posts for result in index_posts(analyzer, [prepared])]


def _reason(error: Exception) -> str:
    if isinstance(error, IndexingError | ValueError):
        return str(error)
    return f"{type(error).__name__}: {error}"


def _fields(post: Post) -> tuple[str, str, str]:
    return post.title, post.body, tag_text(post.tags, post.categories)


def _indexed(post: Post, content_hash: bytes, analyses: Sequence[Analysis]) -> IndexedPost:
    title, body, tags = analyses
    title_words, body_words = word_counts(title), word_counts(body)
    return IndexedPost(
        post=post,
        content_hash=content_hash,
        extra=extra_json(post),
        title_length=title_words.total(),
        body_length=body_words.total(),
        passages=list(cut_post(title, body, tags)),
        counts=[
            (TITLE_WORDS, title_words),
            (BODY_WORDS, body_words),
            (TITLE_GRAMS, gram_counts(title)),
            (BODY_GRAMS, gram_counts(body)),
            (TAG_WORDS, word_counts(tags)),
            (TAG_GRAMS, gram_counts(tags)),
        ],
    )


def passage_lines(generation: int, ord: int, passages: Iterable[Passage]) -> str:
    """The passages of a post in the text format of COPY."""
    return "".join(
        f"{generation}\t{ord}\t{p.field}\t{p.seq}\t{p.first}\t{escaped(p.stream)}\t\\\\x{p.offsets.hex()}\t"
        f"{escaped(p.words)}\t{escaped(p.grams)}\n"
        for p in passages
    )


def posting_line(generation: int, segment: int, kind: int, lexeme: str, ords: bytes, tfs: bytes) -> str:
    """A row of `posting` in the text format of COPY."""
    return f"{generation}\t{kind}\t{escaped(lexeme)}\t{segment}\t\\\\x{ords.hex()}\t\\\\x{tfs.hex()}\n"


def escaped(text: str) -> str:
    """Text as a value in the text format of COPY."""
    if "\\" in text:
        text = text.replace("\\", "\\\\")
    if "\t" in text or "\n" in text or "\r" in text:
        text = text.replace("\t", "\\t").replace("\n", "\\n").replace("\r", "\\r")
    return text
