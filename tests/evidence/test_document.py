"""One document in each form: what it says is the same, and nothing in it is acted upon."""

import re
from collections.abc import Callable

import pytest

from isrcheck.evidence import document as doc
from isrcheck.evidence.document import Tone
from isrcheck.evidence.writers.html import page_of
from isrcheck.evidence.writers.markdown import markdown_of
from isrcheck.evidence.writers.terminal import plain_text
from isrcheck.wrap import columns

ATTACK = "<script>alert(1)</script> `|` **x** [a](b)\x1b[31m\n# 副本"
DOCUMENT: list[doc.Block] = [
    doc.Heading("A report", 1),
    doc.Paragraph(("Two ", doc.bad("violated"), ", one ", doc.Piece("holds", doc.Tone.GOOD), "."), "  indented"),
    doc.Table(
        [doc.Column("model", tone=Tone.STRONG), doc.Column("states", is_number=True), "a_long_property_name", "other"],
        [
            ["kip-101", "1,234", doc.Lines(["✗ 9", "drawing"], Tone.BAD, "It is violated."), doc.code("x | y")],
            [doc.Lines(["kip-320", doc.quiet("replicas=2")]), "7", doc.Lines(["✓"], Tone.GOOD), ATTACK],
        ],
        caption="all with log_size=1",
        keys=1,
    ),
    doc.Heading("Steps"),
    doc.Bullets(["first", ("second ", doc.code("a=1"))]),
    doc.Table(
        [doc.Column("step", is_number=True), "action", "what changes"],
        [["0", "initial state", doc.Lines(["x = 0", "y = 0"])], ["1", doc.code("grow(by=1)"), "x: 0 → 1"]],
        stacked=True,
    ),
    doc.Picture("<svg><style>.a{}</style></svg>", "a drawing"),
    doc.Fold("More", [doc.Verbatim("isrcheck check kip-101\n")]),
]


def test_on_a_terminal() -> None:
    shown = plain_text(DOCUMENT[:2] + DOCUMENT[3:], 60)
    assert shown == (
        "A report\n"
        "Two violated, one holds.\n"
        "  indented\n"
        "\n"
        "Steps\n"
        "- first\n"
        "- second a=1\n"
        "\n"
        "  0  initial state\n"
        "       x = 0\n"
        "       y = 0\n"
        "  1  grow(by=1)\n"
        "       x: 0 → 1\n"
        "\n"
        "More\n"
        "\n"
        "isrcheck check kip-101\n"
    )


@pytest.mark.parametrize("width", [40, 60, 80, 120])
def test_a_table_fits_the_terminal(width: int) -> None:
    shown = plain_text(DOCUMENT, width)
    assert max(map(columns, shown.splitlines())) <= width
    assert "\x1b" not in shown
    assert shown.count("kip-101") == (3 if width == 40 else 2)  # once a block, and in the command


def test_in_markdown() -> None:
    text = markdown_of(DOCUMENT)
    assert text.startswith("## A report\n\nTwo **violated**, one holds.  \nindented\n\nall with log\\_size=1\n\n")
    assert "| model | states | a\\_long\\_property\\_name | other |\n|---|---:|---|---|\n" in text
    assert "| **kip-101** | 1,234 | **✗ 9**<br>**drawing** | `x \\| y` |" in text
    assert "| 0 | initial state | x = 0<br>y = 0 |" in text
    assert text.count("<details>") == text.count("</details>") == 1
    assert "\\<script\\>" in text
    assert "<script" not in text.replace("\\<script", "")


def test_as_a_page() -> None:
    page = page_of(DOCUMENT)
    assert page.startswith("<!doctype html>")
    assert "<title>A report</title>" in page
    assert "<script" not in page
    assert "&lt;script&gt;" in page
    assert 'title="It is violated."' in page
    policy = re.search(r"style-src ('sha256-[^']+' ?)+;", page)
    assert policy is not None
    assert policy[0].count("sha256") == 2  # the page's own style, and the drawing's


@pytest.mark.parametrize("form", [lambda d: plain_text(d, 100), markdown_of, page_of])
def test_every_form_says_the_same(form: Callable[[doc.Document], str]) -> None:
    text = re.sub(r"<[^>]*>|\\|\*|`", "", form(DOCUMENT))
    assert all(word in text for word in ("violated", "1,234", "second", "副本", "grow(by=1)", "kip-101"))
