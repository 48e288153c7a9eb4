"""`wenci suggest`, `why-not`, `facets`, `synonyms`, `analytics`, `jobs` and `worker` against a real database."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from api.cli import main
from index import queue
from index.db import Pool

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    monkeypatch.setenv("WENCI_DATABASE_URL", database)
    monkeypatch.setenv("WENCI_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("WENCI_SOURCES", str(tmp_path / "blog"))
    posts = tmp_path / "blog" / "_posts"
    posts.mkdir(parents=True)
    text = "---\ntitle: 京都的和服\ntags: [旅行]\ndate: 2026-01-01\n---\n在清水寺附近租了一套和服。\n"
    (posts / "kimono.md").write_text(text, encoding="utf-8")

    def call(*arguments: str) -> tuple[int, str, str]:
        code = main(arguments)
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return call


def answer(run: Run, *arguments: str) -> Any:
    code, out, err = run(*arguments, "--json")
    assert code == 0, err
    return json.loads(out)


def test_from_the_queue_to_the_reasons(run: Run, pool: Pool) -> None:
    assert run("jobs") == (0, "", "wenci: no jobs\n")
    with pool.connection() as conn:
        queue.enqueue(conn, "reindex", {"paths": None, "prune": False}, key="reindex")
    assert run("jobs")[1] == "ID  KIND     STATE   DONE  ERROR\n1   reindex  queued\n"
    assert run("worker", "--once")[0] == 0
    (job,) = answer(run, "jobs")["jobs"]
    assert (job["state"], job["report"]["added"]) == ("done", 1)
    assert run("jobs", "--cancel", job["id"])[0] == 1

    assert run("suggest", "jingdu")[1] == "京都的和服\n"
    assert answer(run, "suggest", "旅")["suggestions"][0]["kind"] == "tag"
    assert "did you mean: 清水寺 (1 post)" in run("suggest", "清谁寺")[2]
    assert answer(run, "facets", "和服")["tags"] == [{"value": "旅行", "count": 1}]
    assert "years: 2026 (1)" in run("facets", "和服")[1]

    (id,) = [hit["id"] for hit in answer(run, "search", "和服")["hits"]]
    assert [reason["kind"] for reason in answer(run, "why-not", "红叶", id)["reasons"]] == ["missing"]
    assert "query: 红叶" in run("why-not", "红叶", id)[1]
    assert "rank 1 of 1" in run("why-not", "和服", id)[1]


def test_notices_and_shortcomings_in_two_languages(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run("reindex", str(tmp_path / "blog"))[0] == 0
    for lang, locale, notice, lacks in (
        ([], "C", "没有文章", "  缺少: 红叶"),
        ([], "en_US.UTF-8", "No post", "  missing: 红叶"),
        (["--lang", "zh"], "en_US.UTF-8", "没有文章", "  缺少: 红叶"),
        (["--lang", "en"], "zh_CN.UTF-8", "No post", "  missing: 红叶"),
    ):
        monkeypatch.setenv("LC_ALL", locale)
        _, out, err = run("search", "清水寺红叶", *lang)
        assert notice in err
        assert lacks in out.splitlines()
        assert answer(run, "search", "清水寺红叶", *lang)["notice_codes"] == ["relaxed"]
    (id,) = [hit["id"] for hit in answer(run, "search", "和服")["hits"]]
    assert "does not hold “红叶”" in run("why-not", "红叶", id, "--lang", "en")[1]
    assert "没有“红叶”" in run("why-not", "红叶", id, "--lang", "zh")[1]
    assert "缺少" not in run("search", "和服", "--lang", "zh")[1]


@pytest.mark.parametrize(
    ("arguments", "hinted"),
    [
        (("search", "-骑行"), True),
        (("search", "京都", "-骑行"), True),
        (("facets", "-骑行"), True),
        (("why-not", "-骑行", "kimono"), True),
        (("search", "京都", "--limit", "x"), False),
        (("jobs", "-骑行"), False),
    ],
)
def test_a_query_that_looks_like_an_option(
    arguments: tuple[str, ...], hinted: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as error:
        main(arguments)
    assert error.value.code == 2
    said = f"a query that begins with - needs -- before it, as in: wenci {arguments[0]} -- -word"
    assert (said in capsys.readouterr().err) == hinted


def test_how_a_hit_was_found_and_what_may_be_meant(run: Run, tmp_path: Path) -> None:
    posts = tmp_path / "posts.jsonl"
    rows = [
        {
            "id": "k",
            "title": "Kubernetes 1",
            "body": "部署 v1.28 集群",
            "categories": [["技术", "运维"]],
            "tags": ["k8s"],
        },
        {"id": "m", "title": "机器学习", "body": "正文", "categories": ["技术"]},
    ]
    posts.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    assert run("reindex", str(posts))[0] == 0
    run("synonyms", "--add", "容器编排 = Kubernetes")
    for query, zh, en in (
        ("容器编排", "  同义词: 容器编排 → Kubernetes", "  synonym: 容器编排 → Kubernetes"),
        ("1.28", "  写法不同: 1.28 → v1.28", "  written otherwise: 1.28 → v1.28"),
        ("kuberntes", "  拼写相近: kuberntes → kubernetes", "  similar spelling: kuberntes → kubernetes"),
    ):
        assert zh in run("search", query, "--lang", "zh")[1].splitlines()
        assert en in run("search", query, "--lang", "en")[1].splitlines()
    assert run("search", "集群", "--lang", "zh")[1].splitlines()[2] == "  部署 v1.28 集群"

    assert [one["query"] for one in answer(run, "search", "jqxx")["did_you_mean"]] == ["机器学习"]
    assert answer(run, "search", "机器学习")["did_you_mean"] == []
    assert "你要找的是不是：机器学习（1 篇）" in run("search", "jqxx", "--lang", "zh")[2]
    assert "did you mean: 机器学习 (1 post)" in run("search", "jqxx", "--lang", "en")[2]


def test_categories_are_options_too(run: Run, tmp_path: Path) -> None:
    posts = tmp_path / "posts.jsonl"
    posts.write_text(
        '{"id": "a", "title": "和服", "body": "x", "categories": ["生活"]}\n{"id": "b", "title": "和服", "body": "y"}\n'
    )
    assert run("reindex", str(posts))[0] == 0
    assert [hit["id"] for hit in answer(run, "search", "和服", "--category", "生活")["hits"]] == ["a"]
    assert answer(run, "facets", "和服", "--category", "生活")["documents"] == 1
    assert answer(run, "why-not", "和服", "b", "--category", "生活")["reasons"][0]["kind"] == "category"
    assert [hit["id"] for hit in answer(run, "search", "和服 -category:生活")["hits"]] == ["b"]
    assert run("search", "--", "-category:生活", "和服")[1].splitlines()[1] == "  b"


def test_a_year_and_a_month_are_dates(run: Run, tmp_path: Path) -> None:
    assert run("reindex", str(tmp_path / "blog"))[0] == 0
    for options, total in ((["--after", "2026"], 1), (["--after", "2026-02"], 0), (["--before", "2026-02"], 1)):
        assert answer(run, "search", "和服", *options)["total"] == total


def test_synonyms_and_an_empty_report(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "synonyms.txt"
    file.write_text("# 同义词\n番茄 => 西红柿\n", encoding="utf-8")
    assert answer(run, "synonyms", "--add", "k8s = Kubernetes")["rules"][0]["two_way"]
    loaded = answer(run, "synonyms", "--load", str(file))["rules"]
    assert [(rule["rule"], rule["origin"]) for rule in loaded] == [
        ("k8s = Kubernetes", "api"),
        ("番茄 => 西红柿", "file"),
    ]
    assert answer(run, "synonyms", "--remove", str(loaded[0]["id"]))["rules"] == loaded[1:]
    file.write_text("nothing\n", encoding="utf-8")
    code, _, err = run("synonyms", "--load", str(file))
    assert code == 1
    assert "synonyms.txt:1:" in err
    assert answer(run, "synonyms")["rules"] == loaded[1:]
    assert run("synonyms", "--add", "nothing")[0] == 1
    assert answer(run, "analytics")["searches"] == 0
    assert "0 searches" in run("analytics")[1]
