"""The query language."""

from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from index.query import MAX_UNITS, Query, Unit, date_of, parse


def units(query: Query) -> list[list[str]]:
    return [[f'"{unit.text}"' if unit.quoted else unit.text for unit in group] for group in query.groups]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("招商 公司", [["招商", "公司"]]),
        ("　招商　公司　", [["招商", "公司"]]),
        ("ＵＳＢ", [["USB"]]),
        ('"零拷贝"', [['"零拷贝"']]),
        ("“零 拷贝” 技术", [['"零 拷贝"', "技术"]]),
        ("「零拷贝」", [['"零拷贝"']]),
        ("什么是“零拷贝”呢", [["什么是", '"零拷贝"', "呢"]]),
        ('24" 显示器', [['24" 显示器']]),
        ('""', [['""']]),
        ("C++ OR Rust", [["C++"], ["Rust"]]),
        ("OR", [["OR"]]),
        (" OR　OR ", [["OR", "OR"]]),
        ("OR -a", []),
        ("OR tag:a", []),
        ("a OR", [["a"]]),
        ("a OR OR b", [["a"], ["b"]]),
        ("a or b", [["a", "or", "b"]]),
        ("gpt-4o", [["gpt-4o"]]),
        ("用 Docker 部署", [["用 Docker 部署"]]),
        ("用 “Docker” 部署", [["用", '"Docker"', "部署"]]),
        ("Docker compose", [["Docker", "compose"]]),
        ("用 Docker compose 部署 容器", [["用 Docker compose 部署", "容器"]]),
        ("- a", [["-", "a"]]),
        ("", []),
        ("\0", []),
    ],
)
def test_units(text: str, expected: list[list[str]]) -> None:
    assert units(parse(text)) == expected


@pytest.mark.parametrize("text", ["招商 -公司", "招商 －公司", "-公司 招商", '招商 -"公司"', "招商 －“公司”"])
def test_exclusion(text: str) -> None:
    query = parse(text)
    assert units(query) == [["招商"]]
    assert [unit.text for unit in query.excluded] == ["公司"]
    assert not query.is_plain


@pytest.mark.parametrize("text", ["tag:数据库", "tag：数据库", "TAG:数据库", 'tag:"数据库"', "ｔａｇ:“数据库”"])
def test_tag(text: str) -> None:
    query = parse(text)
    assert query.tags == ("数据库",)
    assert query.groups == ()


def test_dates() -> None:
    query = parse("备份 after:2024 before:2024-06")
    assert query.after == datetime(2024, 1, 1)
    assert query.before == datetime(2024, 6, 1)
    assert units(query) == [["备份"]]


@pytest.mark.parametrize("text", ["before:明天", "after:2024-13", "before:2024-02-31", "after:0000"])
def test_what_is_no_date_is_a_word_with_a_notice(text: str) -> None:
    query = parse(text)
    assert units(query) == [[text]]
    assert query.is_plain
    assert query.notices[0].code == "not_a_date"
    assert "不是日期" in query.notices[0].text("zh")
    assert "not a date" in query.notices[0].text("en")


@pytest.mark.parametrize(("text", "year"), [("2024", 2024), ("2024/5/31", 2024), ("24", None), ("2024-5-", None)])
def test_date_of(text: str, year: int | None) -> None:
    found = date_of(text)
    assert (found.year if found else None) == year


def test_too_many_units_are_cut_with_a_notice() -> None:
    query = parse("词 " * 500)
    assert query.groups == ((Unit("词"),) * MAX_UNITS,)
    assert query.notices[0].code == "too_many_words"
    assert "太长" in query.notices[0].text("zh")
    assert "too long" in query.notices[0].text("en")


def test_an_operator_alone_is_a_word() -> None:
    assert parse("OR").is_plain
    assert not parse("a OR").is_plain
    assert not parse("OR -a").is_plain


@given(st.text(alphabet=st.sampled_from("招商a1\"“”「」-－:：tagORbefore 　()<>&|!*'\\\0"), max_size=40))
def test_any_text_parses(text: str) -> None:
    query = parse(text)
    assert all(unit.text for group in query.groups for unit in group)


@given(st.text(max_size=60))
def test_any_unicode_parses(text: str) -> None:
    assert parse(text).text == text
