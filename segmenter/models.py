"""The shipped models put together; loaded when asked for, and ONNX Runtime only with the Encoder."""

import json
from pathlib import Path
from typing import Final

from segmenter.blend import BlendedTagger, Mixture
from segmenter.deep import DeepModel
from segmenter.dictionary import Dictionary
from segmenter.names import NameKeeper
from segmenter.tagger import Tagger
from segmenter.wide import WideTagger

MODES: Final = ("dictionary", "wide", "hybrid")
MIXTURES_FILE = Path(__file__).parent / "weights" / "mixtures.json"


def shipped_tagger(mode: str, dictionary: Dictionary, threads: int = 1) -> Tagger:
    """The tagger of mode "wide" or "hybrid"."""
    wide = WideTagger.load(dictionary=dictionary)
    if mode == "wide":
        return NameKeeper(wide)
    blended = BlendedTagger(wide, DeepModel.load(), dictionary, read_mixtures(), threads)
    return NameKeeper(blended, second=wide)


def read_mixtures(path: Path = MIXTURES_FILE) -> dict[str, Mixture]:
    """How wide and deep are mixed for each criterion, as `segmenter.fit_mixtures` wrote it."""
    return {name: Mixture(**values) for name, values in json.loads(path.read_text()).items()}
