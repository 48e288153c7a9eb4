"""Guessing hidden words: a pretrained Encoder beside bigrams that were counted on its training text.

    python bench/mlm.py --run RUN --data CORPUS [--which best|latest|step-N] [--json]

RUN is a folder of `wenci encoder pretrain`, CORPUS one of `wenci encoder prepare`; all its validation windows are
used, the same hidden places for both. Needs the extra `train`. Keys: windows, loss (nats a character), top1 and top5 of
characters, word_top1 and word_top5 of whole words, and the same of the peer `bigrams`.
"""

from pathlib import Path

from corpus import note, parser, report

from encoder.baseline import BigramBaseline
from encoder.config import TrainingConfig
from encoder.data import Corpus
from encoder.predict import load_pretrained
from encoder.pretrain import MlmTask


def main() -> None:
    """Measure both and report."""
    arguments = parser("Masked words: loss and accuracy beside bigrams.")
    arguments.add_argument("--run", type=Path, required=True)
    arguments.add_argument("--data", type=Path, required=True)
    arguments.add_argument("--which", default="best", help="best, latest or a checkpoint's folder in RUN")
    options = arguments.parse_args()
    loaded = load_pretrained(options.run, options.which)
    train, valid = Corpus.load(options.data / "train"), Corpus.load(options.data / "valid")
    note(f"{len(valid)} windows")
    task = MlmTask(loaded.model.encoder.config, TrainingConfig(steps=1), loaded.tokenizer, train, valid)
    task.module = loaded.model
    bigrams = BigramBaseline.fit(train, loaded.tokenizer.vocabulary_size)
    found = {
        name: _rounded(task.measure(score))
        for name, score in (("ours", loaded.model.score), ("bigrams", bigrams.score))
    }
    report({"windows": len(valid)} | found["ours"] | {"peers": {"bigrams": found["bigrams"]}}, options.json)


def _rounded(figures: dict[str, float]) -> dict[str, float]:
    return {name: round(value, 4) for name, value in figures.items()}


if __name__ == "__main__":
    main()
