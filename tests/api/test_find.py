"""Completion, corrections, facets, why-not, synonyms and posts like a text, over HTTP."""

from typing import Any

import pytest
from fastapi.testclient import TestClient

from tests.api.problems import assert_problem


def suggestions(client: TestClient, typed: str) -> list[str]:
    return [one["text"] for one in client.get("/v1/suggest", params={"q": typed}).json()["suggestions"]]


@pytest.mark.parametrize("typed", ["京都", "京都的", "jingdu", "jddhf", "和服"])
def test_a_stored_post_can_be_completed_at_once(blog: TestClient, typed: str) -> None:
    assert "京都的和服" in suggestions(blog, typed)
    assert suggestions(blog, f" {typed}  ") == suggestions(blog, typed)


def test_a_deleted_post_is_no_longer_suggested(blog: TestClient) -> None:
    assert blog.delete("/v1/posts/kimono").status_code == 204
    assert "京都的和服" not in suggestions(blog, "京都")
    assert "旅行" not in suggestions(blog, "lx")


def test_a_replaced_post_is_suggested_by_its_new_title(blog: TestClient) -> None:
    assert blog.put("/v1/posts/kimono", json={"title": "大阪的城", "body": "正文"}).status_code == 200
    assert suggestions(blog, "dabandecheng") == ["大阪的城"]
    assert "京都的和服" not in suggestions(blog, "京都")


def test_corrections_where_nothing_completes_or_is_found(blog: TestClient) -> None:
    answer = blog.get("/v1/suggest", params={"q": "dockre"}).json()
    assert answer["suggestions"] == []
    assert answer["did_you_mean"][0]["query"] == "docker"
    found = blog.get("/v1/search", params={"q": "dockre"}).json()
    assert (found["total"], found["guessed"]) == (1, 1)
    assert [(hit["id"], hit["why"]["routes"]) for hit in found["hits"]] == [("docker", ["fuzzy"])]
    assert found["did_you_mean"][0]["changes"] == [{"typed": "dockre", "meant": "docker", "reason": "spelling"}]
    assert blog.get("/v1/search", params={"q": "docker"}).json()["did_you_mean"] == []


def test_facets(blog: TestClient) -> None:
    answer = blog.get("/v1/facets", params={"q": "部署"}).json()
    assert (answer["documents"], answer["of_all"]) == (2, False)
    assert answer["tags"] == [{"value": tag, "count": 1} for tag in ("Docker", "产品", "运维")]
    assert answer["years"] == [{"value": "2026", "count": 2}]
    everything = blog.get("/v1/facets", params={"q": "没有xyzzy", "values": 1}).json()
    assert (everything["documents"], everything["of_all"], len(everything["tags"])) == (3, True, 1)


def test_why_not(blog: TestClient) -> None:
    answer = blog.get("/v1/search/why-not", params={"q": "部署 tag:旅行", "post": "docker"}).json()
    assert (answer["found"], [reason["kind"] for reason in answer["reasons"]]) == (False, ["tag"])
    answer = blog.get("/v1/search/why-not", params={"q": "部署", "post": "nowhere"}).json()
    assert [reason["kind"] for reason in answer["reasons"]] == ["not_indexed"]
    answer = blog.get("/v1/search/why-not", params={"q": "镜像", "post": "kimono"}).json()
    (reason,) = answer["reasons"]
    assert reason["details"]["missing"][0]["term"] == "镜像"


def test_posts_like_a_text(blog: TestClient) -> None:
    answer = blog.post("/v1/related", json={"title": "Docker 镜像", "body": "启动数据库", "tags": ["Docker"]})
    assert answer.status_code == 200
    assert answer.json()["related"][0]["id"] == "docker"


def test_synonyms_are_kept_and_removed(client: TestClient) -> None:
    lines = ["k8s = Kubernetes", "番茄 => 西红柿"]
    stored = client.put("/v1/synonyms", json={"rules": lines}).json()["rules"]
    assert [rule["rule"] for rule in stored] == lines
    assert [rule["two_way"] for rule in stored] == [True, False]
    assert client.delete(f"/v1/synonyms/{stored[0]['id']}").status_code == 204
    assert [rule["rule"] for rule in client.get("/v1/synonyms").json()["rules"]] == lines[1:]
    added = client.post("/v1/synonyms", json={"rules": ["Hulk = 浩克"]}).json()["rules"]
    assert [rule["rule"] for rule in added] == [lines[1], "Hulk = 浩克"]
    assert client.put("/v1/synonyms", json={"rules": []}).json() == {"rules": []}


@pytest.mark.parametrize(
    ("method", "address", "body", "status"),
    [
        ("PUT", "/v1/synonyms", {"rules": ["one"]}, 422),
        ("PUT", "/v1/synonyms", {"rules": "a = b"}, 422),
        ("POST", "/v1/synonyms", {"rules": ["a = b => c"]}, 422),
        ("DELETE", "/v1/synonyms/999999999999999999999", None, 404),
        ("DELETE", "/v1/synonyms/x", None, 422),
        ("GET", "/v1/suggest", None, 422),
        ("GET", "/v1/suggest?q=a&limit=0", None, 422),
        ("GET", "/v1/facets?q=a%00", None, 422),
        ("GET", "/v1/search/why-not?q=a", None, 422),
        ("POST", "/v1/related", {"titel": "x"}, 422),
        ("POST", "/v1/related", {"body": "长" * 2001}, 413),
    ],
)
def test_what_does_not_fit(client: TestClient, method: str, address: str, body: Any, status: int) -> None:
    assert_problem(client.request(method, address, json=body), status)


@pytest.mark.parametrize("query", ["", " ", "\t", "，", '"', "%", "_", "\\", "'", "\U0010ffff", "😀", ":*"])
def test_odd_queries_are_answered(blog: TestClient, query: str) -> None:
    for address in ("/v1/suggest", "/v1/facets", "/v1/search/why-not"):
        answer = blog.get(address, params={"q": query, "post": "docker"})
        assert answer.status_code == 200, answer.text
