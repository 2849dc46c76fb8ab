"""isrcheck compare."""

from collections.abc import Callable
from pathlib import Path

import click

from isrcheck.catalogue import find_model
from isrcheck.commands.options import console, parse_constants, parse_size
from isrcheck.engines.contract import Limits
from isrcheck.engines.explore import counted
from isrcheck.errors import UsageError, nearest
from isrcheck.evidence.forms.wrap import plain
from isrcheck.evidence.progress import ProgressLine
from isrcheck.evidence.trace import Trace, read_trace, shown
from isrcheck.files import write_aside
from isrcheck.lang.read import read_model
from isrcheck.passes import bind
from isrcheck.schedule.columns import pair_markdown, pair_text
from isrcheck.schedule.pair import Pair
from isrcheck.schedule.picture import picture, picture_page
from isrcheck.schedule.steps import vocabulary
from isrcheck.schedule.tell import STEPPERS, Told, Variant, compare_trace, tell_apart

FORMS: dict[str, Callable[[Pair], str]] = {
    "txt": pair_text,
    "md": pair_markdown,
    "svg": picture,
    "html": picture_page,
}


@click.command()
@click.argument("first", metavar="A")
@click.argument("second", metavar="B")
@click.option(
    "--trace", "trace_file", type=click.Path(path_type=Path), help="A counterexample of A, run under B as well."
)
@click.option("--apart-on", metavar="PROPERTY", help="Search the shortest schedule that tells them apart on this.")
@click.option("-c", "constants", multiple=True, metavar="NAME=VALUE", help="A constant, where a model has it.")
@click.option("--refusal-counts", is_flag=True, help="With --apart-on: a variant that cannot follow shows nothing.")
@click.option(
    "--engine", type=click.Choice(list(STEPPERS)), default="evaluator", show_default=True, help="What searches."
)
@click.option("--to", "form", type=click.Choice(list(FORMS)), default="txt", show_default=True, help="The form.")
@click.option("-o", "output", type=click.Path(path_type=Path), help="Write the comparison there.")
@click.option("--script", type=click.Path(path_type=Path), help="With --apart-on: write the schedule there.")
@click.option("--max-states", type=click.IntRange(min=1), help="Cut off after this many states, or pairs of sets.")
@click.option("--max-seconds", type=click.FloatRange(min=0), help="Cut off after this long.")
@click.option("--max-memory", metavar="SIZE", help="Cut off at this resident size, such as 8G.")
def compare(
    first: str,
    second: str,
    trace_file: Path | None,
    apart_on: str | None,
    constants: tuple[str, ...],
    refusal_counts: bool,
    engine: str,
    form: str,
    output: Path | None,
    script: Path | None,
    max_states: int | None,
    max_seconds: float | None,
    max_memory: str | None,
) -> int:
    """Show variants A and B side by side, under one schedule of the environment's steps (docs/schedules.md)."""
    limits = Limits(states=max_states, seconds=max_seconds, memory=parse_size(max_memory))
    chosen = parse_constants(constants)
    if (trace_file is None) == (apart_on is None):
        raise UsageError("compare A B takes either --trace TRACE.json or --apart-on PROPERTY: give one of the two.")
    if trace_file is not None:
        if chosen or refusal_counts or script:
            raise UsageError(
                "--trace brings its own constants and schedule: leave -c, --refusal-counts and --script out."
            )
        pair = _traced(read_trace(trace_file), first, second, limits)
        _write(FORMS[form](pair), output)
        return 20 if pair.left.run.cut or pair.right.run.cut else 0
    one, two = _variants(first, second, chosen)
    with ProgressLine(console(stderr=True)) as progress:
        told = tell_apart(
            apart_on or "", one, two, limits, refusal_counts=refusal_counts, stepper=engine, progress=progress
        )
    return _told(told, apart_on or "", (first, second), form, output, script)


def _traced(trace: Trace, first: str, second: str, limits: Limits) -> Pair:
    return compare_trace(trace, *_variants(first, second, _constants(trace)), limits)


def _constants(trace: Trace) -> dict[str, str]:
    return {name: shown(value) for name, value in trace.constants.items()}


def _variants(first: str, second: str, chosen: dict[str, str]) -> tuple[Variant, Variant]:
    """Both variants with the constants that each has. Raises UsageError for one that neither has."""
    texts = {name: read_model(find_model(name)) for name in (first, second)}
    known = {name: {n for c in text.constants for n in (c.name, c.setting) if n} for name, text in texts.items()}
    for name in chosen:
        if not any(name in names for names in known.values()):
            every = set().union(*known.values())
            raise UsageError(f"neither model has a constant {plain(name)}.{nearest(name, every)}")

    def variant(name: str) -> Variant:
        return Variant(name, vocabulary(bind(texts[name], {n: v for n, v in chosen.items() if n in known[name]})))

    return variant(first), variant(second)


def _told(told: Told, name: str, models: tuple[str, str], form: str, output: Path | None, script: Path | None) -> int:
    apart = told.apart
    looked = f"{counted(apart.nodes, 'pair')} of sets, {counted(apart.states, 'state')}, {apart.seconds:.1f} s"
    both = f"{models[0]} and {models[1]}"
    if told.pair is None or told.script is None:
        if apart.cut:
            click.echo(f"undetermined: the search for a schedule that tells {both} apart on {name} ended {apart.cut}.")
            click.echo(f"No schedule of up to {counted(apart.depth, 'step')} does; {looked}.")
            return 20
        click.echo(f"{both} cannot be told apart on {name} within these bounds; {looked}.")
        return 0
    if script:
        write_aside(script, told.script)
    if form == "txt" and not output:
        click.echo(f"{both} are told apart on {name} by {counted(len(told.labels), 'step')}; {looked}.\n")
        click.echo(told.script)
    _write(FORMS[form](told.pair), output)
    return 0


def _write(text: str, output: Path | None) -> None:
    if output:
        write_aside(output, text)
    else:
        click.echo(text, nl=False)
