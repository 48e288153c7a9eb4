"""`wenci encoder predict | probe | info`: what a checkpoint knows."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from api.cli_encoder_prepare import dictionary_starts
from api.cli_encoder_train import require_torch
from api.cli_options import Subparsers, add_command, add_json, not_negative, positive
from api.console import UsageError, emit, emit_json

if TYPE_CHECKING:
    from encoder.data import Span
    from encoder.events import Sample
    from encoder.predict import Pretrained

    Sentences = list[tuple[str, list[Span]]]


def register(actions: Subparsers) -> None:
    """Add the three actions."""
    _register_predict(actions)
    _register_probe(actions)
    parser = add_command(actions, "info", "print what a checkpoint says of itself", info)
    _add_run(parser)


def _add_run(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("checkpoint", metavar="RUN", help="the folder of a run, or of one of its checkpoints")
    parser.add_argument("--which", choices=["best", "latest"], default="best", help="default: best")
    add_json(parser)


def _register_predict(actions: Subparsers) -> None:
    parser = add_command(actions, "predict", "hide words of a sentence and print the guesses", predict)
    _add_run(parser)
    parser.add_argument("text", nargs="?", metavar="TEXT", help="a sentence (default: sentences from --data)")
    parser.add_argument("--mask", metavar="WORD", help="hide this word of TEXT alone (default: each word in turn)")
    parser.add_argument("--data", metavar="FOLDER", help="a corpus whose validation part sentences are drawn from")
    parser.add_argument("--sentences", type=positive, default=5, metavar="N", help="how many to draw (default: 5)")
    parser.add_argument("--words", type=positive, default=3, metavar="N", help="words hidden in each (default: 3)")
    parser.add_argument("--top", type=positive, default=5, metavar="K", help="guesses to print (default: 5)")
    parser.add_argument("--seed", type=not_negative, default=1, metavar="N", help="of the drawing (default: 1)")


def _register_probe(actions: Subparsers) -> None:
    parser = add_command(actions, "probe", "look into the Encoder: attention, neighbours, word borders", probe)
    _add_run(parser)
    parser.add_argument("--attention", metavar="TEXT", help="heat maps of a sentence, written to --out")
    parser.add_argument("--out", default="attention.html", metavar="FILE", help="default: attention.html")
    parser.add_argument("--neighbours", nargs="+", default=[], metavar="WORD", help="nearest to characters or words")
    parser.add_argument("--borders", action="store_true", help="a linear probe of word borders on each layer")
    parser.add_argument("--gold", metavar="FILE", help="sentences with spaces between words")
    parser.add_argument("--data", metavar="FOLDER", help="without --gold: a corpus, its validation part")
    parser.add_argument("--sentences", type=positive, default=2000, metavar="N", help="read at most (default: 2000)")
    parser.add_argument("--top", type=positive, default=10, metavar="K", help="neighbours to print (default: 10)")


def predict(args: argparse.Namespace) -> int:
    """One block a sentence: the words that were hidden, the guesses with their probabilities, the loss."""
    loaded = _load(args)
    from encoder.predict import predict_words

    for text, words in _to_hide(args, loaded):
        samples = list(predict_words(loaded.model, loaded.tokenizer, text, words, args.top))
        if args.json:
            emit_json({"text": text, "words": [_sample_object(sample) for sample in samples]})
        else:
            emit("\n".join([text, *map(_sample_line, samples), ""]))
    return 0


def _to_hide(args: argparse.Namespace, loaded: Pretrained) -> Iterator[tuple[str, list[Span]]]:
    from encoder.data import Corpus, normalise, spans_from_starts
    from encoder.predict import draw_sentences, occurrences

    if args.text is None:
        if not args.data:
            raise UsageError("give a sentence, or --data to draw sentences from")
        corpus = Corpus.load(Path(args.data) / "valid")
        yield from draw_sentences(corpus, loaded.tokenizer, args.sentences, args.words, args.seed)
        return
    text = normalise(args.text)
    spans = [
        span for span in spans_from_starts(dictionary_starts()([text])[0], len(text)) if text[slice(*span)].strip()
    ]
    yield text, spans if args.mask is None else occurrences(text, normalise(args.mask), spans)


def _sample_object(sample: Sample) -> dict[str, Any]:
    return {**asdict(sample), "word": sample.text[sample.start : sample.end]}


def _sample_line(sample: Sample) -> str:
    word = sample.text[sample.start : sample.end]
    guesses = "  ".join(f"{guess} {probability:.1%}" for guess, probability in sample.guesses)
    return f"  {word} ({sample.start}-{sample.end}), loss {sample.loss:.3f}: {guesses}"


def probe(args: argparse.Namespace) -> int:
    """Whatever of the three was asked for."""
    if not (args.attention or args.neighbours or args.borders):
        raise UsageError("ask for --attention, --neighbours or --borders")
    loaded = _load(args)
    result: dict[str, Any] = {}
    if args.attention:
        result["attention"] = _write_attention(loaded, args.attention, Path(args.out))
    if args.neighbours:
        result["neighbours"] = _neighbours(args, loaded)
    if args.borders:
        result["borders"] = _borders(args, loaded)
    if args.json:
        emit_json(result)
    else:
        emit("\n".join(_probe_lines(result)))
    return 0


def _write_attention(loaded: Pretrained, sentence: str, path: Path) -> str:
    from encoder.attention_page import attention_page
    from encoder.data import normalise
    from encoder.probe import attention_maps

    text = normalise(sentence)
    labels, maps = attention_maps(loaded.model.encoder, loaded.tokenizer, text)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(attention_page(text, labels, maps), "utf-8")
    return str(path)


def _neighbours(args: argparse.Namespace, loaded: Pretrained) -> dict[str, list[tuple[str, float]]]:
    from encoder.data import normalise
    from encoder.probe import token_vectors, word_vectors
    from encoder.tokenizers import FIRST_TEXT_ID, UNK

    encoder, tokenizer = loaded.model.encoder, loaded.tokenizer
    wanted = list(map(normalise, args.neighbours))
    tokens = [word for word in wanted if tokenizer.token_to_id(word) != UNK]
    found: dict[str, list[tuple[str, float]]] = {}
    if tokens:
        vectors = token_vectors(encoder, tokenizer, range(FIRST_TEXT_ID, tokenizer.vocabulary_size))
        found |= {token: vectors.nearest(token, args.top) for token in tokens}
    if others := [word for word in wanted if word not in tokens]:
        table = dict(_sentences(args, loaded))
        vectors = word_vectors(encoder, tokenizer, list(table), table.__getitem__)
        found |= {word: vectors.nearest(word, args.top) for word in others}
    return found


def _borders(args: argparse.Namespace, loaded: Pretrained) -> list[dict[str, float]]:
    from encoder.probe import probe_boundaries

    table = dict(_sentences(args, loaded))
    texts = list(table)
    half = len(texts) * 4 // 5
    layers = probe_boundaries(loaded.model.encoder, loaded.tokenizer, texts[:half], texts[half:], table.__getitem__)
    return [{**asdict(layer), "selectivity": layer.selectivity} for layer in layers]


def _sentences(args: argparse.Namespace, loaded: Pretrained) -> Sentences:
    from encoder.data import Corpus, corpus_window
    from encoder.prepare import gold_sentences

    if args.gold:
        return list(gold_sentences(args.gold))[: args.sentences]
    if not args.data:
        raise UsageError("this needs sentences: --gold FILE or --data FOLDER")
    corpus = Corpus.load(Path(args.data) / "valid")
    return [corpus_window(corpus, loaded.tokenizer, row) for row in range(min(len(corpus), args.sentences))]


def _probe_lines(result: dict[str, Any]) -> Iterator[str]:
    if "attention" in result:
        yield f"attention maps: {result['attention']}"
    for word, neighbours in result.get("neighbours", {}).items():
        yield f"{word}: " + "  ".join(f"{name} {cosine:.2f}" for name, cosine in neighbours)
    if "borders" in result:
        yield "layer  accuracy  control  selectivity  (majority)"
        for one in result["borders"]:
            yield (
                f"{one['layer']:5}  {one['accuracy']:8.4f}  {one['control_accuracy']:7.4f}  "
                f"{one['selectivity']:11.4f}  ({one['majority']:.4f})"
            )


def info(args: argparse.Namespace) -> int:
    """The meta file, as JSON or as lines."""
    require_torch()
    from encoder import checkpoint
    from encoder.predict import checkpoint_folder

    folder = checkpoint_folder(Path(args.checkpoint), args.which)
    meta = {"path": str(folder), **asdict(checkpoint.read_meta(folder))}
    if args.json:
        emit_json(meta)
    else:
        emit("\n".join(f"{name}: {_shown(value)}" for name, value in _flat(meta)))
    return 0


def _flat(values: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in values.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{prefix}{name}.")
        else:
            yield prefix + name, value


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _load(args: argparse.Namespace) -> Pretrained:
    require_torch()
    from encoder.predict import load_pretrained

    return load_pretrained(Path(args.checkpoint), args.which)
