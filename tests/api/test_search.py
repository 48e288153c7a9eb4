from typing import Any

import pytest
from fastapi.testclient import TestClient

from tests.api.problems import assert_problem
from tests.api.test_posts import ids


def test_words_stand_above_characters_that_only_meet(blog: TestClient) -> None:
    found = ids(blog, "和服")
    assert found[0] == "kimono"
    assert sorted(found[1:]) == ["docker", "service"]


def test_a_hit_has_what_a_page_needs(blog: TestClient) -> None:
    answer = blog.get("/v1/search", params={"q": "部署博客"}).json()
    assert answer["total"] == 1
    assert answer["total_is_exact"] is True
    (hit,) = answer["hits"]
    assert hit["id"] == "docker"
    assert hit["tags"] == ["Docker", "运维"]
    assert [hit["title"][start:end] for start, end in hit["title_marks"]]
    assert "".join(hit["title"][start:end] for start, end in hit["title_marks"]) in "部署博客"
    assert hit["why"]


def test_snippet_marks_hold_the_words(blog: TestClient) -> None:
    (hit,) = blog.get("/v1/search", params={"q": "镜像"}).json()["hits"]
    assert [hit["snippet"][start:end] for start, end in hit["snippet_marks"]] == ["镜像"]


def test_filters_and_order(blog: TestClient) -> None:
    assert ids(blog, "部署", tag="产品") == ["service"]
    assert ids(blog, "部署", before="2026-02-01") == ["service"]
    assert ids(blog, "部署", after="2026-02-01T00:00:00Z") == ["docker"]
    assert ids(blog, "部署", sort="newest") == ["docker", "service"]
    assert ids(blog, "tag:运维 部署") == ["docker"]
    assert ids(blog, "部署 -Docker") == ["service"]
    assert ids(blog, "照片 OR 镜像", sort="newest") == ["docker", "kimono"]


@pytest.mark.parametrize("name", ["before", "after"])
@pytest.mark.parametrize("value", ["2026", "2026-02", "2026/02", "2026-02-01"])
def test_dates_as_parameters_mean_what_they_mean_in_the_query(blog: TestClient, name: str, value: str) -> None:
    in_query = ids(blog, f"部署 OR 和服 {name}:{value}", sort="newest")
    assert ids(blog, "部署 OR 和服", sort="newest", **{name: value}) == in_query
    assert in_query != ids(blog, "部署 OR 和服", sort="newest")
    facets = blog.get("/v1/facets", params={"q": "部署 OR 和服", name: value}).json()
    assert facets["documents"] == len(in_query)


def test_a_hit_names_the_words_that_it_lacks(blog: TestClient) -> None:
    answer = blog.get("/v1/search", params={"q": "京都樱花"}).json()
    lacking = {hit["id"]: hit["why"].get("missing") for hit in answer["hits"]}
    assert lacking == {"kimono": ["樱花"]}
    (hit,) = blog.get("/v1/search", params={"q": "清水寺"}).json()["hits"]
    assert "missing" not in hit["why"]


def test_pages_are_disjoint_and_complete(blog: TestClient) -> None:
    whole = ids(blog, "部署 OR 和服")
    pages = [ids(blog, "部署 OR 和服", limit=1, offset=offset) for offset in range(len(whole))]
    assert [page[0] for page in pages] == whole
    assert len(whole) == 3
    assert blog.get("/v1/search", params={"q": "部署", "limit": 0}).json()["total"] == 2


@pytest.mark.parametrize(
    "query", ["", " ", "　", '"', "-", "OR", "tag:", "before:x", "(", "' & !", ":*", "\\", "%", "\ufeff"]
)
def test_odd_queries_are_answered(blog: TestClient, query: str) -> None:
    answer = blog.get("/v1/search", params={"q": query})
    assert answer.status_code == 200, answer.text
    assert answer.json()["total"] >= 0


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"q": "长" * 101},
        {"q": "a\0b"},
        {"q": "a", "limit": -1},
        {"q": "a", "limit": 101},
        {"q": "a", "limit": "many"},
        {"q": "a", "offset": -1},
        {"q": "a", "offset": 100_001},
        {"q": "a", "offset": 10**30},
        {"q": "a", "sort": "oldest"},
        {"q": "a", "before": "tomorrow"},
        {"q": "a", "after": "2026-13-01"},
        {"q": "a", "after": "2026-13"},
        {"q": "a", "after": "0001"},
        {"q": "a", "after": "26"},
        {"q": "a", "tag": ""},
        {"q": "a", "tag": "a\0"},
    ],
)
def test_what_does_not_fit_is_422(blog: TestClient, parameters: dict[str, Any]) -> None:
    assert_problem(blog.get("/v1/search", params=parameters), 422)


@pytest.mark.parametrize(
    ("path", "parameters", "field"),
    [
        ("/v1/search", {"q": "长" * 101}, "query.q"),
        ("/v1/search", {"q": "a", "limit": 101}, "query.limit"),
        ("/v1/search", {"q": "a", "limit": -1}, "query.limit"),
        ("/v1/search", {"q": "a", "offset": 100_001}, "query.offset"),
        ("/v1/suggest", {"q": "长" * 101}, "query.q"),
        ("/v1/facets", {"q": "长" * 101}, "query.q"),
        ("/v1/search/why-not", {"q": "a", "post": "a", "limit": 101}, "query.limit"),
    ],
)
def test_what_is_over_a_limit_names_its_field(
    blog: TestClient, path: str, parameters: dict[str, Any], field: str
) -> None:
    answer = blog.get(path, params=parameters)
    assert_problem(answer, 422)
    (error,) = answer.json()["errors"]
    assert error["field"] == field
    assert error["message"] in answer.json()["detail"]


def test_categories_and_exclusions(blog: TestClient) -> None:
    assert ids(blog, "部署", category="技术/运维") == ["docker"]
    assert ids(blog, "部署", category="技术") == []
    assert ids(blog, "部署 -tag:Docker") == ["service"]
    facets = blog.get("/v1/facets", params={"q": "部署", "category": "技术/运维"}).json()
    assert (facets["documents"], facets["categories"]) == (1, [{"value": "技术/运维", "count": 1}])
    why = blog.get("/v1/search/why-not", params={"q": "部署", "post": "service", "category": "技术/运维"}).json()
    assert [reason["kind"] for reason in why["reasons"]] == ["category"]
    answer = blog.get(
        "/v1/search", params={"q": "部署", "category": "不存在"}, headers={"Accept-Language": "en"}
    ).json()
    assert (answer["notice_codes"], answer["notices"]) == (
        ["no_such_category"],
        ["No post is in the category “不存在”."],
    )


def test_bytes_that_are_not_utf8_do_no_harm(blog: TestClient) -> None:
    assert blog.get("/v1/search?q=%ED%A0%80%FF").status_code == 200


def test_other_origins_may_search_where_they_are_named(blog: TestClient) -> None:
    answer = blog.get("/v1/search?q=a", headers={"Origin": "https://evil.example"})
    assert "access-control-allow-origin" not in answer.headers


def test_dates_are_those_of_the_author(blog: TestClient) -> None:
    """`service` is dated midnight at +08:00, which is the day before in UTC."""

    def found(**bounds: str) -> list[str]:
        return [hit["id"] for hit in blog.get("/v1/search", params={"q": "产品", **bounds}).json()["hits"]]

    assert found(after="2026-01-05") == found(before="2026-01-05T00:00:01") == ["service"]
    assert found(before="2026-01-05") == []
    assert found(before="2026-01-04T16:00:01Z") == ["service"]
    assert found(after="2026-01-04T16:00:01Z") == []
    hit = blog.get("/v1/search", params={"q": "产品"}).json()["hits"][0]
    assert hit["published_at"] == "2026-01-05T00:00:00+08:00"
    assert blog.get("/v1/facets", params={"q": "产品"}).json()["years"] == [{"value": "2026", "count": 1}]
