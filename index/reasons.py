"""The sentences of `index.why_not`: what keeps a post out of a page of hits, or down, by kind of reason."""

from collections.abc import Sequence
from datetime import datetime

from index.notices import Notice

ACROSS_WORDS = Notice(
    "across_words",
    "这些字在文章里只是跨过词的边界相邻，排在整词出现的文章之后。",
    "These characters touch in the post only across a border of words; posts that hold them as words come first.",
)
BUILDING = Notice(
    "other_generation",
    "这篇文章在正在建立、还没有启用的索引里。",
    "The post is in an index that is being built and does not serve yet.",
)
FUZZY = Notice(
    "fuzzy",
    "只通过拼写相近的词找到，排在直接含有查询词的文章之后。",
    "Found by words of a similar spelling only; posts that hold the query's own words come first.",
)
NOTHING_TO_FIND = Notice("nothing_to_find", "查询里没有可以查找的词。", "The query holds no word to look for.")
NOT_INDEXED = Notice("not_indexed", "索引里没有这篇文章。", "The post is not in the index.")
RELAXED = Notice(
    "relaxed",
    "没有文章包含所有的词；这篇只包含其中一部分。",
    "No post holds all the words; this one holds some of them.",
)
RETIRED = Notice(
    "other_generation",
    "这篇文章只在已经换下的旧索引里。",
    "The post is only in an old index that no longer serves.",
)
SEMANTIC = Notice(
    "semantic",
    "只是意思相近，排在所有含有查询词的文章之后。",
    "Only near in meaning; all posts that hold the query's words come first.",
)
SPACING = Notice(
    "spacing",
    "只是写法不同（连写或分开），排在与查询写法相同的文章之后。",
    "Written together or apart, other than in the query; posts that write it like the query come first.",
)
SYNONYM = Notice(
    "synonym",
    "只通过同义词找到，排在直接含有查询词的文章之后。",
    "Found by synonyms only; posts that hold the query's own words come first.",
)
UNEXPLAINED = Notice("unexplained", "原因不明。", "The reason is not known.")

BELOW = {notice.code: notice for notice in (SPACING, SYNONYM, FUZZY, SEMANTIC)}
"""What is told of a hit that a route found on whose tier it stands."""


def below_page(rank: int | None, ranked: int, first: int, last: int) -> Notice:
    """Found, but not on the page; no `rank` where it is not among the first `ranked`."""
    place = f"第 {rank} 位" if rank is not None else f"第 {ranked} 位以后"
    standing = f"in place {rank}" if rank is not None else f"below place {ranked}"
    return Notice(
        "below_page",
        f"找到了，排在{place}，不在这一页（{first}–{last}）。",
        f"Found {standing}, not on this page ({first}–{last}).",
    )


def no_tag(tag: str) -> Notice:
    """The post lacks a tag that was asked for."""
    return Notice("tag", f"这篇文章没有标签“{tag}”。", f"The post does not have the tag “{tag}”.")


def no_category(name: str) -> Notice:
    """The post is not in a category that was asked for."""
    return Notice("category", f"这篇文章不属于分类“{name}”。", f"The post is not in the category “{name}”.")


def barred_tag(name: str) -> Notice:
    """The post has a tag that is excluded."""
    return Notice("excluded", f"这篇文章有被排除的标签“{name}”。", f"The post has the tag “{name}”, which is excluded.")


def barred_category(name: str) -> Notice:
    """The post is in a category that is excluded."""
    zh, en = f"这篇文章属于被排除的分类“{name}”。", f"The post is in the category “{name}”, which is excluded."
    return Notice("excluded", zh, en)


LACKS = {"tag": no_tag, "category": no_category}
BARRED = {"tag": barred_tag, "category": barred_category}
"""What is told of a tag or category that the post should have, or should not."""


def wrong_date(name: str, moment: datetime, published: datetime | None) -> Notice:
    """The post's date is outside `after` or `before`, which `name` is."""
    wanted = f"{moment:%Y-%m-%d}" + ("或以后" if name == "after" else "以前")
    has = f"发布于 {published:%Y-%m-%d}" if published else "没有发布日期"
    asked = f"{'on or after' if name == 'after' else 'before'} {moment:%Y-%m-%d}"
    is_of = f"was published on {published:%Y-%m-%d}" if published else "has no date"
    return Notice(
        "date", f"这篇文章{has}，而查询要求{wanted}。", f"The post {is_of}, and the query asks for posts {asked}."
    )


def excluded(text: str) -> Notice:
    """The post holds what is excluded."""
    return Notice("excluded", f"这篇文章含有被排除的“{text}”。", f"The post holds “{text}”, which is excluded.")


def missing(words: Sequence[str]) -> Notice:
    """The post lacks words."""
    return Notice("missing", f"这篇文章没有“{'”“'.join(words)}”。", f"The post does not hold “{'”, “'.join(words)}”.")


def apart(text: str) -> Notice:
    """The post holds all words of a text, but not in one piece."""
    return Notice(
        "missing",
        f"这篇文章有“{text}”的各个词，但没有连在一起。",
        f"The post holds the words of “{text}”, but not in one piece.",
    )
