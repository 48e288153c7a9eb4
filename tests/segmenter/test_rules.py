"""The table of `docs/rules.md`, in every mode: with taggers that believe anything, and with the shipped models."""

import re
from functools import cache
from pathlib import Path

import pytest

from segmenter.analyzer import Analyzer
from segmenter.dictionary import Dictionary
from segmenter.models import shipped_tagger
from segmenter.normalise import Normalizer
from segmenter.segment import Segmenter
from segmenter.tagger import Tagger
from segmenter.wide import WEIGHTS_FILE
from tests.segmenter.fakes import ConstantTagger, PairTagger

TABLE = Path(__file__).parents[2] / "docs" / "rules.md"


def tables() -> list[list[list[str]]]:
    """The rows of each table of the page."""
    found: list[list[list[str]]] = []
    inside = False
    for line in TABLE.read_text("utf-8").splitlines():
        cells = [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if not cells or set(cells[0]) == {"-"}:
            inside = bool(cells)
        elif inside:
            found[-1].append(cells)
        else:
            found.append([])
    return found


UNITS, NAMES, STANDARDS = tables()
ROWS = [(text, words) for text, words, _ in UNITS]
DICTIONARY = Dictionary.load()
TAGGERS: dict[str, Tagger] = {
    "borders everywhere": ConstantTagger(2047),
    "borders nowhere": ConstantTagger(-2047),
    **{f"pairs {salt}": PairTagger(salt, 2047) for salt in range(3)},
}
if WEIGHTS_FILE.exists():
    TAGGERS["wide"] = shipped_tagger("wide", DICTIONARY)


def cut(analyzer: Analyzer, text: str, criterion: str | None = None) -> list[str]:
    return [token.text for token in analyzer.segment(text, criterion=criterion)]


def test_the_examples_are_there() -> None:
    wanted = "23,876 0.7m 3.5% 2017-09-01 下午3:30 第16季 iPhone15Pro 100km/h 50元/人 ５Ｇ 3D打印 A股 B站 T恤 ① Ⅲ"
    assert set(wanted.split()) <= {text for text, _ in ROWS}


@pytest.mark.parametrize(("text", "words"), ROWS, ids=[text for text, _ in ROWS])
def test_in_dictionary_mode(text: str, words: str) -> None:
    expected = [word for part in words.split(" | ") for word in part.split(" ")]
    assert cut(Analyzer(Segmenter(DICTIONARY), Normalizer()), text) == expected
    assert cut(Analyzer(Segmenter(DICTIONARY), Normalizer()), f"在{text}。") == ["在", *expected, "。"]


@pytest.mark.parametrize("name", TAGGERS)
@pytest.mark.parametrize(("text", "words"), ROWS, ids=[text for text, _ in ROWS])
def test_in_every_mode(name: str, text: str, words: str) -> None:
    analyzer = Analyzer(Segmenter(DICTIONARY, tagger=TAGGERS[name]), Normalizer())
    ends = {token.end for token in analyzer.segment(text)}
    place = 0
    for part in words.split(" | "):
        units = part.split(" ")
        inside = set()
        for unit in units:
            place = text.index(unit, place) + len(unit)
            inside |= set(range(place - len(unit) + 1, place)) if not_han(unit) else set()
        assert place in ends, f"{text}: a border at {place}"
        assert not inside & ends, f"{text}: no border inside {units}"


@pytest.mark.parametrize("name", TAGGERS)
@pytest.mark.parametrize("text", [text for text, _ in ROWS])
def test_what_never_parts_where_a_standard_is_asked_for(name: str, text: str) -> None:
    analyzer = Analyzer(Segmenter(DICTIONARY, tagger=TAGGERS[name]), Normalizer())
    runs = [match.span() for match in re.finditer(r"[a-zA-Z]+|[0-9]+|[\w.]+@[\w.]+|https?:[\w/.?=]+|㎏|①|Ⅲ", text)]
    for criterion in TAGGERS[name].criteria:
        found = analyzer.segment(text, criterion=criterion)
        assert "".join(token.text for token in found) == text.replace(" ", "")
        ends = {token.end for token in found}
        assert not any(start < end < stop for start, stop in runs for end in ends)
        assert all(place in ends for place in range(1, len(text)) if text[place].isspace() > text[place - 1].isspace())


@pytest.mark.parametrize(("text", "words", "rule"), NAMES, ids=[text for text, _, _ in NAMES])
@pytest.mark.parametrize("mode", ["wide", "hybrid"])
def test_names(mode: str, text: str, words: str, rule: str) -> None:
    assert cut(shipped(mode), text) == words.split(" "), rule


@pytest.mark.parametrize("cells", STANDARDS, ids=[cells[0] for cells in STANDARDS])
def test_a_standard_that_is_asked_for_decides(cells: list[str]) -> None:
    text, *expected = cells
    found = [" ".join(cut(shipped("wide"), text, criterion)) for criterion in ("pku", "sxu", "msr")]
    assert found == expected


@pytest.mark.parametrize("mode", ["wide", "hybrid"])
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("GameInformer", "Game Informer"),
        ("WilliamDraytonRutherford", "William Drayton Rutherford"),
        ("iPhone", "iPhone"),
        ("USArmy", "USArmy"),
        ("https://a.cn/GameInformer", "https://a.cn/GameInformer"),
    ],
)
def test_capitals_begin_words_in_ud_alone(mode: str, text: str, words: str) -> None:
    assert " ".join(cut(shipped(mode), text, "ud")) == words
    for criterion in ("pku", "sxu", None):
        assert cut(shipped(mode), text, criterion) == [text]


@cache
def shipped(mode: str) -> Analyzer:
    return Analyzer.default(mode=mode)


def not_han(unit: str) -> bool:
    """Whether a unit holds anything that a rule keeps together: not only Han characters that the dictionary joins."""
    return not re.fullmatch(r"[\u4e00-\u9fff]+", unit)
