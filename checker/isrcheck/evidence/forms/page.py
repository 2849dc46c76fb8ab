"""A trace as a page without network."""

import json
from base64 import b64encode
from collections.abc import Hashable, Iterable
from hashlib import sha256
from html import escape
from pathlib import Path
from typing import Any, TypeVar

from isrcheck.evidence.forms.row import SceneRow
from isrcheck.evidence.forms.scene import Scene, scene
from isrcheck.evidence.forms.svg import step_svgs
from isrcheck.files import read_beside
from isrcheck.run.trace import Trace, show_encoded
from isrcheck.wrap import plain

_HERE = Path(__file__).parent
PARTS_SCRIPT, STEPS_SCRIPT = _HERE / "parts.js", _HERE / "steps.js"
PAGE_STYLE, STEPS_PAGE = _HERE / "page.css", _HERE / "steps.html"
T = TypeVar("T", bound=Hashable)


class Once(dict[T, int]):
    """A dictionary that numbers things, equal ones once."""

    def __missing__(self, thing: T) -> int:
        self[thing] = len(self)
        return self[thing]

    def all(self, things: Iterable[T]) -> list[int]:
        return [self[one] for one in things]


def elements(svg: str) -> list[str]:
    return svg.split("<")[1:]


def page(trace: Trace) -> str:
    """Return the HTML page that plays a trace; its address ends in #step=N."""
    drawn = scene(trace)
    data = json.dumps(trace_data(drawn), ensure_ascii=False, separators=(",", ":"))
    return browser_page(
        _HERE / "page.html",
        data.replace("<", "\\u003c").replace(">", "\\u003e"),  # it cannot end the element that holds it
        title=drawn.heading,
        verdict=drawn.statement,
        constants=drawn.constants,
    )


def browser_page(template: Path, data: str, policy: str = "", **texts: str) -> str:
    """A template with its data, and the style and script that lie beside it and beside this file.

    It loads nothing else but what `policy` lets in. Names may be hostile: every text is escaped.
    """
    page = template.read_text(encoding="utf-8")
    shared = (PARTS_SCRIPT, STEPS_SCRIPT) if "@STEPS@" in page else (PARTS_SCRIPT,)
    script = join_files(*shared, template.with_suffix(".js"))
    digest = b64encode(sha256(script.encode()).digest()).decode()
    parts = {
        "POLICY": f"default-src 'none'; style-src 'unsafe-inline'; {policy}script-src 'sha256-{digest}'",
        "STYLE": join_files(PAGE_STYLE, template.with_suffix(".css")) + read_beside(__file__, "drawing.css"),
        "STEPS": join_files(STEPS_PAGE),
        "DATA": data,
        "SCRIPT": script,
        **{name.upper(): escape(plain(value)) for name, value in texts.items()},
    }
    first, *rest = page.split("@")
    return first + "".join(parts.get(piece, piece) for piece in rest)


def join_files(*files: Path) -> str:
    """Return the contents of files one after another, each file once."""
    return "".join(file.read_text(encoding="utf-8") for file in dict.fromkeys(files))


def trace_data(drawn: Scene) -> dict[str, Any]:
    """The data of a trace that steps.js walks through."""
    texts, trace = Once[str](), drawn.trace
    steps = [
        {
            "title": plain(_title(row, drawn)),
            "picture": texts.all(elements(picture)),
            "sentence": texts[plain(row.sentence)],
            "losses": texts.all(_losses(row, drawn)),
            "values": texts.all(plain(show_encoded(value)) for value in step.state.values()),
        }
        for row, step, picture in zip(drawn.all_rows, (*trace.steps, *trace.follows), step_svgs(drawn), strict=True)
    ]
    variables = [plain(name) for name in trace.steps[0].state]
    last = {"at": trace.length - 1, "sign": drawn.sign}  # what the trace shows is here, and the rest can follow
    return {"variables": variables, "texts": list(texts), "steps": steps, **last}


def _title(row: SceneRow, drawn: Scene) -> str:
    title = row.story or (f"{row.action} ({row.arguments})" if row.arguments else row.action)
    closing = drawn.closing if row is drawn.rows[-1] else ""
    more = closing or (drawn.trace.forever if drawn.begins_cycle(row) else "")
    return f"{drawn.bracket(row)}{title}{more and f': {more}'}"


def _losses(row: SceneRow, drawn: Scene) -> list[str]:
    broken = [f"{drawn.shows}.", drawn.blamed] if drawn.broken and row is drawn.rows[-1] else []
    marks = (mark.said for mark in row.marks if not mark.is_loss)
    return [plain(line) for line in (*broken, *marks, *map(str, row.losses)) if line]
