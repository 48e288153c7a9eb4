"""The Encoder at run time: the windows it reads, what it answers, and how that is mixed with the wide part."""

import json
import os
import pickle
import subprocess
import sys
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from encoder.tokenizers.char import CharTokenizer
from segmenter.blend import Answers, BlendedTagger, Mixture, mixed
from segmenter.chain import Emissions
from segmenter.deep import LONGEST, REACH, VOCABULARY_FILE, DeepModel, windows_around
from segmenter.deep_inputs import CRITERIA, CRITERION_INPUT, WORD_INPUTS, criterion_id, id_table
from segmenter.dictionary import GRID, Dictionary
from segmenter.features import lay_out
from segmenter.hashing import code_points
from segmenter.models import read_mixtures, shipped_tagger
from segmenter.wide import WideTagger

SENTENCES = (
    "他把昨天写好的周报发给了三位同事。",
    "产品和服务都要经得起检验,研究生命的起源更是如此。",
    "乒乓球拍卖完了,结婚的和尚未结婚的都来领号。",
    "数据库的备份脚本每天凌晨两点运行,失败时会发邮件。",
    "1998年,南京市长江大桥上人来人往!",
)


@pytest.fixture(scope="module")
def dictionary() -> Dictionary:
    return Dictionary.load()


@pytest.fixture(scope="module")
def deep() -> DeepModel:
    return DeepModel.load()


@pytest.fixture(scope="module")
def blended(dictionary: Dictionary, deep: DeepModel) -> BlendedTagger:
    return BlendedTagger(WideTagger.load(dictionary=dictionary), deep, dictionary, read_mixtures())


def _window(deep: DeepModel, dictionary: Dictionary, sentence: str):  # type: ignore[no-untyped-def]
    points = code_points(sentence)
    return deep.inputs(lay_out(points, np.array([len(points)])), dictionary)


@given(st.sets(st.integers(0, 400), min_size=1), st.integers(1, 60))
def test_windows_answer_for_each_gap_once_and_see_around_it(gaps: set[int], rest: int) -> None:
    ordered = np.array(sorted(gaps))
    length = int(ordered[-1]) + 1 + rest
    found = windows_around(ordered, length)
    assert np.concatenate([group for _, _, group in found]).tolist() == ordered.tolist()
    for start, end, group in found:
        assert 0 <= start < end <= length
        assert end - start <= LONGEST + 1
        for gap in group.tolist():
            assert start <= max(0, gap - REACH + 1)
            assert end >= min(length, gap + REACH + 1)


def test_ids_are_those_of_the_tokenizer() -> None:
    tokenizer = CharTokenizer.load(VOCABULARY_FILE)
    table = id_table(tokenizer)
    text = "稳词,cut 1998年\U00020bb7"
    assert table[code_points(text)].tolist() == tokenizer.encode(text)


def test_torch_and_onnx_runtime_agree(deep: DeepModel, dictionary: Dictionary) -> None:
    """The shipped graph has 8-bit matrices: it may differ a little, and change hardly any decision."""
    torch = pytest.importorskip("torch")
    from safetensors import safe_open

    from encoder.config import EncoderConfig
    from encoder.heads import BoundaryTagger
    from encoder.model import Encoder
    from encoder.weights import load_weights
    from segmenter.export import WEIGHTS

    path = WEIGHTS / "deep.safetensors"
    with safe_open(path, "pt") as file:
        config = EncoderConfig.from_dict(json.loads(file.metadata()["encoder"]))
    tagger = BoundaryTagger(Encoder(config))
    tagger.load_state_dict(load_weights(path))
    tagger.eval()
    differences, same = [], []
    for sentence in SENTENCES:
        for criterion in CRITERIA:
            window = _window(deep, dictionary, sentence)
            ids, *words = (torch.from_numpy(column.astype(np.int64))[None] for column in window)
            extra = dict(zip(WORD_INPUTS, words, strict=True))
            extra[CRITERION_INPUT] = torch.tensor([[criterion_id(criterion)]])
            with torch.no_grad():
                expected = tagger(ids, extra)[0].numpy()
            actual = deep.odds(window, criterion) / GRID
            differences.append(np.abs(expected - actual))
            same.append((expected > 0) == (actual > 0))
    assert float(np.median(np.concatenate(differences))) < 0.15
    assert float(np.concatenate(same).mean()) > 0.98


def test_an_exported_graph_answers_as_torch_does(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    from encoder.config import EncoderConfig
    from encoder.heads import BoundaryTagger
    from encoder.model import Encoder
    from segmenter.export import export_onnx
    from segmenter.finetune import CATEGORIES

    tokenizer = CharTokenizer.train(SENTENCES)
    torch.manual_seed(3)
    config = EncoderConfig(
        tokenizer.vocabulary_size,
        width=16,
        layers=1,
        heads=2,
        ffn_width=32,
        bigram_buckets=97,
        bigram_width=8,
        convolution=3,
        categories=CATEGORIES,
    )
    tagger = BoundaryTagger(Encoder(config), inner=8).eval()
    export_onnx(tagger, tmp_path / "tiny.onnx", quantise=False)
    model, words = DeepModel((tmp_path / "tiny.onnx").read_bytes(), tokenizer), Dictionary.build([("周报", 5)])
    for sentence in SENTENCES:
        window = _window(model, words, sentence)
        ids, *rest = (torch.from_numpy(column.astype(np.int64))[None] for column in window)
        extra = {**dict(zip(WORD_INPUTS, rest, strict=True)), CRITERION_INPUT: torch.tensor([[criterion_id("zx")]])}
        with torch.no_grad():
            expected = tagger(ids, extra)[0].numpy() * GRID
        assert np.abs(model.odds(window, "zx") - expected).max() <= 0.51


def test_an_unknown_criterion_is_named() -> None:
    with pytest.raises(ValueError, match="nonsense"):
        criterion_id("nonsense")


def test_scores_do_not_depend_on_batch_threads_or_pickling(blended: BlendedTagger, dictionary: Dictionary) -> None:
    alone = [blended.boundary_scores([sentence])[0].tolist() for sentence in SENTENCES]
    together = [odds.tolist() for odds in blended.boundary_scores(SENTENCES[::-1])][::-1]
    text = blended.boundary_scores(["\n".join(SENTENCES)])[0].tolist()
    threaded = pickle.loads(pickle.dumps(shipped_tagger("hybrid", dictionary, threads=2)))
    assert together == alone
    assert [odds.tolist() for odds in threaded.boundary_scores(SENTENCES)] == alone
    place = 0
    for sentence, odds in zip(SENTENCES, alone, strict=True):
        assert text[place : place + len(odds)] == odds
        place += len(sentence) + 1


def test_sentences_without_doubt_keep_their_scores(dictionary: Dictionary, deep: DeepModel) -> None:
    wide = WideTagger.load(dictionary=dictionary)
    blended = BlendedTagger(wide, deep, dictionary, {"pku": Mixture(doubt=100, deep_share=64)})
    kept = changed = 0
    for sentence in SENTENCES:
        from_wide, odds = wide.boundary_scores([sentence])[0], blended.boundary_scores([sentence])[0]
        told = blended.explain_scores(sentence)
        assert told.decided.tolist() == odds.tolist()
        assert told.asked is not None
        assert told.asked.tolist() == (np.abs(from_wide) < 100).tolist()
        if told.asked.any():
            changed += int((odds != from_wide).sum())
        else:
            assert odds.tolist() == from_wide.tolist()
            kept += 1
    assert kept
    assert changed


@given(st.integers(1, 7), st.integers(0, 2**32 - 1))
def test_the_mixture_is_the_best_of_all_paths(size: int, seed: int) -> None:
    """Against trying every way to cut a sentence."""
    generator = np.random.default_rng(seed)
    emissions = Emissions(*generator.integers(-200, 200, (4, size)).astype(np.int32))
    answers = Answers(generator.integers(-300, 300, size), generator.random(size) < 0.5)
    mixture = Mixture(doubt=1, deep_share=24, bias=-700)
    found = mixed(emissions, np.array([0]), answers, mixture)
    best: dict[tuple[int, bool], int] = {}
    for cut in product([False, True], repeat=size - 1):
        borders = [True, *cut, True]
        total = 0
        for place in range(size):
            before, behind = borders[place], borders[place + 1]
            total += int(emissions[{(1, 0): 0, (0, 0): 1, (0, 1): 2, (1, 1): 3}[before, behind]][place])
            if behind and answers.asked[place]:
                total += (24 * int(answers.deep[place]) - 700) // 64
        for gap, is_border in enumerate(cut):
            best[gap, is_border] = max(best.get((gap, is_border), total), total)
    assert found[:-1].tolist() == [best[gap, True] - best[gap, False] for gap in range(size - 1)]


def test_every_criterion_has_a_mixture(blended: BlendedTagger) -> None:
    assert set(read_mixtures()) == set(blended.criteria) == set(CRITERIA)


def test_nothing_is_collected_or_written_at_home(tmp_path: Path) -> None:
    """ONNX Runtime keeps a device id and usage events in the user's cache unless it is told not to."""
    script = "from segmenter import deep, vectors; deep.DeepModel.load(); vectors.VectorModel.load()"
    environ = {name: value for name, value in os.environ.items() if not name.startswith(("ORT_", "XDG_"))}
    subprocess.run([sys.executable, "-c", script], check=True, env=environ | {"HOME": str(tmp_path)})
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []
