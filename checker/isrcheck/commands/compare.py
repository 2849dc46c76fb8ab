"""isrcheck compare."""

from pathlib import Path

import click

from isrcheck.commands.deliver import show_document
from isrcheck.commands.options import COUNT, FILE, console, limit_options, parse_constants
from isrcheck.compare.cells import cell_limits, cells_of_files, cells_of_models, with_vacuity
from isrcheck.compare.matrix import reports_of, run_cells
from isrcheck.engines.contract import NO_LIMITS, Limits
from isrcheck.errors import UsageError
from isrcheck.evidence.progress import TallyLine
from isrcheck.evidence.report.facts import describe_machine, facts_of, noise_of
from isrcheck.evidence.report.folder import refuse_another, write_report
from isrcheck.evidence.report.matrix import comparison, is_undecided, summary
from isrcheck.gate.cells import GateCell
from isrcheck.run.invocation import limits_as_options, line
from isrcheck.run.outcome import worst
from isrcheck.version import __version__

_FORMS = ("txt", "md", "html", "report")


@click.command()
@click.argument("models", metavar="MODEL|SPEC.toml...", nargs=-1, required=True)
@click.option("-c", "constants", multiple=True, metavar="NAME=VALUE", help="A constant, where a model has it; or 2,3.")
@click.option("--property", "properties", multiple=True, metavar="NAME", help="A column of the matrix, not all.")
@click.option("--differing", is_flag=True, help="Leave out the properties on which all rows agree.")
@limit_options("states", "depth", "seconds", "memory", of="each run")
@click.option("--workers", type=COUNT, help="Runs at a time.  [default: one a processor]")
@click.option(
    "--to", "form", type=click.Choice(_FORMS), default="txt", show_default=True, help="The form; a report is a folder."
)
@click.option("-o", "output", type=FILE, metavar="FILE|DIR", help="Write it there; an earlier report is replaced.")
def compare(
    models: tuple[str, ...],
    constants: tuple[str, ...],
    properties: tuple[str, ...],
    differing: bool,
    limits: Limits,
    workers: int | None,
    form: str,
    output: Path | None,
) -> int:
    """Show the verdicts of variants side by side.

    A row is a model with its constants, a column a property (docs/compare.md). MODEL is a name, a pattern such as
    'isr-*' or '!isr-kip-501', or FILE.py:Class; of a spec every run is a row. A run is cut off after 300 seconds, or at
    4G, unless it is given other limits. A report has a page of all runs, with their traces (docs/report.md).
    """
    report = _folder(output, differing) if form == "report" else None
    cells = _cells(models, constants, properties, limits)
    with TallyLine(console(stderr=True), "reading the models") as progress:
        runs = run_cells(with_vacuity(cells) if report else cells, workers, progress.say)
        entries = reports_of(runs, with_traces=report is not None)
    asked = {"c": constants, "property": properties, "differing": differing, **limits_as_options(limits)}
    command = line("compare", *models, **asked, to="report" if report else None)
    facts = facts_of(entries, __version__, f"{command} -o DIR" if report else command)
    if report:
        write_report(report, entries, facts, noise_of(entries, describe_machine()))
        click.echo(f"{summary(facts['runs'])}\nWritten: {report / 'index.html'}")
    else:
        show_document(comparison(facts, with_command=form == "html", only_differing=differing), form, output)
    codes = [run["exit"] for run in facts["runs"] if "failed" in run]
    return worst([*codes, *(20 for run in facts["runs"] if is_undecided(run))])


def _folder(output: Path | None, differing: bool) -> Path:
    """Return the folder of a report, which may be new or an earlier report. Raises UsageError."""
    if output is None:
        raise UsageError("a report is a folder of pages: say where with -o DIR.")
    if differing:
        raise UsageError("a report has every property: leave --differing out.")
    refuse_another(output)
    return output


def _cells(
    models: tuple[str, ...], constants: tuple[str, ...], properties: tuple[str, ...], limits: Limits
) -> list[GateCell]:
    """The runs of models, or of specs, which say what they run themselves. Raises UsageError."""
    specs = [name for name in models if name.endswith(".toml")]
    if not specs:
        return cells_of_models(models, parse_constants(constants), properties, cell_limits(limits))
    if len(specs) < len(models):
        raise UsageError(f"{specs[0]} is a spec and other names are models: compare the ones or the others.")
    if constants or properties or limits != NO_LIMITS:
        raise UsageError(
            f"{specs[0]} says its own constants, properties and limits: leave -c, --property and --max-... out."
        )
    return cells_of_files(list(map(Path, specs)))
