"""Features: that they depend on a window of the sentence alone, and the dictionary columns by hand."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from segmenter.dictionary import Dictionary
from segmenter.features import (
    MARGIN,
    TEMPLATES,
    character_types,
    feature_hashes,
    lay_out,
    likeliest_words,
    longest_words,
    places_of,
)
from segmenter.hashing import code_points

DICTIONARY = Dictionary.build([("长江", 50), ("长江大桥", 5), ("大桥", 9), ("市长", 36), ("桥", 100)])
SENTENCE = st.text(alphabet="长江大桥市a1年", min_size=1, max_size=12)


def columns(sentences: list[str]) -> list[list[int]]:
    layout = lay_out(code_points("".join(sentences)), np.array(list(map(len, sentences))))
    return [hashes[layout.places].tolist() for hashes in feature_hashes(layout.points, DICTIONARY)]


def test_layout() -> None:
    layout = lay_out(code_points("长江桥"), np.array([2, 1]))
    assert "".join(map(chr, layout.points)) == "\n" * MARGIN + "长江" + "\n" * MARGIN + "桥" + "\n" * MARGIN
    assert layout.places.tolist() == [4, 5, 10]
    assert len(lay_out(code_points(""), np.zeros(0, dtype=np.int64)).points) == MARGIN
    assert places_of(np.array([5, 2]), np.array([2, 3])).tolist() == [5, 6, 2, 3, 4]


@given(st.lists(SENTENCE, min_size=1, max_size=4))
def test_a_sentence_has_the_same_features_everywhere(sentences: list[str]) -> None:
    together = columns(sentences)
    assert len(together) == TEMPLATES
    alone = [columns([sentence]) for sentence in sentences]
    for number, column in enumerate(together):
        assert column == [value for one in alone for value in one[number]]


def test_digits_and_letters_are_alike() -> None:
    assert columns(["在19年a"]) == columns(["在20年b"])
    assert columns(["在19年"]) != columns(["在1九年"])


def test_character_types() -> None:
    assert character_types(code_points(" 1三年汉a,か")).tolist() == [0, 1, 2, 3, 4, 5, 6, 7]


def test_words_that_meet_at_each_character() -> None:
    matches = DICTIONARY.match(code_points("市长江大桥"))
    begin, inside, end = longest_words(matches, 5)
    assert begin.tolist() == [2, 4, 0, 2, 0]
    assert inside.tolist() == [0, 0, 4, 4, 0]
    assert end.tolist() == [0, 2, 2, 0, 4]


def test_likeliest_words() -> None:
    matches = DICTIONARY.match(code_points("市长江大桥"))
    begin, crossing, end = likeliest_words(matches, 5)
    levels = {word: (round(64 * float(np.log(n / 200))) + 1200) // 128 + 1 for word, n in (("长江", 50), ("市长", 36))}
    assert begin[:2].tolist() == [levels["市长"], levels["长江"]]
    assert end[1:3].tolist() == [levels["市长"], levels["长江"]]
    assert crossing[:2].tolist() == [levels["市长"], levels["长江"]]
    assert begin[2] == crossing[4] == 0
