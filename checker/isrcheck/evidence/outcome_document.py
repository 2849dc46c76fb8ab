"""Outcomes, proofs and traces as documents."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from isrcheck.engines.contract import NotStarted, Sampled
from isrcheck.errors import quantity
from isrcheck.evidence import document as doc
from isrcheck.evidence.document import Tone
from isrcheck.evidence.forms.row import SceneRow
from isrcheck.evidence.forms.scene import FOLLOWS, Scene, scene
from isrcheck.ir.property_kinds import Verdict
from isrcheck.run.outcome import Outcome, PropertyOutcome
from isrcheck.run.parts import Choices, PropertyChoices, note_lines
from isrcheck.run.trace import Trace, TraceStep, constant_options, differences, show_encoded
from isrcheck.run.wording import changes, phrase_value

if TYPE_CHECKING:
    from isrcheck.proofs.prover import ProofRun


def trace_document(trace: Trace) -> doc.Document:
    drawing = scene(trace)
    constants = [piece for setting in constant_options(trace.chosen) for piece in (doc.code(setting), " ")]
    return [doc.Heading(drawing.heading), doc.Paragraph(tuple(constants)), *_blocks(drawing)]


def trace_blocks(trace: Trace) -> Iterator[doc.Block]:
    drawing = scene(trace)
    yield doc.Heading(drawing.title)
    yield from _blocks(drawing)


def same_steps(trace: Trace, other: str) -> Iterator[doc.Block]:
    drawing = scene(trace)
    yield doc.Heading(f"{drawing.title}, by the same steps as {other}")
    yield _conclusion(drawing)


def _blocks(drawing: Scene) -> Iterator[doc.Block]:
    if drawing.trace.place:
        yield doc.Paragraph(f"{drawing.trace.place}  {drawing.verdict}", tone=doc.Tone.QUIET)
    yield _steps(drawing, drawing.rows)
    yield _conclusion(drawing)
    if drawing.follows:
        yield doc.Paragraph(FOLLOWS)
        yield _steps(drawing, drawing.follows)
        yield doc.Paragraph(*drawing.consequence, tone=_tone(drawing))


def _conclusion(drawing: Scene) -> doc.Paragraph:
    sentences = (f"{drawing.sign} {drawing.statement}", *(f"  {line}" for line in drawing.explanation))
    return doc.Paragraph(*sentences, tone=_tone(drawing))


def _tone(drawing: Scene) -> doc.Tone:
    return doc.Tone.BAD if drawing.broken else doc.Tone.PLAIN


def story_blocks(trace: Trace) -> Iterator[doc.Block]:
    """The steps of a trace, each in the sentence of its action, and what is lost or else what they show."""
    drawing = scene(trace)
    yield _steps(drawing, drawing.rows)
    if lines := drawing.explanation or tuple(filter(None, [drawing.statement])):
        yield doc.Paragraph(*lines, tone=_tone(drawing))


def _steps(drawing: Scene, rows: Sequence[SceneRow]) -> doc.Table:
    is_story = drawing.is_story
    titles = ["what happens", ""] if is_story else ["action", "what changes"]
    columns: list[doc.Column | str] = [doc.Column("step", is_number=True), *titles]
    table_rows: list[doc.TableRow] = []
    for row in rows[1:] if is_story and rows is drawing.rows else rows:
        if drawing.begins_cycle(row):
            table_rows.append(["", doc.strong(drawing.trace.forever), "repeated without end"])
        number, *rest = _step(drawing.trace, row)
        table_rows.append([f"{drawing.bracket(row)}{number}", *rest])
    if drawing.closing and rows is drawing.rows:
        table_rows.append(["", doc.strong(drawing.closing), ""])
    return doc.Table(columns, table_rows, stacked=True)


def _step(trace: Trace, row: SceneRow) -> doc.TableRow:
    states = (*trace.steps, *trace.follows)
    step = states[row.number]
    if not row.number:
        values = ((name, phrase_value(trace, name, value)) for name, value in step.state.items())
        lines: list[doc.Line] = [doc.code(f"{name} = {show_encoded(value)}") for name, value in values]
        return ["0", trace.beginning, doc.Lines([*lines, *_abstract(step, None)])]
    sent = f"sent in step {row.shot.sent}" if row.shot and row.shot.sent is not None else ""
    sent = sent and (f" ({sent})" if row.story else f", {sent}")
    lines = [row.truncation] if row.truncation else []
    if not row.story:
        changed = changes(trace, states[row.number - 1].state, step.state)
        lines += [(doc.code(path), ": ", doc.code(old), " → ", doc.code(new)) for path, old, new in changed]
        lines = lines or ["nothing"]
    lines += [doc.Piece(mark.signed, doc.Tone.BAD if mark.is_loss else doc.Tone.GOOD) for mark in row.marks]
    lines += [doc.quiet(log_line) for log_line in row.log_lines]
    lines += _abstract(step, states[row.number - 1])
    return [str(row.number), (row.story or doc.strong(step.call), sent), doc.Lines(lines)]


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


_MANY = 100_000  # From here on, memory is that of states
TONES = {Verdict.HOLDS: Tone.GOOD, Verdict.VIOLATED: Tone.BAD, Verdict.UNDETERMINED: Tone.UNSURE}


def outcome_document(outcome: Outcome, is_folded: bool = False) -> Iterator[doc.Block]:
    """The document of an outcome; `is_folded` folds actions and the steps of traces away."""
    yield doc.Heading((doc.strong(outcome.model), "  ", "  ".join(constant_options(outcome.constants))), 1)
    if outcome.notes:
        yield doc.Paragraph(*outcome.notes)
    inapplicable = _inapplicable(outcome)
    if outcome.properties or inapplicable:
        yield _verdicts(outcome, inapplicable)
    if outcome.decides_nothing and outcome.cut is None:
        lack = "no property applies with these constants" if outcome.not_asked else "the model has no property"
        yield doc.Paragraph(doc.unsure(f"Nothing is decided: {lack}."))
    if outcome.sample:
        yield from _sample(outcome.sample, f"{outcome.seconds:.1f} s, {outcome.engine} engine")
    elif outcome.distinct is None:
        yield from _summary_of_bounded_search(outcome)
    else:
        yield from _counts(outcome, is_folded)
    if outcome.warnings:
        yield doc.Paragraph(*(doc.unsure(f"Warning: {warning}") for warning in outcome.warnings))
    yield from _traces(outcome, is_folded)
    yield from vacuity_document(outcome)


def _inapplicable(outcome: Outcome) -> dict[str, str]:
    """Return the properties that do not apply and why; none where the run was asked for properties by name."""
    if outcome.invocation.properties is not None:
        return {}
    actions = {action.name for action in outcome.actions}
    return {name: why for name, why in outcome.not_asked.items() if name not in actions}


def _verdicts(outcome: Outcome, inapplicable: Mapping[str, str]) -> doc.Table:
    rows: list[doc.TableRow] = []
    for decided in outcome.properties:
        sentence = doc.Piece(_sentence(decided, outcome), TONES[decided.verdict])
        rows.append([decided.name, sentence, doc.quiet(decided.assurance)])
    rows += [[doc.quiet(name), doc.quiet(f"n/a: {why}"), ""] for name, why in inapplicable.items()]
    return doc.Table(["", "", doc.Column(fixed=True)], rows)


def _sentence(decided: PropertyOutcome, outcome: Outcome) -> str:
    if decided.verdict is not Verdict.UNDETERMINED or decided.reason:
        return decided.sentence
    ended = (outcome.cut or "").partition(", while ")[0]  # the counts say the rest
    return f"undetermined: the run ended {ended}" if ended else "undetermined"


def _counts(outcome: Outcome, is_folded: bool) -> Iterator[doc.Block]:
    assert outcome.distinct is not None
    rate = f"{outcome.distinct / outcome.seconds:,.0f} states/s" if outcome.seconds > 0.05 else "at once"
    lines = [
        f"{outcome.distinct:,} distinct states, {outcome.generated:,} generated, depth {outcome.depth}, "
        f"{outcome.pruned:,} pruned; {outcome.seconds:.1f} s, {rate}, {outcome.engine} engine",
        f"{outcome.state_bits} bits a state, {outcome.peak_rss_bytes >> 20:,} MiB at the peak",
    ]
    if outcome.distinct >= _MANY:
        lines[1] += f", {outcome.peak_rss_bytes / outcome.distinct:.0f} bytes a state"
    if outcome.digest:
        of = " of canonical representatives" * outcome.symmetry
        lines.append(f"digest{of} {outcome.digest}")
    yield doc.Paragraph(*lines)
    if outcome.cut:
        sentence = f"The graph is not complete: the run ended {outcome.cut}; what is vacuous is not known."
        yield doc.Paragraph(sentence, tone=Tone.UNSURE)
    if outcome.actions:
        rows = [[a.name, f"{a.generated:,}", f"{a.distinct:,}"] for a in outcome.actions]
        numbers = [doc.Column(title, is_number=True, tone=Tone.QUIET) for title in ("taken", "new states")]
        table = doc.Table([doc.Column("action", tone=Tone.QUIET), *numbers], rows)
        yield doc.Fold(quantity(len(rows), "action"), [table]) if is_folded else table
    if outcome.dead_actions:
        yield doc.Paragraph(f"Never happened: {', '.join(outcome.dead_actions)}.", tone=Tone.UNSURE)


def _sample(sample: Sampled, cost: str) -> Iterator[doc.Block]:
    yield doc.Paragraph(f"{sample.walks:,} random walks, {sample.steps:,} steps, seed {sample.seed}; {cost}")
    yield doc.Paragraph("A sample decides nothing but what it found.", tone=Tone.UNSURE)


def _summary_of_bounded_search(outcome: Outcome) -> Iterator[doc.Block]:
    if outcome.choices:
        yield from _choices(outcome.choices)
    steps = quantity(max(outcome.depth - 1, 0), "step")
    cost = f"{outcome.seconds:.1f} s, {outcome.engine} engine"
    yield doc.Paragraph(f"every behaviour of at most {steps} was looked at; {cost}")
    yield doc.Paragraph(f"The search ended {outcome.cut}; what is longer was not looked at.", tone=Tone.UNSURE)


def _choices(choices: Choices) -> Iterator[doc.Block]:
    yield doc.Paragraph(*(f"{each.name}: {_choice_sentence(each, choices)}." for each in choices.properties))
    if choices.all and any(of_property.choices for of_property in choices.properties):
        yield _table_of_choices(choices)


def _choice_sentence(property_choices: PropertyChoices, choices: Choices) -> str:
    ranges = ", ".join(f"{name}={choice}" for name, choice in choices.ranges.items())
    verb = property_choices.kind.target_verb
    within = f"within {quantity(choices.steps, 'step')}"
    if not property_choices.choices:
        return f"no choice of {ranges} {verb} {within}"
    smallest = ", ".join(constant_options(property_choices.choices[0].constants))
    states = quantity(property_choices.choices[0].length, "state")
    if not choices.all and property_choices.kind.is_violation:
        return f"the smallest choice that {verb} is {smallest}, in {states}"
    many = "every choice" if property_choices.every else quantity(len(property_choices.choices), "choice")
    verb = verb if property_choices.every or len(property_choices.choices) == 1 else verb.replace("s it", " it")
    return f"{many} of {ranges} {verb} {within}, the smallest {smallest} in {states}"


def _table_of_choices(choices: Choices) -> doc.Table:
    decided = [each for each in choices.properties if each.choices]
    lengths = [{c.rank: c.length for c in of_property.choices} for of_property in decided]
    constants = {c.rank: c.constants for each in decided for c in each.choices}
    rows = [
        [*map(show_encoded, values.values()), *(str(own.get(rank, "-")) for own in lengths)]
        for rank, values in sorted(constants.items())
    ]
    names = (*choices.ranges, *(each.name for each in decided))
    return doc.Table([doc.Column(name, is_number=True) for name in names], rows)


def _traces(outcome: Outcome, is_folded: bool) -> Iterator[doc.Block]:
    """The trace of each violation; of several with the same steps the first."""
    first_of: dict[tuple[str, ...], str] = {}
    for decided in outcome.properties:
        if decided.trace is None or decided.verdict is not Verdict.VIOLATED:
            continue
        first = first_of.setdefault(tuple(step.call for step in decided.trace.steps), decided.name)
        blocks = trace_blocks(decided.trace) if first == decided.name else same_steps(decided.trace, first)
        if is_folded:
            title = next(blocks)
            assert isinstance(title, doc.Heading)
            yield doc.Fold(title.line, blocks)
        else:
            yield from blocks


def vacuity_document(outcome: Outcome) -> Iterator[doc.Block]:
    lines: list[doc.Line] = [doc.unsure(f"Never true: {guard}") for guard in outcome.guards_never_held]
    for vacuous in outcome.vacuous:
        lines += [
            doc.unsure(f"Vacuous: {vacuous.sentence}"),
            ("      ", doc.quiet(f"{vacuous.place}  {vacuous.source}")),
        ]
    if lines:
        yield doc.Paragraph(*lines)
    if outcome.vacuity_cut:
        parts = quantity(len(outcome.maybe_vacuous), "part") if outcome.maybe_vacuous else "parts"
        yield doc.Paragraph(
            f"Not known: whether {parts} of the model (guards, properties) are vacuous: the search for that ended "
            f"{outcome.vacuity_cut}; --strict without a limit looks to the end.",
            tone=Tone.UNSURE,
        )


def _lack_of_proofs(outcome: Outcome) -> str:
    if isinstance(outcome.result, NotStarted):
        return f"the run ended {outcome.cut}"
    return "the model has no invariant and no step property that applies"


def proof_document(run: "ProofRun", pictures: Mapping[str, Path]) -> Iterator[doc.Block]:
    outcome = run.outcome
    yield doc.Heading(outcome.model, 1)
    if outcome.notes:
        yield doc.Paragraph(*outcome.notes)
    for proved, note in zip(outcome.properties, outcome.proofs, strict=True):
        assurance = "" if proved.verdict is Verdict.UNDETERMINED else f", {proved.assurance}"
        verdict = doc.Piece(proved.verdict.value + assurance, TONES[proved.verdict])
        yield doc.Heading((doc.strong(proved.name), "  ", verdict))
        picture = [f"Drawn in {pictures[proved.name]}."] if proved.name in pictures else []
        yield doc.Paragraph(*note_lines(note), *picture)
        trace = proved.trace or run.counterexamples.get(proved.name)
        if trace:
            yield from trace_blocks(trace)
    if not outcome.properties:
        yield doc.Paragraph(doc.unsure(f"Nothing is proved: {_lack_of_proofs(outcome)}."))
    if outcome.not_asked:
        yield doc.Paragraph(*(f"{name}  n/a: {why}" for name, why in outcome.not_asked.items()), tone=Tone.QUIET)
    yield doc.Paragraph(f"{outcome.seconds:.1f} s, {outcome.engine} engine")
