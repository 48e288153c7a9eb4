"""`wenci tokenizer` and `wenci encoder`: training the parts of the model, and looking into them."""

from __future__ import annotations

import argparse
from pathlib import Path

from api import cli_encoder_look, cli_encoder_prepare, cli_encoder_train
from api.cli_options import Subparsers, add_command, add_json, not_negative, positive
from api.console import emit, emit_json, note


def register(subparsers: Subparsers) -> None:
    """Add both commands with their own sub-commands."""
    summary = "learn a vocabulary"
    tokenizer = subparsers.add_parser("tokenizer", help=summary, description=summary[0].upper() + summary[1:] + ".")
    _register_tokenizer(tokenizer.add_subparsers(metavar="ACTION", required=True))
    summary = "pretrain the Encoder and look into it (needs the extra `train`)"
    encoder = subparsers.add_parser("encoder", help=summary, description=summary[0].upper() + summary[1:] + ".")
    actions = encoder.add_subparsers(metavar="ACTION", required=True)
    cli_encoder_prepare.register(actions)
    cli_encoder_train.register(actions)
    cli_encoder_look.register(actions)


def _register_tokenizer(actions: Subparsers) -> None:
    parser = add_command(actions, "train", "learn a tokenizer from text, one paragraph a line", train_tokenizer)
    parser.add_argument("files", nargs="+", metavar="FILE", help="text, also .zst and .jsonl")
    parser.add_argument("--kind", choices=["char", "word", "bpe"], default="char", help="default: char")
    parser.add_argument("--out", required=True, metavar="FILE", help="where to write it")
    parser.add_argument("--size", type=positive, default=8000, metavar="N", help="ids at most (default: 8000)")
    parser.add_argument(
        "--minimum", type=positive, default=5, metavar="N", help="rarer characters and words are left out (default: 5)"
    )
    parser.add_argument(
        "--pair-minimum", type=positive, default=10, metavar="N", help="bpe: rarer pairs are not merged (default: 10)"
    )
    parser.add_argument("--no-bytes", action="store_true", help="bpe: <unk> for what is rare, instead of bytes")
    parser.add_argument("--limit", type=not_negative, metavar="N", help="read so many characters at most")
    parser.add_argument("--raw", action="store_true", help="do not normalise the text first")
    add_json(parser)


def train_tokenizer(args: argparse.Namespace) -> int:
    """Learn it, save it, say what came out."""
    from encoder.prepare import training_lines
    from encoder.tokenizers import FIRST_TEXT_ID, BPETokenizer, CharTokenizer, Tokenizer, WordTokenizer

    texts = training_lines(args.files, raw=args.raw, limit=args.limit)
    tokenizer: Tokenizer
    room = args.size - FIRST_TEXT_ID
    if args.kind == "char":
        tokenizer = CharTokenizer.train(texts, minimum=args.minimum, limit=room)
    elif args.kind == "word":
        tokenizer = WordTokenizer.train(
            texts, cut=cli_encoder_prepare.dictionary_cut(), minimum=args.minimum, limit=room
        )
    else:
        tokenizer = BPETokenizer.train(
            texts,
            size=args.size,
            symbol_minimum=args.minimum,
            pair_minimum=args.pair_minimum,
            byte_fallback=not args.no_bytes,
        )
    tokenizer.save(Path(args.out))
    facts = {"kind": args.kind, "vocabulary": tokenizer.vocabulary_size, "fingerprint": tokenizer.fingerprint()}
    if args.json:
        emit_json(facts)
    else:
        emit(f"{args.out}: {facts['vocabulary']} tokens of kind {args.kind}, fingerprint {facts['fingerprint']}")
    if tokenizer.vocabulary_size == FIRST_TEXT_ID:
        note("the vocabulary holds no text: was there enough of it?")
    return 0
