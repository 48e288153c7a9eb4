"""The page keeps its own policy: nothing inline, nothing from elsewhere, no data as markup."""

import re

import pytest
from fastapi.testclient import TestClient

from api.pages import WEB

PAGES = ["/", "/post?id=a&q=b"]


@pytest.mark.parametrize("address", PAGES)
def test_pages_are_served_under_a_strict_policy(client: TestClient, address: str) -> None:
    answer = client.get(address)
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/html")
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert client.head(address).status_code == 200


@pytest.mark.parametrize("name", ["index.html", "post.html"])
def test_pages_hold_nothing_inline_and_nothing_remote(client: TestClient, name: str) -> None:
    text = (WEB / name).read_text(encoding="utf-8")
    assert not re.search(r"<script(?![^>]*\ssrc=)", text)
    assert not re.search(r"<style|\sstyle=|\son\w+=", text)
    assert not re.search(r"""(?:src|href)=["'](?:https?:)?//""", text)
    for address in re.findall(r'(?:src|href)="(/assets/[^"]+)"', text):
        answer = client.get(address)
        assert answer.status_code == 200
        assert answer.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize("path", sorted(WEB.glob("*.js")), ids=lambda path: path.name)
def test_scripts_never_turn_data_into_markup(path: object) -> None:
    text = path.read_text(encoding="utf-8")  # type: ignore[attr-defined]
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|Function\(", text)


def test_every_word_of_the_page_is_there_in_both_languages() -> None:
    script = (WEB / "common.js").read_text(encoding="utf-8")
    chinese, english = re.findall(r"^  (?:zh|en): \{(.*?)^  \},", script, re.DOTALL | re.MULTILINE)
    keys = [set(re.findall(r"""(?:^|, )\s*"?([\w ]+?)"?: \"""", part, re.MULTILINE)) for part in (chinese, english)]
    assert keys[0] == keys[1]
    used = set()
    for page in WEB.glob("*.html"):
        used |= set(re.findall(r'data-t="(\w+)"', page.read_text(encoding="utf-8")))
    assert used <= keys[0]


def test_openapi_has_examples_and_problem_documents(client: TestClient) -> None:
    document = client.get("/openapi.json").json()
    assert set(document["paths"]) >= {
        "/v1/segment", "/v1/search", "/v1/posts/{id}", "/v1/posts/{id}/related", "/v1/reindex", "/v1/jobs/{id}",
        "/healthz", "/readyz",
    }  # fmt: skip
    for name in ("SegmentRequest", "PostBody", "ReindexBody", "ProblemAnswer"):
        assert name in document["components"]["schemas"]
    assert document["components"]["schemas"]["SegmentRequest"]["examples"]
    validation = document["paths"]["/v1/segment"]["post"]["responses"]["422"]
    assert list(validation["content"]) == ["application/problem+json"]
