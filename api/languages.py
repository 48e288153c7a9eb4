"""In which language notices and reasons are told: Chinese unless something else is asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from index.notices import Language

_NEUTRAL = frozenset({"", "*", "c", "posix"})


def of_header(header: str | None) -> Language:
    """The language that an `Accept-Language` header prefers, of those there are; without the header Chinese.

    English for readers of neither.

    >>> of_header("fr, en;q=0.8, zh;q=0.5"), of_header("*"), of_header("de")
    ('en', 'zh', 'en')
    """
    wanted = sorted(_weighed(header or ""), key=lambda one: -one[1])
    names = [name for name, weight in wanted if weight > 0]
    return next((_of_tag(name) for name in names if _is_known(name)), "en" if names else "zh")


def of_environment(environ: Mapping[str, str]) -> Language:
    """That of the locale for messages, as POSIX finds it; Chinese where none is set, or C."""
    name = next((value for key in ("LC_ALL", "LC_MESSAGES", "LANG") if (value := environ.get(key))), "")
    return _of_tag(name.partition(".")[0].replace("_", "-"))


def _weighed(header: str) -> Iterator[tuple[str, float]]:
    for part in header.split(","):
        name, *parameters = (piece.strip() for piece in part.split(";"))
        weights = [value for key, _, value in (one.partition("=") for one in parameters) if key.strip() == "q"]
        if name:
            yield name, _number(weights[0]) if weights else 1.0


def _number(text: str) -> float:
    """A quality value; 0 for what is none."""
    try:
        value = float(text)
    except ValueError:
        return 0.0
    return value if 0 <= value <= 1 else 0.0


def _is_known(tag: str) -> bool:
    return tag == "*" or tag.lower().partition("-")[0] in ("zh", "en")


def _of_tag(tag: str) -> Language:
    name = tag.lower().partition("-")[0]
    return "zh" if name == "zh" or name in _NEUTRAL else "en"


def told_in(language: Language) -> dict[str, str]:
    """Headers of an answer that holds sentences."""
    return {"Content-Language": language, "Vary": "Accept-Language"}
