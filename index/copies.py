"""Near-copies among posts: of posts whose beginnings share most of their stretches of characters one is enough."""

from collections.abc import Sequence

from index.passages import BODY
from index.reader import Reader

LOOKED_AT = 3
"""Posts that are read for each that is wanted."""

CHARACTERS = 2000
"""Characters of a body that are compared."""

STRETCH = 5
SAME = 0.7
"""Share of the stretches of both that two copies have in common (Jaccard)."""


def first_of_copies(reader: Reader, order: Sequence[int], limit: int) -> list[int]:
    """The first `limit` documents of an order without near-copies of earlier ones."""
    chosen: list[int] = []
    seen: list[frozenset[str]] = []
    looked_at = list(order[: limit * LOOKED_AT])
    bodies = reader.passages(looked_at)
    for ord in looked_at:
        text = "".join(passage.stream for passage in bodies[ord] if passage.field == BODY)
        stretches = stretches_of(text[:CHARACTERS])
        if all(alike(stretches, other) < SAME for other in seen):
            chosen.append(ord)
            seen.append(stretches)
        if len(chosen) == limit:
            break
    return chosen


def stretches_of(text: str) -> frozenset[str]:
    """All stretches of `STRETCH` characters; the text itself where it is shorter."""
    return frozenset(text[place : place + STRETCH] for place in range(max(len(text) - STRETCH + 1, 1))) - {""}


def alike(one: frozenset[str], other: frozenset[str]) -> float:
    """Stretches of both among those of either, from 0 to 1; 0 for an empty text."""
    return len(one & other) / max(len(one | other), 1)
