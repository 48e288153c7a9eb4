"""What the deep part sees of a character: its id, and the dictionary words that begin, go on and end there.

Training (`finetune`) and run time (`deep`) call the same function on sentences laid out by `features.lay_out`.
"""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from encoder.tokenizers.base import FIRST_TEXT_ID, UNK
from encoder.tokenizers.char import CharTokenizer
from segmenter.dictionary import Dictionary
from segmenter.features import LONGEST_WORD, longest_words
from segmenter.hashing import CodePoints
from segmenter.types import UInt8Array

WORD_INPUTS: Final = ("begin", "inside", "end")
"""Categories of the Encoder, one id a character: length of the longest dictionary word that begins, goes on or ends."""
WORD_SIZES: Final = LONGEST_WORD + 1
CRITERION_INPUT: Final = "criterion"
CRITERIA: Final = ("pku", "sxu", "msr", "ud", "medical", "zx")
"""The criterion at place i has the id i + 1; 0 stands for none."""
WINDOW: Final = 96
"""Longest stretch, in characters, that the deep part reads at once."""

_UNICODE = 0x110000


class DeepInputs(NamedTuple):
    """Columns over n characters: ids, uint16[n], and the three `WORD_INPUTS`, uint8[n] each."""

    ids: NDArray[np.uint16]
    begin: UInt8Array
    inside: UInt8Array
    end: UInt8Array

    def at(self, places: NDArray[np.int64] | slice) -> "DeepInputs":
        """The same columns at some of the places."""
        return DeepInputs(self.ids[places], self.begin[places], self.inside[places], self.end[places])


def id_table(tokenizer: CharTokenizer) -> NDArray[np.uint16]:
    """The id of every code point: uint16[0x110000]."""
    table = np.full(_UNICODE, UNK, dtype=np.uint16)
    for id_ in range(FIRST_TEXT_ID, tokenizer.vocabulary_size):
        table[ord(tokenizer.id_to_token(id_))] = id_
    return table


def deep_inputs(points: CodePoints, table: NDArray[np.uint16], dictionary: Dictionary) -> DeepInputs:
    """The inputs of each place of a layout. `table`: see `id_table`."""
    return DeepInputs(table[points], *longest_words(dictionary.match(points), len(points)))


def criterion_id(criterion: str) -> int:
    """The id of a criterion. Raises ValueError for one the deep part was not trained for."""
    if criterion not in CRITERIA:
        raise ValueError(f"no criterion {criterion!r}; there are {', '.join(CRITERIA)}")
    return CRITERIA.index(criterion) + 1
