"""Rules of synonyms, stored in real PostgreSQL, with the real analyzer."""

import pytest
from psycopg import Connection

from index import synonyms
from index.synonym_rules import Rule, parse_rule, read_rules
from index.synonyms import MAX_ALTERNATIVES, Synonyms, expand
from segmenter.analyzer import Analyzer


@pytest.fixture(scope="module")
def analyzer() -> Analyzer:
    return Analyzer.default()


@pytest.mark.parametrize(
    ("line", "words", "meanings", "two_way"),
    [
        ("Hulk=浩克", ("Hulk", "浩克"), ("Hulk", "浩克"), True),
        (
            " k8s = Kubernetes = 库伯内蒂斯 ",
            ("k8s", "Kubernetes", "库伯内蒂斯"),
            ("k8s", "Kubernetes", "库伯内蒂斯"),
            True,
        ),
        ("番茄 => 西红柿", ("番茄",), ("西红柿",), False),
        ("番茄，洋柿子=>西红柿", ("番茄", "洋柿子"), ("西红柿",), False),
        ("机器学习 = machine   learning", ("机器学习", "machine learning"), ("机器学习", "machine learning"), True),
    ],
)
def test_a_line(line: str, words: tuple[str, ...], meanings: tuple[str, ...], two_way: bool) -> None:
    rule = parse_rule(line)
    assert rule == Rule(words, meanings, two_way)
    assert parse_rule(rule.line) == rule


@pytest.mark.parametrize(
    "line", ["a", "a = a", "=> b", "a =>", "a => a", "= =", "，=。", "a\0 = b", f"{'长' * 101} = b"]
)
def test_what_is_no_rule_is_named(line: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        parse_rule(line)


@pytest.mark.parametrize("line", ["a = b => c", "a => b = c", "a => b => c", "a = b => c = d", "=> a => b"])
def test_both_signs_in_one_line_are_named(line: str) -> None:
    with pytest.raises(ValueError, match="= and => do not go together"):
        parse_rule(line)


def test_a_file() -> None:
    rules, remarks = read_rules("\ufeff# 同义词\n\nHulk = 浩克\nnothing\n番茄 => 西红柿\n")
    assert [rule.line for rule in rules] == ["Hulk = 浩克", "番茄 => 西红柿"]
    assert [remark.line for remark in remarks] == [4]


def texts(analyzer: Analyzer, rules: list[str], query: str) -> list[str]:
    found = Synonyms(analyzer, [parse_rule(rule) for rule in rules])
    return [one.text for one in found.expand(analyzer.analyze(query), query)]


@pytest.mark.parametrize(
    ("rules", "query", "expected"),
    [
        (["Hulk = 浩克"], "浩克", ["Hulk"]),
        (["Hulk = 浩克"], "HULK", ["浩克"]),
        (["Hulk = 浩克"], "ｈｕｌｋ电影", ["浩克电影"]),
        (["Hulk = 浩克"], "Hulks", []),
        (["番茄 => 西红柿"], "番茄炒蛋", ["西红柿炒蛋"]),
        (["番茄 => 西红柿"], "西红柿炒蛋", []),
        (["k8s = Kubernetes"], "用k8s部署", ["用Kubernetes部署"]),
        (["k8s = Kubernetes = 库伯内蒂斯"], "k8s", ["Kubernetes", "库伯内蒂斯"]),
        (["机器学习 = machine learning"], "machine  Learning 入门", ["机器学习 入门"]),
        (["机器学习 = machine learning"], "机器学习 101", ["machine learning 101"]),
        (["机器学习 = ml"], "机器学习101", ["ml 101"]),
        (["體檢 = 健康检查"], "体检", ["健康检查"]),
        (["机器 = 设备", "机器学习 = ML"], "机器学习", ["ML"]),
        (["和服 = kimono"], "产品和服务", []),
        (["a = b", "b = c"], "a", ["b"]),
        (["番茄 => 西红柿", "土豆 => 马铃薯"], "番茄土豆", ["西红柿土豆", "番茄马铃薯", "西红柿马铃薯"]),
        ([], "番茄", []),
    ],
)
def test_what_else_a_query_means(analyzer: Analyzer, rules: list[str], query: str, expected: list[str]) -> None:
    assert texts(analyzer, rules, query) == expected


def test_alternatives_are_few(analyzer: Analyzer) -> None:
    many = " = ".join(["番茄", *(f"word{n}" for n in range(15))])
    assert len(texts(analyzer, [many], "番茄 番茄 番茄")) == MAX_ALTERNATIVES


def test_an_alternative_names_its_rule(conn: Connection, analyzer: Analyzer) -> None:
    synonyms.add(conn, [parse_rule("Hulk = 浩克")])
    (found,) = expand(conn, analyzer, "绿巨人浩克")
    assert found.changes == (("浩克", "Hulk", "Hulk = 浩克"),)


def test_rules_are_followed_as_they_change(conn: Connection, analyzer: Analyzer) -> None:
    assert expand(conn, analyzer, "浩克") == []
    synonyms.add(conn, [parse_rule("Hulk = 浩克"), parse_rule("番茄 => 西红柿"), parse_rule("Hulk=浩克")])
    assert [one.text for one in expand(conn, analyzer, "浩克")] == ["Hulk"]
    first, second = synonyms.rules(conn)
    assert (first.line, second.line) == ("Hulk = 浩克", "番茄 => 西红柿")
    assert first.id is not None
    assert synonyms.delete(conn, first.id)
    assert not synonyms.delete(conn, first.id)
    assert expand(conn, analyzer, "浩克") == []
    assert [one.text for one in expand(conn, analyzer, "番茄")] == ["西红柿"]
    synonyms.replace_all(conn, [parse_rule("番茄 => tomato")])
    assert [one.text for one in expand(conn, analyzer, "番茄")] == ["tomato"]


def test_rules_of_a_file_leave_those_of_the_api_alone(conn: Connection) -> None:
    synonyms.add(conn, [parse_rule("a = b")])
    synonyms.replace_all(conn, [parse_rule("c = d"), parse_rule("e = f")], "file")
    synonyms.replace_all(conn, [parse_rule("c = d")], "file")
    assert [(rule.line, rule.origin) for rule in synonyms.rules(conn)] == [("a = b", "api"), ("c = d", "file")]
