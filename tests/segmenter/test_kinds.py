"""Whole kinds of faults known from other segmenters, with texts made at random: every mode has the same promises."""

import string
from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from segmenter.analyzer import Analyzer
from segmenter.characters import character_table
from segmenter.types import Granularity, Kind, Token
from segmenter.user_dictionary import UserDictionary, UserWord

ANALYZERS = {mode: Analyzer.default(mode=mode) for mode in ("dictionary", "wide")}
modes = pytest.mark.parametrize("analyzer", ANALYZERS.values(), ids=ANALYZERS)
few = settings(max_examples=20)

PHRASES = st.sampled_from(["在", "产品", "我们", "研究", "价格是", "他说", "一共有", "服务器", "看到了", "于是", "和"])
ENDS = st.sampled_from(["。", "，", "的", "吗？", "", "左右", "就好"])
SPACES = st.text(" \t\n\u3000\u00a0\u2003\r\x0b\x0c", min_size=1, max_size=5)
HAN = st.characters(min_codepoint=0x4E00, max_codepoint=0x9FA5)
NAMES = st.text(string.ascii_letters, min_size=2, max_size=12)
WHOLE = st.integers(0, 10**12)
UNITS = st.sampled_from(["", "", "%", "kg", "km", "GB", "cm", "ml", "℃", "km/h", "‰"])
NUMBERS = st.one_of(
    st.builds("{:,}{}".format, WHOLE, UNITS),
    st.builds("{:,}.{}{}".format, WHOLE, st.integers(0, 999), UNITS),
    st.builds("{}.{}{}".format, st.integers(0, 9999), st.integers(0, 99), UNITS),
    st.builds("{}{}".format, WHOLE, UNITS),
)
DATES = st.builds("{:04}{mark}{:02}{mark}{:02}".format, st.integers(1, 2999), st.integers(1, 12), st.integers(1, 31),
                  mark=st.sampled_from("-/."))  # fmt: skip
TIMES = st.builds("{}:{:02}".format, st.integers(0, 23), st.integers(0, 59))
SLUGS = st.text(string.ascii_lowercase + string.digits, min_size=1, max_size=8)
URLS = st.builds("{}://{}.{}/{}?{}={}".format, st.sampled_from(["http", "https"]), NAMES, NAMES, SLUGS, SLUGS, SLUGS)
MAILS = st.builds("{}.{}@{}.{}".format, NAMES, SLUGS, NAMES, st.sampled_from(["com", "org", "cn"]))
MODELS = st.builds("{}{}{}{}".format, NAMES, st.sampled_from(["", "-", "_"]), st.integers(0, 999), SLUGS)
SKINS = st.sampled_from(["", "🏻", "🏽", "🏿"])
EMOJI = st.one_of(
    st.builds("{}{}".format, st.sampled_from("👍🙋👋🤝💪"), SKINS),
    st.sampled_from(["👨‍👩‍👧", "🇨🇳", "1️⃣", "❤️‍🔥", "😀", "🏳️‍🌈"]),
)
RARE = st.characters(min_codepoint=0x20000, max_codepoint=0x2A6DF)


def words(tokens: list[Token]) -> list[str]:
    return [token.text for token in tokens]


def with_words(analyzer: Analyzer, *own: UserWord) -> Analyzer:
    return analyzer.with_user_dictionary(UserDictionary(own))


@modes
@pytest.mark.parametrize(
    ("kind", "texts"),
    [
        (Kind.NUMBER, NUMBERS),
        (Kind.DATE, DATES),
        (Kind.TIME, TIMES),
        (Kind.URL, URLS),
        (Kind.EMAIL, MAILS),
        (Kind.LATIN, MODELS),
        (Kind.EMOJI, EMOJI),
    ],
)
@few
@given(before=PHRASES, data=st.data(), after=ENDS)
def test_what_is_one_thing_is_one_word(
    analyzer: Analyzer, kind: Kind, texts: st.SearchStrategy[str], before: str, data: st.DataObject, after: str
) -> None:
    text = data.draw(texts)
    found = analyzer.segment(before + text + after)
    inside = [token for token in found if token.start < len(before + text) and token.end > len(before)]
    assert len(inside) == 1
    if kind is Kind.NUMBER and text.isdecimal():
        assert text in inside[0].text, "a model may join a bare number to what it counts"
    else:
        assert inside[0].text == text
        digits_and_letters = kind is Kind.NUMBER and text.isalnum()
        assert inside[0].kind is (Kind.LATIN if digits_and_letters else kind)


@modes
@few
@given(pieces=st.lists(st.one_of(PHRASES, NAMES, NUMBERS), min_size=1, max_size=6), data=st.data())
def test_white_space_parts_and_is_no_word(analyzer: Analyzer, pieces: list[str], data: st.DataObject) -> None:
    text = ""
    borders = set()
    for piece in pieces:
        text += piece
        borders.add(len(text))
        text += data.draw(SPACES)
    found = analyzer.segment(text)
    assert not any(character.isspace() for token in found for character in token.text)
    assert borders <= {token.end for token in found}
    assert "".join(words(found)) == "".join(pieces)


@modes
@few
@given(left=PHRASES, right=PHRASES, first=st.text(" \u3000", min_size=1, max_size=4), data=st.data())
def test_how_much_white_space_changes_nothing(
    analyzer: Analyzer, left: str, right: str, first: str, data: st.DataObject
) -> None:
    second = data.draw(st.text(" \u3000", min_size=1, max_size=4))
    assert words(analyzer.segment(left + first + right)) == words(analyzer.segment(left + second + right))


@modes
@few
@given(parts=st.lists(st.one_of(PHRASES, NAMES, NUMBERS, EMOJI), max_size=6))
def test_control_characters_lose_nothing(analyzer: Analyzer, parts: list[str]) -> None:
    text = "\x07".join(parts)
    found = analyzer.segment(text)
    assert "".join(words(found)) == text
    assert analyzer.segment(text + "\x00")[-1].text == "\x00"


@modes
@few
@given(text=st.lists(st.one_of(PHRASES, MODELS, NUMBERS, TIMES), min_size=1, max_size=6).map("，".join))
def test_full_width_is_cut_like_half_width(analyzer: Analyzer, text: str) -> None:
    wide = "".join(chr(ord(one) + 0xFEE0) if "!" <= one <= "~" else one for one in text)
    assert [token[1:3] for token in analyzer.segment(wide)] == [token[1:3] for token in analyzer.segment(text)]
    assert [token[1:3] for token in analyzer.segment(text.upper())] == [
        token[1:3] for token in analyzer.segment(text.upper().replace("，", ","))
    ]


@modes
@few
@given(text=st.lists(PHRASES, min_size=1, max_size=8).map("".join))
def test_traditional_is_cut_like_simplified(analyzer: Analyzer, text: str) -> None:
    mapping = character_table().mapping
    forms = {"产": "產", "们": "們", "价": "價", "说": "說", "务": "務", "于": "於", "个": "個"}
    assert all(chr(mapping[ord(old)]) == new for new, old in forms.items())
    traditional = "".join(forms.get(one, one) for one in text)
    assert [token[1:3] for token in analyzer.segment(traditional)] == [token[1:3] for token in analyzer.segment(text)]


@modes
@few
@given(rare=st.text(RARE, min_size=1, max_size=4), before=PHRASES)
def test_rare_characters_are_han_and_kept(analyzer: Analyzer, rare: str, before: str) -> None:
    found = analyzer.segment(before + rare + "。")
    assert "".join(words(found)) == before + rare + "。"
    assert all(token.kind is Kind.HAN for token in found if set(token.text) & set(rare))


@modes
@few
@given(before=PHRASES, name=NAMES, own=st.text(string.ascii_lowercase, min_size=1, max_size=4), after=PHRASES)
def test_no_user_word_cuts_a_latin_word(analyzer: Analyzer, before: str, name: str, own: str, after: str) -> None:
    tuned = with_words(analyzer, UserWord(own), UserWord(own + after[0]), UserWord(before[-1] + own, forced=True))
    text = before + name + after
    ends = {place for token in tuned.segment(text) for place in (token.start, token.end)}
    assert not ends & set(range(len(before) + 1, len(before + name)))


@modes
@few
@given(before=PHRASES, own=st.text(HAN, min_size=2, max_size=6), after=PHRASES)
def test_a_forced_word_is_cut_out_wherever_it_stands(analyzer: Analyzer, before: str, own: str, after: str) -> None:
    form = "".join(chr(character_table().mapping[ord(one)]) for one in own)
    if own in own[1:] + after or form in before:
        return
    found = words(with_words(analyzer, UserWord(own, forced=True)).segment(before + own + after))
    assert own in found
    assert own not in words(analyzer.segment(own[0])), "and no other analyzer knows of it"


@modes
@few
@given(own=st.text(HAN, min_size=2, max_size=6), part=st.integers(1, 5), low=st.integers(1, 9))
def test_a_user_word_is_whole_and_never_worse_off(analyzer: Analyzer, own: str, part: int, low: int) -> None:
    pieces = [UserWord(one) for one in {own[:part], own[part:]} if one]
    assert words(with_words(analyzer, UserWord(own), *pieces).segment(own)) == [own]
    before = words(analyzer.segment("研究生命的起源"))
    lowered = with_words(analyzer, *(UserWord(word, low) for word in before))
    assert words(lowered.segment("研究生命的起源")) == before


@modes
@few
@given(left=NAMES, mark=st.sampled_from("·/-<[+#&.:"), right=NAMES, before=PHRASES)
def test_a_user_word_may_hold_marks_and_spaces(
    analyzer: Analyzer, left: str, mark: str, right: str, before: str
) -> None:
    for own in (f"{left}{mark}{right}", f"{left} {right}"):
        assert own in words(with_words(analyzer, UserWord(own)).segment(f"{before}，{own}，好"))
    spaced = with_words(analyzer, UserWord(left + right)).segment(f"{left} {right}")
    assert words(spaced) == [left, right], "but none reaches across a space that it does not hold"


@modes
@few
@given(text=st.text(st.characters(exclude_categories=["Cs"]), max_size=40), own=st.text(HAN, min_size=1))
def test_nothing_crashes(analyzer: Analyzer, text: str, own: str) -> None:
    tuned = with_words(analyzer, UserWord(own[:20]), UserWord(own[:1], forced=True))
    for granularity in Granularity:
        for token in tuned.segment(text, granularity):
            assert text[token.start : token.end] == token.text != ""


@modes
@few
@given(parts=st.lists(st.one_of(PHRASES, MODELS), min_size=1, max_size=6))
def test_search_has_every_dictionary_word_that_fits_the_borders(analyzer: Analyzer, parts: list[str]) -> None:
    text = "".join(parts)
    coarse = analyzer.segment(text)
    starts, ends = {token.start for token in coarse}, {token.end for token in coarse}
    search = {token[1:3] for token in analyzer.segment(text, Granularity.SEARCH)}
    for token in ANALYZERS["dictionary"].segment(text):
        if token.kind is Kind.HAN and token.start in starts and token.end in ends:
            assert token[1:3] in search


@modes
def test_a_long_sentence_costs_no_more_a_character(analyzer: Analyzer) -> None:
    part = "我们在研究产品和服务的价格于是看到了服务器"

    def seconds(times: int) -> float:
        began = process_time()
        found = analyzer.segment(part * times)
        took = process_time() - began
        assert "".join(words(found)) == part * times
        return took

    seconds(10)
    assert seconds(8000) < 10 * 4 * max(seconds(800), 0.01)
