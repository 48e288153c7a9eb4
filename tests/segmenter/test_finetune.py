"""Fine-tuning at the size of a toy: it learns two standards by heart, and not without being told which is asked for."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from encoder.tokenizers import CharTokenizer
from segmenter.deep_inputs import criterion_id, id_table
from segmenter.dictionary import Dictionary
from segmenter.gold import word_f1

torch = pytest.importorskip("torch")

GOLD = {
    "pku": [
        ["小明", "在", "图书馆", "看书", "。"],
        ["我们", "一起", "去", "花园", "散步"],
        ["春天", "来", "了"],
    ],
    "zx": [
        ["小", "明", "在", "图书", "馆", "看", "书", "。"],
        ["我们", "一", "起", "去", "花", "园", "散", "步"],
        ["春", "天", "来", "了"],
    ],
}
WORDS = Dictionary.build([("图书馆", 9), ("图书", 5), ("花园", 4), ("我们", 20)])


@pytest.fixture(scope="module", autouse=True)
def one_thread() -> Iterator[None]:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # threads that wait for each other at every operation are slow on a busy machine
    yield
    torch.set_num_threads(threads)


@pytest.fixture(scope="module")
def table() -> np.ndarray:
    return id_table(CharTokenizer.train("".join(words) for words in GOLD["pku"]))


def learned(table: np.ndarray, run: Path, without: list[str]) -> dict[str, float]:
    from encoder.config import EncoderConfig, TrainingConfig
    from encoder.events import Validated
    from encoder.model import Encoder
    from encoder.train import train
    from segmenter.finetune import CATEGORIES, TaggingTask, tagged_text

    text = tagged_text(GOLD, table, WORDS).without(without)
    shape = EncoderConfig(
        int(table.max()) + 1, width=32, layers=1, heads=2, ffn_width=64, convolution=3, categories=CATEGORIES
    )
    torch.manual_seed(1)
    training = TrainingConfig(
        steps=60, batch_characters=256, learning_rate=1e-2, warmup_steps=5, validate_every=60, seed=1
    )
    seen: list[Validated] = []
    train(
        TaggingTask(Encoder(shape), training, text, text),
        training,
        run,
        listener=lambda event: seen.append(event) if isinstance(event, Validated) else None,
    )
    return dict(seen[-1].metrics)


def test_two_standards_are_learned_by_heart(table: np.ndarray, tmp_path: Path) -> None:
    assert learned(table, tmp_path, []) == pytest.approx({"gaps": 1.0, "pku": 1.0, "zx": 1.0})


def test_without_criterion_both_cannot_be_right(table: np.ndarray, tmp_path: Path) -> None:
    found = learned(table, tmp_path, ["criterion"])
    assert min(found["pku"], found["zx"]) < 0.8


def test_blank_inputs(table: np.ndarray) -> None:
    from segmenter.finetune import tagged_text

    text = tagged_text(GOLD, table, WORDS)
    blank = text.without(["dictionary", "criterion"])
    assert text.inputs.begin.any()
    assert not any(column.any() for column in (*blank.inputs[1:], blank.criterion))
    assert np.array_equal(blank.source, text.criterion)
    assert set(text.source.tolist()) == {criterion_id("pku"), criterion_id("zx")}
    assert len({text.fingerprint(), blank.fingerprint()}) == 2


def test_another_size_begins_from_nothing() -> None:
    from encoder.config import EncoderConfig
    from segmenter.finetune import shape_of

    shipped = EncoderConfig(100, width=32, layers=3, heads=4, ffn_width=128, bigram_buckets=50, convolution=3)
    assert shape_of(shipped, with_bigrams=True, layers=None, width=None) == shipped
    smaller = shape_of(shipped, with_bigrams=False, layers=2, width=16)
    assert smaller == EncoderConfig(100, width=16, layers=2, heads=4, ffn_width=64, convolution=3)


def test_log_odds_stand_where_their_gap_is(table: np.ndarray) -> None:
    from encoder.config import EncoderConfig
    from encoder.heads import BoundaryTagger
    from encoder.model import Encoder
    from segmenter.finetune import CATEGORIES, batch_of, tag, tagged_text

    text = tagged_text(GOLD, table, WORDS)
    module = BoundaryTagger(
        Encoder(EncoderConfig(int(table.max()) + 1, width=16, heads=2, categories=CATEGORIES))
    ).eval()
    odds = tag(module, text, batch_characters=16)
    ends = text.offsets[1:] - 1
    assert np.flatnonzero(np.isinf(odds)).tolist() == ends.tolist()
    for row, (first, last) in enumerate(zip(text.offsets[:-1], ends, strict=True)):
        batch = batch_of(text, np.array([row]), torch.device("cpu"))
        alone = module(batch.ids, batch.extra, None)[0].detach().numpy()
        assert np.allclose(odds[first:last], alone, atol=1e-5)


def test_word_f1_by_hand() -> None:
    truth = np.array([False, True, True, False, True])
    found = np.array([False, True, False, False, True])
    assert word_f1(found, truth) == pytest.approx(2 * 1 / (2 + 3))
    assert word_f1(truth, truth) == 1.0
