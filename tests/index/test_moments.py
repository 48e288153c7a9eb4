"""The date of a post is the one its author wrote, wherever dates are shown, counted, compared or sorted by."""

from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import psycopg
import pytest
from psycopg import Connection

from index import documents
from index.content import content_hash
from index.db import Pool, open_pool
from index.facets import facets
from index.generations import reindex
from index.migrate import available, migrate
from index.moments import local, restored, zoned
from index.search import search
from index.types import Post, SearchRequest
from index.why_not import why_not
from segmenter.analyzer import Analyzer
from tests.index.conftest import Databases
from tests.index.samples import SmallAnalyzer

EAST, WEST = timezone(timedelta(hours=8)), timezone(-timedelta(hours=9, minutes=30))
POSTS = [
    Post("new-year-east", "新年", "日记", published_at=datetime(2025, 1, 1, tzinfo=EAST)),
    Post("eve-west", "除夕", "日记", published_at=datetime(2024, 12, 31, 23, 59, tzinfo=WEST)),
    Post("eve-utc", "除夕", "日记", published_at=datetime(2024, 12, 31, 23, tzinfo=UTC)),
    Post("undated", "无日期", "日记"),
]


@pytest.fixture(scope="module")
def analyzer() -> Analyzer:
    return Analyzer.default()


@pytest.fixture
def blog(conn: Connection, analyzer: Analyzer) -> Connection:
    conn.execute("set timezone = 'America/New_York'")
    documents.upsert(conn, analyzer, POSTS)
    return conn


def ids(conn: Connection, analyzer: Analyzer, request: SearchRequest) -> set[str]:
    return {hit.id for hit in search(conn, analyzer, request).hits}


def test_a_hit_shows_the_date_of_its_author(blog: Connection, analyzer: Analyzer) -> None:
    found = search(blog, analyzer, SearchRequest("日记", sort="newest")).hits
    assert [(hit.id, hit.published_at and hit.published_at.isoformat()) for hit in found] == [
        ("new-year-east", "2025-01-01T00:00:00+08:00"),
        ("eve-west", "2024-12-31T23:59:00-09:30"),
        ("eve-utc", "2024-12-31T23:00:00+00:00"),
        ("undated", None),
    ]


@pytest.mark.parametrize("year", [2023, 2024, 2025])
def test_facets_filters_and_hits_agree_about_the_year(blog: Connection, analyzer: Analyzer, year: int) -> None:
    counted = {one.value: one.count for one in facets(blog, analyzer, SearchRequest("日记")).years}
    typed = ids(blog, analyzer, SearchRequest(f"日记 after:{year}-01-01 before:{year + 1}-01-01"))
    given = SearchRequest("日记", after=datetime(year, 1, 1), before=datetime(year + 1, 1, 1))
    dated = {post.id for post in POSTS if post.published_at and post.published_at.year == year}
    assert typed == ids(blog, analyzer, given) == dated
    assert counted.get(str(year), 0) == len(dated)


def test_a_bound_with_a_zone_is_a_moment(blog: Connection, analyzer: Analyzer) -> None:
    moment = datetime(2024, 12, 31, 16, tzinfo=UTC)  # midnight in the east
    assert ids(blog, analyzer, SearchRequest("日记", before=moment)) == set()
    assert ids(blog, analyzer, SearchRequest("日记", before=moment + timedelta(seconds=1))) == {"new-year-east"}
    assert ids(blog, analyzer, SearchRequest("日记", after=moment)) == {"new-year-east", "eve-utc", "eve-west"}
    both = SearchRequest("日记", after=datetime(2025, 1, 1), before=moment + timedelta(hours=1))
    assert ids(blog, analyzer, both) == {"new-year-east"}


def test_why_not_names_the_date_of_the_author(blog: Connection, analyzer: Analyzer) -> None:
    (reason,) = why_not(blog, analyzer, SearchRequest("日记 before:2025"), "new-year-east").reasons
    assert reason.details == {"before": "2025-01-01T00:00:00", "published_at": "2025-01-01T00:00:00+08:00"}


@pytest.mark.parametrize(
    "moment",
    [
        datetime(2024, 5, 1, 0, 30, 0, 123456, tzinfo=EAST),
        datetime(2024, 11, 3, 1, 30, tzinfo=timezone(timedelta(hours=-5))),
        datetime(1900, 1, 1, tzinfo=timezone(timedelta(hours=8, minutes=5, seconds=43))),
        datetime(9999, 12, 31, 1, tzinfo=UTC),
        datetime(2024, 5, 1, tzinfo=timezone(timedelta(hours=23, minutes=59))),
        datetime(2024, 5, 1, tzinfo=UTC),
    ],
)
def test_a_stored_date_keeps_its_clock_and_its_hash(conn: Connection, moment: datetime) -> None:
    conn.execute("set timezone = 'America/New_York'")
    post = Post("p", "", "", published_at=moment, updated_at=moment)
    documents.upsert(conn, SmallAnalyzer(), [post])
    stored = documents.get(conn, "p")
    assert stored == post
    assert stored.published_at is not None
    assert stored.published_at.isoformat() == moment.isoformat()
    assert content_hash(stored) == content_hash(post)


def test_without_a_zone_it_is_universal_time() -> None:
    noon = datetime(2024, 5, 1, 12)
    assert zoned(noon) == datetime(2024, 5, 1, 12, tzinfo=UTC)
    assert local(noon) == noon
    assert content_hash(Post("p", "", "", published_at=noon)) == content_hash(
        Post("p", "", "", published_at=noon.replace(tzinfo=UTC))
    )
    assert (zoned(None), local(None), restored(None, None)) == (None, None, None)


def test_a_new_generation_keeps_the_dates(pool: Pool) -> None:
    reindex(pool, SmallAnalyzer(), POSTS)
    many = [Post(f"more-{number}", "", "甲" * 1_000) for number in range(400)]
    report = reindex(pool, SmallAnalyzer(), many)  # copies what it is not given
    assert report.kept == len(POSTS)
    reindex(pool, SmallAnalyzer("2"), [])  # cuts the stored posts anew
    with pool.connection() as conn:
        for post in POSTS:
            stored = documents.get(conn, post.id)
            assert stored is not None
            assert str(stored.published_at) == str(post.published_at)
    assert reindex(pool, SmallAnalyzer("2"), POSTS).unchanged == len(POSTS)


def test_dates_of_before_are_kept_in_universal_time(databases: Databases) -> None:
    url, small = databases.empty(), SmallAnalyzer()
    before = [migration for migration in available() if migration.number < 8]
    values = "{0}, {1}, %s, '', '', '{{}}', '{{}}', null, %s, null, '{{}}', '', 'small-1', 0, 0"
    row = "insert into wenci.post_{0} select " + values
    moment = datetime(2024, 5, 1, tzinfo=ZoneInfo("Asia/Shanghai"))
    with psycopg.connect(url) as conn:
        migrate(conn, before)
        conn.execute("select wenci.create_generation('small-1', 'stream-1')")
        conn.execute("select wenci.index_generation(1), wenci.attach_generation(1)")
        conn.execute("select wenci.create_generation('small-1', 'stream-1')")
        for generation in (1, 2):
            conn.execute(row.format(generation, 0), ["dated", moment])
            conn.execute(row.format(generation, 1), ["undated", None])
        conn.execute("update wenci.generation set documents = 2, next_ord = 2")
        conn.execute("select wenci.index_generation(2)")
        conn.commit()
        assert migrate(conn) == [migration.name for migration in available() if migration.number >= 8]
    with open_pool(url) as pool:
        for tables in (["post_1", "post_2"], ["post"]):
            with pool.connection() as conn:
                for table in tables:
                    rows = conn.execute(f"select published_at, published_local from wenci.{table}").fetchall()
                    assert sorted(rows, key=str) == [(None, None), (moment, datetime(2024, 4, 30, 16))]
                stored = documents.get(conn, "dated")
                assert stored is not None
                assert str(stored.published_at) == "2024-04-30 16:00:00+00:00"
            reindex(pool, small, [])  # goes on with the build that was there
    databases.drop(url)
