import pytest
from hypothesis import given
from hypothesis import strategies as st

from index.pinyin import VARIANTS, initials, sound, spellings, syllables, typed


@pytest.mark.parametrize(
    ("text", "spelt", "short"),
    [
        ("数据库", "shujuku", "sjk"),
        ("重庆", "chongqing", "cq"),
        ("银行", "yinhang", "yh"),
        ("步行", "buxing", "bx"),
        ("音乐", "yinyue", "yy"),
        ("快乐", "kuaile", "kl"),
        ("长城", "changcheng", "cc"),
        ("校长", "xiaozhang", "xz"),
        ("绿色", "lvse", "ls"),
        ("用docker部署", "yongdockerbushu", "ydockerbs"),
        ("c++入门", "crumen", "crm"),
    ],
)
def test_the_usual_reading_comes_first(text: str, spelt: str, short: str) -> None:
    assert spellings(syllables(text))[0] == spelt
    assert initials(syllables(text))[0] == short


def test_a_character_outside_a_known_phrase_may_be_read_in_each_common_way() -> None:
    assert {"xing", "hang"} <= set(spellings(syllables("行")))
    assert {"zhong", "chong"} <= set(spellings(syllables("重")))
    assert spellings(syllables("部")) == ["bu"]


def test_words_that_sound_alike_have_the_same_sound() -> None:
    assert sound("公式") == sound("攻势") == "gong shi"
    assert sound("西安") != sound("先")


@pytest.mark.parametrize(("text", "key"), [("Xi'an", "xian"), ("xi an", "xian"), ("lü se", "lvse"), ("", "")])
def test_typed_pinyin(text: str, key: str) -> None:
    assert typed(text) == key


@given(st.text(st.sampled_from("行重长乐了的数ab1，"), max_size=20))
def test_spellings_are_few_and_keep_what_is_not_han(text: str) -> None:
    readings = syllables(text)
    assert len(readings) == len(text)
    for found in (spellings(readings), initials(readings)):
        assert len(found) <= VARIANTS
        assert len(set(found)) == len(found)
        for spelt in found:
            assert [char for char in spelt if char in "1"] == [char for char in text if char in "1"]
