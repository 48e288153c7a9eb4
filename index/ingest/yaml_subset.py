"""YAML as front matter uses it: text, lists and mappings, built from parser events.

Scalars stay text (`tags: [1984, 3.10, on]` are names, not numbers or booleans; dates are read elsewhere, with the name
of their field), except plain `null` and booleans. Tags such as `!!python/object` have no effect. Depth and size are
bounded, also through aliases, so that no input can cost more than a fixed amount of work.
"""

from collections.abc import Iterator

import yaml

from index.ingest.errors import PostError

MAX_DEPTH = 32
MAX_NODES = 20_000

_QUOTED = frozenset("'\"|>")
_PLAIN = {"": None, "~": None, "null": None, "Null": None, "NULL": None}
_PLAIN_BOOLEANS = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}

_CURES = {
    "mapping values are not allowed": 'put a value that holds `: ` into quotes, as in title: "a: b"',
    "found character": "put a value that begins with such a character (@, %, `) into quotes",
}
"""What to do about the commonest slips, by the beginning of the problem's name in PyYAML and libyaml."""

_Sized = tuple[object, int]


def load_yaml(text: str) -> object:
    """The first YAML document of `text`: None, bool, str, list or dict with text keys.

    Raises PostError for a syntax error (with its line), too deep nesting or too many nodes.
    """
    events = yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    try:
        return _Builder(events).document()
    except yaml.YAMLError as error:
        raise PostError(f"front matter is not valid YAML: {_describe(error)}") from error


class _Builder:
    def __init__(self, events: Iterator[yaml.Event]) -> None:
        self._events = events
        self._anchors: dict[str, _Sized] = {}

    def document(self) -> object:
        for event in self._events:
            if isinstance(event, yaml.NodeEvent):
                return self._node(event, 1)[0]
        return None

    def _node(self, event: yaml.Event, depth: int) -> _Sized:
        if depth > MAX_DEPTH:
            raise PostError(f"front matter is nested deeper than {MAX_DEPTH} levels")
        if isinstance(event, yaml.AliasEvent):
            return self._alias(event)
        if isinstance(event, yaml.ScalarEvent):
            built: _Sized = (_scalar(event), 1)
        elif isinstance(event, yaml.SequenceStartEvent):
            built = self._sequence(depth)
        else:
            built = self._mapping(depth)
        anchor = getattr(event, "anchor", None)
        if anchor is not None:
            self._anchors[anchor] = built
        return built

    def _alias(self, event: yaml.AliasEvent) -> _Sized:
        name = str(event.anchor)
        if name not in self._anchors:
            raise PostError(f"front matter uses the unknown alias *{name[:50]}")
        return self._anchors[name]

    def _children(self, end: type[yaml.Event], depth: int) -> Iterator[_Sized]:
        total = 1
        for event in self._events:
            if isinstance(event, end):
                return
            child = self._node(event, depth + 1)
            total += child[1]
            if total > MAX_NODES:
                raise PostError(f"front matter has more than {MAX_NODES} values")
            yield child

    def _sequence(self, depth: int) -> _Sized:
        children = list(self._children(yaml.SequenceEndEvent, depth))
        return [value for value, _ in children], 1 + sum(size for _, size in children)

    def _mapping(self, depth: int) -> _Sized:
        children = list(self._children(yaml.MappingEndEvent, depth))
        keys, values = children[::2], children[1::2]
        mapping = {_key(key): value for (key, _), (value, _) in zip(keys, values, strict=True)}
        return mapping, 1 + sum(size for _, size in children)


def _scalar(event: yaml.ScalarEvent) -> object:
    text = str(event.value)
    if event.style in _QUOTED or event.tag == "!":
        return text
    if text in _PLAIN:
        return _PLAIN[text]
    return _PLAIN_BOOLEANS.get(text, text)


def _key(key: object) -> str:
    if isinstance(key, bool):
        return str(key).lower()
    if isinstance(key, str):
        return key
    raise PostError("front matter has a key that is not text")


def _describe(error: yaml.YAMLError) -> str:
    problem = str(getattr(error, "problem", None) or error).split("\n")[0]
    mark = getattr(error, "problem_mark", None)
    said = f"line {mark.line + 2}: {problem}" if mark is not None else problem
    cure = next((cure for start, cure in _CURES.items() if problem.startswith(start)), None)
    return f"{said}; {cure}" if cure else said
