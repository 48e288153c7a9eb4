"""The wide model end to end on a tiny corpus: it learns, and its scores depend on the text alone."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from segmenter import wide as module
from segmenter.dictionary import Dictionary
from segmenter.evaluate import evaluate
from segmenter.gold import gold_text
from segmenter.tagger import Tagger, tagger_cutter
from segmenter.train_wide import WideConfig, train
from segmenter.wide import CERTAIN, WideModel, WideModelError, WideTagger

WORDS = {"我们": 9, "在": 30, "北京": 20, "大学": 12, "学习": 9, "中文": 5, "长江": 4, "大桥": 3, "北京大学": 2}
JOINED = [
    "我们 在 北京大学 学习 中文 。",
    "我们 在 长江 大桥 。",
    "长江 在 北京 ？",
    "我们 学习 Ｃ 语言 ， 2024 年 在 北京大学 。",
    "中文 在 我们 大学 ！",
]
CONFIG = WideConfig(rows=20_000, least=1, least_own=1, epochs=8, rate=0.5)


def gold(*, split: bool = False) -> list[list[str]]:
    """The corpus; a second standard cuts 北京大学 in two."""
    return [(line.replace("北京大学", "北京 大学") if split else line).split() for line in JOINED]


@pytest.fixture(scope="module")
def dictionary() -> Dictionary:
    return Dictionary.build(WORDS.items())


@pytest.fixture(scope="module")
def model(dictionary: Dictionary) -> WideModel:
    texts = {"whole": gold_text(gold()), "parts": gold_text(gold(split=True))}
    return train(texts, dictionary, CONFIG, log=lambda line: None)


@pytest.fixture(scope="module")
def tagger(model: WideModel, dictionary: Dictionary) -> WideTagger:
    return WideTagger(model, dictionary)


def test_learns_its_training_text_in_both_standards(tagger: WideTagger) -> None:
    assert evaluate(tagger_cutter(tagger, "whole"), gold()).f1 == 1.0
    assert evaluate(tagger_cutter(tagger, "parts"), gold(split=True)).f1 == 1.0


def test_the_first_criterion_is_the_default(tagger: WideTagger) -> None:
    text = "我们在北京大学"
    (default,) = tagger.boundary_scores([text])
    np.testing.assert_array_equal(default, tagger.boundary_scores([text], "whole")[0])
    assert default.dtype == np.int16
    assert len(default) == len(text) - 1
    assert tagger.criteria == ("whole", "parts")


def test_training_twice_gives_the_same_bytes(model: WideModel, dictionary: Dictionary, tmp_path: Path) -> None:
    texts = {"whole": gold_text(gold()), "parts": gold_text(gold(split=True))}
    train(texts, dictionary, CONFIG, log=lambda line: None).save(tmp_path / "again.npz")
    model.save(tmp_path / "once.npz")
    assert (tmp_path / "again.npz").read_bytes() == (tmp_path / "once.npz").read_bytes()


def test_saved_and_loaded(model: WideModel, dictionary: Dictionary, tmp_path: Path) -> None:
    model.save(tmp_path / "wide.npz")
    loaded = WideModel.load(tmp_path / "wide.npz")
    assert loaded.fingerprint() == model.fingerprint()
    texts = ["长江大桥在北京。", "学习"]
    for one, other in zip(
        WideTagger(loaded, dictionary).boundary_scores(texts, "parts"),
        WideTagger(model, dictionary).boundary_scores(texts, "parts"),
        strict=True,
    ):
        np.testing.assert_array_equal(one, other)


PIECE = st.text(alphabet="我们在北京大学习长江桥。?;!”\n a1", max_size=30)


@settings(max_examples=25)
@given(texts=st.lists(PIECE, max_size=6), block=st.integers(1, 40))
def test_scores_do_not_depend_on_the_batch(tagger: WideTagger, texts: list[str], block: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_BLOCK", block)
        together = tagger.boundary_scores(texts)
    assert [len(scores) for scores in together] == [max(len(text) - 1, 0) for text in texts]
    for text, scores in zip(texts, together, strict=True):
        assert scores.tolist() == (tagger.boundary_scores([text])[0].tolist() if text else [])


@settings(max_examples=25)
@given(before=PIECE, after=PIECE)
def test_a_sentence_is_cut_alike_alone_and_in_a_text(tagger: WideTagger, before: str, after: str) -> None:
    sentence = "我们在长江大桥学习"
    first = len(before) + 1
    scores = tagger.boundary_scores([f"{before}\n{sentence}\n{after}"])[0]
    alone = tagger.boundary_scores([sentence])[0]
    assert scores[first : first + len(sentence) - 1].tolist() == alone.tolist()
    assert scores[first - 1] == scores[first + len(sentence) - 1] == CERTAIN


def test_threads_give_the_same_scores(tagger: WideTagger) -> None:
    texts = ["我们在北京大学学习中文。" * 20] * 8
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda text: tagger.boundary_scores([text], "parts")[0].tolist(), texts))
    assert all(result == results[0] for result in results)


def test_a_long_text_without_sentence_ends_is_cut_evenly(tagger: WideTagger) -> None:
    text = "我们在北京大学学习中文" * 20_000
    (scores,) = tagger.boundary_scores([text])
    period = scores[110 : 110 + 11 * 15_000].reshape(-1, 11)
    assert (period == period[0]).all()


def test_refusals(model: WideModel, tagger: WideTagger, tmp_path: Path) -> None:
    with pytest.raises(WideModelError, match="another dictionary"):
        WideTagger(model, Dictionary.build([("中文", 1)]))
    with pytest.raises(WideModelError, match="no criterion 'other'"):
        tagger.boundary_scores(["中文"], "other")
    with pytest.raises(WideModelError):
        WideModel(model.checks, model.weights, model.deltas, {**model.meta, "format": 0})


def test_cutter_gives_offsets_into_the_original(tagger: WideTagger) -> None:
    def check(tagger: Tagger, text: str) -> None:
        spans = tagger_cutter(tagger)(text)
        assert "".join(text[start:end] for start, end in spans) == text

    for text in ("", "我们在㎏北京", "我們在\u200b北京", "\u200b"):
        check(tagger, text)
