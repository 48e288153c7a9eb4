"""The shipped models put together; loaded when asked for, and ONNX Runtime only with the Encoder."""

import json
from collections.abc import Sequence
from pathlib import Path
from threading import Lock
from typing import Any, Final

from segmenter.blend import BlendedTagger, Mixture
from segmenter.deep import DeepModel
from segmenter.dictionary import Dictionary
from segmenter.names import NameKeeper
from segmenter.tagger import GapScores, Tagger, scores_by_part
from segmenter.types import Int16Array
from segmenter.wide import WideTagger

MODES: Final = ("auto", "dictionary", "wide", "hybrid")
MIXTURES_FILE = Path(__file__).parent / "weights" / "mixtures.json"


def shipped_tagger(mode: str, dictionary: Dictionary, threads: int = 1) -> Tagger:
    """The tagger of mode "auto", "wide" or "hybrid"."""
    wide = WideTagger.load(dictionary=dictionary)
    if mode == "auto":
        return StandardTagger(wide, dictionary, threads)
    return NameKeeper(wide) if mode == "wide" else NameKeeper(_blended(wide, dictionary, threads), second=wide)


def _blended(wide: WideTagger, dictionary: Dictionary, threads: int) -> BlendedTagger:
    return BlendedTagger(wide, DeepModel.load(), dictionary, read_mixtures(), threads)


class StandardTagger:
    """Follows the wide part alone, with names whole, and asks the Encoder too where a standard is asked for.

    The Encoder is loaded when that first happens. The fingerprint is that of the cut without a standard, which is what
    an index holds.
    """

    def __init__(self, wide: WideTagger, dictionary: Dictionary, threads: int = 1) -> None:
        self._wide, self._dictionary, self._threads = wide, dictionary, threads
        self._quick = NameKeeper(wide)
        self._thorough: BlendedTagger | None = None
        self._lock = Lock()

    def __getstate__(self) -> dict[str, Any]:
        """Without the Encoder, which another process loads when it needs it."""
        return self.__dict__ | {"_thorough": None, "_lock": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state | {"_lock": Lock()})

    @property
    def criteria(self) -> tuple[str, ...]:
        """The segmentation standards it knows; the first is the default."""
        return self._quick.criteria

    def fingerprint(self) -> str:
        """Changes when any score without a standard may change."""
        return self._quick.fingerprint()

    def boundary_scores(self, texts: Sequence[str], criterion: str | None = None) -> list[Int16Array]:
        """Log-odds of a border in each gap of each normalised text, in units of 1/64: int16[len(text) - 1] each."""
        return self._tagger(criterion).boundary_scores(texts, criterion)

    def explain_scores(self, text: str, criterion: str | None = None) -> GapScores:
        """The scores of one normalised text, and what each part said."""
        return scores_by_part(self._tagger(criterion), text, criterion)

    def quick_scores(self, texts: Sequence[str]) -> list[Int16Array]:
        """`boundary_scores` by the first standard of the wide part, names as it has them."""
        return self._quick.quick_scores(texts)

    def _tagger(self, criterion: str | None) -> Tagger:
        if criterion is None:
            return self._quick
        with self._lock:
            if self._thorough is None:
                self._thorough = _blended(self._wide, self._dictionary, self._threads)
            return self._thorough


def read_mixtures(path: Path = MIXTURES_FILE) -> dict[str, Mixture]:
    """How wide and deep are mixed for each criterion, as `segmenter.fit_mixtures` wrote it."""
    return {name: Mixture(**values) for name, values in json.loads(path.read_text()).items()}
