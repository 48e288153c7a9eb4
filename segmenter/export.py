"""From a fine-tuned checkpoint to the files that are shipped: `python -m segmenter.export --run RUN/best`.

Writes the weights as safetensors (what a reader or a further training starts from) and as an ONNX graph that `deep`
runs without torch, with matrices in 8-bit integers unless `--float` is given, beside the vocabulary.
"""

import argparse
import json
import shutil
import sys
import tempfile
from pathlib import Path

import torch
from torch import Tensor, nn

from encoder import checkpoint
from encoder.config import EncoderConfig
from encoder.heads import BoundaryTagger, SentenceEmbedder
from encoder.model import Encoder
from encoder.weights import save_weights
from segmenter.deep_inputs import CRITERION_INPUT, WORD_INPUTS
from segmenter.finetune import load_tagger

WEIGHTS = Path(__file__).parent / "weights"
OPSET = 20
_ANY = torch.export.Dim.DYNAMIC


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


class _Vectors(nn.Module):
    """The embedder with one input."""

    def __init__(self, embedder: SentenceEmbedder) -> None:
        super().__init__()
        self.embedder = embedder

    def forward(self, ids: Tensor) -> Tensor:
        """(B, L) int64 -> (B, E)."""
        vectors: Tensor = self.embedder(ids)
        return vectors


def export_onnx(tagger: BoundaryTagger, path: Path, *, quantise: bool = True) -> None:
    """Write the tagger as an ONNX graph with dynamic batch and length; inputs named as in `deep_inputs`."""
    module = _OneWindow(tagger).eval()
    row = torch.ones(2, 9, dtype=torch.int64)
    axes: dict[str, dict[int, object]] = {name: {0: _ANY, 1: _ANY} for name in ("ids", *WORD_INPUTS)}
    # a tensor for each input: torch.export takes one that comes twice for one input
    inputs = {name: row.clone() for name in axes} | {CRITERION_INPUT: row[:, :1].clone()}
    _export(module, inputs, {**axes, CRITERION_INPUT: {0: _ANY}}, "odds", path, quantise)


def export_vectors_onnx(embedder: SentenceEmbedder, path: Path, *, quantise: bool = True) -> None:
    """Write sentence vectors as an ONNX graph: ids (B, L) without padding to vectors (B, E)."""
    row = torch.ones(2, 9, dtype=torch.int64)
    _export(_Vectors(embedder).eval(), {"ids": row}, {"ids": {0: _ANY, 1: _ANY}}, "vectors", path, quantise)


def load_embedder(folder: Path) -> SentenceEmbedder:
    """The sentence embedder of a checkpoint of `encoder.contrastive`, ready to be used."""
    identity = checkpoint.read_meta(folder).identity
    module = SentenceEmbedder(Encoder(EncoderConfig.from_dict(identity["encoder"])), identity["size"])
    module.load_state_dict(checkpoint.load_weights(folder))
    return module.eval()


def _export(
    module: nn.Module,
    inputs: dict[str, Tensor],
    axes: dict[str, dict[int, object]],
    output: str,
    path: Path,
    quantise: bool,
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        whole = Path(folder) / "whole.onnx"
        torch.onnx.export(
            module,
            tuple(inputs.values()),
            str(whole),
            input_names=list(inputs),
            output_names=[output],
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


def main(arguments: list[str] | None = None) -> int:
    """Export fine-tuned checkpoints."""
    parser = argparse.ArgumentParser(prog="python -m segmenter.export", description=main.__doc__)
    parser.add_argument("--run", type=Path, help="a checkpoint folder of segmenter.finetune")
    parser.add_argument("--vectors", type=Path, help="a checkpoint folder of encoder.contrastive")
    parser.add_argument("--tokenizer", type=Path, required=True)
    parser.add_argument("--output", type=Path, default=WEIGHTS)
    parser.add_argument("--float", action="store_true", dest="as_float", help="keep 32-bit floats in the ONNX graphs")
    options = parser.parse_args(arguments)
    options.output.mkdir(parents=True, exist_ok=True)
    if options.run:
        tagger = load_tagger(options.run)
        meta = {"format": "1", "encoder": json.dumps(tagger.encoder.config.to_dict())}
        save_weights(tagger, options.output / "deep.safetensors", meta)
        export_onnx(tagger, options.output / "deep.onnx", quantise=not options.as_float)
    if options.vectors:
        export_vectors_onnx(
            load_embedder(options.vectors), options.output / "vectors.onnx", quantise=not options.as_float
        )
    shutil.copyfile(options.tokenizer, options.output / "deep_vocabulary.txt")
    for file in sorted(options.output.iterdir()):
        print(f"{file.stat().st_size:>10} bytes  {file}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
