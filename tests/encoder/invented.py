"""Sentences made up for tests: few words, much repetition, so that a tiny model can learn them."""

from __future__ import annotations

import random

NAMES = ["小明", "老师", "姐姐", "邻居", "医生"]
PLACES = ["花园", "学校", "图书馆", "厨房", "车站"]
ACTS = ["学习", "唱歌", "散步", "看书", "等人"]
ENDS = ["。", "!", ",天气很好。", ",用 python 写字。"]


def segmented(count: int, seed: int = 1) -> list[list[str]]:
    """`count` sentences as lists of words."""
    draw = random.Random(seed)
    return [
        [draw.choice(NAMES), "在", draw.choice(PLACES), draw.choice(["里", "外"]), draw.choice(ACTS), draw.choice(ENDS)]
        for _ in range(count)
    ]


def sentences(count: int, seed: int = 1) -> list[str]:
    """The same, joined."""
    return ["".join(words) for words in segmented(count, seed)]
