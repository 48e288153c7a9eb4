"""In which language notices and reasons come: of a header, of a locale, and over HTTP."""

import pytest
from fastapi.testclient import TestClient

from api.languages import of_environment, of_header


@pytest.mark.parametrize(
    ("header", "language"),
    [
        (None, "zh"),
        ("", "zh"),
        ("*", "zh"),
        ("zh", "zh"),
        ("zh-CN,zh;q=0.9,en;q=0.8", "zh"),
        ("zh-Hant-TW", "zh"),
        ("en", "en"),
        ("EN-us", "en"),
        ("en-US,en;q=0.9,zh;q=0.8", "en"),
        ("en;q=0.5, zh-CN", "zh"),
        ("fr, zh;q=0.3, en;q=0.2", "zh"),
        ("fr, en;q=0.3, zh;q=0.2", "en"),
        ("de-DE", "en"),
        ("de, *;q=0.1", "zh"),
        ("zh;q=0, en;q=0.1", "en"),
        ("en;q=0", "zh"),
        ("en;q=x, zh;q=0.1", "zh"),
        (";;,,;q=", "zh"),
    ],
)
def test_the_language_of_a_header(header: str | None, language: str) -> None:
    assert of_header(header) == language


@pytest.mark.parametrize(
    ("environ", "language"),
    [
        ({}, "zh"),
        ({"LC_ALL": "C"}, "zh"),
        ({"LANG": "C.UTF-8"}, "zh"),
        ({"LANG": "POSIX"}, "zh"),
        ({"LANG": "zh_CN.UTF-8"}, "zh"),
        ({"LANG": "zh_TW"}, "zh"),
        ({"LANG": "en_US.UTF-8"}, "en"),
        ({"LANG": "de_DE@euro"}, "en"),
        ({"LANG": "en_US.UTF-8", "LC_MESSAGES": "zh_CN.UTF-8"}, "zh"),
        ({"LANG": "zh_CN.UTF-8", "LC_ALL": "en_GB.UTF-8"}, "en"),
        ({"LANG": "en_US.UTF-8", "LC_ALL": ""}, "en"),
    ],
)
def test_the_language_of_a_locale(environ: dict[str, str], language: str) -> None:
    assert of_environment(environ) == language


def test_notices_and_reasons_come_in_the_language_of_the_request(blog: TestClient) -> None:
    for address, sentences in (
        ("/v1/search?q=京都樱花", lambda answer: answer["notices"]),
        ("/v1/search/why-not?q=樱花&post=docker", lambda answer: [one["message"] for one in answer["reasons"]]),
    ):
        plain = blog.get(address, headers={"Accept-Language": ""})
        chinese = blog.get(address, headers={"Accept-Language": "zh-CN,en;q=0.5"})
        english = blog.get(address, headers={"Accept-Language": "en-GB,zh;q=0.5"})
        assert plain.json() == chinese.json()
        assert [answer.headers["content-language"] for answer in (plain, chinese, english)] == ["zh", "zh", "en"]
        assert "accept-language" in english.headers["vary"].lower()
        assert any("没有" in sentence for sentence in sentences(chinese.json()))
        assert sentences(english.json())
        assert all(sentence.isascii() or "“" in sentence for sentence in sentences(english.json()))


def test_codes_do_not_depend_on_the_language(blog: TestClient) -> None:
    answers = [
        blog.get("/v1/search", params={"q": "京都樱花"}, headers={"Accept-Language": language}).json()
        for language in ("zh", "en")
    ]
    assert [answer["notice_codes"] for answer in answers] == [["relaxed"], ["relaxed"]]
    assert [len(answer["notices"]) for answer in answers] == [1, 1]
    assert answers[0]["hits"] == answers[1]["hits"]
