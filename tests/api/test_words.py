"""User words over HTTP and on the command line: a running service takes them up, the file keeps them."""

import io
import json
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from api.app import create_app
from api.cli import main
from api.indexing import run_reindex
from api.live import LiveAnalyzer
from api.settings import Settings
from index.db import Pool
from segmenter.analyzer import Analyzer
from segmenter.user_dictionary import UserDictionary
from segmenter.words_file import WordsFile
from tests.api.problems import assert_problem


def cut(client: TestClient, text: str) -> list[str]:
    return [token["text"] for token in client.post("/v1/segment", json={"text": text}).json()["tokens"]]


def test_a_word_is_added_changed_and_taken_out_while_the_service_runs(client: TestClient, settings: Settings) -> None:
    before = cut(client, "产品和服务")
    answer = client.put("/v1/words/品和服", json={"forced": True, "tag": "nz"})
    assert answer.status_code == 201
    assert answer.json()["effect"]["changed"]
    assert cut(client, "产品和服务") == ["产", "品和服", "务"]
    assert client.get("/v1/words/品和服").json() == {"word": "品和服", "frequency": None, "tag": "nz", "forced": True}
    assert [word.text for word in WordsFile(settings.words_path).read()] == ["品和服"]
    changed = client.put("/v1/words/品和服", json={"frequency": 0})
    assert (changed.status_code, changed.json()["state"]) == (200, "replaced")
    assert cut(client, "产品和服务") == before
    removed = client.delete("/v1/words/品和服").json()
    assert removed["effect"]["fingerprint_after"] == answer.json()["effect"]["fingerprint_before"]
    assert_problem(client.get("/v1/words/品和服"), 404)
    assert_problem(client.delete("/v1/words/品和服"), 404)


def test_the_list_is_paged_and_exported(client: TestClient) -> None:
    content = "长江大桥 30 ns\niphone 12\t\n银行客服\t!\nbad\tmany\t\n"
    answer = client.post("/v1/words/import", json={"content": content}).json()
    assert (answer["added"], answer["failed"], [note["line"] for note in answer["notes"]]) == (3, 1, [4])
    page = client.get("/v1/words", params={"limit": 1, "offset": 1}).json()
    assert (page["total"], [word["word"] for word in page["words"]]) == (3, ["iphone 12"])
    exported = client.get("/v1/words", params={"format": "jieba"})
    assert exported.text == "长江大桥 30 ns\n银行客服\n"
    assert exported.headers["x-words-left-out"] == "1"
    again = client.get("/v1/words", params={"format": "wenci"}).text
    client.post("/v1/words/import", json={"content": again, "replace": True})
    assert client.get("/v1/words", params={"format": "wenci"}).text == again
    client.post("/v1/words/import", json={"content": "", "replace": True})
    assert client.get("/v1/words").json()["total"] == 0


def test_the_effect_on_an_index_is_told_and_nothing_is_lost_meanwhile(blog: TestClient) -> None:
    effect = blog.put("/v1/words/品和服", json={"forced": True}).json()["effect"]
    assert effect["reindex_advised"]
    assert effect["stale_posts"] == 3
    assert "still found" in effect["explanation"]
    assert "service" in [hit["id"] for hit in blog.get("/v1/search", params={"q": "和服务"}).json()["hits"]]
    back = blog.delete("/v1/words/品和服").json()["effect"]
    assert (back["stale_posts"], back["reindex_advised"]) == (0, False)


def test_a_preview_changes_nothing(blog: TestClient) -> None:
    texts = ["产品和服务", "与它无关"]
    answer = blog.post("/v1/words/preview", json={"word": "品和服", "forced": True, "texts": texts}).json()
    assert answer["tried"] == 2
    assert answer["changes"] == [
        {"text": "产品和服务", "before": ["产品", "和", "服务"], "after": ["产", "品和服", "务"]}
    ]
    stored = blog.post("/v1/words/preview", json={"word": "品和服", "forced": True}).json()
    assert any("产品和服务" in change["text"] for change in stored["changes"])
    assert blog.get("/v1/words").json()["total"] == 0
    assert cut(blog, "产品和服务") == ["产品", "和", "服务"]


def test_the_words_are_there_after_a_restart(common_pool: Pool, settings: Settings) -> None:
    with TestClient(create_app(settings, pool=common_pool)) as first:
        first.put("/v1/words/品和服", json={"forced": True})
        expected = first.get("/v1/words").json()["fingerprint"]
    with TestClient(create_app(settings, pool=common_pool)) as second:
        assert cut(second, "产品和服务") == ["产", "品和服", "务"]
        assert second.get("/v1/words").json()["fingerprint"] == expected


def test_a_file_that_needs_mending_is_left_alone(client: TestClient, settings: Settings) -> None:
    settings.words_path.parent.mkdir(parents=True, exist_ok=True)
    settings.words_path.write_text("bad\tmany\t\n", "utf-8")
    problem = assert_problem(client.put("/v1/words/好词", json={}), 409)
    assert "words.txt:1" in problem["detail"]
    assert settings.words_path.read_text("utf-8") == "bad\tmany\t\n"


def test_a_file_that_cannot_be_used_is_named_and_the_service_goes_on(client: TestClient, settings: Settings) -> None:
    client.put("/v1/words/品和服", json={"forced": True})
    settings.words_path.unlink()
    settings.words_path.mkdir()
    assert cut(client, "产品和服务") == ["产", "品和服", "务"]
    for answer in (client.get("/v1/words"), client.put("/v1/words/好词", json={}), client.delete("/v1/words/品和服")):
        assert "words.txt cannot be read or written" in assert_problem(answer, 409)["detail"]
    settings.words_path.rmdir()
    assert cut(client, "产品和服务") == ["产品", "和", "服务"]


def test_what_is_refused(client: TestClient) -> None:
    assert_problem(client.put("/v1/words/" + "长" * 200, json={}), 422)
    assert_problem(client.put("/v1/words/词", json={"frequency": -1}), 422)
    assert_problem(client.put("/v1/words/词", json={"freq": 1}), 422)
    assert_problem(client.post("/v1/words/preview", json={"word": "词", "texts": ["长" * 2001]}), 413)
    assert_problem(client.post("/v1/words/import", json={"content": "长" * 2001}), 413)


def test_what_hardly_is_a_word_needs_to_be_meant(client: TestClient, settings: Settings) -> None:
    """The rule of an import holds for a single word too."""
    for word in ("坏 词", "好，坏", "--"):
        detail = assert_problem(client.put(f"/v1/words/{word}", json={}), 422)["detail"]
        assert 'with "as_is": true it is taken as it is' in detail
        assert client.post("/v1/words/import", json={"content": word}).json()["failed"] == 1
    assert client.put("/v1/words/坏 词", json={"as_is": True}).status_code == 201
    assert client.put("/v1/words/坏 词", json={"frequency": 3}).status_code == 200, "it is there, so it is meant"
    assert client.put("/v1/words/iphone 12", json={"tag": "product"}).status_code == 201
    assert [word.text for word in WordsFile(settings.words_path).read()] == ["坏 词", "iphone 12"]


def test_words_that_another_program_writes_count_from_the_next_request(
    blog: TestClient, settings: Settings, common_pool: Pool, capsys: pytest.CaptureFixture[str]
) -> None:
    before = cut(blog, "产品和服务")
    options = ["--user-dictionary", str(settings.words_path)]
    assert main(["words", "add", "品和服", "--force", *options]) == 0
    assert "takes them up at its next request" in capsys.readouterr().err
    assert cut(blog, "产品和服务") == ["产", "品和服", "务"]
    assert blog.get("/readyz").json()["stale_posts"] == 3
    blog.put("/v1/words/定价", json={})
    with TestClient(create_app(settings, pool=common_pool)) as other:
        run_reindex(common_pool, other.app.state.services.analyzer, [], prune=False)  # type: ignore[attr-defined]
    ready = blog.get("/readyz").json()
    assert (ready["stale_posts"], ready["fingerprint"]["analyzer"]) == (0, ready["fingerprint"]["index"])
    settings.words_path.unlink()
    assert cut(blog, "产品和服务") == before


def test_a_file_of_words_that_cannot_be_read_changes_nothing(client: TestClient, settings: Settings) -> None:
    client.put("/v1/words/品和服", json={"forced": True})
    settings.words_path.unlink()
    settings.words_path.mkdir()
    assert cut(client, "产品和服务") == ["产", "品和服", "务"]
    settings.words_path.rmdir()
    settings.words_path.write_text("和服务 !\n", "utf-8")
    assert cut(client, "产品和服务") == ["产品", "和服务"]


def test_a_words_file_is_not_read_for_every_request(settings: Settings, analyzer: Analyzer) -> None:
    live = LiveAnalyzer(analyzer, WordsFile(settings.words_path))
    assert live.current is analyzer

    def edit(words: UserDictionary) -> None:
        words.add("品和服", forced=True)

    live.change(edit)
    changed = live.current
    assert live.current is changed
    assert [token.text for token in changed.segment("产品和服务")] == ["产", "品和服", "务"]


def test_writing_needs_the_token(common_pool: Pool, analyzer: Analyzer, tmp_path: Path) -> None:
    settings = Settings.from_env({"WENCI_DATA_DIR": str(tmp_path), "WENCI_WRITE_TOKEN": "s"})
    with TestClient(create_app(settings, pool=common_pool, analyzer=analyzer)) as client:
        assert_problem(client.put("/v1/words/词", json={}), 401)
        assert_problem(client.delete("/v1/words/词"), 401)
        assert_problem(client.post("/v1/words/import", json={"content": ""}), 401)
        assert client.put("/v1/words/词", json={}, headers={"Authorization": "Bearer s"}).status_code == 201


def test_commands(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "own.txt"
    options = ["--user-dictionary", str(file)]
    assert main(["words", "add", "品和服", "--force", *options]) == 0
    assert main(["words", "add", "坏 词", *options]) == 1
    assert "a space that is not between Latin words; with --as-is it is taken as it is" in capsys.readouterr().err
    assert main(["words", "add", "坏 词", "--as-is", *options]) == 0
    assert main(["words", "remove", "坏 词", *options]) == 0
    assert main(["words", "add", "iphone 12", "--frequency", "5", "--json", *options]) == 0
    answer = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert (answer["words"], answer["effect"]["changed"]) == (2, True)
    assert main(["segment", "产品和服务", *options]) == 0
    assert main(["words", "export", "--format", "jieba", *options]) == 0
    assert capsys.readouterr().out == "产 品和服 务\n品和服\niphone 12 5\n"
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO("产品和服务\n别的\n".encode())))
    assert main(["words", "preview", "品和服", "--remove", *options]) == 0
    out = capsys.readouterr()
    assert out.out == "- 产 品和服 务\n+ 产品 和 服务\n"
    assert "1 of 2 texts" in out.err
    (tmp_path / "more.txt").write_text("长江大桥 30 ns\nbad\tmany\t\n# 注释\n", "utf-8")
    assert main(["words", "import", str(tmp_path / "more.txt"), *options]) == 1
    said = capsys.readouterr()
    assert "more.txt:2: malformed: 'many' is not a frequency" in said.err
    assert "more.txt:3: malformed: a space that is not between Latin words" in said.err
    assert said.err.endswith("wenci: 2 lines left out, 1 word added\n")
    assert said.out == f"3 words in {file}\n"
    (tmp_path / "more.txt").write_text("长江大桥 30 ns\n", "utf-8")
    assert main(["words", "import", str(tmp_path / "more.txt"), "--json", *options]) == 0
    assert json.loads(capsys.readouterr().out)["failed"] == 0
    assert main(["words", "remove", "品和服", *options]) == 0
    assert main(["words", "remove", "品和服", *options]) == 1
    capsys.readouterr()
    assert main(["words", "list", *options]) == 0
    assert capsys.readouterr().out == "iphone 12\t5\n长江大桥\t30\tns\n"
