import unicodedata

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from segmenter.build_characters import normal_form, radicals, read_pairs
from segmenter.characters import DATA_FILE, DELETED, character_table
from segmenter.errors import LoneSurrogateError, SegmenterError
from segmenter.normalise import Normalizer
from tests.segmenter.texts import any_texts, mixed_texts

NORMALIZER = Normalizer()


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("Ｗｏｒｄ ＆ ＰＤＦ", "word & pdf"),
        ("軟體開發與臺灣", "软体开发与台湾"),
        ("乾隆的裏外", "干隆的里外"),
        ("著名作者看著", "著名作者看著"),
        ("猛脊骼拾劈", "猛脊骼拾劈"),
        ("零\u200b宽\ufeff字\u00ad符", "零宽字符"),
        ("cafe\u0301", "café"),
        ("ﾊﾞｽ", "バス"),
        ("①②Ⅲ㎏½", "12iiikg1⁄2"),
        ("ẞ ﬁ", "ss fi"),
        ("a\u3000b\r\n\u2028c", "a b\n\n\nc"),
        ("¨´", "¨´"),
        ("⻓⻔⻋", "长门车"),
        ("葛\U000e0100城", "葛城"),
        ("", ""),
    ],
)
def test_normal_forms(text: str, form: str) -> None:
    assert NORMALIZER.normalize(text).text == form


def test_each_character_knows_where_it_comes_from() -> None:
    form = NORMALIZER.normalize("㎏e\u0301\u200bx葛\U000e0100")
    assert form.text == "kgéx葛"
    assert form.starts.tolist() == [0, 0, 1, 4, 5]
    assert form.ends.tolist() == [1, 1, 3, 5, 7]


@pytest.mark.parametrize("text", ["ab\ud800", "ab\udfffcd"])
def test_lone_surrogates_are_refused_with_their_position(text: str) -> None:
    with pytest.raises(LoneSurrogateError, match="position 2") as caught:
        NORMALIZER.normalize(text)
    assert caught.value.position == 2
    assert isinstance(caught.value, SegmenterError)
    assert isinstance(caught.value, ValueError)


@given(any_texts)
def test_columns_fit_the_text(text: str) -> None:
    form = NORMALIZER.normalize(text)
    size = len(form.text)
    assert [len(column) for column in form[1:]] == [size] * 4
    assert "".join(map(chr, form.points.tolist())) == form.text
    assert np.all(form.starts < form.ends)
    assert np.all(np.diff(form.starts) >= 0)
    assert np.all(np.diff(form.ends) >= 0)
    assert not size or (form.starts[0] >= 0 and form.ends[-1] <= len(text))


@given(any_texts)
def test_a_normal_form_is_its_own_normal_form(text: str) -> None:
    form = NORMALIZER.normalize(text).text
    assert NORMALIZER.normalize(form).text == form


@given(any_texts)
def test_composing_locally_equals_composing_the_whole_text(text: str) -> None:
    table = character_table()
    with (DATA_FILE.parent / "traditional.tsv").open(encoding="utf-8") as lines:
        pairs = radicals() | read_pairs(lines)
    kept = [one for one in text if table.mapping[ord(one)] != DELETED]
    whole = unicodedata.normalize("NFC", "".join(normal_form(one, pairs) for one in kept))
    assert NORMALIZER.normalize(text).text == whole


@given(mixed_texts, st.data())
def test_a_piece_has_the_form_it_has_in_the_text(text: str, data: st.DataObject) -> None:
    table = character_table()
    # An accent stays with its letter, and with what is invisible between them.
    cuts = [0, *(i for i in range(1, len(text)) if not table.composes[ord(text[i])]), len(text)]
    low = data.draw(st.sampled_from(cuts))
    high = data.draw(st.sampled_from([cut for cut in cuts if cut >= low]))
    assert NORMALIZER.normalize(text[low:high]).text in NORMALIZER.normalize(text).text


@pytest.mark.parametrize("marks", ["\u0301", "\u0327\u0301", "\u0301\u0327\u0323"])
def test_many_accents_on_one_letter(marks: str) -> None:
    form = NORMALIZER.normalize("a" + marks * 50_000)
    assert form.starts[0] == 0
    assert form.ends[-1] == 1 + len(marks) * 50_000
