"""Which words a criterion's training text held: what "out of vocabulary" means when a cut is scored.

Only 32-bit hashes of the words are kept; about one unknown word in 70,000 passes for a known one.
"""

from collections.abc import Iterable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from segmenter.hashing import hash_text

VOCABULARY_FILE = Path(__file__).parent / "weights" / "vocabulary.npz"


class Vocabulary:
    """A set of words, as sorted uint32 hashes."""

    def __init__(self, hashes: NDArray[np.uint32]) -> None:
        self._hashes = hashes

    @classmethod
    def of(cls, words: Iterable[str]) -> "Vocabulary":
        """The set of these words."""
        return cls(np.unique(np.fromiter((_hash(word) for word in set(words)), dtype=np.uint32)))

    @classmethod
    def load(cls, criterion: str, path: Path = VOCABULARY_FILE) -> "Vocabulary | None":
        """The training words of a criterion, None where it has none on record."""
        if not path.exists():
            return None
        with np.load(path, allow_pickle=False) as stored:
            return cls(stored[criterion]) if criterion in stored.files else None

    def __contains__(self, word: object) -> bool:
        if not isinstance(word, str):
            return False
        wanted = _hash(word)
        place = int(np.searchsorted(self._hashes, wanted))
        return place < len(self._hashes) and int(self._hashes[place]) == wanted

    def __len__(self) -> int:
        return len(self._hashes)

    @property
    def hashes(self) -> NDArray[np.uint32]:
        """Sorted, without duplicates."""
        return self._hashes


def save_vocabularies(vocabularies: dict[str, Vocabulary], path: Path = VOCABULARY_FILE) -> None:
    """Write the vocabularies of several criteria into one file."""
    arrays: dict[str, NDArray[np.uint32]] = {name: vocabulary.hashes for name, vocabulary in vocabularies.items()}
    np.savez_compressed(path, allow_pickle=False, **arrays)


def _hash(word: str) -> int:
    return hash_text(word) >> 32
