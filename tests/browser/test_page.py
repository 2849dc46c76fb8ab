"""The page of a trace in a real browser: load, step, undo, jump, permalink; nothing on the console, nothing fetched."""

import re
from pathlib import Path

import pytest
from tests.browser.browser import Opener
from tests.evidence.report.runs import entries, parts
from tests.evidence.stories import kip_101, partition
from tests.evidence.test_forms import nasty

from isrcheck.evidence.follow import with_what_follows
from isrcheck.evidence.forms.table import render_trace
from isrcheck.evidence.report.folder import write_report
from isrcheck.ir.frozen import replace
from isrcheck.run.trace import Trace


def page(tmp_path: Path, trace: Trace | None = None) -> Path:
    """The page of a trace, by default of the KIP-101 story."""
    file = tmp_path / "page.html"
    file.write_text(render_trace(trace or kip_101(), "html"), encoding="utf-8")
    return file


@pytest.mark.parametrize("width", [1280, 390])
def test_it_loads_at_the_violation_with_its_step_marked(opened: Opener, tmp_path: Path, width: int) -> None:
    seen = opened(page(tmp_path), width=width)
    assert seen.text("#where") == "9 of 9 steps: r1 learns that it follows r0 in epoch 1: LEO 0 on r1"
    assert seen.page.locator("#steps .violated").all_inner_texts() == [
        "9 ✗ r1 learns that it follows r0 in epoch 1: LEO 0 on r1"
    ]
    assert seen.page.locator("#steps li").count() == 10
    assert seen.page.locator("#stage svg").count() == 1
    assert not seen.too_wide()
    assert seen.asked == [page(tmp_path).as_uri()]
    seen.quiet()


def test_a_permalink_opens_its_state(opened: Opener, tmp_path: Path) -> None:
    seen = opened(page(tmp_path), "#step=9")
    assert seen.text("#where") == "9 of 9 steps: r1 learns that it follows r0 in epoch 1: LEO 0 on r1"
    assert seen.text("#losses").startswith(
        "strong_isr is violated. Record 0 of epoch 1 (offset 0), committed by r0 in step 8, is missing"
    )
    assert seen.page.locator("#stage .lost").count() == 1
    drawn = seen.page.locator("#stage text").all_text_contents()
    assert "r1 truncates to offset 0, the follower's own high watermark" in drawn
    seen.quiet()


@pytest.mark.parametrize(("fragment", "state"), [("#step=99", "9 of 9"), ("#step=0", "0 of 9"), ("#x", "9 of 9")])
def test_a_permalink_beyond_the_trace_opens_the_nearest(
    opened: Opener, tmp_path: Path, fragment: str, state: str
) -> None:
    assert opened(page(tmp_path), fragment).text("#where").startswith(f"{state} steps:")


def test_keys_step_jump_and_undo(opened: Opener, tmp_path: Path) -> None:
    seen = opened(page(tmp_path))
    keys = ["Home", "ArrowRight", "ArrowRight", "ArrowLeft", "End", "ArrowRight", "u", "u", "Home", "ArrowLeft"]
    states = []
    for key in keys:
        seen.press(key)
        states.append(seen.text("#where").partition(":")[0])
    assert states == [f"{n} of 9 steps" for n in (0, 1, 2, 1, 9, 9, 1, 2, 0, 0)]
    seen.quiet()


def test_buttons_jump_hide_and_show(opened: Opener, tmp_path: Path) -> None:
    seen = opened(page(tmp_path))
    rows = seen.page.locator("#state tr")
    seen.page.click("#steps li:nth-child(7) button")
    assert seen.text("#where").startswith("6 of 9 steps:")
    assert rows.count() == 11
    seen.page.click("#state button")
    assert rows.count() == 10
    seen.page.click("#show")
    assert rows.count() == 11
    assert seen.page.url.endswith("#step=6")
    seen.quiet()


def test_what_can_follow_is_behind_the_violation(opened: Opener, tmp_path: Path) -> None:
    seen = opened(page(tmp_path, with_what_follows(partition())))
    assert seen.text("#where").startswith("6 of 6 steps:")
    assert seen.page.locator("#steps .follows").count() == 2
    seen.press("End")
    assert seen.text("#where") == "can follow: r1 learns that it leads in epoch 2"
    assert "is lost: r1 leads without it; r0 still has it." in seen.text("#losses")
    seen.quiet()


def test_names_are_shown_in_the_page_and_never_run(opened: Opener, tmp_path: Path) -> None:
    seen = opened(page(tmp_path, nasty()), "#step=1")
    assert seen.page.locator("img").count() == 0
    assert '<script>alert("1")</script>' in seen.text("h1")
    seen.quiet()


@pytest.mark.slow
def test_ten_thousand_steps_open(opened: Opener, tmp_path: Path) -> None:
    first, *rest = kip_101().steps
    long = replace(kip_101(), steps=tuple([first, *(rest * 1112)][:10_000]))
    seen = opened(page(tmp_path, long), "#step=9999")
    assert seen.text("#where").startswith("9999 of 9999 steps:")
    seen.press("ArrowLeft")
    assert seen.text("#where").startswith("9998 of 9999 steps:")
    seen.quiet()


def test_the_page_asks_nothing_of_any_network() -> None:
    text = render_trace(kip_101(), "html")
    assert "default-src 'none'" in text
    assert set(re.findall(r"https?://[^\s\"'<\\]+", text)) == {"http://www.w3.org/2000/svg"}
    assert not re.search(r"\b(fetch|XMLHttpRequest|WebSocket|sendBeacon|import)\b\(", text)


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


def test_its_trace_pages_load(opened: Opener, tmp_path: Path) -> None:
    write_report(tmp_path / "r", entries(), *parts(*entries()))
    seen = opened(tmp_path / "r" / "traces" / "truncate-to-high-watermark-strong_isr.html", "#step=9")
    assert "strong_isr is violated" in seen.text("body")
    seen.quiet()
