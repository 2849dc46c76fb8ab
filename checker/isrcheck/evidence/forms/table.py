"""The forms of a trace, by name; Mermaid diagrams and scripts for `isrcheck schedule` are made here."""

import re
from collections.abc import Callable, Iterator

from isrcheck.errors import UsageError
from isrcheck.evidence.forms.page import page
from isrcheck.evidence.forms.row import Card, SceneRow
from isrcheck.evidence.forms.scene import FOLLOWS, Scene, scene
from isrcheck.evidence.forms.svg import svg
from isrcheck.evidence.outcome_document import trace_blocks, trace_document
from isrcheck.evidence.writers.markdown import markdown_of
from isrcheck.evidence.writers.terminal import plain_text
from isrcheck.ir.property_kinds import PropertyKind
from isrcheck.run.trace import Trace, constant_options, show_encoded
from isrcheck.wrap import compact, plain


def schedule_text(trace: Trace) -> str:
    lines = [
        f"# {trace.model}: {' '.join(trace.sentence.split())}",
        f"constants: {' '.join(constant_options(trace.constants))}",
    ]
    if isinstance(trace.kind, PropertyKind) and trace.loop is None:
        verdict = "reached" if trace.kind.holds_by_target else "violated"
        lines.append(f"expect: {trace.model} {verdict} {trace.name}")
    for number, step in enumerate(trace.steps[1:]):
        if number == trace.loop:
            lines.append(f"# {trace.forever}, again and again")
        given = (f"{name}={compact(show_encoded(value))}" for name, value in step.arguments.items())
        lines.append(" ".join((step.action, *given)))
    return "".join(f"{plain(line)}\n" for line in lines)


def mermaid_text(drawn: Scene) -> str:
    lines = ["sequenceDiagram", f"    title {_safe(drawn.heading)}"]
    lines += [f"    participant p{i} as {_safe(name)}" for i, name in enumerate(drawn.lanes)]
    over = f"    Note over p0,p{len(drawn.lanes) - 1}: " if len(drawn.lanes) > 1 else "    Note over p0: "
    lines += [f"    {line}" for row in drawn.rows[1:] for line in _step_of(drawn, row)]
    if drawn.closing:
        lines.append("    end" if drawn.is_forever(drawn.rows[-1]) else over + _safe(drawn.closing))
    lines.append(
        over + "<br/>".join(_safe(sentence) for sentence in (f"{drawn.sign} {drawn.statement}", *drawn.explanation))
    )
    if drawn.follows:
        lines.append(over + _safe(FOLLOWS))
        lines += [f"    {line}" for row in drawn.follows for line in _step(row)]
        lines.append(over + "<br/>".join(map(_safe, drawn.consequence)))
    return "\n".join(lines) + "\n"


def _step_of(drawn: Scene, row: SceneRow) -> Iterator[str]:
    if drawn.begins_cycle(row):
        yield f"loop {_safe(drawn.trace.forever)}"
    yield from _step(row)


def _step(row: SceneRow) -> Iterator[str]:
    title = f"{row.number} {row.story or row.action}"
    news = [(lane, _news(card)) for lane, card in enumerate(row.cards) if card.changed]
    if row.shot:
        arrow = "-x" if row.shot.lost else "-)" if row.shot.leaves else "->>" if row.shot.label else "-->"
        label = f"{title}: {row.shot.caption}" if row.shot.label and not row.story else title
        label += f" (sent in step {row.shot.sent})" if row.story and row.shot.sent is not None else ""
        yield f"p{row.shot.source}{arrow}p{row.shot.target}: {_safe(label)}"
    elif news:
        yield f"Note over p{news[0][0]}: {_safe(title)}"
    else:
        yield f"Note over p0: {_safe(title if row.story else f'{title} ({row.arguments}): nothing changes')}"
    if row.truncation and news:
        news[-1][1].insert(0, row.truncation)
    yield from (f"Note over p{lane}: {'<br/>'.join(_safe(line) for line in texts)}" for lane, texts in news if texts)
    for mark in row.marks:
        yield f"Note over p0: {_safe(mark.signed)}"


def _news(card: Card) -> list[str]:
    news = [f"✗ {card.blame}"] if card.blame else []
    if any(cell.is_bad or cell.state == "new" for cell in card.cells or ()):
        cells = [f"[{cell.name}{f' {cell.state}' * cell.is_bad}]" for cell in card.cells or ()]
        news.append("log " + " ".join(cells))
    news += [f"{flag.name} {flag.offset}" for flag in card.flags if flag.changed]
    news += [strip.marked for strip in card.strips if strip.changed]
    return news + [f"{fact.name} {fact.before} → {fact.value}" for fact in card.facts if fact.before]


def _safe(label: str) -> str:
    """Even the word `end` is escaped."""
    shown = "".join(f"#{ord(c)};" if c in '#;:<>"&{}%\\' else c for c in plain(label))
    return re.sub(r"\b(e)(?=nd\b)", lambda match: f"#{ord(match[0])};", shown, flags=re.IGNORECASE)


FORMS: dict[str, Callable[[Trace], str]] = {
    "txt": lambda trace: plain_text(trace_blocks(trace)),
    "md": lambda trace: markdown_of(trace_document(trace)),
    "mermaid": lambda trace: mermaid_text(scene(trace)),
    "svg": lambda trace: svg(scene(trace)),
    "html": page,
    "schedule": schedule_text,
}

FOLLOWED = {"txt", "md", "mermaid", "svg", "html"}  # those that also show what can follow


def render_trace(trace: Trace, form: str) -> str:
    """The trace as text. Raises UsageError if its states are not what a run could have written."""
    try:
        content = FORMS[form](trace)
        content.encode("utf-8")
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError):
        raise UsageError(
            f"the trace of {trace.name} cannot be shown: its values are not of the form that `isrcheck check` "
            "writes. Make it again with --trace-dir."
        ) from None
    return content
