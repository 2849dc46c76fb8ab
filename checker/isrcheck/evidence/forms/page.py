"""A trace as one page for a browser: step by step, with the drawing of each state. It asks nothing of any network."""

import json
from base64 import b64encode
from hashlib import sha256
from html import escape
from pathlib import Path
from typing import Any

from isrcheck.evidence.forms.once import Once, elements
from isrcheck.evidence.forms.row import SceneRow
from isrcheck.evidence.forms.scene import Scene, scene
from isrcheck.evidence.forms.style import STYLE
from isrcheck.evidence.forms.svg import step_svgs
from isrcheck.run.trace import Trace, shown
from isrcheck.wrap import plain

_HERE = Path(__file__).parent


def page(trace: Trace) -> str:
    """The page, whole: HTML with its style, script and trace. The address ends in #step=N; 0 is the initial state."""
    seen = scene(trace)
    script = shared("parts.js") + shared("page.js")
    parts = {
        "HASH": f"sha256-{b64encode(sha256(script.encode()).digest()).decode()}",
        "TITLE": escape(plain(f"{seen.model}: {seen.title}")),
        "VERDICT": escape(plain(seen.statement)),
        "CONSTANTS": escape(plain(seen.constants)),
        "STYLE": shared("page.css") + STYLE,
        "DATA": _embedded(_data(trace, seen)),
        "SCRIPT": script,
    }
    first, *rest = shared("page.html").split("@")
    return first + "".join(parts.get(part, part) for part in rest)


def shared(name: str) -> str:
    """A part of the page that lies beside this file."""
    return (_HERE / name).read_text(encoding="utf-8")


def _data(trace: Trace, seen: Scene) -> dict[str, Any]:
    texts = Once[str]()
    steps = [
        {
            "title": _title(row),
            "picture": texts.all(elements(picture)),
            "sentence": texts(plain(row.sentence)),
            "losses": texts.all(_losses(row, seen)),
            "values": texts.all(plain(shown(value)) for value in step.state.values()),
        }
        for row, step, picture in zip(
            (*seen.rows, *seen.follows), (*trace.steps, *trace.follows), step_svgs(seen), strict=True
        )
    ]
    variables = [plain(name) for name in trace.steps[0].state]
    last = {"at": trace.length - 1, "sign": seen.sign}  # what the trace shows is here, and the rest can follow
    return {"variables": variables, "texts": texts.known, "steps": steps, **last}


def _losses(row: SceneRow, seen: Scene) -> list[str]:
    """What is wrong in a state: records missing or lost, and at the end of the trace the property."""
    broken = [f"{seen.shows}.", seen.blamed] if seen.broken and row is seen.rows[-1] else []
    return [plain(text) for text in (*broken, *map(str, row.losses)) if text]


def _title(row: SceneRow) -> str:
    return plain(f"{row.action} ({row.arguments})" if row.arguments else row.action)


def _embedded(data: dict[str, Any]) -> str:
    """JSON that cannot end the element that holds it."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e")
