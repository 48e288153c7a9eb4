"""How commands speak."""

from datetime import UTC, datetime

from api.cli_analytics import lines
from api.console import counted
from index.analytics import AnalyticsReport, QueryCount


def test_one_and_more() -> None:
    assert [counted(number, "post") for number in (0, 1, 2)] == ["0 posts", "1 post", "2 posts"]
    assert [counted(number, "query", "queries") for number in (1, 2)] == ["1 query", "2 queries"]


def test_a_report_of_one_search() -> None:
    day = datetime(2026, 3, 1, tzinfo=UTC)
    top = (QueryCount("和服", 1, 1, 12.0, 1, day),)
    report = AnalyticsReport(day, 1, 1, 0, 1, 12.0, 12.0, 12.0, 1, 1.0, top, (), ())
    assert list(lines(report)) == [
        "since 2026-03-01: 1 search, 1 different query",
        "0 without a result",
        "1 click, mean reciprocal rank 1.00",
        "latency: median 12.0 ms, 95 % 12.0 ms, worst 12.0 ms",
        "\nmost frequent",
        "     1  和服  (1 post, 12 ms, 1 click)",
    ]
