"""isrcheck explore."""

import webbrowser
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import click

from isrcheck.catalogue import find_model
from isrcheck.commands.deliver import show_document
from isrcheck.commands.options import COUNT, FILE, parse_constants
from isrcheck.errors import AssumptionFalse, ModelError, UsageError
from isrcheck.evidence.document import Heading
from isrcheck.evidence.explorer.asking import WalkResult, state_document, walk_on
from isrcheck.evidence.explorer.explored_model import ExploredModel
from isrcheck.evidence.explorer.page import file_page, nearby
from isrcheck.evidence.follow import add_steps_that_follow
from isrcheck.files import file_stem, write_aside
from isrcheck.ir.property_kinds import REACHABLE
from isrcheck.lang.read import read_model
from isrcheck.passes import BoundModel, bind, check_domains
from isrcheck.passes.bind import refuse_several
from isrcheck.run.deciding import choose_properties
from isrcheck.run.replay import path_to_verdict
from isrcheck.run.trace import read_trace

MOST_STATES, MOST_WALKED = 500, 100_000
_UNDETERMINED = 20


@click.command()
@click.argument("model", metavar="MODEL|TRACE.json")
@click.option("-c", "constants", multiple=True, metavar="NAME=VALUE", help="Choose a constant.")
@click.option("--property", "properties", multiple=True, metavar="NAME", help="Show this one only.")
@click.option("-o", "output", type=FILE, help="Write there instead of explore-MODEL.html.")
@click.option("--until", multiple=True, metavar="EXPRESSION", help="Walk on to the next state where it is true.")
@click.option("--why", multiple=True, metavar="ACTION", help="Say why each choice of its parameters cannot happen.")
@click.option(
    "--max-states",
    type=COUNT,
    help=f"The most states in the file ({MOST_STATES}), or met by --until ({MOST_WALKED:,}).",
)
@click.option("--open", "show", is_flag=True, help="Open the page in the browser.")
def explore(
    model: str,
    constants: tuple[str, ...],
    properties: tuple[str, ...],
    output: Path | None,
    until: tuple[str, ...],
    why: tuple[str, ...],
    max_states: int | None,
    show: bool,
) -> int:
    """Write a page on which one walks through a model.

    MODEL is a name from `isrcheck list`, or FILE.py:Class; a TRACE that `check` wrote is followed, and gone on from.
    With --until or --why the answer is in the terminal. EXPRESSION is a condition of a state as a property would write
    it: "self.leader is None and enabled(self.elect)".
    """
    subject = _subject(model, constants, properties)
    walk = WalkResult((), 0)
    if until or subject.trace is not None:
        refuse_several(subject.name, len(subject.stepper.initials), "the explorer walks from one")
    if until or why:
        path, walk, sentence = walk_on(subject, until, why, max_states or MOST_WALKED)
        title = ": ".join(filter(None, (subject.name, sentence)))
        show_document([Heading(title)] if walk.path is None else state_document(subject, path, title, why))
        if until:
            sign = "✗" if walk.path is None else "✓"
            subject = replace(subject, trace=path, shows=f"{sentence}.", follows=(), sign=sign, cycle=None)
    if output or show or not (until or why):
        file = output or Path(f"explore-{file_stem(subject.name)}.html")
        write_aside(file, file_page(subject, nearby(subject, max_states or MOST_STATES)))
        click.echo(str(file))
        if show:
            webbrowser.open(file.resolve().as_uri())
    if walk.path is not None:
        return 0
    return _UNDETERMINED if walk.cut else REACHABLE.exit_code


def _subject(name: str, constants: tuple[str, ...], properties: tuple[str, ...]) -> ExploredModel:
    named = name.endswith(".json")
    if named and constants:
        raise UsageError(f"{name} has its own constants: leave -c out.")
    trace = read_trace(Path(name)) if named else None
    ir = read_model(find_model(trace.model if trace else name))
    check_domains(ir)
    if trace is None:
        bound = bind(ir, parse_constants(constants))
        return ExploredModel(bound, name, _of_states(bound, properties))
    try:
        bound = bind(ir, trace.constants)
    except AssumptionFalse as error:
        raise UsageError(f"{name} does not replay: {error}") from None
    path = path_to_verdict(bound, trace, name)
    follows: tuple[int, ...] = ()
    with suppress(ModelError):  # what follows is an aid, and the trace stands without it
        follows = () if trace.loop is not None else add_steps_that_follow(bound, trace, path)[1]
    kind, sign = ("Property: ", "✗") if trace.kind.is_violation else ("", "✓")
    shows = f"{trace.name} {trace.verb} {trace.when}. {kind}{' '.join(trace.sentence.split())}"
    cycle = None if trace.loop is None else (trace.loop, trace.forever)
    return ExploredModel(
        bound, trace.model, _of_states(bound, properties), path, shows, follows, sign=sign, cycle=cycle
    )


def _of_states(bound: BoundModel, names: tuple[str, ...]) -> tuple[str, ...]:
    """The properties asked, less those that no state or step decides."""
    temporal = {each.name for each in bound.ir.temporal}
    return tuple(name for name in choose_properties(bound, names or None) if name not in temporal)
