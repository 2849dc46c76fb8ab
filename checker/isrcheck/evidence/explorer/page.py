"""The explorer's page: its text with style, script and data in it, and a policy that lets nothing else in."""

import json
import zlib
from base64 import b64encode
from pathlib import Path
from typing import Any

from isrcheck.evidence.explorer.contents import Nearby, contents
from isrcheck.evidence.explorer.explored_model import ExploredModel
from isrcheck.evidence.forms.page import browser_page


def file_page(subject: ExploredModel, found: Nearby) -> str:
    """A page that holds these states and asks nothing of any network."""
    count = len(found.states)
    if found.whole:
        scope = f"All {count:,} states are in this file." if count > 1 else "The only state is in this file."
    else:
        near = "the trace" if subject.trace else "the first one"
        scope = f"The {count:,} states nearest to {near} are in this file; the model has more."
    return _page({**subject.head(), **contents(subject, found)}, scope, "'none'")


def live_page(subject: ExploredModel) -> str:
    """A page that asks the server it came from for each state."""
    return _page(subject.head(), "Every state is a step away: this page is served by isrcheck.", "'self'")


def _page(data: dict[str, Any], scope: str, connect: str) -> str:
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return browser_page(
        Path(__file__).with_name("explorer.html"),
        b64encode(zlib.compress(text.encode(), 9)).decode(),  # letters, digits and +/= alone, a tenth of the size
        f"img-src data:; connect-src {connect}; ",
        title=data["model"],
        constants="  ".join(f"{n}={v}" for n, v in data["constants"].items()),
        shows=data["shows"],
        scope=scope,
    )
