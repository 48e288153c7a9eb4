from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given

from segmenter.normalise import Normalizer
from segmenter.runs import KINDS, find_units
from tests.segmenter.texts import any_texts

NORMALIZER = Normalizer()


def units(text: str) -> list[tuple[str, str]]:
    """(unit, kind) without white space."""
    form = NORMALIZER.normalize(text)
    found = find_units(form)
    bounds = np.flatnonzero(found.border).tolist()
    pairs = [(form.text[a:b], KINDS[found.kind[a]].value) for a, b in pairwise(bounds)]
    return [(unit, kind) for unit, kind in pairs if kind != "space"]


WORDS = """C++ C# F# .NET Node.js gpt-4o k8s v3.11.7 snake_case camelCase __init__ c++11 notepad++ state-of-the-art
m123-test V300r200c20spc300 SK-II AT&T don't don’t 2019-nCoV utf8.decode self.foo.bar 5G 3D iPhone15Pro X-900 N95"""
NUMBERS = "23,876 1,234,567.89 23.4% 0.7m 2.5D 36.5℃ 100km/h 3.14 192.168.0.1 5‰ 二〇二六 四四五二 ⑴"
DATES = "2017-09-01 2017/9/1 2017.09.01 2017-09-01T10:00:00Z 2017-09-01T10:00:00+08:00"
TIMES = "12:30 8:05 8:05:33.2"
URLS = """http://192.168.0.121/login.view https://a.b/c?d=e&f=%20#g ftp://x/y www.baidu.com/s?wd=1 example.com:8080/x
a.cn/b"""
EMAILS = "abc@123.com a.b+c@d-e.org"
EMOJI = "👨‍👩‍👧 👍🏽 🇨🇳 1️⃣ ❤️‍🔥 😀"


@pytest.mark.parametrize(
    ("kind", "texts"),
    [
        ("latin", WORDS),
        ("number", NUMBERS),
        ("date", DATES),
        ("time", TIMES),
        ("url", URLS),
        ("email", EMAILS),
        ("emoji", EMOJI),
    ],
)
def test_one_unit(kind: str, texts: str) -> None:
    for text in texts.split():
        form = NORMALIZER.normalize(text).text
        assert units(text) == [(form, kind)], text
        assert units(f"在{text}里") == [("在", "han"), (form, kind), ("里", "han")], text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("hello word.", "hello word ."),
        ("1,2,3", "1 , 2 , 3"),
        ("10-20", "10 - 20"),
        ("1.Introduction", "1 . introduction"),
        ("http://a.cn/b。然后", "http://a.cn/b 。 然 后"),
        ("(见https://a.b/c)。", "( 见 https://a.b/c ) 。"),
        ("https://a.b/c，d和e.com/f（g）", "https://a.b/c , d 和 e.com/f ( g )"),
        ("https://a.b/c,d(e)", "https://a.b/c,d(e )"),
        ("１，０００，２", "1,000 , 2"),
        ("foo/bar", "foo / bar"),
        ("a+b", "a + b"),
        ("50元/人", "50 元 / 人"),
        ("wow底", "wow 底"),
        ("……——", "...... ——"),
        ("！！", "! !"),
        ("🇨🇳🇺🇸", "🇨🇳 🇺🇸"),
        ("12:345", "12 : 345"),
        ("一二", "一 二"),
        ("a\x00b", "a \x00 b"),
        ("カタカナひらがな한국", "カタカナ ひらがな 한국"),
        ("e\u0301x\u0301中\u0301b", "éx\u0301 中\u0301 b"),
    ],
)
def test_where_units_part(text: str, expected: str) -> None:
    assert [unit for unit, _ in units(text)] == expected.split(" ")


@given(any_texts)
def test_units_respect_letters_and_origins(text: str) -> None:
    form = NORMALIZER.normalize(text)
    found = find_units(form)
    assert found.border[0]
    assert found.border[-1]
    for place in np.flatnonzero(found.border)[1:-1].tolist():
        assert form.starts[place] >= form.ends[place - 1]
        left, right = form.text[place - 1], form.text[place]
        assert not (left.isascii() and right.isascii() and left.isalnum() and right.isalnum())
    assert not np.any(found.border & ~found.atom_border)


HOSTILE = ["a", "0", "_", "-", "a-", "a.", "0,", "000,", "0,000,", "1.", "a@", "http://", "http://.", "a@a.1", "+"]
HOSTILE += [".a", "1:", "12:00:", "2017-01-", "x/", "1.a/", "a.com/", "a.com:", "🇨", "👨\u200d", "_a_", "'a", "a#"]


@pytest.mark.parametrize("part", HOSTILE)
def test_a_long_hostile_text_is_read_to_its_end(part: str) -> None:
    text = part * (100_000 // len(part))
    form = NORMALIZER.normalize(text + "终")
    found = find_units(form)
    assert found.border[-2], "the Han character at the end is a unit of its own"
