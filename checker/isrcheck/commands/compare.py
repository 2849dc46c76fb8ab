"""isrcheck compare."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
from msgspec import structs

from isrcheck.commands.deliver import hand_over, show_document
from isrcheck.commands.options import COUNT, FILE, console, limit_options, parse_constants
from isrcheck.compare.cells import CELL_LIMITS, cells_of_files, cells_of_models, grid_of
from isrcheck.compare.matrix import run_cells
from isrcheck.compare.since import ModelChange, changes, changes_document
from isrcheck.engines.contract import NO_LIMITS, Limits
from isrcheck.errors import UsageError
from isrcheck.evidence.document import Document
from isrcheck.evidence.progress import ProgressLine, TallyLine
from isrcheck.evidence.report.facts import facts_of
from isrcheck.evidence.report.matrix import comparison, is_undecided, matrix_csv
from isrcheck.files import write_aside
from isrcheck.grid.cells import check_names, read_grid_model, select_models
from isrcheck.ir.frozen import replace
from isrcheck.process.budget import budget, phase, poll_by_timer
from isrcheck.run.invocation import limits_as_options, line
from isrcheck.run.outcome import worst
from isrcheck.run.trace import Trace, read_trace, show_encoded
from isrcheck.schedule import compare as pairs
from isrcheck.schedule.pair import Pair, pair_document, picture
from isrcheck.version import __version__

_STATES_SINCE = 2_000_000  # unless another limit is asked for: both sides keep theirs in memory
_MATRIX_FORMS = ("txt", "md", "html", "csv")
_SINCE_FORMS = ("txt", "md")
_PAIR_FORMS = ("txt", "md", "svg", "html")
_FORMS = tuple(dict.fromkeys((*_MATRIX_FORMS, *_SINCE_FORMS, *_PAIR_FORMS)))


@dataclass(frozen=True)
class CompareOptions:
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
    limits: Limits

    @property
    def cell_limits(self) -> Limits:
        asked = {name: value for name, value in structs.asdict(self.limits).items() if value is not None}
        return replace(CELL_LIMITS, **asked)


@click.command()
@click.argument("models", metavar="[MODEL|SPEC.toml]...", nargs=-1)
@click.option(
    "-c", "constants", multiple=True, metavar="NAME=VALUE", help="A constant, where a model has it; 2,3 or 1..4 too."
)
@click.option(
    "--property", "properties", multiple=True, metavar="NAME", help="A column of the matrix; all without one."
)
@click.option("--since", metavar="REF", help="Each MODEL as it was at this revision of git, against now.")
@click.option("--trace", "trace_file", type=FILE, help="Of A B: a counterexample of A, run under B as well.")
@click.option(
    "--distinguish",
    "--apart-on",
    "distinguish_on",
    metavar="PROPERTY",
    help="Of A B: the shortest schedule that distinguishes them on this.",
)
@click.option("--refusal-counts", is_flag=True, help="With --distinguish: a variant that cannot follow shows nothing.")
@click.option(
    "--engine", type=click.Choice(list(pairs.STEPPERS)), help="With --distinguish: what searches.  [default: evaluator]"
)
@click.option("--script", type=FILE, help="With --distinguish: write the schedule there.")
@click.option("--workers", type=COUNT, help="Cells at a time.  [default: one a processor]")
@click.option("--to", "form", type=click.Choice(_FORMS), default="txt", show_default=True, help="The form.")
@click.option("-o", "output", type=FILE, help="Write the comparison there.")
@limit_options("states", "depth", "seconds", "memory", of="each cell, or the search for a schedule,")
def compare(**asked: Any) -> int:
    """Compare variants: the matrix of models (or patterns such as 'isr-*') or specs by properties and bounds.

    With --since, each MODEL against what it was. With --trace or --distinguish, models A and B side by side, under one
    schedule of the environment's steps (docs/compare.md, docs/schedules.md). A cell is cut off after 300 seconds, or at
    4G, unless it is given other limits.
    """
    options = CompareOptions(**asked)
    _refuse_clashes(options)
    if options.trace_file is not None or options.distinguish_on is not None:
        return _side_by_side(options)
    return _matrix(options) if options.since is None else _since(options, options.since)


def _side_by_side(options: CompareOptions) -> int:
    with budget(options.limits.seconds, options.limits.memory), poll_by_timer():
        if options.trace_file is None:
            return _distinguish(options)
        return _compare_trace(options, read_trace(options.trace_file))


def _compare_trace(options: CompareOptions, trace: Trace) -> int:
    """A counterexample of the first model, under the second as well; 20 if cut short."""
    phase("reading the models")
    constants = {name: show_encoded(value) for name, value in trace.constants.items()}
    first, second = pairs.variants_of(options.models, constants)
    phase("running the trace")
    pair = pairs.compare_trace(trace, first, second, options.limits)
    _show(pair, pair_document(pair, is_drawn=options.form == "html"), options)
    return 20 if pair.left.run.cut or pair.right.run.cut else 0


def _distinguish(options: CompareOptions) -> int:
    """The shortest schedule that distinguishes two models; 20 if cut short."""
    phase("reading the models")
    first, second = pairs.variants_of(options.models, parse_constants(options.constants))
    phase("looking for a schedule")
    name = options.distinguish_on or ""
    stepper = options.engine or "evaluator"
    asked = pairs.DistinguishingOptions(name, options.limits, options.refusal_counts, stepper)
    with ProgressLine(console(stderr=True)) as progress:
        result = pairs.distinguish(first, second, asked, progress)
    if options.script and result.script is not None:
        write_aside(options.script, result.script)
    names = f"{first.name} and {second.name}"
    document = pairs.document_of_distinction(result, name, names, is_drawn=options.form == "html")
    if result.pair is None:
        show_document(document)
        return 20 if result.distinction.cut else 0
    _show(result.pair, document, options)
    return 0


def _show(pair: Pair, document: Document, options: CompareOptions) -> None:
    if options.form == "svg":
        hand_over(picture(pair), options.output)
    else:
        show_document(document, options.form, options.output)


def _matrix(options: CompareOptions) -> int:
    specs = [name for name in options.models if name.endswith(".toml")]
    if specs:
        _refuse_beside_specs(options, specs)
        cells = cells_of_files([Path(name) for name in specs])
    else:
        chosen = parse_constants(options.constants)
        cells = cells_of_models(options.models, chosen, options.properties, options.cell_limits)
    with TallyLine(console(stderr=True), "reading the models") as progress:
        entries = run_cells(cells, options.workers, progress.say)
    limits = limits_as_options(options.limits)
    command = line("compare", *options.models, c=options.constants, property=options.properties, **limits)
    facts = facts_of(entries, __version__, command, pages=False)
    if options.form == "csv":
        hand_over(matrix_csv(facts["runs"]), options.output)
    else:
        show_document(comparison(facts, with_command=options.form == "html"), options.form, options.output)
    codes = [run["exit"] for run in facts["runs"] if "failed" in run]
    return worst([*codes, *(20 for run in facts["runs"] if is_undecided(run))])


def _since(options: CompareOptions, ref: str) -> int:
    """0 if nothing changed, 21 if something did, or the code of a run without a verdict."""
    if any(name.endswith(".toml") for name in options.models):
        raise UsageError("--since compares models, and a spec is given: name the models.")
    constants, limits = parse_constants(options.constants), options.cell_limits
    limits = replace(limits, states=limits.states or _STATES_SINCE)
    grid = grid_of(options.models, {n: (v,) for n, v in constants.items()}, options.properties, limits)
    models = select_models(grid)
    check_names(grid, list(map(read_grid_model, models)))
    with console(stderr=True).status(f"{len(models)} models, then and now"):
        commit, all_changes = changes(ref, models, constants, options.properties, limits)
    show_document(changes_document(ref, commit, all_changes), options.form, options.output)
    return _code(all_changes)


def _code(all_changes: Sequence[ModelChange]) -> int:
    """No verdict goes before a change, and that before a cut."""
    failed = {change.new["exit"] for change in all_changes if "failed" in change.new}
    for code in (70, 75, 2, 10):
        if code in failed:
            return code
    if not all(change.is_none for change in all_changes):
        return 21
    return 20 if any(c.is_undetermined or c.unknown for c in all_changes) else 0


def _refuse_clashes(options: CompareOptions) -> None:
    """Refuse options that belong to different ways to compare. Raises UsageError."""
    ways = {
        "--trace TRACE.json": options.trace_file,
        "--distinguish PROPERTY": options.distinguish_on,
        "--since REF": options.since,
    }
    given = [way for way, value in ways.items() if value is not None]
    if len(given) > 1:
        raise UsageError(f"{' and '.join(given)} are different comparisons: give one of the two.")
    if not options.models:
        raise UsageError("there is nothing to compare: name models, patterns such as 'isr-*', or a SPEC.toml.")
    if options.trace_file is not None and (options.constants or options.refusal_counts or options.script):
        raise UsageError("--trace brings its own constants and schedule: leave -c, --refusal-counts and --script out.")
    pair = options.trace_file is not None or options.distinguish_on is not None
    if pair and len(options.models) != 2:
        raise UsageError(f"{given[0]} compares two models, A and B, and {len(options.models)} were given.")
    _refuse(options, given[0] if given else "the matrix", pair)


def _refuse(options: CompareOptions, way: str, pair: bool) -> None:
    others = {"--property": options.properties, "--workers": options.workers, "--max-depth": options.limits.depth}
    only = {"--refusal-counts": options.refusal_counts, "--script": options.script, "--engine": options.engine}
    for option, value in (others if pair else only).items():
        if value:
            raise UsageError(f"{option} does not go with {way}: leave it out.")
    if options.since is not None and options.workers:
        raise UsageError("--workers does not go with --since: leave it out.")
    known = _PAIR_FORMS if pair else _MATRIX_FORMS if options.since is None else _SINCE_FORMS
    if options.form not in known:
        raise UsageError(f"{way} has no form {options.form}: take one of {', '.join(known)}.")


def _refuse_beside_specs(options: CompareOptions, specs: list[str]) -> None:
    """Refuse options that say what a spec says itself. Raises UsageError."""
    if len(specs) < len(options.models):
        raise UsageError(f"{specs[0]} is a spec and other names are models: compare the ones or the others.")
    if options.constants or options.properties or options.limits != NO_LIMITS:
        raise UsageError(
            f"{specs[0]} says its own constants, properties and limits: leave -c, --property and --max-... out."
        )
