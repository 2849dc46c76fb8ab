"""A document as a part of another page: its style reaches nothing there, and it has no script."""

from base64 import b64encode
from functools import cache
from html import escape
from pathlib import Path

from markupsafe import Markup

from isrcheck.evidence import document as doc
from isrcheck.evidence.writers.html import environment
from isrcheck.wrap import plain

_HERE = Path(__file__).parent


def fragment_of(document: doc.Document) -> str:
    """Write a document as HTML for another page, whose table of contents its headings stay out of."""
    template = environment(_HERE).get_template("fragment.html.j2")
    written = template.render(style=Markup(_style()), document=[_own(block) for block in document])
    return "\n".join(line for line in written.splitlines() if line)


def _own(block: doc.Block) -> doc.Block:
    match block:
        case doc.Heading(line=line):
            return doc.Paragraph(line, tone=doc.Tone.STRONG)
        case doc.Picture(svg=svg, about=about):
            return doc.Picture(_image(svg, about), about)
        case doc.Fold(summary=summary, blocks=blocks):
            return doc.Fold(summary, [_own(inner) for inner in blocks])
    return block


def _image(svg: str, about: str) -> str:
    """A drawing as an image: the names of its style sheet are common words, and would be those of the whole page."""
    return f'<img alt="{escape(plain(about))}" src="data:image/svg+xml;base64,{b64encode(svg.encode()).decode()}">'


@cache
def _style() -> str:
    return (_HERE / "fragment.css").read_text(encoding="utf-8")
