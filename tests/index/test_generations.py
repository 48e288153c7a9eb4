"""Reindexing: whole from one moment to the next, resumable, and without losing what others write meanwhile."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

import psycopg
import pytest
from psycopg import Connection

from index import documents
from index.db import Pool, connection, open_pool
from index.errors import ReindexRunning
from index.generations import LOCK, reindex, serving, status
from index.types import BadPost, Post, PostWarning, ReindexEvent, Skipped, Sourced
from tests.index.samples import CountingAnalyzer, SmallAnalyzer, check_whole, make_posts

SMALL = SmallAnalyzer()


@pytest.fixture(autouse=True)
def _small_portions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Portions of a few posts, so that a few dozen posts meet every border between portions."""
    monkeypatch.setattr("index.intake.BATCH_POSTS", 4)
    monkeypatch.setattr("index.build.LEXEMES_IN_MEMORY", 30)
    monkeypatch.setattr("index.build.COPY_PAGE", 5)
    monkeypatch.setattr("index.build.READ_PAGE", 5)
    monkeypatch.setattr("index.generations.PATCH_POSTS", 6)
    monkeypatch.setattr("index.swap.CHANGES_AT_ONCE", 3)


def stop_after(posts: Iterable[Post], count: int) -> Iterator[Post]:
    for n, post in enumerate(posts):
        if n == count:
            raise InterruptedError
        yield post


def test_the_first_reindex_holds_every_post(any_database: str) -> None:
    posts = make_posts(40)
    with open_pool(any_database, max_size=3) as pool:
        report = reindex(pool, SMALL, posts)
        assert (report.added, report.changed, report.unchanged, report.kept) == (40, 0, 0, 0)
        assert report.documents == 40
        with connection(pool) as conn:
            check_whole(conn, posts)


def test_an_empty_input_makes_an_empty_index(pool: Pool, conn: Connection) -> None:
    assert reindex(pool, SMALL, []).documents == 0
    check_whole(conn, [])


def test_unchanged_posts_are_not_analysed_again(pool: Pool, conn: Connection) -> None:
    posts = make_posts(30)
    reindex(pool, SMALL, posts)
    analyzer = CountingAnalyzer()
    changed = make_posts(20, edition=2)
    report = reindex(pool, analyzer, changed + posts[20:], workers=0)
    assert sorted(analyzer.bodies) == sorted(post.body for post in changed)
    assert (report.added, report.changed, report.unchanged, report.kept) == (0, 20, 10, 0)
    check_whole(conn, changed + posts[20:])


def test_few_changes_stay_in_the_same_generation(pool: Pool, conn: Connection) -> None:
    posts = make_posts(30)
    first = reindex(pool, SMALL, posts)
    new = [*make_posts(2, edition=2), *posts[2:25], *make_posts(1, start=90)]
    report = reindex(pool, SMALL, new, prune=True)
    assert report.generation == first.generation
    assert (report.added, report.changed, report.unchanged, report.removed) == (1, 2, 23, 5)
    check_whole(conn, new)


def test_a_repeated_reindex_changes_nothing(pool: Pool, conn: Connection) -> None:
    posts = make_posts(12)
    reindex(pool, SMALL, posts)
    before = serving(conn)
    report = reindex(pool, CountingAnalyzer(), posts, prune=True)
    assert (report.unchanged, report.added, report.changed, report.removed) == (12, 0, 0, 0)
    assert serving(conn) == before


@pytest.mark.parametrize("version", ["1", "2"])
@pytest.mark.parametrize("prune", [True, False])
def test_posts_the_input_does_not_name(pool: Pool, conn: Connection, version: str, prune: bool) -> None:
    """They stay unless pruned, copied or analysed again as the analyzer asks."""
    old, new = make_posts(30), make_posts(15, edition=2, start=20)
    reindex(pool, SMALL, old)
    report = reindex(pool, SmallAnalyzer(version), new, prune=prune)
    assert (report.kept, report.removed) == ((0, 20) if prune else (20, 0))
    check_whole(conn, new if prune else old[:20] + new)
    assert not status(conn, SmallAnalyzer(version)).is_stale


def test_a_new_analyzer_cuts_everything_again(pool: Pool, conn: Connection) -> None:
    posts = make_posts(12)
    first = reindex(pool, SMALL, posts)
    analyzer = CountingAnalyzer("2")
    assert status(conn, analyzer).stale_posts == 12
    report = reindex(pool, analyzer, posts, workers=0)
    assert (report.changed, report.unchanged) == (12, 0)
    assert len(analyzer.bodies) == 12
    assert report.generation > first.generation
    assert not status(conn, analyzer).is_stale
    check_whole(conn, posts)


def test_a_post_cut_by_another_analyzer_is_not_taken_for_unchanged(pool: Pool, conn: Connection) -> None:
    posts = make_posts(12)
    reindex(pool, SMALL, posts)
    documents.upsert(conn, SmallAnalyzer("2"), make_posts(1, edition=2))
    documents.upsert(conn, SmallAnalyzer("2"), make_posts(1))
    assert status(conn, SMALL).stale_posts == 1
    assert reindex(pool, SMALL, posts).changed == 1
    assert status(conn, SMALL).stale_posts == 0
    check_whole(conn, posts)


def test_bad_posts_are_reported_by_name_and_the_rest_go_on(pool: Pool, conn: Connection) -> None:
    posts = make_posts(12)
    bad: list[Post | BadPost] = [
        BadPost("drafts/broken.md", "no front matter"),
        Post("", "无名", "没有编号"),
        Post("half", "半个", "一个孤立的代理\ud800"),
        Post("poison", "毒", SMALL.poison),
        replace(posts[3], title="重复"),
        Post("nan", "数", "不是数", extra={"x": float("nan")}),
    ]
    report = reindex(pool, SMALL, [*posts[:6], *bad, *posts[6:]])
    assert [one.where for one in report.failed] == ["drafts/broken.md", "", "half", posts[3].id, "poison", "nan"]
    assert (report.added, report.documents) == (12, 12)
    check_whole(conn, posts)


@pytest.mark.parametrize("version", ["1", "2"])
@pytest.mark.parametrize("many", [0, 20])
def test_a_post_that_fails_keeps_its_earlier_version(pool: Pool, conn: Connection, version: str, many: int) -> None:
    posts = make_posts(12)
    reindex(pool, SMALL, posts)
    analyzer = SmallAnalyzer(version)
    broken: list[Post | BadPost] = [
        replace(posts[0], body=analyzer.poison),
        replace(posts[1], title="\udfff"),
        BadPost("2.md", "unreadable", posts[2].id),
    ]
    others = make_posts(many, start=50)
    report = reindex(pool, analyzer, [*broken, *posts[3:], *others], prune=True)
    assert len(report.failed) == 3
    assert (report.removed, report.added) == (0, many)
    check_whole(conn, posts + others)


@pytest.mark.parametrize("many", [0, 20])
@pytest.mark.parametrize("kept", [0, 4])
def test_nothing_is_pruned_after_an_input_that_may_lack_any_post(
    pool: Pool, conn: Connection, many: int, kept: int
) -> None:
    """An empty folder, or a file that broke off, is no reason to delete what it does not name."""
    posts = make_posts(12)
    reindex(pool, SMALL, posts)
    others = make_posts(many, start=50)
    broken_off = [BadPost("posts.jsonl.zst:5", "the file is cut off")] if kept or many else []
    report = reindex(pool, SMALL, [*posts[:kept], *others, *broken_off], prune=True)
    assert report.prune_withheld
    assert (report.removed, report.kept) == (0, 12 - kept)
    check_whole(conn, posts + others)


def test_a_new_analyzer_that_fails_on_an_old_post_does_not_lose_it(pool: Pool, conn: Connection) -> None:
    posts = make_posts(12)
    reindex(pool, SMALL, posts)
    analyzer = SmallAnalyzer("2", poison="第7篇")
    report = reindex(pool, analyzer, posts[:3])
    assert [bad.where for bad in report.failed] == [posts[7].id]
    assert report.documents == 12
    assert status(conn, analyzer).stale_posts == 1
    check_whole(conn, posts)


@pytest.mark.parametrize("done", [1, 15, 29])
def test_an_interrupted_run_goes_on_where_it_stopped(pool: Pool, conn: Connection, done: int) -> None:
    old, new = make_posts(30), make_posts(30, edition=2)
    reindex(pool, SMALL, old)
    with pytest.raises(InterruptedError):
        reindex(pool, SMALL, stop_after(new, done))
    served = conn.execute("select id, body from wenci.post").fetchall()
    assert dict(served) == {post.id: post.body for post in old}
    analyzer = CountingAnalyzer()
    report = reindex(pool, analyzer, new, workers=0)
    assert report.resumed + len(analyzer.bodies) == 30
    assert bool(report.resumed) == (done > 10)
    check_whole(conn, new)


def test_what_an_interrupted_run_left_does_not_outlive_its_input(pool: Pool, conn: Connection) -> None:
    """A post that only the interrupted input had is gone; one that has changed again is taken in its last state."""
    old = make_posts(20)
    reindex(pool, SMALL, old)
    with pytest.raises(InterruptedError):
        reindex(pool, SMALL, stop_after(make_posts(30, edition=2), 28))
    new = make_posts(10, edition=3)
    reindex(pool, SMALL, new)
    check_whole(conn, new + old[10:])


@pytest.mark.parametrize("version", ["1", "2"])
def test_an_interrupted_run_of_another_analyzer_is_dropped(pool: Pool, conn: Connection, version: str) -> None:
    with pytest.raises(InterruptedError):
        reindex(pool, SmallAnalyzer("1"), stop_after(make_posts(30), 25))
    report = reindex(pool, SmallAnalyzer(version), make_posts(30))
    assert bool(report.resumed) == (version == "1")
    check_whole(conn, make_posts(30))


@pytest.mark.parametrize("phase", ["read", "carry", "index", "swap"])
def test_what_others_write_meanwhile_is_not_lost(pool: Pool, conn: Connection, phase: str) -> None:
    """Upserts and deletions in the serving generation survive, whichever phase the build is in."""
    old = make_posts(30)
    reindex(pool, SMALL, old)
    theirs = [*make_posts(5, edition=7), *make_posts(5, edition=7, start=200)]
    deleted = [post.id for post in old[5:9]] + [old[25].id]
    told: list[ReindexEvent] = []

    def interfere(event: ReindexEvent) -> None:
        if event.phase == phase and not told:
            told.append(event)
            documents.upsert(conn, SMALL, theirs)
            assert set(documents.delete(conn, deleted)) == set(deleted)

    new = make_posts(20, edition=2)
    reindex(pool, SMALL, new, on_event=interfere)
    assert told
    wanted = {post.id: post for post in old + new + theirs}
    check_whole(conn, [post for id, post in wanted.items() if id not in deleted])
    assert conn.execute("select count(*) from wenci.change").fetchone() == (0,)


def test_changes_between_an_interruption_and_the_resumption_are_not_lost(pool: Pool, conn: Connection) -> None:
    old, new = make_posts(20), make_posts(20, edition=2)
    reindex(pool, SMALL, old)
    with pytest.raises(InterruptedError):
        reindex(pool, SMALL, stop_after(new, 18))
    theirs = make_posts(3, edition=9)
    documents.upsert(conn, SMALL, theirs)
    documents.delete(conn, [old[10].id])
    reindex(pool, SMALL, new)
    check_whole(conn, theirs + [post for post in new[3:] if post.id != old[10].id])


def test_two_at_once_the_second_is_told(pool: Pool, conn: Connection) -> None:
    conn.execute("select pg_advisory_lock(%s)", [LOCK])
    with pytest.raises(ReindexRunning):
        reindex(pool, SMALL, make_posts(1))
    conn.execute("select pg_advisory_unlock(%s)", [LOCK])
    assert reindex(pool, SMALL, make_posts(1)).documents == 1


def test_a_reader_keeps_its_generation_to_the_end(pool: Pool, conn: Connection, database: str) -> None:
    """Whoever has asked which generation serves still finds all of it, although another one serves by then."""
    reindex(pool, SMALL, make_posts(12))
    with psycopg.connect(database) as reader:
        before = serving(reader)
        assert before is not None
        after = reindex(pool, SmallAnalyzer("2"), make_posts(12, edition=2))
        assert after.generation != before.id
        count = reader.execute("select count(*) from wenci.post where generation = %s", [before.id]).fetchone()
        assert count == (12,)
    assert reindex(pool, SmallAnalyzer("2"), make_posts(12, edition=2)).unchanged == 12
    check_whole(conn, make_posts(12, edition=2))


def test_worker_processes_give_the_same_rows(pool: Pool, conn: Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("index.bulk.WORTH_A_PROCESS", 500)
    posts = make_posts(60)
    report = reindex(pool, SMALL, [*posts, Post("poison", "毒", SMALL.poison)], workers=2)
    assert [bad.where for bad in report.failed] == ["poison"]
    check_whole(conn, posts)


def test_an_analyzer_that_cannot_be_sent_to_a_process(
    pool: Pool, conn: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Local(SmallAnalyzer):
        pass

    monkeypatch.setattr("index.bulk.WORTH_A_PROCESS", 500)
    reindex(pool, Local(), make_posts(30), workers=2)
    check_whole(conn, make_posts(30))


def test_dead_postings_do_not_pile_up(pool: Pool, conn: Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("index.generations.SEGMENT", 2)
    reindex(pool, SMALL, make_posts(10))
    for edition in range(2, 8):
        documents.upsert(conn, SMALL, make_posts(10, edition=edition))
    full = conn.execute("select sum(length(tfs)) from wenci.posting").fetchone()
    reindex(pool, SMALL, make_posts(10, edition=7))
    rest = conn.execute("select sum(length(tfs)) from wenci.posting").fetchone()
    assert full is not None
    assert rest is not None
    assert rest[0] * 5 < full[0]
    check_whole(conn, make_posts(10, edition=7))


def test_warnings_and_drafts_are_reported_and_cost_nothing(pool: Pool) -> None:
    warning = PostWarning("a.md", "date is not a date: '昨天'; indexed without it")
    skipped = [Skipped("d.md", "draft"), Skipped("e.md", "draft"), Skipped("p.md", "password")]
    report = reindex(pool, SMALL, [*make_posts(2), warning, *skipped], prune=True)
    assert (report.documents, report.failed, report.warnings) == (2, (), (warning,))
    assert (report.drafts, report.protected, report.prune_withheld) == (2, 1, False)
    nothing = reindex(pool, SMALL, skipped, prune=True)
    assert (nothing.documents, nothing.kept, nothing.prune_withheld) == (2, 2, True)


@pytest.mark.parametrize("prune", [True, False])
@pytest.mark.parametrize("many", [0, 20])
@pytest.mark.parametrize("version", ["1", "2"])
def test_what_is_no_longer_to_be_found_goes(pool: Pool, conn: Connection, version: str, many: int, prune: bool) -> None:
    """Whether the run is a patch, a build, or cuts everything anew: only posts that the input keeps back by name."""
    old, new = make_posts(30), make_posts(many, start=50)
    reindex(pool, SMALL, old)
    skipped = [
        Skipped("a.md", "draft", old[3].id), Skipped("b.md", "password", old[9].id), Skipped("c.md", "draft", "never"),
        Skipped("d.md", "draft", old[12].id), Skipped("e.md", "draft"), Skipped("f.md", "draft", "half\ud800"),
    ]  # fmt: skip
    given: list[Sourced] = [*skipped[:3], *old[12:14], BadPost("g.md", "broken", old[14].id), *new, *skipped[3:]]
    given.append(Skipped("h.md", "draft", old[14].id))
    report = reindex(pool, SmallAnalyzer(version), given, prune=prune)
    assert (report.withdrawn, report.drafts, report.protected) == (2, 6, 1)
    assert (report.kept, report.removed) == ((0, 25) if prune else (25, 0))
    rest = old[12:15] if prune else [post for post in old if post not in (old[3], old[9])]
    check_whole(conn, rest + new)
    assert reindex(pool, SmallAnalyzer(version), given, prune=prune).withdrawn == 0
    check_whole(conn, rest + new)


def test_what_is_no_longer_to_be_found_goes_where_it_is_all_there_is(pool: Pool, conn: Connection) -> None:
    reindex(pool, SMALL, make_posts(2))
    report = reindex(pool, SMALL, [Skipped("a.md", "draft", make_posts(1)[0].id)])
    assert (report.withdrawn, report.documents, report.kept) == (1, 1, 1)
    check_whole(conn, make_posts(2)[1:])


def test_a_post_from_elsewhere_stays_and_is_named(pool: Pool, conn: Connection) -> None:
    """One that was PUT, or read from a file of lines, is not the draft that happens to have its id."""
    paths = (None, "posts.jsonl", "posts.jsonl", "source/_posts/d.md", "posts.jsonl")
    posts = [
        replace(post, extra={"path": path} if path else {}) for post, path in zip(make_posts(5), paths, strict=True)
    ]
    reindex(pool, SMALL, posts)
    drafts = ("source/_drafts/a.md", "b.md", "other.jsonl", "_drafts/D.MD", "posts.jsonl")
    given = [Skipped(path, "draft", post.id, path) for post, path in zip(posts, drafts, strict=True)]
    report = reindex(pool, SMALL, given)
    assert (report.withdrawn, report.kept) == (2, 3)
    check_whole(conn, posts[:3])
    assert [(warning.where, warning.reason.split("stored post ")[1].split(";")[0]) for warning in report.warnings] == [
        ("source/_drafts/a.md", f"with its id {posts[0].id!r} was PUT into the index and is not withdrawn for it"),
        ("b.md", f"with its id {posts[1].id!r} was read from posts.jsonl and is not withdrawn for it"),
        ("other.jsonl", f"with its id {posts[2].id!r} was read from posts.jsonl and is not withdrawn for it"),
    ]


def test_a_draft_without_the_date_of_its_name_is_the_post_with_one(pool: Pool, conn: Connection) -> None:
    """Jekyll's way to take a post back moves `_posts/2024-01-02-name.md` to `_drafts/name.md`."""
    paths = [
        "2024-01-02-name",
        "deep/2024-1-2-name",
        "2024-01-02-other",
        "2024-01-02-name-2",
        "name-3",
        "2023-01-02-twice",
    ]
    posts = [
        replace(post, id=path, extra={"path": f"_posts/{path}.md"})
        for post, path in zip(make_posts(6), paths, strict=True)
    ]
    reindex(pool, SMALL, posts)
    drafts = [Skipped(f"_drafts/{name}.md", "draft", name, f"_drafts/{name}.md", True) for name in ("name", "twice")]
    drafts.append(Skipped("_drafts/other.md", "draft", "other", "_drafts/other.md"))
    report = reindex(pool, SMALL, [posts[5], *drafts])
    assert (report.withdrawn, report.warnings) == (1, ())
    check_whole(conn, posts[1:])


@pytest.mark.parametrize("changed", [True, False])
def test_an_interrupted_run_does_not_bring_back_what_is_no_longer_to_be_found(
    pool: Pool, conn: Connection, changed: bool
) -> None:
    """Neither what it had built of such a post, nor what was written of it meanwhile."""
    old, new = make_posts(30), make_posts(30, edition=2)
    reindex(pool, SMALL, old)
    with pytest.raises(InterruptedError):
        reindex(pool, SMALL, stop_after(new, 29))
    if changed:
        documents.upsert(conn, SMALL, make_posts(1, edition=3))
    report = reindex(pool, SMALL, [*new[1:], Skipped("a.md", "draft", new[0].id)])
    assert (report.withdrawn, bool(report.resumed)) == (1, True)
    check_whole(conn, new[1:])


def test_what_others_write_after_it_was_withdrawn_stays(pool: Pool, conn: Connection) -> None:
    old = make_posts(30)
    reindex(pool, SMALL, old)
    theirs = make_posts(1, edition=7)

    def interfere(event: ReindexEvent) -> None:
        if event.phase == "index":
            assert documents.get(conn, old[0].id) is None, "it is gone before the new generation serves"
            documents.upsert(conn, SMALL, theirs)

    reindex(pool, SMALL, [*make_posts(20, edition=2, start=1), Skipped("a.md", "draft", old[0].id)], on_event=interfere)
    assert documents.get(conn, old[0].id) == theirs[0]
