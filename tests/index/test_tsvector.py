"""Literals and phrase queries, as text."""

import numpy as np
import pytest

from index.tsvector import (
    MAX_LEXEME,
    Atom,
    gram_columns,
    phrase,
    pieces,
    query_atoms,
    quote,
    split_long,
    vector_literal,
)
from tests.index.fake_analyzer import analyze


def test_apostrophes_and_backslashes_are_doubled() -> None:
    assert quote("it's a\\b") == "'it''s a\\\\b'"


def test_vector_literal_groups_the_positions_of_a_lexeme() -> None:
    assert vector_literal(["稳", "词", "稳"], [1, 2, 9], "A") == "'稳':1A,9A '词':2A"


@pytest.mark.parametrize("position", [0, 16384])
def test_positions_postgresql_would_change_are_refused(position: int) -> None:
    with pytest.raises(ValueError, match="16383"):
        vector_literal(["稳"], [position])


def grams(text: str) -> list[tuple[int, str]]:
    analysis = analyze(text)
    starts, lengths = gram_columns(analysis)
    return [(s, analysis.stream[s : s + n]) for s, n in zip(starts.tolist(), lengths.tolist(), strict=True)]


def test_each_dense_character_starts_one_gram_and_atoms_stay_whole() -> None:
    assert grams("用 Docker部署，好") == [(0, "用"), (1, "docker"), (7, "部署"), (8, "署"), (10, "好")]


def test_white_space_between_dense_characters_does_not_change_grams() -> None:
    assert grams("稳 定\n词") == grams("稳定词")


def test_a_long_atom_becomes_chunks_counted_from_its_start() -> None:
    starts, lengths = split_long(np.array([3, 900], np.int32), np.array([2 * MAX_LEXEME + 5, 4], np.int32))
    assert starts.tolist() == [3, 3 + MAX_LEXEME, 3 + 2 * MAX_LEXEME, 900]
    assert lengths.tolist() == [MAX_LEXEME, MAX_LEXEME, 5, 4]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("稳", "'稳':*"),
        ("稳定", "'稳定'"),
        ("稳定，", "'稳定'"),
        ("docker，", "'docker'"),
        ("稳定词", "'稳定' <1> '定词'"),
        ("用 Docker部署", "'用' <1> 'docker' <6> '部署'"),
        ("部署Dock", "'部署' <1> '署' <1> 'dock':*"),
        ("Docker部", "'docker' <6> '部':*"),
        ("好，世界", "'好' <2> '世界'"),
        ("，。", ""),
    ],
)
def test_query_as_phrase(query: str, expected: str) -> None:
    assert phrase(query_atoms(analyze(query))) == expected


def test_pieces_span_fewer_than_64_characters() -> None:
    atoms = [Atom("a", place) for place in (0, 10, 63, 64, 500)]
    assert [[atom.start for atom in piece] for piece in pieces(atoms)] == [[0, 10, 63], [64], [500]]
