"""isrcheck render."""

import re
from pathlib import Path

import click

from isrcheck.catalogue import find_model
from isrcheck.commands.deliver import hand_over
from isrcheck.commands.options import FILE, parse_constants
from isrcheck.errors import UsageError
from isrcheck.evidence.follow import with_what_follows
from isrcheck.evidence.forms.table import FOLLOWED, FORMS, render_trace
from isrcheck.ir.frozen import replace
from isrcheck.lang.drawing import Drawing, Sentence
from isrcheck.lang.read import read_model
from isrcheck.passes import bind
from isrcheck.run.trace import Trace, read_trace
from isrcheck.tla.export import to_tla
from isrcheck.tla.traces import read_tlc_trace


@click.command()
@click.argument("trace", type=FILE)
@click.option(
    "--to",
    "form",
    type=click.Choice(list(FORMS)),
    metavar="FORM",
    required=True,
    help=f"One of {', '.join(FORMS)}.",
)
@click.option("--values", is_flag=True, help="Instead of sentences, each step's call and every variable it changes.")
@click.option("--steps", metavar="A-B", help="Only these: the state after step A comes first.")
@click.option("--model", help="TRACE is what TLC wrote of this model with -dumpTrace json.")
@click.option("-c", "constants", multiple=True, metavar="NAME=VALUE", help="With --model: a constant that TLC had.")
@click.option("-o", "output", type=FILE, help="Write it to that file.")
def render(
    trace: Path,
    form: str,
    values: bool,
    steps: str | None,
    model: str | None,
    constants: tuple[str, ...],
    output: Path | None,
) -> None:
    """Show a trace as text, a drawing, a page or a script.

    TRACE is a file that `check --trace-dir` wrote, or TLC with -dumpTrace json, which needs --model (docs/drawing.md).
    """
    if constants and model is None:
        raise UsageError(
            "a trace of isrcheck has its constants: leave -c out, or name the model of TLC's with --model."
        )
    loaded = _trace_of_tlc(trace, model, parse_constants(constants)) if model else read_trace(trace)
    if steps is not None:
        loaded = _between(loaded, steps)
    if values and loaded.drawing:
        kept = (mark for mark in loaded.drawing.words if not isinstance(mark, Sentence))
        loaded = replace(loaded, drawing=Drawing(*kept))
    if form in FOLLOWED:
        loaded = with_what_follows(loaded)
    hand_over(render_trace(loaded, form), output)


def _trace_of_tlc(file: Path, model: str, constants: dict[str, str]) -> Trace:
    bound = bind(read_model(find_model(model)), constants)
    return read_tlc_trace(file, to_tla(bound), bound, model)


def _between(trace: Trace, steps: str) -> Trace:
    """The steps after A up to B. Raises UsageError if there are no such steps."""
    match = re.fullmatch(r"(\d+)-(\d+)", steps)
    first, last = map(int, match.groups()) if match else (1, 0)
    if not first < last < trace.length:
        asked = f"write --steps A-B with A below B and B at most {trace.length - 1}"
        raise UsageError(f"--steps {steps} are no steps of this trace: {asked}.")
    begin = replace(trace.steps[first], action="", arguments={}, truncation="")
    is_end = last == trace.length - 1 and trace.loop is not None and first <= trace.loop
    loop = trace.loop - first if is_end and trace.loop is not None else None
    return replace(trace, steps=(begin, *trace.steps[first + 1 : last + 1]), loop=loop, omitted=first)
