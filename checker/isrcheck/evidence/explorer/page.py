"""The explorer's page: its text with style, script and data in it, and a policy that lets nothing else in."""

import json
import zlib
from base64 import b64encode
from hashlib import sha256
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader
from markupsafe import Markup

from isrcheck.evidence.explorer.contents import contents
from isrcheck.evidence.explorer.explored_model import ExploredModel
from isrcheck.evidence.explorer.nearby import Nearby
from isrcheck.evidence.forms.page import shared
from isrcheck.evidence.forms.style import STYLE

_HERE = Path(__file__).parent


def file_page(subject: ExploredModel, found: Nearby) -> str:
    """A page that holds these states and asks nothing of any network."""
    count = len(found.states)
    if found.whole:
        scope = f"All {count:,} states are in this file." if count > 1 else "The only state is in this file."
    else:
        near = "the trace" if subject.trace else "the first one"
        scope = f"The {count:,} states nearest to {near} are in this file; the model has more."
    return _page(subject, {**subject.head(), **contents(subject, found)}, scope, "'none'")


def live_page(subject: ExploredModel) -> str:
    """A page that asks the server it came from for each state."""
    return _page(subject, subject.head(), "Every state is a step away: this page is served by isrcheck.", "'self'")


def _page(subject: ExploredModel, data: dict[str, Any], scope: str, connect: str) -> str:
    script = shared("parts.js") + _part("explorer.js")
    # Autoescape is what keeps a hostile name a name.
    pages = Environment(loader=FileSystemLoader(_HERE), autoescape=True, keep_trailing_newline=True)
    return pages.get_template("explorer.html").render(
        policy=f"default-src 'none'; style-src 'unsafe-inline'; img-src data:; connect-src {connect}; "
        f"script-src 'sha256-{b64encode(sha256(script.encode()).digest()).decode()}'",
        title=data["model"],
        constants="  ".join(f"{n}={v}" for n, v in data["constants"].items()),
        shows=data["shows"],
        scope=scope,
        style=Markup(shared("page.css") + _part("explorer.css") + STYLE),
        data=_packed(data),
        script=Markup(script),
    )


def _part(name: str) -> str:
    return (_HERE / name).read_text(encoding="utf-8")


def _packed(data: dict[str, Any]) -> str:
    """Data as base64 of deflated JSON: letters, digits and +/= alone, a tenth of the size."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return b64encode(zlib.compress(text.encode(), 9)).decode()
