"""The page of a report in a real browser: it loads from its file, says nothing on the console, and fits the screen."""

from pathlib import Path

import pytest
from tests.browser.browser import Opener
from tests.evidence.report.runs import entries, hostile, parts

from isrcheck.evidence.report.folder import write_report

READY = "main h2"


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("fragment", ["", "#run-3"])
def test_it_loads(opened: Opener, tmp_path: Path, width: int, fragment: str) -> None:
    write_report(tmp_path / "r", entries(), *parts(*entries()))
    seen = opened(tmp_path / "r" / "index.html", fragment, width, ready=READY)
    assert seen.page.locator("section.run").count() == 6
    assert "holds within bounds" in seen.text("main")
    assert seen.page.locator("section.run details[open]").count() == bool(fragment)
    assert not seen.too_wide()
    seen.quiet()


def test_hostile_names_are_not_run(opened: Opener, tmp_path: Path) -> None:
    write_report(tmp_path / "r", [hostile()], *parts(hostile()))
    seen = opened(tmp_path / "r" / "index.html", ready=READY)
    assert seen.page.locator("script, img").count() == 0
    seen.quiet()


def test_its_trace_pages_load(opened: Opener, tmp_path: Path) -> None:
    write_report(tmp_path / "r", entries(), *parts(*entries()))
    seen = opened(tmp_path / "r" / "traces" / "truncate-to-high-watermark-strong_isr.html", "#step=9")
    assert "strong_isr is violated" in seen.text("body")
    seen.quiet()
