"""From a fine-tuned checkpoint to the files that are shipped: `python -m segmenter.export --run RUN/best`.

Writes the weights as safetensors (half precision: what a reader or a further training starts from) and as an ONNX graph
that `deep` runs without torch, with matrices in 8-bit integers unless `--float` is given, beside the vocabulary.
"""

import argparse
import shutil
import sys
import tempfile
from pathlib import Path

import torch
from torch import Tensor, nn

from encoder.heads import BoundaryTagger
from segmenter.deep_inputs import CRITERION_INPUT, WORD_INPUTS
from segmenter.finetune import load_tagger

WEIGHTS = Path(__file__).parent / "weights"
OPSET = 20


class _OneWindow(nn.Module):
    """The tagger for one window without padding, its inputs by position."""

    def __init__(self, tagger: BoundaryTagger) -> None:
        super().__init__()
        self.tagger = tagger

    def forward(self, ids: Tensor, begin: Tensor, inside: Tensor, end: Tensor, criterion: Tensor) -> Tensor:
        """All (B, L) int64, criterion (B, 1); returns (B, L - 1)."""
        extra = {**dict(zip(WORD_INPUTS, (begin, inside, end), strict=True)), CRITERION_INPUT: criterion}
        odds: Tensor = self.tagger(ids, extra)
        return odds


def export_onnx(tagger: BoundaryTagger, path: Path, *, quantise: bool = True) -> None:
    """Write the tagger as an ONNX graph with dynamic batch and length; inputs named as in `deep_inputs`."""
    module = _OneWindow(tagger).eval()
    row = torch.ones(2, 9, dtype=torch.int64)
    names = ["ids", *WORD_INPUTS]
    axes: dict[str, dict[int, object]] = {
        name: {0: torch.export.Dim.DYNAMIC, 1: torch.export.Dim.DYNAMIC} for name in names
    }
    axes[CRITERION_INPUT] = {0: torch.export.Dim.DYNAMIC}
    with tempfile.TemporaryDirectory() as folder:
        whole = Path(folder) / "whole.onnx"
        torch.onnx.export(
            module,
            (row, row, row, row, row[:, :1]),
            str(whole),
            input_names=[*names, CRITERION_INPUT],
            output_names=["odds"],
            opset_version=OPSET,
            dynamic_shapes=axes,
            dynamo=True,
            external_data=False,
            verbose=False,
        )
        if quantise:
            _quantise(whole, path)
        else:
            shutil.copyfile(whole, path)


def _quantise(source: Path, target: Path) -> None:
    """8-bit integers for matrices and tables; activations are scaled window by window as they come."""
    from onnxruntime.quantization import QuantType, quantize_dynamic

    kinds = ["MatMul", "Gather"]
    quantize_dynamic(source, target, weight_type=QuantType.QInt8, per_channel=True, op_types_to_quantize=kinds)


def export_safetensors(tagger: BoundaryTagger, path: Path, meta: dict[str, str]) -> None:
    """Write the parameters in half precision under their names, with `meta` in the file's head."""
    from safetensors.torch import save_file

    save_file({name: value.half().contiguous() for name, value in tagger.state_dict().items()}, path, metadata=meta)


def main(arguments: list[str] | None = None) -> int:
    """Export a fine-tuned checkpoint."""
    parser = argparse.ArgumentParser(prog="python -m segmenter.export", description=main.__doc__)
    parser.add_argument("--run", type=Path, required=True, help="a checkpoint folder of segmenter.finetune")
    parser.add_argument("--tokenizer", type=Path, required=True)
    parser.add_argument("--output", type=Path, default=WEIGHTS)
    parser.add_argument("--float", action="store_true", dest="as_float", help="keep 32-bit floats in the ONNX graph")
    options = parser.parse_args(arguments)
    tagger = load_tagger(options.run)
    options.output.mkdir(parents=True, exist_ok=True)
    export_onnx(tagger, options.output / "deep.onnx", quantise=not options.as_float)
    export_safetensors(tagger, options.output / "deep.safetensors", {"format": "1"})
    shutil.copyfile(options.tokenizer, options.output / "deep_vocabulary.txt")
    for file in sorted(options.output.glob("deep*")):
        print(f"{file.stat().st_size:>10} bytes  {file}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
