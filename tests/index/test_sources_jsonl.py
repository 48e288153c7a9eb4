"""JSON lines: one post a line, each bad line by number and reason, memory for one line."""

import json
import tracemalloc
from datetime import UTC, datetime
from pathlib import Path

import pytest
import zstandard
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from index.ingest import jsonl
from index.sources import read_posts
from index.types import BadPost, Post, PostWarning, Skipped, Sourced

GOOD = b'{"id": "ok", "title": "t", "body": "b"}'


def read(path: Path, data: bytes) -> list[Sourced]:
    path.write_bytes(data)
    return list(read_posts([path]))


def test_all_fields(tmp_path: Path) -> None:
    line: dict[str, object] = {
        "id": 7, "title": " 题 ", "body": "正文 *不是* Markdown\x00", "tags": ["a", "b b", "a"],
        "categories": [["x", "y"]],
        "published_at": "2024-05-01T08:00:00+08:00", "updated_at": "2024-05-02",
        "url": "https://example.com/7", "excerpt": "摘",
    }  # fmt: skip
    path = tmp_path / "posts.jsonl"
    assert read(path, json.dumps(line).encode()) == [
        Post(
            id="7",
            title="题",
            body="正文 *不是* Markdown",
            tags=("a", "b b"),
            categories=("x", "y"),
            url="https://example.com/7",
            published_at=datetime(2024, 5, 1, tzinfo=UTC),
            updated_at=datetime(2024, 5, 2, tzinfo=UTC),
            extra={"path": "posts.jsonl", "excerpt": "摘"},
        )
    ]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"{", "not valid JSON"),
        (b"[1]", "not a JSON object"),
        (b'{"title": "t", "body": "b"}', "id is missing"),
        (b'{"id": true, "title": "t", "body": "b"}', "id must be text"),
        (b'{"id": " ", "title": "t", "body": "b"}', "id is empty"),
        (b'{"id": "a\\nb", "title": "t", "body": "b"}', "control characters"),
        (b'{"id": "a", "body": "b"}', "title is missing"),
        (b'{"id": "a", "title": "t"}', "body is missing"),
        (b'{"id": "a", "title": 1, "body": "b"}', "title must be text"),
        (b'{"id": "a", "title": "t", "body": "\\ud800"}', "body has a lone surrogate (U+D800)"),
        (b'{"id": "a", "title": "t", "body": "b", "tags": [{}]}', "tags must be names"),
        (b'{"id": ' + b"9" * 5000 + b"}", "not usable JSON"),
        (b"[" * 100_000, "not usable JSON"),
        ("中".encode("gb18030"), "not UTF-8"),
    ],
)
def test_a_bad_line_is_named_and_the_rest_goes_on(tmp_path: Path, line: bytes, reason: str) -> None:
    path = tmp_path / "posts.jsonl"
    bad, post = read(path, b"\n" + line + b"\r\n\n" + GOOD)
    assert isinstance(bad, BadPost)
    assert bad.where == f"{path}:2"
    assert reason in bad.reason
    assert bad.id == ("a" if b'"id": "a"' in line else None)
    assert isinstance(post, Post)


@pytest.mark.parametrize(
    ("field", "value", "reason"),
    [
        ("published_at", "soon", "published_at is not a date: 'soon'; indexed without it"),
        ("date", 5, "date is not a date: '5'; indexed without it"),
        ("updated", ["2024"], "updated is not a date: \"['2024']\"; indexed without it"),
    ],
)
def test_a_bad_date_costs_the_date_and_not_the_post(tmp_path: Path, field: str, value: object, reason: str) -> None:
    path = tmp_path / "posts.jsonl"
    line = json.dumps({"id": "a", "title": "t", "body": "b", field: value}).encode()
    post, warning, ok, again = read(path, line + b"\n" + GOOD + b"\n" + line)
    assert isinstance(post, Post)
    assert (post.id, post.published_at, post.updated_at) == ("a", None, None)
    assert warning == PostWarning(f"{path}:1", reason)
    assert isinstance(ok, Post)
    assert isinstance(again, BadPost), "a second post with the same id is bad, and its date is not spoken of"


def test_dates_may_have_the_names_of_front_matter(tmp_path: Path) -> None:
    line = {"id": "a", "title": "t", "body": "b", "date": "2024-05-01T00:30:00+08:00", "updated": "2024/5/2"}
    [post] = read(tmp_path / "posts.jsonl", json.dumps(line).encode())
    assert isinstance(post, Post)
    assert str(post.published_at) == "2024-05-01 00:30:00+08:00"
    assert str(post.updated_at) == "2024-05-02 00:00:00+00:00"
    [post] = read(tmp_path / "posts.jsonl", json.dumps(line | {"published_at": "2023-01-01"}).encode())
    assert isinstance(post, Post)
    assert str(post.published_at) == "2023-01-01 00:00:00+00:00"


def test_lines_that_are_not_to_be_found_are_skipped_like_front_matter(tmp_path: Path) -> None:
    lines = [
        b'{"id": "a", "draft": true}',
        b'{"id": "b", "title": "t", "body": "b", "published": false, "date": "soon"}',
        b'{"id": 3, "title": "t", "body": "b", "password": "x"}',
        b'{"id": "d", "title": "t", "body": "b", "draft": false, "published": "2026-01-01", "password": null}',
        b'{"id": "e", "title": "t", "body": "b", "draft": "perhaps"}',
        b'{"id": "a", "title": "t", "body": "b"}',
    ]
    path = tmp_path / "posts.jsonl"
    a, b, c, d, e, f = read(path, b"\n".join(lines))
    assert [a, b, c] == [
        Skipped(f"{path}:1", "draft", "a", "posts.jsonl"),
        Skipped(f"{path}:2", "draft", "b", "posts.jsonl"),
        Skipped(f"{path}:3", "password", "3", "posts.jsonl"),
    ]
    assert isinstance(d, Post)
    assert d.published_at is None
    assert e == BadPost(f"{path}:5", "draft must be true or false, not 'perhaps'", "e")
    assert isinstance(f, Post), "a post beside a draft of it is public"
    assert list(read_posts([path, path])) == [a, b, c, d, e, f]


def test_byte_order_mark(tmp_path: Path) -> None:
    assert isinstance(read(tmp_path / "posts.jsonl", b"\xef\xbb\xbf" + GOOD)[0], Post)


def test_duplicate_ids_name_both_lines(tmp_path: Path) -> None:
    path = tmp_path / "posts.jsonl"
    _, bad = read(path, GOOD + b"\n" + GOOD)
    assert bad == BadPost(f"{path}:2", f"the id 'ok' is already that of {path}:1")


def test_compressed_also_in_several_frames(tmp_path: Path) -> None:
    compress = zstandard.ZstdCompressor().compress
    data = compress(GOOD + b"\n") + compress(GOOD.replace(b"ok", b"two"))
    assert [post.id for post in read(tmp_path / "posts.jsonl.zst", data) if isinstance(post, Post)] == ["ok", "two"]


def test_damaged_compression_is_reported(tmp_path: Path) -> None:
    lines = b"".join(b'{"id": "%d", "title": "t", "body": "%d"}\n' % (n, n * n) for n in range(20_000))
    data = zstandard.ZstdCompressor().compress(lines)
    found = read(tmp_path / "posts.jsonl.zst", data[: len(data) // 2] + b"\x00" * 50 + data[len(data) // 2 :])
    assert isinstance(found[-1], BadPost)
    [bad] = read(tmp_path / "none.jsonl.zst", GOOD)
    assert isinstance(bad, BadPost)
    assert "cannot be read" in bad.reason


def test_cut_off_compression_is_reported(tmp_path: Path) -> None:
    lines = b"".join(b'{"id": "%d", "title": "t", "body": "%d"}\n' % (n, n * n) for n in range(20_000))
    data = zstandard.ZstdCompressor().compress(lines)
    assert isinstance(read(tmp_path / "posts.jsonl.zst", data[: len(data) // 2])[-1], BadPost)


def test_a_line_that_is_too_long_is_skipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jsonl, "MAX_LINE", 100)
    bad, post = read(tmp_path / "posts.jsonl", b'{"id": "' + b"x" * 5000 + b'"}\n' + GOOD)
    assert isinstance(bad, BadPost)
    assert "longer" in bad.reason
    assert isinstance(post, Post)


def test_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    path = tmp_path / "posts.jsonl"
    with path.open("wb") as file:
        for number in range(2_000):
            file.write(b'{"id": "%d", "title": "t", "body": "%s"}\n' % (number, b"x" * 10_000))
    tracemalloc.start()
    try:
        assert sum(isinstance(post, Post) for post in read_posts([path])) == 2_000
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < path.stat().st_size / 5


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda v: st.lists(v, max_size=3),
    max_leaves=5,
)
KEYS = st.sampled_from(["id", "title", "body", "tags", "categories", "published_at", "updated_at", "url", "excerpt"])


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.dictionaries(KEYS, VALUES))
def test_any_object_is_a_post_or_a_bad_post(tmp_path: Path, data: dict[str, object]) -> None:
    found, *others = read(tmp_path / "x.jsonl", json.dumps(data).encode())
    assert isinstance(found, (Post, BadPost))
    assert all(isinstance(other, PostWarning) for other in others)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.binary(max_size=100))
def test_any_bytes_are_reported_not_raised(tmp_path: Path, data: bytes) -> None:
    for name in ("x.jsonl", "x.jsonl.zst"):
        assert all(isinstance(found, (Post, BadPost)) for found in read(tmp_path / name, data))
