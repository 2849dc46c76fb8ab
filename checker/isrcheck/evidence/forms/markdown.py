"""A trace as Markdown, for a pull request or an issue: a table of steps."""

import re
from collections.abc import Sequence

from isrcheck.evidence.forms.row import Row
from isrcheck.evidence.forms.scene import FOLLOWS, scene
from isrcheck.evidence.forms.wrap import plain
from isrcheck.run.phrases import changes, wording
from isrcheck.run.trace import Trace, TraceStep, chosen, shown


def markdown_text(trace: Trace) -> str:
    """The steps as a table with what each changed, under the property, above what was lost."""
    seen = scene(trace)
    head = [f"### {safe(trace.model)}: {safe(seen.title)}", "", f"> {safe(seen.verdict)}", "", _constants(trace), ""]
    foot = [f"**{seen.sign} {safe(seen.claim)}** {safe(seen.where)}.", *map(safe, seen.explanation)]
    lines = [*head, *_table(trace, seen.rows), "", " ".join(foot)]
    if seen.follows:
        lines += ["", safe(FOLLOWS), "", *_table(trace, seen.follows), "", *map(safe, seen.consequence)]
    return "\n".join(lines) + "\n"


def _table(trace: Trace, rows: Sequence[Row]) -> list[str]:
    states = (*trace.steps, *trace.follows)
    lines = [f"| {row.number} | {_action(row)} | {_changes(trace, row, states)} |" for row in rows]
    return ["| step | action | what changes |", "|---:|---|---|", *lines]


def _constants(trace: Trace) -> str:
    return " ".join(map(code, chosen(trace.constants)))


def _action(row: Row) -> str:
    sent = f", sent in step {row.shot.sent}" if row.shot and row.shot.sent is not None else ""
    return f"**{safe(row.action)}**" + (f" {code(row.arguments)}" if row.arguments else "") + sent


def _changes(trace: Trace, row: Row, states: Sequence[TraceStep]) -> str:
    state = states[row.number].state
    if not row.number:
        first = ((name, wording(trace, name, value)) for name, value in state.items())
        return "<br>".join(code(f"{name} = {shown(value)}") for name, value in first)
    found = changes(trace, states[row.number - 1].state, state)
    lines = [f"{code(path)}: {code(old)} → {code(new)}" for path, old, new in found]
    return "<br>".join([*([safe(row.truncation)] if row.truncation else []), *lines]) or "nothing"


def code(text: str) -> str:
    """Text as code; a table's bar and a back quote would end it."""
    text = plain(text).replace("|", "\\|")
    ticks = "`" * (1 + max((len(run) for run in re.findall("`+", text)), default=0))
    space = " " if "`" in text else ""
    return f"{ticks}{space}{text}{space}{ticks}"


def safe(text: str) -> str:
    """Text in which Markdown and HTML read nothing but text."""
    return re.sub(r"([\\`*_\[\]<>|~#&])", r"\\\1", plain(text))
