"""isrcheck report."""

import inspect
import shlex
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from isrcheck.api import check
from isrcheck.catalogue import find_model
from isrcheck.commands.headings import SectionedCommand
from isrcheck.commands.options import COUNT, FILE, console, limit_options, parse_constants
from isrcheck.engines.contract import Limits, Options
from isrcheck.engines.registry import ENGINES
from isrcheck.errors import AssumptionFalse, Disagreement, ModelError, UsageError, nearest
from isrcheck.evidence.progress import ProgressLine
from isrcheck.evidence.report.entry import Failed, ReportedRun, from_outcome, sentence_of
from isrcheck.evidence.report.facts import describe_machine, facts_of, noise_of, title
from isrcheck.evidence.report.folder import refuse_another, write_report
from isrcheck.grid.cells import read_grid_model
from isrcheck.lang.read import read_model
from isrcheck.passes.constants import choose_constants
from isrcheck.run.invocation import limits_as_options, line
from isrcheck.run.outcome import worst
from isrcheck.run.trace import encode
from isrcheck.version import __version__


@click.command(
    cls=SectionedCommand,
    headings={
        "Runs": "-c --run",
        "How to search": "--engine --workers --symmetry",
        "Limits": "--max-states --max-depth --max-seconds --max-memory",
        "Output": "-o --pages --exit-zero",
    },
)
@click.argument("models", metavar="[MODEL]...", nargs=-1)
@click.option("-c", "constants", multiple=True, metavar="NAME=VALUE", help="A constant, in each MODEL that has it.")
@click.option("--run", "runs", multiple=True, metavar="'MODEL NAME=VALUE ...'", help="A further run, with constants.")
@click.option("-o", "output", type=FILE, metavar="DIR", help="The folder to write; a report there is replaced.")
@click.option("--engine", default=next(iter(ENGINES)), show_default=True, metavar="NAME", help="What searches.")
@click.option("--workers", type=COUNT, default=1, show_default=True, help="Threads that search.")
@click.option("--symmetry/--no-symmetry", help="Treat states alike that differ only in who is who.")
@limit_options("states", "depth", "seconds", "memory", of="each run")
@click.option("--pages/--no-pages", default=True, help="A page for each trace, or its drawing alone.")
@click.option("--exit-zero", is_flag=True, help="Exit 0 if the report was written, whatever it says.")
def report(
    models: tuple[str, ...],
    constants: tuple[str, ...],
    runs: tuple[str, ...],
    output: Path | None,
    pages: bool,
    exit_zero: bool,
    engine: str,
    limits: Limits,
    **options: Any,
) -> int:
    """Check models and write the results as a folder of pages.

    DIR gets index.html, facts.json, noise.json and the traces (docs/report.md). The worst exit code of a run is that
    of the report.
    """
    if not (models or runs) or output is None:
        raise UsageError("a report needs runs and a folder: write isrcheck report MODEL ... -o DIR.")
    refuse_another(output)
    plan = plan_runs(models, parse_constants(constants), runs)
    with ProgressLine(console(stderr=True), None) as progress:
        how = {"engine": engine, "limits": limits, "options": Options(**options)}
        entries = [report_run(run, progress, **how) for run in plan]
    command = line(
        "report",
        *models,
        c=constants,
        run=runs,
        engine=engine if engine != next(iter(ENGINES)) else None,
        symmetry=options["symmetry"],
        **limits_as_options(limits),
        no_pages=not pages,
    )
    facts = facts_of(entries, __version__, f"{command} -o DIR", pages)
    write_report(output, entries, facts, noise_of(entries, describe_machine(_sources(run.model for run in plan))))
    _tell(facts, output)
    return 0 if exit_zero else worst(codes_of(facts["runs"]))


def codes_of(runs: list[dict[str, Any]]) -> Iterator[int]:
    """Yield the exit codes of the runs, and 20 if none of them decides a property."""
    yield from (run["exit"] for run in runs)
    if not any("failed" in run or run["properties"] for run in runs):
        yield 20


def _sources(models: Any) -> list[Path]:
    files = []
    for model in models:
        with suppress(ModelError, OSError, TypeError):
            files.append(Path(inspect.getfile(find_model(model))))
    return files


def _tell(facts: dict[str, Any], output: Path) -> None:
    screen = console()
    for run in facts["runs"]:
        screen.print(f"{title(run)}: {_sentence(run)}", markup=False, highlight=False)
    screen.print(f"Written: {output / 'index.html'}", markup=False, highlight=False)


def _sentence(run: dict[str, Any]) -> str:
    if "failed" in run:
        return f"no verdict, exit {run['exit']}: {run['failed']}"
    return str(run["verdict"]) if run["properties"] else "nothing is decided, as no property is asked that applies"


@dataclass(frozen=True)
class Planned:
    """A run to make for a report: a model and its constants."""

    model: str
    constants: dict[str, str]


def plan_runs(models: Iterable[str], constants: dict[str, str], runs: Iterable[str]) -> tuple[Planned, ...]:
    """List the runs of a report: each model with the constants that it has, then each of `runs`. Raises UsageError."""
    known = [read_grid_model(name) for name in models]
    names = {name for model in known for name in model.names}
    for name in constants:
        if name not in names and all(model.ir for model in known):
            raise UsageError(f"none of the models has a constant {name}.{nearest(name, names)}")
    for_all = (
        Planned(model.name, {n: v for n, v in constants.items() if model.ir is None or n in model.names})
        for model in known
    )
    return (*for_all, *map(_parse_run, runs))


def _parse_run(run: str) -> Planned:
    try:
        model, *constants = shlex.split(run)
    except ValueError:
        raise UsageError(f"--run '{run}' is not a run: write --run 'MODEL NAME=VALUE ...'.") from None
    for argument in constants:
        if not all(argument.partition("=")):
            raise UsageError(
                f"{argument} in --run '{run}' is not a valid constant: write NAME=VALUE, such as replicas=3."
            )
    return Planned(model, parse_constants(tuple(constants)))


def report_run(run: Planned, progress: ProgressLine, **how: Any) -> ReportedRun:
    """Run one line of the report: its outcome, or its failure. Raises UsageError or KeyboardInterrupt."""
    try:
        outcome = check(run.model, constants=run.constants, progress=progress, vacuity=True, **how)
    except (ModelError, AssumptionFalse, Disagreement) as error:
        return Failed(run.model, _constants(run), error.exit_code, sentence_of(error))
    if outcome.interrupted:
        raise KeyboardInterrupt
    return from_outcome(outcome)


def _constants(run: Planned) -> dict[str, Any]:
    try:
        chosen, _ = choose_constants(read_model(find_model(run.model)), run.constants)
    except ModelError:
        return dict(run.constants)
    return {name: encode(value) for name, value in chosen.items()}
