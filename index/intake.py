"""The input of a reindex: what is new, what is stored already, what cannot be used."""

from collections.abc import Iterable, Iterator, Sequence

from psycopg import Connection

from index import documents
from index.content import clean, content_hash, is_storable
from index.errors import UnusablePost
from index.portion import size
from index.queries import queries
from index.rows import Prepared
from index.tables import Tables
from index.types import BadPost, Post, PostWarning, Skipped, Sourced

BATCH_CHARACTERS = 60_000
BATCH_POSTS = 256


class Intake:
    """Sorts posts by what the serving generation and an interrupted build hold of them.

    Every id goes into the temporary table `wenci_seen`, with `keep` where the stored version is to stay.
    """

    def __init__(self, serving: Tables, building: Tables | None, fingerprint: str) -> None:
        self.serving = serving
        self.building = building
        self.fingerprint = fingerprint
        self.failed: list[BadPost] = []
        self.warnings: list[PostWarning] = []
        self.drafts = self.protected = self.withdrawn = 0
        self._skipped: list[Skipped] = []
        self.added = self.changed = self.unchanged = self.resumed = self.characters = self.read = 0
        conn: Connection = serving.conn
        conn.execute(queries("build.sql")["forget_seen"])
        conn.execute(queries("build.sql")["create_seen"])

    def batches(self, posts: Iterable[Sourced]) -> Iterator[list[Prepared]]:
        """The posts that have to be analysed, a batch at a time; batches can be empty."""
        batch: list[Prepared] = []
        characters = 0
        for post in posts:
            if isinstance(post, PostWarning | Skipped):
                self._note(post)
                continue
            self.read += 1
            prepared = self._prepared(post)
            if prepared is None:
                continue
            batch.append(prepared)
            characters += size(prepared)
            if characters >= BATCH_CHARACTERS or len(batch) >= BATCH_POSTS:
                self.characters += characters
                yield self._fresh(batch)
                batch, characters = [], 0
        self.characters += characters
        yield self._fresh(batch)

    def withdraw(self) -> None:
        """Delete what is stored of skipped posts, at once; not where the input has another post with the id.

        A stored post from elsewhere is not withdrawn, and named in a warning. Call it when all of the input was read.
        """
        skipped, self._skipped = self._skipped, []
        if not skipped:
            return
        gone: set[str] = set()
        others: dict[str, PostWarning] = {}
        for one, id, path in self._stored_of(skipped):
            if one.is_from_where(path):
                gone.add(id)
            else:
                others[id] = PostWarning(one.where, _stays(one, id, path))
        self.withdrawn += len(documents.delete(self.serving.conn, gone))
        self.warnings += [warning for id, warning in others.items() if id not in gone]

    def _stored_of(self, skipped: Sequence[Skipped]) -> Iterator[tuple[Skipped, str, str | None]]:
        """Each skipped post with id and path of a stored one that it may be, and that the input does not have."""
        undated = [one for one in skipped if one.is_undated]
        for name, ones in (("paths_of_unseen", skipped), ("paths_of_dated_unseen", undated)):
            if not ones:
                continue
            by_id: dict[str | None, list[Skipped]] = {}
            for one in ones:
                by_id.setdefault(one.id, []).append(one)
            values = {"generation": self.serving.generation, "ids": list(by_id)}
            for known_as, id, path in self.serving.conn.execute(queries("build.sql")[name], values).fetchall():
                yield from ((one, id, path) for one in by_id[known_as])

    def fail(self, bad: BadPost) -> None:
        """Report a post; an earlier version of it stays."""
        self.failed.append(bad)
        if bad.id is not None and is_storable(bad.id):
            self.serving.conn.execute(queries("build.sql")["keep_seen"], [[bad.id]])

    def fail_analysis(self, bad: BadPost) -> None:
        """Report a post that came out of `batches` and could not be analysed."""
        if self.serving.stored([bad.where]):
            self.changed -= 1
        else:
            self.added -= 1
        self.fail(bad)

    def _note(self, told: PostWarning | Skipped) -> None:
        if isinstance(told, PostWarning):
            self.warnings.append(told)
            return
        if told.why == "draft":
            self.drafts += 1
        else:
            self.protected += 1
        if told.id is not None and is_storable(told.id):
            self._skipped.append(told)

    def _prepared(self, post: Post | BadPost) -> Prepared | None:
        if isinstance(post, BadPost):
            self.fail(post)
            return None
        try:
            usable = clean(post)
        except UnusablePost as error:
            self.fail(BadPost(post.id, str(error), post.id))
            return None
        return usable, content_hash(usable)

    def _fresh(self, batch: Sequence[Prepared]) -> list[Prepared]:
        batch = self._first_of_each(batch)
        ids = [post.id for post, _ in batch]
        served = self.serving.stored(ids)
        built = self.building.stored(ids) if self.building is not None else {}
        wanted = {post.id: (digest, self.fingerprint) for post, digest in batch}
        resumed = {id for id in ids if built.get(id) == wanted[id]}
        unchanged = {id for id in ids if served.get(id) == wanted[id]} - resumed
        replaced = [id for id in ids if id in built and id not in resumed]
        if self.building is not None and replaced:
            self.building.delete(replaced)
        if unchanged:
            self.serving.conn.execute(queries("build.sql")["keep_seen"], [list(unchanged)])
        fresh = [prepared for prepared in batch if prepared[0].id not in resumed | unchanged]
        self.resumed += len(resumed)
        self.unchanged += len(unchanged)
        self.changed += sum(post.id in served for post, _ in fresh)
        self.added += sum(post.id not in served for post, _ in fresh)
        return fresh

    def _first_of_each(self, batch: Sequence[Prepared]) -> list[Prepared]:
        """The batch without posts whose id came before; they are reported."""
        ids = list(dict.fromkeys(post.id for post, _ in batch))
        new = {id for (id,) in self.serving.conn.execute(queries("build.sql")["see"], [ids])}
        first = []
        for prepared in batch:
            id = prepared[0].id
            if id in new:
                new.remove(id)
                first.append(prepared)
            else:
                self.failed.append(BadPost(id, "another post with the same id came before", id))
        return first


def _stays(skipped: Skipped, id: str, stored: str | None) -> str:
    what = "a draft" if skipped.why == "draft" else "behind a password"
    origin = "PUT into the index" if stored is None else f"read from {stored}"
    return (
        f"this is {what}; the stored post with its id {id!r} was {origin} and is not withdrawn for it; "
        "if it is to go: DELETE /v1/posts/{id}"
    )
