"""64-bit hashes of all character n-grams of a text, in one pass per n over columns of code points.

The dictionary and the wide model look up the same hashes, so a text is hashed once. Only additions, exclusive ors,
shifts and multiplications modulo 2**64 are used: the values are the same on every platform, and files hold them.

>>> text = code_points("南京市长江大桥")
>>> two = list(ngram_hashes(text, longest=2))[1]
>>> int(two[2]) == hash_text("市长")
True
"""

from collections.abc import Iterator
from functools import cache

import numpy as np
from numpy.typing import NDArray

CodePoints = NDArray[np.uint32]
Hashes = NDArray[np.uint64]

_SEED = np.uint64(0x243F6A8885A308D3)
_CHARACTER_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_STEP_FACTOR = np.uint64(0xD6E8FEB86659FD93)
_HALF = np.uint64(32)


def code_points(text: str) -> CodePoints:
    """The code points of `text`, uint32[len(text)]; lone surrogates are kept."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4").astype(np.uint32, copy=False)


def character_hashes(points: CodePoints) -> Hashes:
    """A well mixed 64-bit number for each code point, uint64[n]."""
    hashes = (points.astype(np.uint64) + np.uint64(1)) * _CHARACTER_FACTOR
    hashes ^= hashes >> _HALF
    return hashes


def extend(hashes: Hashes, characters: Hashes) -> Hashes:
    """Hashes of n-grams made one character longer.

    `hashes` are those of the n-grams, `characters` the `character_hashes` of what follows each: both uint64[n].
    """
    longer = hashes ^ characters
    longer *= _STEP_FACTOR
    longer ^= longer >> _HALF
    return longer


def ngram_hashes(points: CodePoints, longest: int) -> Iterator[Hashes]:
    """Yield for n = 1 .. `longest` the hashes of `points[i:i + n]` for every i: uint64[max(len(points) - n + 1, 0)]."""
    characters = character_hashes(points)
    hashes = extend(np.full(len(points), _SEED, dtype=np.uint64), characters)
    yield hashes
    for n in range(2, longest + 1):
        hashes = extend(hashes[:-1], characters[n - 1 :])
        yield hashes


def prefix_hashes(points: CodePoints, starts: NDArray[np.int64], length: int, shorter: Hashes | None) -> Hashes:
    """Hashes of `points[s:s + length]` for each s of `starts`, from those of one character less (None at length 1)."""
    if shorter is None:
        shorter = np.full(len(starts), _SEED, dtype=np.uint64)
    return extend(shorter, character_hashes(points[starts + (length - 1)]))


def hash_text(text: str) -> int:
    """The hash of a whole text as a Python integer: what `ngram_hashes` gives for n = len(text)."""
    hashes = np.full(1, _SEED, dtype=np.uint64)
    for character in character_hashes(code_points(text)):
        hashes = extend(hashes, np.full(1, character, dtype=np.uint64))
    return int(hashes[0])


def mix(hashes: Hashes, salt: int) -> Hashes:
    """Independent hashes of the same things for another use, such as another feature template: uint64[n]."""
    mixed = hashes ^ _salting(salt)
    mixed *= _CHARACTER_FACTOR
    mixed ^= mixed >> _HALF
    return mixed


def mix_rows(table: Hashes) -> Hashes:
    """`mix(row, i)` for the i-th row of a table of hashes: uint64[m, n]."""
    mixed = table ^ _saltings(len(table))
    mixed *= _CHARACTER_FACTOR
    mixed ^= mixed >> _HALF
    return mixed


@cache
def _salting(salt: int) -> np.uint64:
    return np.uint64((salt * 0xBF58476D1CE4E5B9 + 0x94D049BB133111EB) % 2**64)


@cache
def _saltings(count: int) -> Hashes:
    return np.array([_salting(salt) for salt in range(count)], dtype=np.uint64)[:, None]
