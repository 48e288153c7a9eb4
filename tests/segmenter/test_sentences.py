"""Where texts are split for the models."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from segmenter.hashing import code_points
from segmenter.sentences import split_sentences


def split(text: str) -> list[str]:
    return [
        text[a : a + n]
        for a, n in zip(*(column.tolist() for column in split_sentences(code_points(text))), strict=True)
    ]


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("", []),
        ("天气好", ["天气好"]),
        ("他说。我听", ["他说。", "我听"]),
        ("“他说。”我听!?走", ["“他说。”", "我听!?", "走"]),
        ("看http://x.cn/a?b=c;d。3月", ["看http://x.cn/a?b=c;d。3月"]),
        ("一行\n\n二行", ["一行", "\n", "\n", "二行"]),
    ],
)
def test_examples(text: str, sentences: list[str]) -> None:
    assert split(text) == sentences


@given(st.text(alphabet="甲乙。!?”\n a1", max_size=40))
def test_sentences_join_to_the_text(text: str) -> None:
    assert "".join(split(text)) == text
    assert all(split(text))


@given(st.text(alphabet="甲乙。!?”a", max_size=20), st.text(alphabet="甲乙。!?”a", max_size=20))
def test_a_line_feed_parts_texts(one: str, other: str) -> None:
    assert split(f"{one}\n{other}") == [*split(one), "\n", *split(other)]
