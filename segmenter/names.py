"""Personal names in one piece where no standard is asked for: one rule in every mode that has a model.

The default standard writes surname and given name as two words, other standards as one. So where the default has a
surname by itself with a Han character behind it, the others are asked about the sentence: the first that takes the
surname and one or two characters for one word, with borders around it, decides the gaps of that name.
"""

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from segmenter.arrays import among
from segmenter.characters import Shape, character_table
from segmenter.hashing import CodePoints, code_points
from segmenter.sentences import split_sentences
from segmenter.tagger import GapScores, Tagger, scores_by_part, scores_by_standard
from segmenter.types import BoolArray, Int16Array
from segmenter.wide import CERTAIN

SURNAMES: Final = (
    "王李张刘陈杨黄赵吴周徐孙马朱胡郭何高林罗郑梁谢宋唐许韩冯邓曹彭曾肖田董袁潘蒋蔡余杜叶程苏魏吕丁任沈姚卢姜崔钟谭陆汪范金石"
    "廖贾夏韦付方白邹孟熊秦邱江尹薛闫雷侯龙史陶黎贺顾毛郝龚邵万钱严覃武戴莫孔汤温康施牛樊葛邢安齐易乔伍庞颜倪庄聂章鲁岳翟殷詹"
    "申耿关兰焦俞左柳甘祝宁尚符舒阮柯纪梅童凌毕季裴霍涂苗谷盛曲翁冉骆蓝路游辛靳柴蒙鲍华喻祁蒲房滕屈饶牟艾尤阳穆农司卓古吉缪简"
    "车芦麦褚娄窦戚岑景党宫卜冷晏席卫米柏宗瞿桂佟臧闵苟邬边卞姬仇栾隋商沙荣巫寇桑郎甄丛仲虞敖巩佘池麻苑邝习"
)
DOUBLE_SURNAMES: Final = "欧阳司马诸葛上官司徒令狐东方慕容皇甫尉迟公孙夏侯"
"""Surnames of two characters, one behind the other."""
SECOND_OPINIONS: Final = ("sxu", "msr")
"""Standards that write a name as one word, in the order in which they are asked."""
_GIVEN: Final = (1, 2)
_FIRST_OF_SURNAMES: Final = code_points("".join(sorted({*SURNAMES, *DOUBLE_SURNAMES[::2]})))
_SECOND_OF: Final = {
    ord(first): {
        ord(then) for other, then in zip(DOUBLE_SURNAMES[::2], DOUBLE_SURNAMES[1::2], strict=True) if other == first
    }
    for first in DOUBLE_SURNAMES[::2]
}
_SPACE: Final = ord(" ")


class NameKeeper:
    """A `Tagger` that follows another, and keeps names whole where no criterion is given."""

    def __init__(self, tagger: Tagger, second: Tagger | None = None) -> None:
        """`second`: the one that is asked about names, `tagger` itself by default."""
        self._tagger = tagger
        self._second = second or tagger
        self._standards = [name for name in SECOND_OPINIONS if name in self._second.criteria]

    @property
    def criteria(self) -> tuple[str, ...]:
        """The segmentation standards it knows; the first is the default."""
        return self._tagger.criteria

    def fingerprint(self) -> str:
        """Changes when any score may change."""
        return f"{self._tagger.fingerprint()} names {self._second.fingerprint()}"

    def boundary_scores(self, texts: Sequence[str], criterion: str | None = None) -> list[Int16Array]:
        """Log-odds of a border in each gap of each normalised text, in units of 1/64: int16[len(text) - 1] each."""
        scores = self._tagger.boundary_scores(texts, criterion)
        if criterion is not None:
            return scores
        return [self._kept(text, odds) for text, odds in zip(texts, scores, strict=True)]

    def quick_scores(self, texts: Sequence[str]) -> list[Int16Array]:
        """`boundary_scores` by the first standard of the quicker tagger, names as it has them."""
        return self._second.boundary_scores(texts, self._second.criteria[0])

    def explain_scores(self, text: str, criterion: str | None = None) -> GapScores:
        """The scores of one normalised text, and what the other tagger's parts said."""
        scores = scores_by_part(self._tagger, text, criterion)
        return scores if criterion is not None else scores._replace(decided=self._kept(text, scores.decided))

    def _kept(self, text: str, odds: Int16Array) -> Int16Array:
        """The scores with the gaps of names decided by the standards that keep them whole."""
        points = code_points(text)
        is_han = character_table().shape[points] == Shape.HAN
        surnames = list(_surnames_alone(points, odds, is_han))
        if not surnames:
            return odds
        odds = odds.copy()
        opinions = self._opinions(text, points, np.array([place for place, _ in surnames]))
        taken = 0
        for place, length in surnames:
            if place < taken:
                continue
            for opinion in opinions:
                if end := _name_end(opinion, is_han, place, length):
                    odds[place : end - 1] = np.minimum(opinion[place + 1 : end], -1)
                    odds[end - 1 : end] = opinion[end]
                    taken = end
                    break
        return odds

    def _opinions(self, text: str, points: CodePoints, places: NDArray[np.int64]) -> list[Int16Array]:
        """What each of the other standards says before each character of the sentences with these places.

        int16[n + 1] each, `CERTAIN` at the ends of sentences and 0 where it was not asked.
        """
        start, length = split_sentences(points)
        asked = np.unique(np.searchsorted(start, places, side="right") - 1)
        bounds = list(zip(start[asked].tolist(), (start[asked] + length[asked]).tolist(), strict=True))
        opinions = []
        for found in scores_by_standard(self._second, [text[first:last] for first, last in bounds], self._standards):
            opinion = np.zeros(len(points) + 1, dtype=np.int16)
            for (first, last), odds in zip(bounds, found, strict=True):
                opinion[first], opinion[last] = CERTAIN, CERTAIN
                opinion[first + 1 : last] = odds
            opinion[_beside_spaces(points)] = CERTAIN
            opinions.append(opinion)
        return opinions


def _surnames_alone(points: CodePoints, odds: Int16Array, is_han: BoolArray) -> Iterator[tuple[int, int]]:
    """(place, length) of each surname that is a word by itself, with a Han character behind it."""
    borders = np.ones(len(points) + 1, dtype=np.bool_)
    borders[1:-1] = odds > 0
    borders |= _beside_spaces(points)
    begins = among(points, _FIRST_OF_SURNAMES) & borders[:-1]
    for place in np.flatnonzero(begins).tolist():
        following = int(points[place + 1]) if place + 1 < len(points) else 0
        length = 2 if not borders[place + 1] and following in _SECOND_OF.get(int(points[place]), ()) else 1
        behind = place + length
        if behind < len(points) and is_han[behind] and borders[behind]:
            yield place, length


def _beside_spaces(points: CodePoints) -> BoolArray:
    """Places beside white space, which are borders whatever a model says: bool[n + 1]."""
    space = points == _SPACE
    found = np.zeros(len(points) + 1, dtype=np.bool_)
    found[:-1] |= space
    found[1:] |= space
    return found


def _name_end(opinion: Int16Array, is_han: BoolArray, place: int, surname: int) -> int:
    """Where the name that begins at `place` ends, if the standard sees one; else 0."""
    if opinion[place] <= 0:
        return 0
    for given in _GIVEN:
        end = place + surname + given
        if end >= len(opinion) or not is_han[end - 1] or opinion[end - 1] > 0:
            return 0
        if opinion[end] > 0:
            return end if (opinion[place + 1 : end] <= 0).all() else 0
    return 0
