"""isrcheck export."""

from dataclasses import dataclass
from pathlib import Path

import click

from isrcheck.catalogue import find_model
from isrcheck.commands.deliver import hand_over
from isrcheck.commands.options import COUNT, FILE, console, names_asked, parse_constants
from isrcheck.engines.reference.stepper import ReferenceStepper
from isrcheck.errors import UsageError
from isrcheck.evidence.graph.explored import MAX_STATES, View, advice, explore
from isrcheck.evidence.graph.table import GRAPH_FORMS, refuse_to_draw
from isrcheck.evidence.graph.views import complete_view, expression, quotient
from isrcheck.evidence.progress import ProgressLine
from isrcheck.lang.read import read_model
from isrcheck.liveness.deciding import environment
from isrcheck.passes import bind, check_domains
from isrcheck.passes.bind import BoundModel
from isrcheck.run.deciding import choose_properties
from isrcheck.run.invocation import assignments, line
from isrcheck.tla.export import to_tla, write_folder


@dataclass(frozen=True)
class ExportOptions:
    model: str
    form: str
    constants: tuple[str, ...]
    properties: tuple[str, ...]
    fairness: tuple[str, ...]
    by: tuple[str, ...]
    max_states: int | None

    @property
    def bound(self) -> BoundModel:
        return bind(read_model(find_model(self.model)), parse_constants(self.constants))


def _data_set(options: ExportOptions, output: Path | None) -> None:
    if output is None:
        raise UsageError("parquet is a folder of files: say where with -o DIR.")
    if options.by:
        raise UsageError("--to parquet writes the whole graph: leave --by out.")
    from isrcheck.pipeline.dataset import MOST_STATES, export_graph

    bound = options.bound
    constants = assignments(bound.constants)
    command = line("export", options.model, c=constants, property=options.properties, to="parquet")
    with ProgressLine(console(stderr=True), None) as progress:
        about = export_graph(
            bound,
            options.model,
            choose_properties(bound, names_asked(options.properties)),
            output,
            max_states=options.max_states or MOST_STATES,
            command=f"{command} -o DIR",
            tell=progress,
        )
    rows = about["rows"]
    click.echo(f"Written: {output}: {rows['states']:,} states, {rows['edges']:,} edges, {rows['verdicts']:,} verdicts.")


def _modules(options: ExportOptions, output: Path | None) -> None:
    if options.by or options.properties:
        raise UsageError("--to tla exports a model's text, not its states: leave --by and --property out.")
    bound = options.bound
    environments = [environment(bound, name).name for name in options.fairness]
    if output is None:
        raise UsageError("--to tla writes several files: give a folder with -o DIR.")
    if output.is_file():
        raise UsageError(f"{output} is a file, and --to tla writes several: give a folder.")
    for file in write_folder(to_tla(bound, environments).files, output):
        click.echo(file)


FOLDERS = {"parquet": _data_set, "tla": _modules}  # forms that are no single file


@click.command()
@click.argument("model")
@click.option("--to", "form", type=click.Choice([*GRAPH_FORMS, *FOLDERS]), help="The form of the output.")
@click.option("-c", "constants", multiple=True, metavar="NAME=VALUE", help="Choose a constant.")
@click.option(
    "--property",
    "properties",
    multiple=True,
    metavar="NAME",
    help="Mark the states that violate it; none for no marks.",
)
@click.option("--fairness", multiple=True, metavar="NAME", help="TLA+: assume this environment of the model.")
@click.option("--by", multiple=True, metavar="EXPR", help="Group states alike in a, a.field, 'a[r0]', or a method.")
@click.option(
    "--max-states",
    type=COUNT,
    help=f"Cut off there: by default at {MAX_STATES:,}; parquet is not cut but refused, by default above 10,000,000.",
)
@click.option("-o", "output", type=FILE, help="A file; for tla and parquet a folder.")
def export(output: Path | None, form: str | None, **asked: object) -> None:
    """Write a model as TLA+, or its state graph.

    MODEL is a name from `isrcheck list`, or FILE.py:Class (docs/tla.md).
    """
    if form is None:
        raise UsageError(f"say what to export: give --to with one of {', '.join((*GRAPH_FORMS, *FOLDERS))}.")
    options = ExportOptions(form=form, **asked)  # type: ignore[arg-type] # click checks what it passes on
    if options.fairness and options.form != "tla":
        raise UsageError("--fairness is of modules: write it with --to tla.")
    if options.form in FOLDERS:
        FOLDERS[options.form](options, output)
    else:
        view = _view(options)
        if view.cut:
            console(stderr=True).print(f"The graph is not complete: the search was cut off {view.cut}.", style="yellow")
        hand_over(GRAPH_FORMS[options.form](view), output)


def _view(options: ExportOptions) -> View:
    ir = read_model(find_model(options.model))
    check_domains(ir)
    bound = bind(ir, parse_constants(options.constants))
    named = names_asked(options.properties)
    chosen = choose_properties(bound, named)
    if named is None:  # claims of reachability are marked only where they are asked for
        chosen = tuple(p.name for p in bound.properties if p.kind.is_violation)
    stepper, most = ReferenceStepper(bound), options.max_states or MAX_STATES
    by = [expression(stepper, source) for source in options.by]
    with ProgressLine(console(stderr=True), None) as progress:
        graph = explore(stepper, chosen, most, progress)
    if by:
        return quotient(graph, by, options.model)
    refuse_to_draw(options.model, len(graph.states), "states", graph.cut, advice(graph))
    return complete_view(graph, options.model)
