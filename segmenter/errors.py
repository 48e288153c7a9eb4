"""Errors of the segmenter; all are `ValueError`s, the docstring is the default message."""


class SegmenterError(ValueError):
    """The segmenter cannot do this."""

    def __init__(self, message: str | None = None) -> None:
        super().__init__(message or type(self).__doc__)


class LoneSurrogateError(SegmenterError):
    """The text holds a lone surrogate, which is not a character."""

    def __init__(self, position: int, code_point: int) -> None:
        super().__init__(f"the text holds a lone surrogate, U+{code_point:04X}, at position {position}")
        self.position = position
        self.code_point = code_point


class UserWordError(SegmenterError):
    """The user word is not one that can be matched."""


class UnknownCriterionError(SegmenterError):
    """A segmentation standard was asked for that the segmenter does not know."""

    def __init__(self, criterion: str, known: tuple[str, ...]) -> None:
        there_are = f"there are {', '.join(known)}" if known else "the dictionary mode follows none"
        super().__init__(f"no criterion {criterion!r}: {there_are}")
        self.criterion = criterion
