"""The page of a report in a real browser: it loads from its file, says nothing on the console, and fits the screen."""

import re
from pathlib import Path

import pytest
from tests.browser.browser import loaded
from tests.evidence.report.runs import entries, hostile, parts

from isrcheck.evidence.report.folder import write_report


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("fragment", ["", "#run-3"])
def test_it_loads(tmp_path: Path, width: int, fragment: str) -> None:
    write_report(tmp_path / "r", entries(), *parts(*entries()))
    document, console = loaded(tmp_path / "r" / "index.html", fragment, width)
    assert console == ""
    assert document.count('<section class="run"') == 6
    assert "holds within bounds" in document
    assert re.findall(r"<details open=\"\">", document) == ['<details open="">'] * bool(fragment)


def test_hostile_names_are_not_run(tmp_path: Path) -> None:
    write_report(tmp_path / "r", [hostile()], *parts(hostile()))
    document, console = loaded(tmp_path / "r" / "index.html")
    assert console == ""
    assert "<script" not in document
    assert "<img" not in document


def test_its_trace_pages_load(tmp_path: Path) -> None:
    write_report(tmp_path / "r", entries(), *parts(*entries()))
    document, console = loaded(tmp_path / "r" / "traces" / "truncate-to-high-watermark-strong_isr.html", "#step=10")
    assert console == ""
    assert "strong_isr is violated" in document
