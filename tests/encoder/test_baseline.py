"""The bigram baseline against counts made by hand."""

import numpy as np
import pytest

from encoder.baseline import SMOOTHING, BigramBaseline
from encoder.data import Corpus
from encoder.mlm import Masked
from encoder.tokenizers import CharTokenizer
from encoder.tokenizers.base import FIRST_TEXT_ID, MASK
from tests.encoder import tiny

A, B, C = (FIRST_TEXT_ID + i for i in range(3))
SIZE = FIRST_TEXT_ID + 3


@pytest.fixture
def baseline() -> BigramBaseline:
    tokenizer = CharTokenizer(["甲", "乙", "丙"])
    return BigramBaseline.fit(Corpus.build(["甲乙甲乙", "甲丙"], tokenizer), SIZE)


def masked(inputs: list[int], place: int) -> Masked:
    return Masked(np.array([inputs]), np.array([place]), np.array([A]), np.array([0]))


def shares() -> np.ndarray:
    singles = np.ones(SIZE)
    singles[[A, B, C]] += [3, 2, 1]
    return singles / singles.sum()


def test_a_character_after_a_known_one(baseline):
    found = baseline.logs(masked([A, MASK], 1))[0].exp().numpy()
    counts = np.zeros(SIZE)
    counts[[B, C]] = [2, 1]  # what follows A; the border between the two windows does not count
    assert found == pytest.approx((counts + SMOOTHING * shares()) / (3 + SMOOTHING), rel=1e-5)


def test_a_character_before_a_known_one(baseline):
    found = baseline.logs(masked([MASK, B], 0))[0].exp().numpy()
    follows, seen = np.zeros(SIZE), np.zeros(SIZE)
    follows[A] = 2
    seen[[A, B]] = [3, 1]
    expected = shares() * (follows + SMOOTHING * shares()[B]) / (seen + SMOOTHING)
    assert found == pytest.approx(expected / expected.sum(), rel=1e-5)


def test_with_no_neighbour_it_is_the_share_of_characters(baseline):
    assert baseline.logs(masked([MASK, MASK], 0))[0].exp().numpy() == pytest.approx(shares(), rel=1e-5)


def test_it_is_measured_on_the_places_that_the_model_is(tmp_path):
    task = tiny.task(tiny.training())
    found = task.measure(BigramBaseline.fit(task.train, task.tokenizer.vocabulary_size).score)
    assert found.keys() == {"loss", *task.validate().metrics}
    assert found == task.measure(BigramBaseline.fit(task.train, task.tokenizer.vocabulary_size).score)
    assert 0 < found["top1"] <= found["top5"] <= 1
