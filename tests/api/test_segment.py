import pytest
from fastapi.testclient import TestClient

from tests.api.problems import assert_problem


def test_one_text(client: TestClient) -> None:
    answer = client.post("/v1/segment", json={"text": "他用 Node.js 写服务"}).json()
    assert answer["text"] == "他用 Node.js 写服务"
    assert "Node.js" in [token["text"] for token in answer["tokens"]]
    for token in answer["tokens"]:
        assert answer["text"][token["start"] : token["end"]] == token["text"]


def test_a_batch_keeps_its_order(client: TestClient) -> None:
    texts = ["研究生命的起源", "", "产品和服务"]
    answer = client.post("/v1/segment", json={"texts": texts, "granularity": "search"}).json()
    assert [result["text"] for result in answer["results"]] == texts
    assert answer["results"][1]["tokens"] == []


def test_a_batch_is_cut_like_its_texts_alone(client: TestClient) -> None:
    texts = ["研究生命的起源", "C++ 与 Rust", "v3.11.7 于 2026年3月1日 发布"]
    batch = client.post("/v1/segment", json={"texts": texts}).json()["results"]
    assert batch == [client.post("/v1/segment", json={"text": text}).json() for text in texts]


def test_offsets_can_be_left_out(client: TestClient) -> None:
    answer = client.post("/v1/segment", json={"text": "产品和服务", "offsets": False}).json()
    assert all("start" not in token and "end" not in token for token in answer["tokens"])


def test_control_characters_are_text(client: TestClient) -> None:
    text = "a\x00b\x1f\u200b和\ufeff服"
    answer = client.post("/v1/segment", json={"text": text})
    assert answer.status_code == 200
    assert answer.json()["text"] == text


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "text"),
        ({"text": "a", "texts": ["b"]}, "text"),
        ({"text": 1}, "text"),
        ({"texts": "abc"}, "texts"),
        ({"texts": [None]}, "texts"),
        ({"text": "a", "granularity": "tiny"}, "granularity"),
        ({"text": "a", "granulrity": "fine"}, "granulrity"),
        ([], "body"),
    ],
)
def test_what_does_not_fit_is_named(client: TestClient, body: object, field: str) -> None:
    assert field in assert_problem(client.post("/v1/segment", json=body), 422)["detail"]


@pytest.mark.parametrize("escape", [r"\ud800", r"\udc00\ud800", r"\ude00"])
def test_lone_surrogates_are_refused(client: TestClient, escape: str) -> None:
    raw = f'{{"text": "a{escape}b"}}'
    answer = client.post("/v1/segment", content=raw, headers={"Content-Type": "application/json"})
    assert "surrogate" in assert_problem(answer, 422)["detail"]


def test_surrogate_pairs_are_characters(client: TestClient) -> None:
    answer = client.post(
        "/v1/segment", content=rb'{"text": "\ud840\udc00"}', headers={"Content-Type": "application/json"}
    )
    assert answer.json()["text"] == "\U00020000"


def test_long_texts_are_413(client: TestClient) -> None:
    assert "2000" in assert_problem(client.post("/v1/segment", json={"text": "好" * 2001}), 413)["detail"]
    assert client.post("/v1/segment", json={"text": "好" * 2000}).status_code == 200
    assert_problem(client.post("/v1/segment", json={"texts": ["好" * 1500] * 2}), 413)
    assert_problem(client.post("/v1/segment", json={"texts": ["好"] * 21}), 413)
