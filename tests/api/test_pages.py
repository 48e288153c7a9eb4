"""The page keeps its own policy: nothing inline, nothing from elsewhere, no data as markup."""

import json
import re

import pytest
from fastapi.testclient import TestClient
from py_mini_racer import JSPromise, mini_racer

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


def test_the_start_page_has_no_queries_of_its_own_and_no_words_for_operators() -> None:
    text = (WEB / "index.html").read_text(encoding="utf-8")
    assert "/?q=" not in text
    assert not re.search(r"state\.off|\.reason", (WEB / "search.js").read_text(encoding="utf-8"))


def sampled(facets: dict[str, list[str]]) -> list[list[str]]:
    """What the page offers where queries, or a tag as `tag=…`, find posts with these tags and all others nothing."""
    source = (WEB / "samples.js").read_text(encoding="utf-8").replace("export ", "")
    script = f"""
        {source}
        const known = {json.dumps(facets)};
        const asked = (query, tag) => known[tag ? `tag=${{tag}}` : query];
        const facets = async (query, tag) => ({{
          of_all: asked(query, tag) === undefined,
          tags: (asked(query, tag) ?? known[""]).map((value) => ({{ value, count: 1 }})),
        }});
        samples(facets).then(JSON.stringify)
    """
    with mini_racer() as engine:
        promise = engine.eval(script)
        assert isinstance(promise, JSPromise)
        answer = promise.get(timeout=60)
    found: list[list[str]] = json.loads(str(answer))
    return found


def test_the_queries_to_try_are_of_the_index_and_find_something() -> None:
    assert sampled({"": []}) == []
    assert sampled({"": ["猫"], "tag=猫": ["猫"]}) == [], "what finds nothing is not offered"
    alone = sampled({"": ["猫"], "tag=猫": ["猫"], "猫": ["猫"], '"猫"': ["猫"]})
    assert alone == [["helpWords", "猫"], ["helpPhrase", '"猫"']]
    known = {"": ['a "b"', "C++", "OR", "web dev"], "tag=C++": ["C++", "OR", "web dev"]}
    queries = ['C++ "OR"', '"web dev"', 'C++ -"web dev"', 'C++ OR "OR"']
    assert [query for _, query in sampled(known | {query: [] for query in queries})] == queries


def test_the_page_narrows_down_by_tags_and_categories() -> None:
    script = (WEB / "search.js").read_text(encoding="utf-8")
    for name, facet in (("tag", "tags"), ("category", "categories")):
        assert f'{facet}: parameters.getAll("{name}")' in script
        assert f'parameters.append("{name}", {name})' in script
        assert f"{facet}: [...state.{facet}, value]" in script


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
