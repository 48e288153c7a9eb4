from typing import Any

import pytest
from fastapi.testclient import TestClient

from tests.api.conftest import POSTS
from tests.api.problems import assert_problem


def ids(client: TestClient, query: str, **parameters: Any) -> list[str]:
    answer = client.get("/v1/search", params={"q": query, **parameters})
    assert answer.status_code == 200, answer.text
    return [hit["id"] for hit in answer.json()["hits"]]


def test_a_post_can_be_found_when_put_answers(client: TestClient) -> None:
    answer = client.put("/v1/posts/docker", json=POSTS["docker"])
    assert answer.status_code == 201
    assert answer.json() == {"id": "docker", "state": "created"}
    assert ids(client, "镜像推到") == ["docker"]


def test_put_replaces_and_says_so(blog: TestClient) -> None:
    again = blog.put("/v1/posts/docker", json=POSTS["docker"])
    assert (again.status_code, again.json()["state"]) == (200, "unchanged")
    changed = blog.put("/v1/posts/docker", json={"title": "换了题目", "body": "内容全新"})
    assert (changed.status_code, changed.json()["state"]) == (200, "replaced")
    assert ids(blog, "镜像") == []
    assert ids(blog, "全新") == ["docker"]


def test_get_gives_what_was_put(blog: TestClient) -> None:
    post = blog.get("/v1/posts/docker").json()
    assert {key: post[key] for key in ("title", "body", "tags")} == {
        key: POSTS["docker"][key] for key in ("title", "body", "tags")
    }
    assert post["id"] == "docker"
    assert post["published_at"].startswith("2026-03-01T08:00:00")


def test_times_keep_their_moment(client: TestClient) -> None:
    post = {"title": "a", "body": "b", "published_at": "2026-01-05T00:00:00+08:00", "updated_at": "2026-02-01"}
    client.put("/v1/posts/t", json=post)
    stored = client.get("/v1/posts/t").json()
    assert stored["published_at"] == "2026-01-05T00:00:00+08:00"
    assert stored["updated_at"].startswith("2026-02-01T00:00:00")


def test_delete_takes_the_post_out_of_store_and_index(blog: TestClient) -> None:
    assert blog.delete("/v1/posts/docker").status_code == 204
    assert ids(blog, "镜像") == []
    assert "docker" in assert_problem(blog.get("/v1/posts/docker"), 404)["detail"]
    assert_problem(blog.delete("/v1/posts/docker"), 404)
    assert_problem(blog.get("/v1/posts/docker/related"), 404)


@pytest.mark.parametrize("post_id", ["2026/03/你好", "a b", "a%b", "a?b#c", "😀", "x" * 500])
def test_ids_may_be_anything_printable(client: TestClient, post_id: str) -> None:
    from urllib.parse import quote

    address = f"/v1/posts/{quote(post_id, safe='')}"
    assert client.put(address, json={"title": "标题", "body": "正文"}).status_code == 201
    assert client.get(address).json()["id"] == post_id
    assert ids(client, "正文") == [post_id]
    assert client.get(f"{address}/related").status_code == 200
    assert client.delete(address).status_code == 204


@pytest.mark.parametrize("address", ["/v1/posts/a%00b", f"/v1/posts/{'x' * 501}"])
def test_unusable_ids(client: TestClient, address: str) -> None:
    assert_problem(client.put(address, json={"title": "a", "body": "b"}), 422)
    assert_problem(client.get(address), 422)


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"title": None}, "title"),
        ({"title": "a\0b"}, "title"),
        ({"body": "a\0b"}, "body"),
        ({"body": 5}, "body"),
        ({"tags": ["a\0"]}, "tags"),
        ({"tags": [""]}, "tags"),
        ({"tags": "a"}, "tags"),
        ({"published_at": "yesterday"}, "published_at"),
        ({"published_at": 2026}, "published_at"),
        ({"published_at": "0001-01-01T00:00:00+14:00"}, "published_at"),
        ({"author": "a"}, "author"),
    ],
)
def test_what_does_not_fit_is_named(client: TestClient, change: dict[str, Any], field: str) -> None:
    problem = assert_problem(client.put("/v1/posts/a", json={"title": "a", "body": "b", **change}), 422)
    assert any(field in error["field"] for error in problem["errors"])
    assert_problem(client.get("/v1/posts/a"), 404)


def test_extra_must_be_storable(client: TestClient) -> None:
    post = {"title": "a", "body": "b"}
    assert client.put("/v1/posts/a", json={**post, "extra": {"views": [1, None, {"k": "v"}]}}).status_code == 201
    assert client.get("/v1/posts/a").json()["extra"] == {"views": [1, None, {"k": "v"}]}
    deep: Any = []
    for _ in range(200):
        deep = [deep]
    assert "64" in str(assert_problem(client.put("/v1/posts/a", json={**post, "extra": {"k": deep}}), 422)["errors"])
    problem = assert_problem(client.put("/v1/posts/a", json={**post, "extra": {"k": ["a\0"]}}), 422)
    assert "NUL" in problem["detail"]


def test_long_posts_are_413(client: TestClient) -> None:
    assert "body" in assert_problem(client.put("/v1/posts/a", json={"title": "a", "body": "好" * 2001}), 413)["detail"]


def test_empty_posts_are_posts(client: TestClient) -> None:
    assert client.put("/v1/posts/empty", json={"title": "", "body": ""}).status_code == 201
    assert client.get("/v1/posts/empty").json()["title"] == ""


def test_related_posts_never_name_the_post_itself(blog: TestClient) -> None:
    answer = blog.get("/v1/posts/docker/related").json()
    assert answer["id"] == "docker"
    assert "docker" not in [post["id"] for post in answer["related"]]
    assert "service" in [post["id"] for post in answer["related"]]
    assert_problem(blog.get("/v1/posts/docker/related?limit=0"), 422)
