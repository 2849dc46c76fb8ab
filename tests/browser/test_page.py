"""The page of a trace in a real browser: load, step, undo, jump, permalink; nothing on the console, nothing fetched."""

import re
from base64 import b64encode
from dataclasses import replace
from hashlib import sha256
from html import unescape
from pathlib import Path

import pytest
from tests.browser.browser import loaded
from tests.evidence.stories import kip_101
from tests.evidence.test_forms import nasty

from isrcheck.evidence.forms.table import rendered

REPORT = """
const seen = [];
const note = () => seen.push(document.getElementById("where").textContent.split(":")[0]);
const key = (name) => { document.dispatchEvent(new KeyboardEvent("keydown", { key: name, bubbles: true })); note(); };
note();
"""


def page(tmp_path: Path, script: str = "") -> Path:
    """The page of the KIP-101 story; `script` is done in it once it is loaded, and allowed by its policy."""
    text = rendered(kip_101(), "html")
    if script:
        added = f"{REPORT}{script}\ndocument.body.dataset.seen = seen.join();"
        allowed = f"'sha256-{b64encode(sha256(added.encode()).digest()).decode()}'"
        text = text.replace("script-src ", f"script-src {allowed} ")
        text = text.replace("</body>", f"<script>{added}</script></body>")
    file = tmp_path / "page.html"
    file.write_text(text, encoding="utf-8")
    return file


def seen(document: str) -> list[str]:
    found = re.search(r'data-seen="([^"]*)"', document)
    assert found, document[-2000:]
    return found[1].split(",")


@pytest.mark.parametrize("width", [1280, 390])
def test_it_loads_at_the_first_state(tmp_path: Path, width: int) -> None:
    document, console = loaded(page(tmp_path), width=width)
    assert console == ""
    assert "1 of 10: initial state" in document
    assert document.count("<li>") == 10
    assert '<svg xmlns="http://www.w3.org/2000/svg"' in document


def test_a_permalink_opens_its_state(tmp_path: Path) -> None:
    document, console = loaded(page(tmp_path), "#step=10")
    assert console == ""
    assert "10 of 10: replica becomes follower (follower=r1, leader=r0, epoch=1)" in document
    assert "strong_isr is violated. Record 0 of epoch 1 (offset 0), committed by r0 in step 9, is gone" in document
    assert 'class="lost"' in document


@pytest.mark.parametrize(("fragment", "state"), [("#step=99", "10 of 10"), ("#step=0", "1 of 10"), ("#x", "1 of 10")])
def test_a_permalink_beyond_the_trace_opens_the_nearest(tmp_path: Path, fragment: str, state: str) -> None:
    assert f"{state}:" in loaded(page(tmp_path), fragment)[0]


def test_keys_step_jump_and_undo(tmp_path: Path) -> None:
    keys = ["ArrowRight", "ArrowRight", "ArrowLeft", "End", "ArrowRight", "u", "u", "Home", "ArrowLeft"]
    document, console = loaded(page(tmp_path, "".join(f"key({name!r});" for name in keys)))
    assert console == ""
    assert seen(document) == [f"{n} of 10" for n in (1, 2, 3, 2, 10, 10, 2, 3, 1, 1)]


def test_buttons_jump_hide_and_show(tmp_path: Path) -> None:
    script = """
    const rows = () => seen.push(document.querySelectorAll("#state tr").length);
    document.querySelectorAll("#steps button")[6].click(); note(); rows();
    document.querySelector("#state button").click(); rows();
    document.getElementById("show").click(); rows();
    seen.push(location.hash);
    """
    document, console = loaded(page(tmp_path, script))
    assert console == ""
    assert seen(document) == ["1 of 10", "7 of 10", "11", "10", "11", "#step=7"]


def test_names_are_shown_in_the_page_and_never_run(tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    file.write_text(rendered(nasty(), "html"), encoding="utf-8")
    document, console = loaded(file, "#step=2")
    assert console == ""
    assert "<img" not in document
    assert "<script>alert" not in document
    assert '<script>alert("1")</script>' in unescape(document)


def test_ten_thousand_steps_open(tmp_path: Path) -> None:
    first, *rest = kip_101().steps
    long = replace(kip_101(), steps=tuple([first, *(rest * 1112)][:10_000]))
    file = tmp_path / "page.html"
    file.write_text(rendered(long, "html"), encoding="utf-8")
    document, console = loaded(file, "#step=10000")
    assert console == ""
    assert "10000 of 10000:" in document


def test_the_page_asks_nothing_of_any_network() -> None:
    text = rendered(kip_101(), "html")
    assert "default-src 'none'" in text
    assert set(re.findall(r"https?://[^\s\"'<\\]+", text)) == {"http://www.w3.org/2000/svg"}
    assert not re.search(r"\b(fetch|XMLHttpRequest|WebSocket|sendBeacon|import)\b\(", text)
