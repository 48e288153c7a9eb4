"""Cutting cases from bug reports, as data: `segmentation_cases.jsonl`.

A line holds a `text` (times `repeat`), user `words` as lines of a file, a `granularity`, and what must hold: `tokens`
(exactly these), `contains`, `count` of some, `offsets`, `stream`; a `mode` other than dictionary, a `criterion`. Where
a case differs from what its reporter expected, or needs a reason, `note` has it.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from segmenter.analyzer import Analyzer
from segmenter.types import Granularity
from segmenter.user_dictionary import UserDictionary

LINES = (Path(__file__).parent / "segmentation_cases.jsonl").read_text(encoding="utf-8").splitlines()
CASES = [json.loads(line) for line in LINES]


def mode_of(case: dict[str, Any]) -> str:
    return str(case.get("mode", "dictionary"))


@pytest.fixture(scope="module")
def analyzers() -> dict[str, Analyzer]:
    return {mode: Analyzer.default(mode=mode) for mode in sorted({mode_of(case) for case in CASES})}


IDS = [f"{mode_of(case)}-{case['class']}-{case['text'][:12]!r}" for case in CASES]


@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_case(case: dict[str, Any], analyzers: dict[str, Analyzer]) -> None:
    words = UserDictionary()
    assert not words.read_lines(case.get("words", [])).notes
    own = analyzers[mode_of(case)].with_user_dictionary(words)
    text = case["text"] * case.get("repeat", 1)
    found = own.segment(text, Granularity(case.get("granularity", "coarse")), criterion=case.get("criterion"))
    texts = [token.text for token in found]
    assert all(token.text == text[token.start : token.end] for token in found)
    if "tokens" in case:
        assert texts == case["tokens"]
    if "per_repeat" in case:
        assert texts == case["per_repeat"] * case["repeat"]
    if "offsets" in case:
        assert [[token.start, token.end] for token in found] == case["offsets"]
    if "stream" in case:
        assert own.analyze(text).stream == case["stream"]
    assert set(case.get("contains", [])) <= set(texts)
    assert {word: texts.count(word) for word in case.get("count", {})} == case.get("count", {})
