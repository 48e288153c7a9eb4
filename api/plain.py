"""Domain objects as what JSON has."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from datetime import date
from enum import Enum
from pathlib import Path
from typing import Any


def plain(value: Any) -> Any:
    """Dataclasses and mappings become objects, sequences arrays, times ISO 8601, paths strings."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return value.value if isinstance(value, Enum) else value
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [plain(item) for item in value]
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, (Path, Enum)):
        return str(value)
    raise TypeError(f"cannot write {type(value).__name__} as JSON")
