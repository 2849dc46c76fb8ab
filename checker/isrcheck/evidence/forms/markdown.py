"""A trace as Markdown, for a pull request or an issue: a table of steps."""

import re

from isrcheck.evidence.forms.phrases import changes, wording
from isrcheck.evidence.forms.scene import Scene, scene
from isrcheck.evidence.forms.wrap import plain
from isrcheck.evidence.trace import Trace, chosen, shown


def markdown_text(trace: Trace) -> str:
    """The steps as a table with what each changed, under the property, above what was lost."""
    seen = scene(trace)
    head = [f"### {safe(trace.model)}: {safe(seen.title)}", "", f"> {safe(seen.verdict)}", "", _constants(trace), ""]
    table = ["| step | action | what changes |", "|---:|---|---|"]
    table += [
        f"| {row.number} | {_action(seen, place)} | {_changes(trace, place)} |" for place, row in enumerate(seen.rows)
    ]
    foot = [f"**{seen.sign} {safe(seen.claim)}** {safe(seen.where)}."]
    foot += [safe(text) for text in seen.explanation]
    return "\n".join([*head, *table, "", " ".join(foot)]) + "\n"


def _constants(trace: Trace) -> str:
    return " ".join(map(code, chosen(trace.constants)))


def _action(seen: Scene, place: int) -> str:
    row = seen.rows[place]
    return f"**{safe(row.action)}**" + (f" {code(row.arguments)}" if row.arguments else "")


def _changes(trace: Trace, place: int) -> str:
    step = trace.steps[place]
    if not place:
        first = ((name, wording(trace, name, value)) for name, value in step.state.items())
        return "<br>".join(code(f"{name} = {shown(value)}") for name, value in first)
    found = changes(trace, place)
    return "<br>".join(f"{code(path)}: {code(old)} → {code(new)}" for path, old, new in found) or "nothing"


def code(text: str) -> str:
    """Text as code; a table's bar and a back quote would end it."""
    text = plain(text).replace("|", "\\|")
    ticks = "`" * (1 + max((len(run) for run in re.findall("`+", text)), default=0))
    space = " " if "`" in text else ""
    return f"{ticks}{space}{text}{space}{ticks}"


def safe(text: str) -> str:
    """Text in which Markdown and HTML read nothing but text."""
    return re.sub(r"([\\`*_\[\]<>|~#&])", r"\\\1", plain(text))
