"""Whatever comes in, the answer is a 2xx or a problem document, never a 500."""

import json
from typing import Any
from urllib.parse import quote

from fastapi.testclient import TestClient
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

FUZZ = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
# every code point, lone surrogates and NUL included, and much of what the query language cares about
characters = st.one_of(
    st.characters(codec=None),
    st.sampled_from("和服产品研究生命の한ไ繁體Ａｂ１ \t\n\"“”'-:&|!()<>*\\%_.+#,😀👨‍👩‍👧\u200b\ufeff\0\ud800"),
)
texts = st.text(characters, max_size=40)
queries = st.one_of(
    texts, st.lists(st.one_of(st.sampled_from(["OR", "-", '"', "tag:", "before:", "after:2026"]), texts)).map(" ".join)
)
json_values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), texts),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(texts, inner, max_size=4)),
    max_leaves=12,
)


def send(client: TestClient, method: str, address: str, body: Any) -> Any:
    return client.request(
        method, address, content=json.dumps(body).encode(), headers={"Content-Type": "application/json"}
    )


def assert_answered(answer: Any) -> None:
    assert answer.status_code < 500, (answer.status_code, answer.text)
    if answer.status_code >= 400:
        assert answer.headers["content-type"] == "application/problem+json"
        assert answer.json()["detail"]


@FUZZ
@given(query=queries, sort=st.sampled_from(["relevance", "newest", "x"]), limit=st.integers(-1, 101))
def test_search(blog: TestClient, query: str, sort: str, limit: int) -> None:
    encoded = quote(query.encode("utf-8", "surrogatepass"))
    answer = blog.get(f"/v1/search?q={encoded}&sort={sort}&limit={limit}&explain=true")
    assert_answered(answer)
    for hit in answer.json().get("hits", []):
        for name in ("title", "snippet"):
            ends = [0, *(offset for mark in hit[f"{name}_marks"] for offset in mark), len(hit[name])]
            assert ends == sorted(ends)


@FUZZ
@given(text=texts, granularity=st.sampled_from(["coarse", "fine", "search"]))
def test_segment(client: TestClient, text: str, granularity: str) -> None:
    answer = send(client, "POST", "/v1/segment", {"text": text, "granularity": granularity})
    assert_answered(answer)
    is_text = not any("\ud800" <= character <= "\udfff" for character in text)
    assert answer.status_code == (200 if is_text else 422)
    for token in answer.json().get("tokens", []):
        assert token["text"] == text[token["start"] : token["end"]]


@FUZZ
@given(body=json_values)
def test_bodies_of_any_shape(client: TestClient, body: Any) -> None:
    for method, address in (("POST", "/v1/segment"), ("PUT", "/v1/posts/a")):
        assert_answered(send(client, method, address, body))


@FUZZ
@given(title=texts, body=texts, extra=json_values, tags=st.lists(texts, max_size=3), post_id=texts)
def test_posts(client: TestClient, title: str, body: str, extra: Any, tags: list[str], post_id: str) -> None:
    address = "/v1/posts/" + quote(post_id.encode("utf-8", "surrogatepass"), safe="")
    post = {"title": title, "body": body, "tags": tags, "extra": {"value": extra}}
    answer = send(client, "PUT", address, post)
    assert_answered(answer)
    if answer.status_code in (200, 201):
        stored = client.get("/v1/posts/" + quote(answer.json()["id"], safe="")).json()
        assert (stored["title"], stored["body"], stored["tags"]) == (title, body, tags)
        assert client.delete(address).status_code == 204
