"""Taggers made for tests: their scores are a function of the sentence, as those of a trained one are."""

import zlib
from collections.abc import Sequence

import numpy as np

from segmenter.tagger import GapScores
from segmenter.types import Int16Array


class ConstantTagger:
    """The same log-odds in every gap."""

    criteria = ("plain", "other")

    def __init__(self, odds: int) -> None:
        self._odds = odds

    def fingerprint(self) -> str:
        return f"constant {self._odds}"

    def boundary_scores(self, texts: Sequence[str], criterion: str | None = None) -> list[Int16Array]:
        odds = -self._odds if criterion == "other" else self._odds
        return [np.full(max(len(text) - 1, 0), odds, dtype=np.int16) for text in texts]


class PairTagger:
    """Arbitrary log-odds that depend on the two characters around a gap and on the salt."""

    criteria = ("plain",)

    def __init__(self, salt: int = 0, reach: int = 700) -> None:
        self._salt, self._reach = salt, reach

    def fingerprint(self) -> str:
        return f"pairs {self._salt} {self._reach}"

    def boundary_scores(self, texts: Sequence[str], criterion: str | None = None) -> list[Int16Array]:
        return [np.array([self._odds(text[i : i + 2]) for i in range(len(text) - 1)], dtype=np.int16) for text in texts]

    def _odds(self, pair: str) -> int:
        digest = zlib.crc32(f"{self._salt}{pair}".encode("utf-8", "surrogatepass"))
        return digest % (2 * self._reach + 1) - self._reach


class TwoPartTagger(PairTagger):
    """A tagger that tells its parts apart: the deep one was asked where the wide one is below 100."""

    def explain_scores(self, text: str, criterion: str | None = None) -> GapScores:
        (odds,) = self.boundary_scores([text], criterion)
        asked = np.abs(odds) < 100
        return GapScores(odds, odds, np.where(asked, -odds, 0).astype(np.int16), asked)
