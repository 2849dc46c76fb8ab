"""A trace as a document."""

from collections.abc import Iterator, Sequence

from isrcheck.evidence import document as doc
from isrcheck.evidence.forms.row import SceneRow
from isrcheck.evidence.forms.scene import FOLLOWS, Scene, scene
from isrcheck.run.trace import Trace, TraceStep, constant_options, differences, show_encoded
from isrcheck.run.wording import changes, phrase_value


def trace_document(trace: Trace) -> doc.Document:
    drawn = scene(trace)
    constants = [piece for setting in constant_options(trace.constants) for piece in (doc.code(setting), " ")]
    return [doc.Heading(drawn.heading), doc.Paragraph(tuple(constants)), *_blocks(trace, drawn)]


def trace_blocks(trace: Trace) -> Iterator[doc.Block]:
    drawn = scene(trace)
    yield doc.Heading(drawn.title)
    yield from _blocks(trace, drawn)


def same_steps(trace: Trace, other: str) -> Iterator[doc.Block]:
    drawn = scene(trace)
    yield doc.Heading(f"{drawn.title}, by the same steps as {other}")
    yield _conclusion(drawn)


def _blocks(trace: Trace, drawn: Scene) -> Iterator[doc.Block]:
    if trace.place:
        yield doc.Paragraph(f"{trace.place}  {drawn.verdict}", tone=doc.Tone.QUIET)
    yield _steps(trace, drawn, drawn.rows)
    yield _conclusion(drawn)
    if drawn.follows:
        yield doc.Paragraph(FOLLOWS)
        yield _steps(trace, drawn, drawn.follows)
        yield doc.Paragraph(*drawn.consequence, tone=_tone(drawn))


def _conclusion(drawn: Scene) -> doc.Paragraph:
    sentences = (f"{drawn.sign} {drawn.statement}", *(f"  {line}" for line in drawn.explanation))
    return doc.Paragraph(*sentences, tone=_tone(drawn))


def _tone(drawn: Scene) -> doc.Tone:
    return doc.Tone.BAD if drawn.broken else doc.Tone.PLAIN


def _steps(trace: Trace, drawn: Scene, rows: Sequence[SceneRow]) -> doc.Table:
    columns: list[doc.Column | str] = [doc.Column("step", is_number=True), "action", "what changes"]
    table_rows: list[doc.TableRow] = []
    for row in rows:
        if drawn.begins_cycle(row):
            table_rows.append(["", doc.strong(drawn.forever), "repeated without end"])
        number, *rest = _step(trace, row)
        table_rows.append([f"{drawn.bracket(row)}{number}", *rest])
    if drawn.closing and rows is drawn.rows:
        table_rows.append(["", doc.strong(drawn.closing), ""])
    return doc.Table(columns, table_rows, stacked=True)


def _step(trace: Trace, row: SceneRow) -> doc.TableRow:
    states = (*trace.steps, *trace.follows)
    step = states[row.number]
    if not row.number:
        values = ((name, phrase_value(trace, name, value)) for name, value in step.state.items())
        lines: list[doc.Line] = [doc.code(f"{name} = {show_encoded(value)}") for name, value in values]
        return ["0", trace.beginning, doc.Lines([*lines, *_abstract(step, None)])]
    sent = f", sent in step {row.shot.sent}" if row.shot and row.shot.sent is not None else ""
    changed = changes(trace, states[row.number - 1].state, step.state)
    lines = [row.truncation] if row.truncation else []
    lines += [(doc.code(path), ": ", doc.code(old), " → ", doc.code(new)) for path, old, new in changed]
    lines = [*(lines or ["nothing"]), *_abstract(step, states[row.number - 1])]
    return [str(row.number), (doc.strong(step.call), sent), doc.Lines(lines)]


def _abstract(step: TraceStep, before: TraceStep | None) -> Iterator[doc.Line]:
    """The step of the abstract model beside this one."""
    if not step.abstract:
        return
    name, state = f"{step.abstract['model']}: ", step.abstract["state"]
    if before is None:
        yield from (doc.quiet(f"{name}{variable} = {show_encoded(value)}") for variable, value in state.items())
        return
    yield doc.quiet(f"{name}{step.abstract['taken']}")
    for variable, value in state.items():
        for path, old, new in differences(before.abstract["state"][variable], value, variable):
            yield doc.quiet(f"{name}{path}: {old} → {new}")
