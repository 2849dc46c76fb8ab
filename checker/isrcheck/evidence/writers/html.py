"""A document as HTML without scripts: as a page, or as a part of another page, where its style reaches nothing else."""

import re
from base64 import b64encode
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from markupsafe import Markup, escape

from isrcheck.evidence import document as doc
from isrcheck.wrap import plain

if TYPE_CHECKING:
    from jinja2 import Environment

_HERE = Path(__file__).parent


def page_of(document: doc.Document) -> str:
    blocks = list(document)
    title = next(doc.line_text(block.line) for block in blocks if isinstance(block, doc.Heading))
    return render_page("document.html.j2", _HERE, title=title, document=blocks)


def render_page(template: str, folder: Path, **context: Any) -> str:
    pictures = "".join(block.svg for block in context.get("document", ()) if isinstance(block, doc.Picture))
    styles = [_file("document.css"), *re.findall("<style>(.*?)</style>", pictures, re.DOTALL)]
    digests = dict.fromkeys(f"'sha256-{b64encode(sha256(style.encode()).digest()).decode()}'" for style in styles)
    page = environment(folder).get_template(template)
    return page.render(style=Markup(_file("document.css")), digests=Markup(" ".join(digests)), **context)


@cache
def environment(folder: Path) -> "Environment":
    """Return the Jinja environment of a folder's templates; it escapes every value."""
    from jinja2 import (
        Environment,
        FileSystemLoader,
        StrictUndefined,
    )  # here: it takes 0.1 s, and few commands write HTML

    templates = Environment(
        loader=FileSystemLoader([folder, _HERE]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    templates.finalize = lambda value: plain(value) if type(value) is str else value
    for each in (doc.line_text, doc.lines_of, doc.pieces, doc.title_text):
        templates.globals[each.__name__] = each
    templates.globals["svg"] = Markup
    templates.filters.update(breakable=breakable, kind=lambda value: type(value).__name__)
    return templates


@cache
def _file(name: str) -> str:
    return (_HERE / name).read_text(encoding="utf-8")


def breakable(name: str) -> Markup:
    escaped = str(escape(plain(name)))
    return Markup(escaped.replace("_", "_<wbr>").replace("-", "-<wbr>"))


def fragment_of(document: doc.Document) -> str:
    """Write a document as HTML for another page, whose table of contents its headings stay out of."""
    template = environment(_HERE).get_template("fragment.html.j2")
    written = template.render(style=Markup(_file("fragment.css")), document=[_own(block) for block in document])
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
