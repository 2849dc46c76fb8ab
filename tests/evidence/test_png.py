"""PNG pictures: light, with their own letters, on a machine without a font as well."""

import sys
from pathlib import Path
from typing import Any

import pytest
from tests.evidence.stories import kip_101

from isrcheck.commands.deliver import hand_over
from isrcheck.errors import UsageError
from isrcheck.evidence.forms.png import FONTS, png
from isrcheck.evidence.forms.table import rendered

SIGNS = "♛ ▶ → ✗ ✓ ⇒ \u00d7 … · ≤ é Ж Ω"


def size(picture: bytes) -> tuple[int, int]:
    assert picture.startswith(b"\x89PNG\r\n\x1a\n")
    return int.from_bytes(picture[16:20], "big"), int.from_bytes(picture[20:24], "big")


def drawn(text: str, style: str = "") -> bytes:
    return png(
        '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="30" viewBox="0 0 40 30">'
        f"<style>text{{font-family:ui-sans-serif,sans-serif;font-size:20px}}{style}</style>"
        f'<text y="22">{text}</text></svg>'
    )


def test_a_drawing_is_as_large_as_asked_and_the_same_each_time() -> None:
    trace = kip_101()
    once, twice = png(rendered(trace, "svg"), 0.5), png(rendered(trace, "svg"), 1)
    width, height = size(once)
    assert width > 300
    assert abs(size(twice)[0] - 2 * width) <= 1
    assert abs(size(twice)[1] - 2 * height) <= 1
    assert png(rendered(trace, "svg"), 0.5) == once


def test_every_sign_is_drawn_and_not_a_box() -> None:
    nothing, unknown = drawn(""), drawn("\ue000", "text{font-family:none}")
    pictures = {sign: drawn(sign) for sign in SIGNS.split()}
    assert all(picture not in (nothing, unknown) for picture in pictures.values())
    assert len(set(pictures.values())) == len(pictures)
    assert drawn("a", "text{font-weight:600}") != drawn("a")


def test_a_letter_that_no_font_has_is_a_box_and_not_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    import resvg_py

    real = resvg_py.svg_to_bytes
    monkeypatch.setattr(resvg_py, "svg_to_bytes", lambda **given: real(**{**given, "skip_system_fonts": True}))
    assert drawn("副") == drawn("本") != drawn("")


def test_fonts_of_the_machine_are_asked_only_for_letters_that_are_not_carried(monkeypatch: pytest.MonkeyPatch) -> None:
    import resvg_py

    asked = []

    def note(**given: Any) -> bytes:
        asked.append(not given["skip_system_fonts"])
        return b""

    monkeypatch.setattr(resvg_py, "svg_to_bytes", note)
    for text in (SIGNS, rendered(kip_101(), "svg")[:0], "副本"):
        drawn(text)
    assert asked == [False, False, True]


def test_the_dark_colours_of_a_browser_are_left_out() -> None:
    dark = "@media (prefers-color-scheme: dark){text{fill:#ff0000}}"
    assert drawn("a", dark) == drawn("a")


def test_the_fonts_are_small_and_come_with_their_licence() -> None:
    assert "Bitstream Vera Fonts Copyright" in (FONTS / "LICENSE").read_text(encoding="utf-8")
    assert sum(file.stat().st_size for file in FONTS.iterdir()) < 1 << 20


@pytest.mark.parametrize("unit", ["", "pt"])
def test_a_picture_too_large_is_refused_with_its_size(unit: str) -> None:
    more = 4 / 3 if unit == "pt" else 1
    with pytest.raises(UsageError) as caught:
        png(f'<svg xmlns="http://www.w3.org/2000/svg" width="900{unit}" height="300000{unit}"></svg>', 2)
    assert str(caught.value) == (
        f"the picture would be {1800 * more:,.0f} by {600000 * more:,.0f} pixels, and 100,000,000 in all are the most "
        "that a PNG may have: give a smaller --scale, or ask for svg."
    )


def test_without_the_library_a_sentence_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    with pytest.raises(UsageError, match=r"^PNG pictures need resvg-py, which is not installed: ask for svg, or "):
        drawn("a")


def test_bytes_never_go_to_a_terminal(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    with pytest.raises(UsageError) as caught:
        hand_over(b"\x89PNG", "png", None)
    assert str(caught.value) == "png is not text for a terminal: write it to a file with -o FILE."
    hand_over(b"\x89PNG", "png", tmp_path / "a.png")
    assert (tmp_path / "a.png").read_bytes() == b"\x89PNG"
