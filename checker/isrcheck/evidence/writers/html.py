"""A document as HTML without scripts."""

import re
from base64 import b64encode
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from isrcheck.evidence import document as doc
from isrcheck.wrap import plain

_HERE = Path(__file__).parent


def page_of(document: doc.Document) -> str:
    blocks = list(document)
    title = next(doc.line_text(block.line) for block in blocks if isinstance(block, doc.Heading))
    return render_page("document.html.j2", _HERE, title=title, document=blocks)


def render_page(template: str, folder: Path, **context: Any) -> str:
    pictures = "".join(block.svg for block in context.get("document", ()) if isinstance(block, doc.Picture))
    styles = [_style(), *re.findall("<style>(.*?)</style>", pictures, re.DOTALL)]
    digests = dict.fromkeys(f"'sha256-{b64encode(sha256(style.encode()).digest()).decode()}'" for style in styles)
    page = environment(folder).get_template(template)
    return page.render(style=Markup(_style()), digests=Markup(" ".join(digests)), **context)


@cache
def environment(folder: Path) -> Environment:
    """Return the Jinja environment of a folder's templates; it escapes every value."""
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
def _style() -> str:
    return (_HERE / "document.css").read_text(encoding="utf-8")


def breakable(name: str) -> Markup:
    escaped = str(escape(plain(name)))
    return Markup(escaped.replace("_", "_<wbr>").replace("-", "-<wbr>"))
