"""What goes into the index and what comes out of it. These types know no driver."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from index.notices import Language

MARKDOWN = (".md", ".markdown", ".mdown", ".mkd", ".mkdn")
"""Endings of the names of files that are one post each."""


@dataclass(frozen=True, slots=True)
class Post:
    """One document. `id` is the caller's name for it; `extra` is any JSON object and is stored as it is."""

    id: str
    title: str
    body: str
    tags: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    url: str | None = None
    published_at: datetime | None = None
    updated_at: datetime | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class BadPost:
    """A document that could not be read or indexed: `where` names it (a file, a line, an id), `reason` says why.

    `id` is the post's id where it is known; an earlier version of that post then stays in the index.
    """

    where: str
    reason: str
    id: str | None = None


@dataclass(frozen=True, slots=True)
class PostWarning:
    """What could not be read of a post that is indexed without it: `where` names file or line, `reason` says why."""

    where: str
    reason: str


@dataclass(frozen=True, slots=True)
class Skipped:
    """A post that is not to be found: a draft, or one behind a password.

    `id` is its id where it can have one, `path` what its `extra` would say of where it is from. `is_undated`: it may be
    a stored post with a date before that name, which generators take off when a post becomes a draft again.
    """

    where: str
    why: Literal["draft", "password"]
    id: str | None = None
    path: str | None = None
    is_undated: bool = False

    def is_from_where(self, stored: str | None) -> bool:
        """Whether a stored post of that path may be this one: of the same file of lines, or a file like this one."""
        if self.path is None or stored is None:
            return self.path is None
        return self.path == stored or all(path.lower().endswith(MARKDOWN) for path in (self.path, stored))


Sourced = Post | BadPost | PostWarning | Skipped
"""What a source yields."""

Sort = Literal["relevance", "newest"]
Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """A query as a person typed it, with filters. `before` is exclusive, `after` inclusive.

    A bound without a zone is compared with the date that a post shows, one with a zone is a moment.
    `language` is that of notices and reasons. `without` names routes and rewards to leave out (`index.fusion.PARTS`),
    to see what each is worth.
    """

    query: str
    tags: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    before: datetime | None = None
    after: datetime | None = None
    sort: Sort = "relevance"
    limit: int = 10
    offset: int = 0
    explain: bool = False
    without: frozenset[str] = frozenset()
    language: Language = "zh"


@dataclass(frozen=True, slots=True)
class Hit:
    """One post that was found. Marks are `(start, end)` code-point pairs into `title` and into `snippet`."""

    id: str
    title: str
    url: str | None
    published_at: datetime | None
    tags: tuple[str, ...]
    score: float
    snippet: str
    title_marks: tuple[Span, ...]
    snippet_marks: tuple[Span, ...]
    why: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class SearchResult:
    """`hits` is one page of `total`; `notices` are sentences for the person who searched, `notice_codes` the same for
    programs, in the same order (`index.notices`).

    Where `total_is_exact` is false, some hits were not checked, and a notice says how many. `guessed` of the total were
    found by likeness alone, of letters or of meaning (routes `fuzzy` and `semantic`).
    """

    total: int
    total_is_exact: bool
    hits: tuple[Hit, ...]
    notices: tuple[str, ...]
    query: str
    guessed: int = 0
    notice_codes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Related:
    """A post like another one: `shared` are the distinctive words and `shared_tags` the tags of both.

    `similarity` is the cosine of their meanings, where both have vectors; the score is the sum of `parts`.
    """

    id: str
    title: str
    url: str | None
    published_at: datetime | None
    tags: tuple[str, ...]
    score: float
    shared: tuple[str, ...]
    shared_tags: tuple[str, ...] = ()
    similarity: float | None = None
    parts: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class UpsertReport:
    """What became of the posts that were handed in, by id; `failed` were not stored."""

    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    unchanged: tuple[str, ...] = ()
    failed: tuple[BadPost, ...] = ()


@dataclass(frozen=True, slots=True)
class ReindexEvent:
    """Progress of a reindex: `done` posts of `total` where the number is known, and the characters so far."""

    phase: Literal["read", "carry", "index", "swap", "done"]
    done: int = 0
    characters: int = 0
    total: int | None = None


@dataclass(frozen=True, slots=True)
class ReindexReport:
    """The outcome of a reindex, counted in posts.

    `unchanged` and `resumed` were not analysed again: the first were copied from the serving generation, the second
    were already done by an interrupted run. `kept` are posts that the input did not name, `removed` those that went
    because of `prune`. `prune_withheld` says that none went although it was asked for: the input was empty, or
    something in it could not be read and may have been any of the absent posts. `warnings` are about posts that are
    indexed all the same; `drafts` and `protected` (by a password) were skipped, and `withdrawn` of them had been stored
    before and are no longer.
    """

    generation: int
    added: int
    changed: int
    unchanged: int
    resumed: int
    kept: int
    removed: int
    failed: tuple[BadPost, ...]
    documents: int
    characters: int
    seconds: float
    prune_withheld: bool = False
    warnings: tuple[PostWarning, ...] = ()
    drafts: int = 0
    protected: int = 0
    withdrawn: int = 0


@dataclass(frozen=True, slots=True)
class Generation:
    """A generation of the index, with what ranking needs of it. Lengths are in words."""

    id: int
    state: Literal["building", "serving", "retired"]
    fingerprint: str
    stream_fingerprint: str
    documents: int
    title_length: int
    body_length: int
    next_ord: int
    created_at: datetime
    served_at: datetime | None


@dataclass(frozen=True, slots=True)
class IndexStatus:
    """The serving generation beside the analyzer in use.

    `stale_posts` were cut by another analyzer; `is_stale` says that there are some, `is_stream_stale` that even the
    normalisation differs, so that only a reindex makes every search complete again.
    """

    serving: Generation | None
    building: Generation | None
    fingerprint: str
    stale_posts: int
    is_stale: bool
    is_stream_stale: bool
