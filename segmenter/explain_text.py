"""An explanation as text for a terminal."""

from collections.abc import Iterator

from segmenter.explain import Explanation, Gap, OfferedWord, Reason, Stretch


def as_text(found: Explanation) -> str:
    """The cut, then each stretch with its rival, then each gap; one line each, plain text."""
    asked = "no standard asked for" if found.criterion is None else f"criterion {found.criterion}"
    lines = [" | ".join(map(printable, found.words)), f"({found.mode}, {asked}, fingerprint {found.fingerprint})", ""]
    lines += ["stretches with something to decide (path, margin, best other path):"]
    lines += [_stretch(stretch) for stretch in found.stretches] or ["  none"]
    lines += ["", "gaps (offset, border, probability of one, where, why, words across):"]
    lines += [_gap(gap) for gap in found.gaps if gap.reason is not Reason.RULE] or ["  none"]
    lines += _rules(found)
    return "\n".join(lines)


def printable(text: str) -> str:
    """The text on one line: control characters as escapes."""
    return "".join(one if one.isprintable() else one.encode("unicode_escape").decode() for one in text)


def _stretch(stretch: Stretch) -> str:
    path = " | ".join(map(printable, stretch.path))
    if stretch.runner_up is None or stretch.margin is None:
        return f"  {stretch.start:4}  {path}   a forced word leaves no other path"
    other = " | ".join(map(printable, stretch.runner_up))
    return f"  {stretch.start:4}  {path}   +{stretch.margin:.2f}   {other}"


def _gap(gap: Gap) -> str:
    mark = "|" if gap.border else "·"
    believed = "   -" if gap.probability is None else f"{gap.probability:.2f}"
    parts = [f"wide {gap.wide:.2f}"] if gap.wide is not None else []
    parts += [f"deep {gap.deep:.2f}"] if gap.deep is not None else []
    detail = f" ({', '.join(parts)})" if parts else ""
    words = ", ".join(_word(word) for word in gap.crossed_by)
    place = f"{printable(gap.left)} {mark} {printable(gap.right)}"
    return f"  {gap.at:4}  {mark}  {believed}  {place}  {gap.reason.value}{detail}" + (f"  {words}" if words else "")


def _word(word: OfferedWord) -> str:
    return f"{printable(word.text)} [{word.source}{', taken' if word.taken else ''}]"


def _rules(found: Explanation) -> Iterator[str]:
    """Words that a rule keeps together, each once."""
    kept: dict[str, str] = {}
    inside = {gap.at: gap.unit for gap in found.gaps if gap.reason is Reason.RULE}
    start = 0
    for word in found.words:
        start = found.text.index(word, start)
        kinds = {inside[at] for at in range(start + 1, start + len(word)) if at in inside}
        kept |= {word: ", ".join(sorted(kind for kind in kinds if kind))} if kinds else {}
        start += len(word)
    if kept:
        yield ""
        yield "kept together by a rule:"
        yield from (f"  {printable(word)}  {kinds}" for word, kinds in kept.items())
