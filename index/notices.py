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
PARENTHESES = Notice(
    "parentheses",
    "括号只能括住用 OR 连接的词，如 (京都 OR 杭州) 骑行，不能嵌套；这里有括号没有起作用。",
    "Parentheses only group words joined by OR, as in (京都 OR 杭州) 骑行, and do not nest; some here had no effect.",
)
FILTERS_AND_OR = Notice(
    "filters_and_or",
    "tag:、category:、before: 和 after: 对整个查询都有效，OR 不能连接它们。",
    "tag:, category:, before: and after: hold for the whole query; OR does not join them.",
)
LOWER_OR = Notice(
    "lower_or",
    "小写的 or 当作普通词；表示“任一个即可”的 OR 要大写。",
    "Lower-case “or” was taken as a word; write OR in capitals for either of two words.",
)
NO_POST_PASSES = Notice(
    "no_post_passes",
    "没有文章同时符合所有的筛选条件（标签、分类、日期）。",
    "No post passes all the filters together (tags, categories, dates).",
)


def no_name(text: str) -> Notice:
    """Nothing stands right behind `tag:`."""
    return Notice(
        "no_name",
        f"“{text}”后面没有名字（要紧跟在冒号后面），已当作普通词。",
        f"No name stands right behind “{text}”; it was taken as a word.",
    )


def no_such_tag(name: str) -> Notice:
    """No post has a tag that was asked for, or excluded."""
    return Notice("no_such_tag", f"没有文章带有标签“{name}”。", f"No post has the tag “{name}”.")


def no_such_category(name: str) -> Notice:
    """No post is in a category that was asked for, or excluded."""
    return Notice("no_such_category", f"没有文章属于分类“{name}”。", f"No post is in the category “{name}”.")


def no_such_date(after: str | None, before: str | None) -> Notice:
    """No post was published between the bounds."""
    zh = "、".join([*([f"{after} 或以后"] if after else []), *([f"{before} 以前"] if before else [])])
    en = " and ".join([*([f"on or after {after}"] if after else []), *([f"before {before}"] if before else [])])
    return Notice("no_such_date", f"没有文章发布于 {zh}。", f"No post was published {en}.")


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
