"""isrcheck export."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import click

from isrcheck.catalogue import find_model
from isrcheck.commands.deliver import hand_over
from isrcheck.commands.modules import TLA, export_modules
from isrcheck.commands.options import console, parse_constants
from isrcheck.engines.reference import ReferenceStepper
from isrcheck.errors import UsageError
from isrcheck.evidence.forms.png import SCALE
from isrcheck.evidence.graph.explored import MAX_STATES, explore
from isrcheck.evidence.graph.expressions import expression
from isrcheck.evidence.graph.neighbourhood import neighbourhood
from isrcheck.evidence.graph.quotient import quotient
from isrcheck.evidence.graph.table import ANY_SIZE, GRAPH_FORMS, refuse_to_draw
from isrcheck.evidence.graph.view import View
from isrcheck.evidence.graph.whole import whole
from isrcheck.evidence.progress import ProgressLine
from isrcheck.lang.read import read_model
from isrcheck.passes import bind, check_domains
from isrcheck.passes.lowering import PASSES, dump
from isrcheck.run.deciding import chosen_properties
from isrcheck.run.invocation import assignments, line
from isrcheck.run.trace import Trace, read_trace


@dataclass(frozen=True)
class ExportOptions:
    """What the command line asks for."""

    model: str
    form: str | None
    dump: str | None
    constants: tuple[str, ...]
    properties: tuple[str, ...]
    by: tuple[str, ...]
    trace: Path | None
    radius: int
    max_states: int | None
    scale: float


def _graph(order: ExportOptions) -> str | bytes:
    assert order.form is not None
    view = _view(order)
    if view.cut:
        console(stderr=True).print(f"The graph is not complete: the search was cut off {view.cut}.", style="yellow")
    return GRAPH_FORMS[order.form](view, order.scale)


def _data_set(order: ExportOptions, output: Path | None) -> None:
    """The whole graph as Parquet, from the native engine."""
    if output is None:
        raise UsageError("parquet is a folder of files: say where with -o DIR.")
    if order.by or order.trace:
        raise UsageError("--to parquet writes the whole graph: leave --by and --trace out.")
    from isrcheck.pipeline.dataset import MOST_STATES, export_graph

    ir = read_model(find_model(order.model))
    bound = bind(ir, parse_constants(order.constants))
    named = [p for p in order.properties if p != "none"] if order.properties else None
    command = line("export", order.model, c=assignments(bound.constants), property=order.properties, to="parquet")
    with ProgressLine(console(stderr=True), None) as progress:
        about = export_graph(
            bound,
            order.model,
            chosen_properties(bound, named),
            output,
            order.max_states or MOST_STATES,
            f"{command} -o DIR",
            progress,
        )
    rows = about["rows"]
    click.echo(f"Written: {output}: {rows['states']:,} states, {rows['edges']:,} edges, {rows['verdicts']:,} verdicts.")


def _artefact(order: ExportOptions) -> str:
    """What one pass makes of the model with these constants."""
    assert order.dump is not None
    return dump(bind(read_model(find_model(order.model)), parse_constants(order.constants)), order.dump)


def _modules(order: ExportOptions, output: Path | None) -> None:
    if order.by or order.trace or order.properties:
        raise UsageError("--to tla exports a model's text, not its states: leave --by, --trace and --property out.")
    for file in export_modules(order.model, order.constants, output):
        click.echo(file)


# By form; the forms that are not state graphs have entries of their own.
EXPORTS: dict[str, Callable[[ExportOptions], str | bytes]] = dict.fromkeys(GRAPH_FORMS, _graph)
FOLDERS: dict[str, Callable[[ExportOptions, Path | None], None]] = {  # forms that are no single file
    "parquet": _data_set,
    TLA: _modules,
}


@click.command()
@click.argument("model")
@click.option("--to", "form", type=click.Choice([*EXPORTS, *FOLDERS]), help="The form to export.")
@click.option("--dump", type=click.Choice([p.name for p in PASSES]), help="Print what this pass of the lowering makes.")
@click.option("-c", "constants", multiple=True, metavar="NAME=VALUE", help="Choose a constant.")
@click.option(
    "--property", "properties", multiple=True, metavar="NAME", help="Mark what violates this one; none: none."
)
@click.option(
    "--by", multiple=True, metavar="EXPR", help="Group states alike in this: a, a.field, 'a[r0]', or a method."
)
@click.option("--trace", type=click.Path(path_type=Path), help="Show this trace of MODEL and what is near it.")
@click.option("--radius", type=click.IntRange(min=0), default=1, show_default=True, help="How near, in steps.")
@click.option(
    "--max-states",
    type=click.IntRange(min=1),
    help=f"Cut off there: by default at {MAX_STATES:,}; parquet is not cut but refused, by default above 10,000,000.",
)
@click.option("--scale", type=click.FloatRange(0.1, 10), default=SCALE, show_default=True, help="Size of a PNG.")
@click.option("-o", "output", type=click.Path(path_type=Path), help="A file; for tla and parquet a folder.")
def export(output: Path | None, **asked: object) -> None:
    """Export MODEL, a name from the list or FILE.py:Class: its state graph, or its text as TLA+ modules."""
    order = ExportOptions(**asked)  # type: ignore[arg-type] # click checks what it passes on
    if (order.form is None) is (order.dump is None):
        raise UsageError("say what to export: --to FORM for states or TLA+, or --dump PASS for what a pass makes.")
    if order.form is None:
        hand_over(_artefact(order), "txt", output)
        return
    if order.form in FOLDERS:
        FOLDERS[order.form](order, output)
        return
    hand_over(EXPORTS[order.form](order), order.form, output)


def _view(order: ExportOptions) -> View:
    """The graph that is asked for, made on the reference."""
    trace = _trace(order)
    ir = read_model(find_model(order.model))
    check_domains(ir)
    bound = bind(ir, trace.constants if trace else parse_constants(order.constants))
    named = [p for p in order.properties if p != "none"] if order.properties else None
    chosen = chosen_properties(bound, named)
    if named is None:  # claims of reachability are marked only where they are asked for
        chosen = tuple(p.name for p in bound.properties if p.kind.is_violation)
    stepper = ReferenceStepper(bound)
    if trace:
        return neighbourhood(stepper, chosen, trace, order.radius, order.model, order.max_states or MAX_STATES)
    by = [expression(stepper, word) for word in order.by]
    with ProgressLine(console(stderr=True), None) as progress:
        found = explore(stepper, chosen, order.max_states or MAX_STATES, progress)
    if by:
        return quotient(found, by, order.model)
    if order.form not in ANY_SIZE:
        refuse_to_draw(found, order.model)
    return whole(found, order.model)


def _trace(order: ExportOptions) -> Trace | None:
    """The trace to be shown. Raises UsageError if something else is asked for that does not go with it."""
    if order.trace is None:
        return None
    if order.by:
        raise UsageError("--trace shows states one by one and --by groups them: give one of the two.")
    if order.constants:
        raise UsageError("the constants are those of the trace: leave -c out.")
    return read_trace(order.trace)
