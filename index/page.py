"""The hits of a page: what was found as typed, and what other readings found, each with its reasons and marks."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from index.asked import Asked
from index.collection import Mask
from index.explain import Reasons
from index.fusion import Placed, Tier
from index.match import Found
from index.rank import Scorer
from index.reader import Reader
from index.show import Shown, needles_of, show
from index.terms import Part
from index.types import Hit


@dataclass(frozen=True)
class Outcome:
    """What a search found as typed, and what other routes add in `tiers`.

    `across`: only across a border of words; `spared`: it was not checked whether they hold what is excluded; `relaxed`:
    not all words had to be there.
    """

    found: Found
    across: Mask
    spared: Mask
    relaxed: bool
    tiers: Sequence[Tier]

    @cached_property
    def unchecked(self) -> Mask:
        """Hits that may not hold the query, or the reading, in one piece: there were too many to look at each."""
        mask = self.found.all & self.found.unchecked
        for tier in self.tiers:
            if tier.unchecked is not None:
                mask[tier.ords] = tier.unchecked[tier.ords]
        return mask

    def not_checked(self, ord: int) -> list[str]:
        """What was not checked of a hit."""
        masks = {"phrase": self.unchecked, "exclusion": self.spared}
        return [name for name, mask in masks.items() if mask[ord]]


def hits_of(
    reader: Reader,
    scorer: Scorer,
    asked: Asked,
    outcome: Outcome,
    page: Sequence[Placed],
    *,
    whole: str,
    explain: bool,
) -> tuple[Hit, ...]:
    """The page in order; posts that are gone are missing. `whole` is the query as one phrase, if it may be one."""
    typed = [placed.entry.ord for placed in page if placed.tier is None]
    others = [placed.entry.ord for placed in page if placed.tier is not None]
    readings = _readings(page)
    shown = show(reader, typed, needles_of(asked.all, whole)) if typed else {}
    shown |= show(reader, others, needles_of([*asked.all, *readings], "")) if others else {}
    reasons = Reasons(scorer, asked.groups, typed)
    found = outcome.found
    hits = []
    for placed in page:
        ord = placed.entry.ord
        if ord not in shown:
            continue
        if placed.tier is None:
            why = reasons.why(
                ord,
                phrase=bool(found.phrase[ord]),
                words=bool(found.words[ord]),
                across=bool(outcome.across[ord]),
                relaxed=outcome.relaxed,
            )
        else:
            why = _other_reasons(scorer, asked, placed)
        if left := outcome.not_checked(ord):
            why["unchecked"] = left
        if explain:
            why["score"] = placed.entry.parts
        hits.append(_hit(placed, shown[ord], why))
    return tuple(hits)


def _readings(page: Sequence[Placed]) -> list[Part]:
    """The parts of all readings that found something on the page."""
    parts: dict[Part, None] = {}
    for placed in page:
        variant = placed.tier.variant(placed.entry.ord) if placed.tier is not None else None
        if variant is not None:
            parts |= dict.fromkeys(variant.parts)
    return list(parts)


def _other_reasons(scorer: Scorer, asked: Asked, placed: Placed) -> dict[str, Any]:
    """The route, the words that it took for others, and what the post holds of the reading."""
    assert placed.tier is not None
    route, ord = placed.tier.route, placed.entry.ord
    variant = placed.tier.variant(ord)
    groups = asked.groups if variant is None else (variant.parts,)
    held = Reasons(placed.tier.scorer or scorer, groups, [ord])
    why = held.why(ord, phrase=False, words=variant is not None, across=False, relaxed=False)
    why["routes"] = [route]
    if variant is None:
        return why | {"similarity": round(float(placed.tier.scores[ord]), 3)}
    return why | {"swaps": [swap._asdict() for swap in variant.swaps]}


def _hit(placed: Placed, shown: Shown, why: dict[str, Any]) -> Hit:
    row = shown.row
    return Hit(
        row.id, row.title, row.url, row.published_at, row.tags, placed.entry.score,
        shown.snippet, shown.title_marks, shown.snippet_marks, why,
    )  # fmt: skip
