"""The query language."""

from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from index.moments import date_of
from index.query import MAX_UNITS, Query, Unit, parse


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
        ("(京都 OR 杭州) 骑行", [["京都", "骑行"], ["杭州", "骑行"]]),
        ("骑行（京都 OR 杭州）", [["骑行", "京都"], ["骑行", "杭州"]]),
        ("(京都 OR “西 湖” 断桥)骑行 OR 游泳", [["京都", "骑行"], ['"西 湖"', "断桥", "骑行"], ["游泳"]]),
        ("(a OR b) (c OR d)", [["a", "c"], ["a", "d"], ["b", "c"], ["b", "d"]]),
        ("(用 OR 学) Docker 部署", [["用 Docker 部署"], ["学 Docker 部署"]]),
        ("printf(x)", [["printf(x)"]]),
        ("printf(x) OR puts(y)", [["printf(x)"], ["puts(y)"]]),
        ("(京都 骑行)", [["(京都", "骑行)"]]),
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


@pytest.mark.parametrize("text", ["和服 -tag:旅行", "和服 －ｔａｇ：旅行", '和服 -TAG:"旅行"', "-tag：“旅行” 和服"])
def test_excluded_tag(text: str) -> None:
    query = parse(text)
    assert (query.not_tags, query.tags, query.excluded) == (("旅行",), (), ())
    assert units(query) == [["和服"]]
    assert query.has_filters
    assert not query.is_plain


def test_categories_and_several_excluded_tags() -> None:
    query = parse("category:后端/数据库 Category：“a b” -category:前端 -tag:甲 -tag:乙")
    assert query.categories == ("后端/数据库", "a b")
    assert (query.not_categories, query.not_tags) == (("前端",), ("甲", "乙"))


def test_not_before_is_after() -> None:
    query = parse("备份 -before:2024 -after:2025")
    assert (query.after, query.before) == (datetime(2024, 1, 1), datetime(2025, 1, 1))
    assert query.excluded == ()


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("((a OR b) c) d", "parentheses"),
        ("(京都 OR 杭州 骑行", "parentheses"),
        ("京都 OR 杭州) 骑行", "parentheses"),
        ("f(a OR b)", "parentheses"),
        ("-(a b) c", "parentheses"),
        ("(a -b OR c) d", "parentheses"),
        ("-(a b OR c) d", "parentheses"),
        ("(a OR b) " * 5, "parentheses"),
        ("tag:a OR tag:b", "filters_and_or"),
        ("a OR before:2024", "filters_and_or"),
        ("tag:", "no_name"),
        ("-category: a", "no_name"),
    ],
)
def test_what_has_no_effect_is_told(text: str, code: str) -> None:
    assert code in [notice.code for notice in parse(text).notices]


@pytest.mark.parametrize(
    "text", ["printf(x) -java", "(京都 OR 杭州) 骑行", "(京都 骑行)", "f(x) OR g", "tag:a 京都 OR 杭州", ":)"]
)
def test_what_is_understood_needs_no_notice(text: str) -> None:
    assert parse(text).notices == ()


def test_a_group_behind_a_minus_excludes_each() -> None:
    query = parse('骑行 -(京都 OR "西 湖")')
    assert units(query) == [["骑行"]]
    assert query.excluded == (Unit("京都"), Unit("西 湖", quoted=True))


@pytest.mark.parametrize(
    ("text", "may"),
    [
        ("京都 or 杭州", True),
        ("京都 Or 杭州", True),
        ("or 杭州", False),
        ('"a" "or" b', False),
        ("京都 OR 杭州", False),
    ],
)
def test_lower_case_or(text: str, may: bool) -> None:
    assert parse(text).has_lower_or == may


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


@given(st.text(alphabet=st.sampled_from("招商a1\"“”「」-－:：tagORbefore 　()（）category<>&|!*'\\\0"), max_size=40))
def test_any_text_parses(text: str) -> None:
    query = parse(text)
    assert all(unit.text for group in query.groups for unit in group)


@given(st.text(max_size=60))
def test_any_unicode_parses(text: str) -> None:
    assert parse(text).text == text
