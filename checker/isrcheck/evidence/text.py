"""Outcomes and traces for a terminal, as rich text; plain where the terminal is not one."""

from collections.abc import Iterator

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from isrcheck.errors import counted
from isrcheck.evidence.choices_text import print_choices
from isrcheck.evidence.forms.scene import FOLLOWS, scene
from isrcheck.ir.property_kinds import Verdict
from isrcheck.run.outcome import Outcome, PropertyOutcome, Sample
from isrcheck.run.phrases import changes, wording
from isrcheck.run.trace import Trace, TraceStep, Value, chosen, shown

_MANY = 100_000  # states from which on a run's memory is that of its states
_STYLES = {Verdict.HOLDS: "green", Verdict.VIOLATED: "bold red", Verdict.UNDETERMINED: "yellow"}


def print_outcome(outcome: Outcome, console: Console) -> None:
    """The verdicts, the counts, and the trace of each violation."""
    constants = "  ".join(chosen(outcome.constants))
    console.print(Text.assemble((outcome.model, "bold"), "  ", constants))
    for note in outcome.notes:
        console.print(f"  {note}", highlight=False)
    if outcome.properties or outcome.not_asked:
        console.print(Padding(_verdicts(outcome), (1, 0, 1, 2)))
    _print_counts(outcome, console)
    _print_traces(outcome, console)
    print_vacuity(outcome, console)


def _print_traces(outcome: Outcome, console: Console) -> None:
    """The trace of each violation; of several with the same steps the first, which names the others."""
    told: dict[tuple[str, ...], str] = {}
    for found in outcome.properties:
        if found.trace is None or found.verdict is not Verdict.VIOLATED:
            continue
        console.print()
        steps = tuple(map(_call, found.trace.steps))
        if steps in told:
            for line in same_steps(found.trace, told[steps]):
                console.print(line, highlight=False)
        else:
            told[steps] = found.name
            print_trace(found.trace, console)


def _verdicts(outcome: Outcome) -> Table:
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    table.add_column(overflow="fold")
    table.add_column()
    table.add_column(style="dim", no_wrap=True)
    for found in outcome.properties:
        table.add_row(found.name, Text(_sentence(found, outcome), _STYLES[found.verdict]), found.assurance)
    actions = {action.name for action in outcome.actions}
    for name, why in ((n, w) for n, w in outcome.not_asked.items() if n not in actions):
        table.add_row(Text(name, "dim"), Text(f"n/a: {why}", "dim"), "")
    return table


def _sentence(found: PropertyOutcome, outcome: Outcome) -> str:
    """A verdict in words; a verdict that bounds may have helped to never reads like a plain one."""
    if found.verdict is not Verdict.UNDETERMINED:
        phrase = found.kind.phrase(found.verdict, _steps(found.trace) if found.trace else "")
        return phrase if found.trace else f"{phrase}{_within(outcome)}"
    ended = (outcome.cut or "").partition(", while ")[0]  # the counts say the rest
    return f"undetermined: the run ended {ended}" if ended else "undetermined"


def _steps(trace: Trace) -> str:
    steps = trace.length - 1
    return "the initial state" if not steps else f"{steps} step{'s' if steps > 1 else ''}"


def _within(outcome: Outcome) -> str:
    return f" within bounds ({outcome.pruned:,} steps pruned)" if outcome.pruned else ""


def _print_counts(outcome: Outcome, console: Console) -> None:
    if outcome.sample:
        _print_sample(outcome, outcome.sample, console)
        return
    if outcome.distinct is None:
        _print_bounded(outcome, console)
        return
    rate = f"{outcome.distinct / outcome.seconds:,.0f} states/s" if outcome.seconds > 0.05 else "at once"
    console.print(
        f"{outcome.distinct:,} distinct states, {outcome.generated:,} generated, depth {outcome.depth}, "
        f"{outcome.pruned:,} pruned; {outcome.seconds:.1f} s, {rate}, {outcome.engine} engine",
        highlight=False,
    )
    memory = f"{outcome.state_bits} bits a state, {outcome.peak_rss_bytes >> 20:,} MiB at the peak"
    if outcome.distinct >= _MANY:
        memory += f", {outcome.peak_rss_bytes / outcome.distinct:.0f} bytes a state"
    console.print(memory, highlight=False)
    if outcome.digest:
        symmetric = " of least representatives" if outcome.symmetry else ""
        console.print(f"digest{symmetric} {outcome.digest}", highlight=False)
    if outcome.cut:
        console.print(
            f"The graph is not complete: the run ended {outcome.cut}; what is idle is not known.", style="yellow"
        )
    if outcome.actions:
        console.print(Padding(_actions(outcome), (0, 0, 0, 2)))
    if outcome.never_taken:
        console.print(f"Never happened: {', '.join(outcome.never_taken)}.", style="yellow")


def print_vacuity(outcome: Outcome, console: Console) -> None:
    """What was never put to the test, last of all, where it is seen."""
    if outcome.idle or outcome.vacuity_cut or outcome.asleep:
        console.print()
    for guard in outcome.asleep:
        console.print(f"Never held: {guard}", style="yellow", highlight=False)
    for idle in outcome.idle:
        console.print(Text(f"Idle: {idle.sentence}", "yellow"))
        console.print(Padding(Text(f"{idle.place}  {idle.text}", "dim"), (0, 0, 0, 6)))
    if outcome.vacuity_cut:
        what = (
            f"{counted(len(outcome.maybe_idle), 'part')} of the model" if outcome.maybe_idle else "parts of the model"
        )
        console.print(
            f"Not known: whether {what} (guards, properties, claims) are vacuous: the search for that ended "
            f"{outcome.vacuity_cut}; --strict without a limit looks to the end.",
            style="yellow",
        )


def _print_sample(outcome: Outcome, sample: Sample, console: Console) -> None:
    console.print(
        f"{sample.walks:,} random walks, {sample.steps:,} steps, seed {sample.seed}; "
        f"{outcome.seconds:.1f} s, {outcome.engine} engine",
        highlight=False,
    )
    console.print("A sample decides nothing but what it found.", style="yellow")


def _print_bounded(outcome: Outcome, console: Console) -> None:
    """A search that makes no states: how far it looked."""
    if outcome.choices:
        print_choices(outcome.choices, console)
    steps = max(outcome.depth - 1, 0)
    console.print(
        f"every behaviour of at most {steps} step{'' if steps == 1 else 's'} was looked at; "
        f"{outcome.seconds:.1f} s, {outcome.engine} engine",
        highlight=False,
    )
    console.print(f"The search ended {outcome.cut}; what is longer was not looked at.", style="yellow")


def _actions(outcome: Outcome) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim", style="dim")
    table.add_column("action")
    table.add_column("taken", justify="right")
    table.add_column("new states", justify="right")
    for action in outcome.actions:
        table.add_row(action.name, f"{action.generated:,}", f"{action.distinct:,}")
    return table


# Traces


def print_trace(trace: Trace, console: Console) -> None:
    """The steps with what each changed, and the sentence of the property where it breaks."""
    for line in trace_lines(trace):
        console.print(line, highlight=False)


def trace_lines(trace: Trace) -> Iterator[Text]:
    """The lines of a trace: each step's action with its arguments, and below it what changed."""
    yield Text.assemble((f"{trace.name} {trace.verb}", "bold"), f" {trace.when}")
    if trace.place:
        yield Text(f"  {trace.place}  {_first_sentence(trace.sentence)}", style="dim")
    seen, style = scene(trace), "bold red" if trace.kind.is_violation else ""
    indent = " " * (len(str(trace.length - 1)) + 4)
    steps = list(_step_lines(trace))
    yield from (line for lines in steps[: trace.length] for line in lines)
    for text in (f"{seen.sign} {seen.promise}", *(f"  {text}" for text in seen.explanation)):
        yield Text(f"{indent}{text}", style=style)
    if trace.follows:
        yield Text(f"  {FOLLOWS}")
        yield from (line for lines in steps[trace.length :] for line in lines)
        yield from (Text(f"{indent}  {text}", style=style) for text in seen.consequence)


def _step_lines(trace: Trace) -> Iterator[list[Text]]:
    """The lines of each step, those that can follow included."""
    steps = (*trace.steps, *trace.follows)
    digits = len(str(trace.length - 1))
    for number, step in enumerate(steps):
        head = Text.assemble(
            (f"{number:>{digits + 2}}  ", "dim"), (_call(step) or trace.beginning, "bold" if number else "")
        )
        before = steps[number - 1].state if number else None
        lines = [*([step.truncation] if step.truncation else []), *_changes(trace, before, step.state)]
        yield [head, *(Text(" " * (digits + 6) + line) for line in lines)]


def same_steps(trace: Trace, other: str) -> Iterator[Text]:
    """The lines of a trace whose steps were shown already, as those of another property."""
    seen, style = scene(trace), "bold red" if trace.kind.is_violation else ""
    yield Text.assemble((f"{trace.name} {trace.verb}", "bold"), f" {trace.when}, by the same steps as {other}")
    for text in (f"{seen.sign} {seen.promise}", *(f"  {text}" for text in seen.explanation)):
        yield Text(f"  {text}", style=style)


def _call(step: TraceStep) -> str:
    if not step.action:
        return ""
    return f"{step.action}({', '.join(f'{n}={shown(v)}' for n, v in step.arguments.items())})"


def _changes(trace: Trace, before: dict[str, Value] | None, after: dict[str, Value]) -> Iterator[str]:
    """What a step changed, as deep as maps and records go; all variables of the first state."""
    if before is None:
        yield from (f"{name} = {shown(wording(trace, name, value))}" for name, value in after.items())
        return
    found = list(changes(trace, before, after))
    width = max((len(path) for path, _, _ in found), default=0)
    yield from (f"{path:<{width}}  {old} → {new}" for path, old, new in found)
    if not found:
        yield "(nothing changes)"


def _first_sentence(text: str) -> str:
    return " ".join(text.split("\n\n")[0].split())


def trace_text(trace: Trace) -> str:
    """The trace as plain text."""
    return "\n".join(line.plain for line in trace_lines(trace)) + "\n"
