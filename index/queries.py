"""Named SQL from the `.sql` files in `index/sql`: a line `-- name: post_of_id` starts the query `post_of_id`."""

import re
from collections.abc import Mapping
from functools import cache
from importlib import resources
from types import MappingProxyType
from typing import LiteralString, cast

_NAME = re.compile(r"^-- name: (\w+)\s*$", re.MULTILINE)


@cache
def queries(file: str) -> Mapping[str, LiteralString]:
    """The queries of `index/sql/<file>`, by name. Raises `ValueError` where a name stands twice."""
    text = resources.files("index").joinpath("sql", file).read_text(encoding="utf-8")
    _, *parts = _NAME.split(text)
    names, bodies = parts[::2], parts[1::2]
    if len(set(names)) != len(names):
        raise ValueError(f"a query is named twice in {file}")
    return MappingProxyType({name: cast(LiteralString, body.strip()) for name, body in zip(names, bodies, strict=True)})
