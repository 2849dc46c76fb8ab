"""A trace as a document."""

from collections.abc import Iterator, Sequence

from isrcheck.evidence import document as doc
from isrcheck.evidence.forms.row import SceneRow
from isrcheck.evidence.forms.scene import FOLLOWS, Scene, scene
from isrcheck.run.trace import Trace, TraceStep, chosen, differences, shown
from isrcheck.run.wording import changes, wording


def trace_document(trace: Trace) -> doc.Document:
    seen = scene(trace)
    constants = [piece for text in chosen(trace.constants) for piece in (doc.code(text), " ")]
    return [doc.Heading(seen.heading), doc.Paragraph(tuple(constants)), *_blocks(trace, seen)]


def trace_blocks(trace: Trace) -> Iterator[doc.Block]:
    seen = scene(trace)
    yield doc.Heading(seen.title)
    yield from _blocks(trace, seen)


def same_steps(trace: Trace, other: str) -> Iterator[doc.Block]:
    seen = scene(trace)
    yield doc.Heading(f"{seen.title}, by the same steps as {other}")
    yield _conclusion(seen)


def _blocks(trace: Trace, seen: Scene) -> Iterator[doc.Block]:
    if trace.place:
        yield doc.Paragraph(f"{trace.place}  {seen.verdict}", tone=doc.Tone.QUIET)
    yield _steps(trace, seen, seen.rows)
    yield _conclusion(seen)
    if seen.follows:
        yield doc.Paragraph(FOLLOWS)
        yield _steps(trace, seen, seen.follows)
        yield doc.Paragraph(*seen.consequence, tone=_tone(seen))


def _conclusion(seen: Scene) -> doc.Paragraph:
    sentences = (f"{seen.sign} {seen.statement}", *(f"  {text}" for text in seen.explanation))
    return doc.Paragraph(*sentences, tone=_tone(seen))


def _tone(seen: Scene) -> doc.Tone:
    return doc.Tone.BAD if seen.broken else doc.Tone.PLAIN


def _steps(trace: Trace, seen: Scene, rows: Sequence[SceneRow]) -> doc.Table:
    columns: list[doc.Column | str] = [doc.Column("step", is_number=True), "action", "what changes"]
    found: list[doc.TableRow] = []
    for row in rows:
        if seen.begins_cycle(row):
            found.append(["", doc.strong(seen.forever), "repeated without end"])
        number, *rest = _step(trace, row)
        found.append([f"{seen.bracket(row)}{number}", *rest])
    if seen.closing and rows is seen.rows:
        found.append(["", doc.strong(seen.closing), ""])
    return doc.Table(columns, found, stacked=True)


def _step(trace: Trace, row: SceneRow) -> doc.TableRow:
    states = (*trace.steps, *trace.follows)
    step = states[row.number]
    if not row.number:
        values = ((name, wording(trace, name, value)) for name, value in step.state.items())
        lines: list[doc.Line] = [doc.code(f"{name} = {shown(value)}") for name, value in values]
        return ["0", trace.beginning, doc.Lines([*lines, *_abstract(step, None)])]
    sent = f", sent in step {row.shot.sent}" if row.shot and row.shot.sent is not None else ""
    found = changes(trace, states[row.number - 1].state, step.state)
    lines = [row.truncation] if row.truncation else []
    lines += [(doc.code(path), ": ", doc.code(old), " → ", doc.code(new)) for path, old, new in found]
    lines = [*(lines or ["nothing"]), *_abstract(step, states[row.number - 1])]
    return [str(row.number), (doc.strong(step.call), sent), doc.Lines(lines)]


def _abstract(step: TraceStep, before: TraceStep | None) -> Iterator[doc.Line]:
    """The same step in the model that is refined."""
    if not step.abstract:
        return
    name, state = f"{step.abstract['model']}: ", step.abstract["state"]
    if before is None:
        yield from (doc.quiet(f"{name}{variable} = {shown(value)}") for variable, value in state.items())
        return
    yield doc.quiet(f"{name}{step.abstract['taken']}")
    for variable, value in state.items():
        for path, old, new in differences(before.abstract["state"][variable], value, variable):
            yield doc.quiet(f"{name}{path}: {old} → {new}")
