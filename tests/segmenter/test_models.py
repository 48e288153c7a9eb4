"""The shipped models put together: which of them decides in mode `auto`."""

import pickle
import subprocess
import sys

import pytest

from segmenter.analyzer import Analyzer
from segmenter.models import StandardTagger, shipped_tagger
from segmenter.tagger import scores_by_part
from segmenter.wide import WEIGHTS_FILE

pytestmark = pytest.mark.skipif(not WEIGHTS_FILE.exists(), reason="there are no weights")

UNSURE = "结婚的和尚未结婚的王小明把手抬起来，研究生命的起源和服务器的性能。"


@pytest.fixture(scope="module")
def analyzers() -> dict[str, Analyzer]:
    return {mode: Analyzer.default(mode=mode) for mode in ("auto", "wide", "hybrid")}


def test_auto_is_the_default(analyzers: dict[str, Analyzer]) -> None:
    default = Analyzer.default()
    assert default.fingerprint() == analyzers["auto"].fingerprint() == analyzers["wide"].fingerprint()
    assert default.explain(UNSURE, criterion="ud") == analyzers["auto"].explain(UNSURE, criterion="ud")


def test_the_encoder_is_asked_where_a_standard_is(analyzers: dict[str, Analyzer]) -> None:
    tagger = shipped_tagger("auto", analyzers["auto"]._segmenter._dictionary)
    assert isinstance(tagger, StandardTagger)
    plain, standard = scores_by_part(tagger, UNSURE), scores_by_part(tagger, UNSURE, "ud")
    assert plain.asked is None
    assert standard.asked is not None
    assert standard.asked.any()


@pytest.mark.parametrize("criterion", [None, "pku", "ud", "medical"])
def test_auto_cuts_like_wide_and_like_hybrid(analyzers: dict[str, Analyzer], criterion: str | None) -> None:
    wanted = analyzers["wide" if criterion is None else "hybrid"]
    for analyzer in (analyzers["auto"], pickle.loads(pickle.dumps(analyzers["auto"]))):
        assert analyzer.segment(UNSURE, criterion=criterion) == wanted.segment(UNSURE, criterion=criterion)
        (odds,) = analyzer.border_odds([UNSURE]) or []
        assert (odds == (analyzers["wide"].border_odds([UNSURE]) or [])[0]).all()


def test_the_encoder_is_not_loaded_before() -> None:
    program = (
        "import sys; from segmenter.analyzer import Analyzer; analyzer = Analyzer.default();"
        f"analyzer.segment({UNSURE!r}); analyzer.analyze({UNSURE!r});"
        "print('onnxruntime' in sys.modules);"
        f"analyzer.segment({UNSURE!r}, criterion='ud'); print('onnxruntime' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "True"]
