"""isrcheck compare."""

from dataclasses import dataclass
from pathlib import Path

import click

from isrcheck.budget import alarmed, budget
from isrcheck.commands.compare_matrix import FORMS as MATRIX_FORMS
from isrcheck.commands.compare_matrix import cells_of_files, cells_of_models, matrix
from isrcheck.commands.compare_pair import FORMS as PAIR_FORMS
from isrcheck.commands.compare_pair import distinguished, traced
from isrcheck.commands.compare_since import SINCE_FORMS, since
from isrcheck.commands.options import SECONDS_TYPE, parse_constants
from isrcheck.engines.contract import Limits
from isrcheck.errors import UsageError
from isrcheck.grid.size import parse_size
from isrcheck.run.invocation import line
from isrcheck.schedule.compare import STEPPERS, DistinguishingOptions

SECONDS, MEMORY = 300.0, "4G"  # of one cell of the matrix, unless others are asked for


@dataclass(frozen=True)
class CompareOptions:
    """What the command line asks for."""

    models: tuple[str, ...]
    trace_file: Path | None
    distinguish_on: str | None
    since: str | None
    constants: tuple[str, ...]
    properties: tuple[str, ...]
    refusal_counts: bool
    engine: str | None
    workers: int | None
    form: str
    output: Path | None
    script: Path | None
    max_states: int | None
    max_depth: int | None
    max_seconds: float | None
    max_memory: str | None

    def limits(self, seconds: float | None = None, memory: str | None = None) -> Limits:
        """The limits asked for, or these."""
        wanted = seconds if self.max_seconds is None else self.max_seconds
        return Limits(self.max_states, self.max_depth, wanted, parse_size(self.max_memory or memory))


@click.command()
@click.argument("models", metavar="[MODEL|SPEC.toml]...", nargs=-1)
@click.option(
    "-c", "constants", multiple=True, metavar="NAME=VALUE", help="A constant, where a model has it; 2,3 or 1..4 too."
)
@click.option(
    "--property", "properties", multiple=True, metavar="NAME", help="A column of the matrix; all without one."
)
@click.option("--since", metavar="REF", help="Each MODEL as it was at this revision of git, against now.")
@click.option(
    "--trace", "trace_file", type=click.Path(path_type=Path), help="Of A B: a counterexample of A, run under B as well."
)
@click.option(
    "--distinguish",
    "--apart-on",
    "distinguish_on",
    metavar="PROPERTY",
    help="Of A B: the shortest schedule that distinguishes them on this.",
)
@click.option("--refusal-counts", is_flag=True, help="With --distinguish: a variant that cannot follow shows nothing.")
@click.option(
    "--engine", type=click.Choice(list(STEPPERS)), help="With --distinguish: what searches.  [default: evaluator]"
)
@click.option("--script", type=click.Path(path_type=Path), help="With --distinguish: write the schedule there.")
@click.option("--workers", type=click.IntRange(min=1), help="Cells at a time.  [default: one a processor]")
@click.option(
    "--to",
    "form",
    type=click.Choice(["txt", "md", "html", "csv", "svg"]),
    default="txt",
    show_default=True,
    help="The form.",
)
@click.option("-o", "output", type=click.Path(path_type=Path), help="Write the comparison there.")
@click.option("--max-states", type=click.IntRange(min=1), help="Cut off after this many states, or pairs of sets.")
@click.option("--max-depth", type=click.IntRange(min=1), help="Cut each cell off at this depth.")
@click.option("--max-seconds", type=SECONDS_TYPE, help=f"Cut off after this long.  [default for a cell: {SECONDS:g}]")
@click.option("--max-memory", metavar="SIZE", help=f"Cut off at this resident size.  [default for a cell: {MEMORY}]")
def compare(**asked: object) -> int:
    """Compare variants: the matrix of models (or patterns such as 'isr-*') or specs by properties and bounds.

    With --since, each MODEL against what it was. With --trace or --distinguish, models A and B side by side, under one
    schedule of the environment's steps (docs/compare.md, docs/schedules.md).
    """
    order = CompareOptions(**asked)  # type: ignore[arg-type] # click checks what it passes on
    _refuse_what_does_not_go_together(order)
    if order.trace_file is not None or order.distinguish_on is not None:
        return _side_by_side(order)
    limits = order.limits(SECONDS, MEMORY)
    chosen = parse_constants(order.constants)
    if order.since is not None:
        return since(order.since, order.models, chosen, order.properties, limits, order.form, order.output)
    specs = [name for name in order.models if name.endswith(".toml")]
    if not specs:
        cells = cells_of_models(order.models, chosen, order.properties, limits)
    else:
        _refuse_beside_specs(order, specs)
        cells = cells_of_files([Path(name) for name in specs])
    return matrix(cells, order.workers, _command(order), order.form, order.output)


def _side_by_side(order: CompareOptions) -> int:
    first, second = order.models
    limits = order.limits()
    with budget(limits.seconds, limits.memory), alarmed():
        if order.trace_file is not None:
            return traced(order.trace_file, (first, second), limits, order.form, order.output)
        chosen = parse_constants(order.constants)
        name, stepper = order.distinguish_on or "", order.engine or "evaluator"
        options = DistinguishingOptions(name, limits, order.refusal_counts, stepper)
        return distinguished((first, second), chosen, options, order.form, order.output, order.script)


def _refuse_what_does_not_go_together(order: CompareOptions) -> None:
    """Raises UsageError unless the options belong to one of the three ways to compare."""
    ways = {
        "--trace TRACE.json": order.trace_file,
        "--distinguish PROPERTY": order.distinguish_on,
        "--since REF": order.since,
    }
    given = [way for way, value in ways.items() if value is not None]
    if len(given) > 1:
        raise UsageError(f"{' and '.join(given)} are different comparisons: give one of the two.")
    if not order.models:
        raise UsageError("there is nothing to compare: name models, patterns such as 'isr-*', or a SPEC.toml.")
    if order.trace_file is not None and (order.constants or order.refusal_counts or order.script):
        raise UsageError("--trace brings its own constants and schedule: leave -c, --refusal-counts and --script out.")
    pair = order.trace_file is not None or order.distinguish_on is not None
    if pair and len(order.models) != 2:
        raise UsageError(f"{given[0]} compares two models, A and B, and {len(order.models)} were given.")
    _refuse(order, given[0] if given else "the matrix", pair)


def _refuse(order: CompareOptions, way: str, pair: bool) -> None:
    others = {"--property": order.properties, "--workers": order.workers, "--max-depth": order.max_depth}
    only = {"--refusal-counts": order.refusal_counts, "--script": order.script, "--engine": order.engine}
    for option, value in (others if pair else only).items():
        if value:
            raise UsageError(f"{option} does not go with {way}: leave it out.")
    if order.since is not None and order.workers:
        raise UsageError("--workers does not go with --since: leave it out.")
    known = list(PAIR_FORMS) if pair else list(SINCE_FORMS) if order.since is not None else ["txt", *MATRIX_FORMS]
    if order.form not in known:
        raise UsageError(f"{way} has no form {order.form}: take one of {', '.join(known)}.")


def _refuse_beside_specs(order: CompareOptions, specs: list[str]) -> None:
    """Raises UsageError for what a spec says itself."""
    if len(specs) < len(order.models):
        raise UsageError(f"{specs[0]} is a spec and other names are models: compare the ones or the others.")
    limits = (order.max_states, order.max_depth, order.max_seconds, order.max_memory)
    if order.constants or order.properties or any(limit is not None for limit in limits):
        raise UsageError(
            f"{specs[0]} says its own constants, properties and limits: leave -c, --property and --max-... out."
        )


def _command(order: CompareOptions) -> str:
    """The line that makes the matrix again."""
    cuts = {"states": order.max_states, "depth": order.max_depth, "seconds": order.max_seconds}
    limits = {f"max_{name}": value for name, value in {**cuts, "memory": order.max_memory}.items()}
    return line("compare", *order.models, c=order.constants, property=order.properties, **limits)
