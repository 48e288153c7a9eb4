"""The dashboard is one file, says what the events said, and needs nothing from elsewhere."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

from encoder.dashboard import Dashboard, render
from encoder.events import Event, RunFinished, RunStarted, Sample, StepFinished, Validated, broadcast
from encoder.listeners import MetricsLog, as_record

VOID = {"meta", "line", "circle", "link", "br"}


class Page(HTMLParser):
    """Collects text and tags, and checks that they nest."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[str] = []
        self.addresses: list[str] = []
        self.words: list[str] = []
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.seen.append(tag)
        self.addresses += [value or "" for name, value in attributes if name in ("src", "href")]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.seen.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def events(first: int, last: int) -> list[Event]:
    sample = Sample("她在花园里学习<script>", 5, 7, [("学习", 0.6), ("练<习", 0.1)], 0.51)
    run: list[Event] = [RunStarted("mlm <1>", first, 400, 100, "cpu", 1_234_567, config={"width": 192})]
    for step in range(first + 1, last + 1):
        run.append(StepFinished(step, 1 + step // 100, step % 100, 5 / step, 1e-3, 1.0, 1000, (step - first) * 0.5))
        if step % 50 == 0:
            run.append(Validated(step, 4 / step, 4 / step, True, step * 0.5, {"top1": 0.2, "top5": 0.4}, [sample]))
    return run


def test_the_page_is_well_formed_and_self_contained() -> None:
    html = render([as_record(event) for event in events(0, 120)])
    page = Page(html)
    assert page.seen.count("polyline") == 7, "two losses, two shares, learning rate, norm, speed"
    assert "script" not in page.seen
    assert page.addresses == []
    assert not re.search(r"https?://|@import|url\(", html)
    text = "".join(page.words)
    for shown in ("mlm <1>", "120 of 400", "1,234,567", "她在花园里", "练<习", '"width": 192'):
        assert shown in text


def test_it_reloads_itself_while_the_run_goes_on() -> None:
    running = [as_record(event) for event in events(0, 10)]
    finished = [*running, as_record(RunFinished(10, None, "steps", 5.0))]
    assert 'http-equiv="refresh"' in render(running)
    assert 'http-equiv="refresh"' not in render(finished)


def test_an_empty_log_still_gives_a_page() -> None:
    Page(render([]))


def points(html: str) -> int:
    found = re.search(r'<polyline class="series-1" points="([^"]*)"', html)
    return len(found.group(1).split()) if found else 0


def test_curves_go_on_after_a_resume(tmp_path: Path) -> None:
    log, page = tmp_path / "metrics.jsonl", tmp_path / "dashboard.html"
    for first, last in ((0, 60), (50, 90)):
        listener = broadcast([MetricsLog(log), Dashboard(page, metrics=log, every_s=0)])
        for event in events(first, last):
            listener(event)
    assert points(page.read_text()) == 90, "ten steps were done twice and stand once"
    assert [path.name for path in tmp_path.glob("*.part")] == []


def test_it_is_not_rewritten_at_every_step(tmp_path: Path) -> None:
    page = tmp_path / "dashboard.html"
    dashboard = Dashboard(page, every_s=10)
    run = events(0, 30)
    for event in run:
        dashboard(event)
    assert points(page.read_text()) == 21, "drawn at 0.5 s and 10.5 s: with the step at 10.5 s the 21st"
