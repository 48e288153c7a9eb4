"""What readers keep between queries: the least recently used goes first, and the whole is bounded by size.

Keys begin with the token of a generation's state (`index.collection.Stock`). Documents never change under their number,
so what was kept of one is right as long as the token is; a new generation, and a server that was started again, has
another token.
"""

from collections import OrderedDict
from collections.abc import Hashable, Iterable
from threading import Lock
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Kept(Generic[K, V]):
    """A mapping of at most `limit` bytes, as its users count them; usable from several threads."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.size = 0
        self._values: OrderedDict[K, tuple[V, int]] = OrderedDict()
        self._lock = Lock()

    def get(self, keys: Iterable[K]) -> dict[K, V]:
        """The values that are there."""
        found: dict[K, V] = {}
        with self._lock:
            for key in keys:
                kept = self._values.get(key)
                if kept is not None:
                    self._values.move_to_end(key)
                    found[key] = kept[0]
        return found

    def put(self, values: Iterable[tuple[K, V, int]]) -> None:
        """Keep values of so many bytes each; one that is larger than an eighth of the whole is not kept."""
        with self._lock:
            for key, value, size in values:
                before = self._values.pop(key, None)
                self.size -= before[1] if before else 0
                if size <= self.limit // 8:
                    self._values[key] = value, size
                    self.size += size
            while self.size > self.limit:
                _, (_, size) = self._values.popitem(last=False)
                self.size -= size
