"""What a search tells a person beside the hits: a code for programs, and a sentence in each language."""

from dataclasses import dataclass
from typing import Literal

Language = Literal["zh", "en"]


@dataclass(frozen=True, slots=True)
class Notice:
    """One thing to be told. The code never changes; the sentences may."""

    code: str
    zh: str
    en: str

    def text(self, language: Language) -> str:
        """The sentence in one language."""
        return self.en if language == "en" else self.zh


NOTHING_INDEXED = Notice("nothing_indexed", "还没有建立索引。", "Nothing has been indexed yet.")
ONLY_MARKS = Notice(
    "only_marks",
    "查询里只有标点，没有可以查找的字。",
    "The query holds nothing but punctuation; there is nothing to look for.",
)
ONLY_EXCLUSIONS = Notice(
    "only_exclusions",
    "查询里只有要排除的词；请至少写一个要查找的词。",
    "The query only excludes words; please give at least one to look for.",
)
AS_TYPED = Notice(
    "as_typed",
    "查询里没有要查找的词；下面的文章原样含有输入的文字。",
    "The query names no word to look for; these posts hold its text as it was typed.",
)
RELAXED = Notice(
    "relaxed",
    "没有文章包含所有的词，下面的文章只包含其中一部分。",
    "No post holds all the words; these hold some of them.",
)
STALE_STREAM = Notice(
    "stale_index",
    "索引是用另一个版本的规范化规则建立的，结果可能不全；请重建索引。",
    "The index was made with another version of the rules of normalisation and may miss posts; please reindex.",
)
SIMILAR_MEANING = Notice(
    "similar_meaning",
    "找到的文章很少，后面列出了意思相近的文章。",
    "Few posts were found; posts near in meaning follow.",
)
SIMILAR_SPELLING = Notice(
    "similar_spelling",
    "没有或很少有文章含有输入的拼写，也列出了拼写相近的词。",
    "Few posts or none hold the words as they were spelt; similar spellings were looked for too.",
)


def too_many_units(most: int) -> Notice:
    """The rest of a long query was ignored."""
    return Notice(
        "too_many_words",
        f"查询太长：只用了前 {most} 个词。",
        f"The query is too long: only the first {most} words were used.",
    )


def not_a_date(text: str) -> Notice:
    """What stands behind `before:` or `after:` is no date."""
    return Notice(
        "not_a_date",
        f"“{text}”不是日期（应为 2024、2024-05 或 2024-05-31），已当作普通词。",
        f"“{text}” is not a date (as in 2024, 2024-05 or 2024-05-31); it was taken as a word.",
    )


def unchecked(count: int, checked: int) -> Notice:
    """Hits of which it was not checked that they hold the query in one piece."""
    return Notice(
        "unchecked",
        f"候选文章太多，只核对了最相关的 {checked} 篇；结果中有 {count} 篇没有核对，可能并不原样含有查询的文字。",
        f"Too many candidates: only the best {checked} were checked."
        f" {count} of the hits were not, and may not hold the query as it stands.",
    )


def exclusion_unchecked(count: int, checked: int) -> Notice:
    """Hits of which it was not checked that they lack what is excluded."""
    return Notice(
        "exclusion_unchecked",
        f"要排除的文字只在最相关的 {checked} 篇候选里核对过；结果中有 {count} 篇没有核对，可能仍含有它。",
        f"What is excluded was looked for in the best {checked} candidates only;"
        f" {count} of the hits were not checked and may hold it.",
    )


INEXACT = frozenset({"unchecked", "exclusion_unchecked"})
"""Codes of notices that say that the total may be too large."""
