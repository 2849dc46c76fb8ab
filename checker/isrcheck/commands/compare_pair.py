"""isrcheck compare A B: two variants side by side, under one schedule of the environment's steps."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import click

from isrcheck.catalogue import find_model, listed_name
from isrcheck.commands.options import console
from isrcheck.engines.contract import Limits
from isrcheck.errors import UsageError, counted, nearest
from isrcheck.evidence.forms.wrap import plain
from isrcheck.evidence.progress import ProgressLine
from isrcheck.files import write_aside
from isrcheck.lang.read import read_model
from isrcheck.passes import bind
from isrcheck.run.trace import Trace, read_trace, shown
from isrcheck.schedule.columns import pair_markdown, pair_text
from isrcheck.schedule.pair import Pair
from isrcheck.schedule.picture import picture, picture_page
from isrcheck.schedule.steps import vocabulary
from isrcheck.schedule.tell import Told, Variant, compare_trace, tell_apart

FORMS: dict[str, Callable[[Pair], str]] = {
    "txt": pair_text,
    "md": pair_markdown,
    "svg": picture,
    "html": picture_page,
}


def traced(trace_file: Path, first: str, second: str, limits: Limits, form: str, output: Path | None) -> int:
    """Shows a counterexample of the first model, run under the second as well; 20 if that was cut short."""
    pair = _traced(read_trace(trace_file), listed_name(first), listed_name(second), limits)
    _write(FORMS[form](pair), output)
    return 20 if pair.left.run.cut or pair.right.run.cut else 0


@dataclass(frozen=True)
class Search:
    """What tells two models apart: on which property, with which constants, how."""

    name: str
    constants: dict[str, str]
    limits: Limits
    refusal_counts: bool
    engine: str


def apart(first: str, second: str, asked: Search, form: str, output: Path | None, script: Path | None) -> int:
    """Shows the shortest schedule that tells two models apart; 20 if the search for one was cut short."""
    first, second = listed_name(first), listed_name(second)
    one, two = _variants(first, second, asked.constants)
    with ProgressLine(console(stderr=True)) as progress:
        told = tell_apart(
            asked.name,
            one,
            two,
            asked.limits,
            refusal_counts=asked.refusal_counts,
            stepper=asked.engine,
            progress=progress,
        )
    return _told(told, asked.name, (first, second), form, output, script)


def _traced(trace: Trace, first: str, second: str, limits: Limits) -> Pair:
    return compare_trace(trace, *_variants(first, second, _constants(trace)), limits)


def _constants(trace: Trace) -> dict[str, str]:
    return {name: shown(value) for name, value in trace.constants.items()}


def _variants(first: str, second: str, chosen: dict[str, str]) -> tuple[Variant, Variant]:
    """Both variants with the constants that each has. Raises UsageError for one that neither has."""
    texts = {name: read_model(find_model(name)) for name in (first, second)}
    known = {name: {n for c in ir.constants for n in (c.name, c.setting) if n} for name, ir in texts.items()}
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
        click.echo(f"{_found(told, name, both)}; {looked}.\n")
        click.echo(told.script)
    _write(FORMS[form](told.pair), output)
    return 0


def _found(told: Told, name: str, both: str) -> str:
    steps = f"a schedule of {counted(len(told.labels), 'step')}" if told.labels else "their initial states"
    if told.one_refuses:
        return f"{both} are not told apart on {name} by any schedule that both can follow, but by {steps}"
    return f"{both} are told apart on {name} by {steps}"


def _write(text: str, output: Path | None) -> None:
    if output:
        write_aside(output, text)
    else:
        click.echo(text, nl=False)
