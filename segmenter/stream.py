"""Many texts in flat memory: texts of like size grouped, groups cut by several threads, results in order.

At most `threads + AHEAD` windows are between being read and being handed out, so memory is bounded by the longest texts
of so many windows, however long the stream is.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import islice
from typing import Final, TypeVar

T = TypeVar("T")

WINDOW: Final = 1 << 16
"""Characters of a window, about: what is read before anything of it is cut."""
WINDOW_TEXTS: Final = 4096
AHEAD: Final = 2
"""Windows that wait, beside one for each thread."""
_GROUP: Final = 1 << 14


def windows(texts: Iterable[str], size: int = WINDOW, most: int = WINDOW_TEXTS) -> Iterator[list[str]]:
    """Consecutive texts in lists of about `size` characters; at least one text, at most `most`."""
    window: list[str] = []
    characters = 0
    for text in texts:
        if window and (characters + len(text) > size or len(window) >= most):
            yield window
            window, characters = [], 0
        window.append(text)
        characters += len(text)
    if window:
        yield window


def groups_by_size(texts: list[str], size: int = _GROUP) -> Iterator[list[int]]:
    """Places of the texts in groups of about `size` characters, texts of like length together, short ones first."""
    group: list[int] = []
    characters = 0
    for place in sorted(range(len(texts)), key=lambda place: len(texts[place])):
        if group and characters + len(texts[place]) > size:
            yield group
            group, characters = [], 0
        group.append(place)
        characters += len(texts[place])
    if group:
        yield group


def mapped(
    cut: Callable[[list[str]], list[T]], texts: Iterable[str], *, threads: int = 1, window: int = WINDOW
) -> Iterator[T]:
    """`cut` over a stream of texts, in order. `cut` takes a list of texts and is called from `threads` threads.

    An error of `cut` is raised when its window is due; what came before has been handed out.
    """
    if threads < 1:
        raise ValueError(f"{threads} threads, at least 1 is needed")

    def cut_window(inside: list[str]) -> list[T]:
        found: dict[int, T] = {}
        for group in groups_by_size(inside):
            found.update(zip(group, cut([inside[place] for place in group]), strict=True))
        return [found[place] for place in range(len(inside))]

    source = windows(texts, window)
    if threads == 1:
        for inside in source:
            yield from cut_window(inside)
        return
    with ThreadPoolExecutor(threads) as pool:
        waiting: deque[Future[list[T]]] = deque()
        try:
            waiting.extend(pool.submit(cut_window, inside) for inside in islice(source, threads + AHEAD))
            while waiting:
                found = waiting.popleft().result()
                waiting.extend(pool.submit(cut_window, inside) for inside in islice(source, 1))
                yield from found
        finally:
            for future in waiting:
                future.cancel()
