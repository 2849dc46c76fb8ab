"""isrcheck gate."""

import os
import sys
from pathlib import Path

import click

from isrcheck.commands.deliver import hand_over, show_document
from isrcheck.commands.options import COUNT, FILE, console
from isrcheck.errors import UsageError
from isrcheck.evidence.progress import TallyLine
from isrcheck.files import write_aside
from isrcheck.gate.cells import cells
from isrcheck.gate.forms import annotations, is_github, junit, sarif, save_what_differed, to_json, write_summary
from isrcheck.gate.judge import GateVerdict, judge
from isrcheck.gate.report import summary_document, summary_markdown, verdict_document
from isrcheck.gate.run import GateRunner
from isrcheck.gate.spec import read_gate_spec
from isrcheck.gate.update import difference, rewritable, rewrite, still_vacuous
from isrcheck.grid.toml_table import parse_duration
from isrcheck.run.outcome import worst


@click.command()
@click.argument("specs", metavar="[SPEC ...]", nargs=-1, type=FILE)
@click.option("--workers", type=COUNT, help="Processes that run; the machine's cores if not given.")
@click.option("--budget", metavar="TIME", help="Run what fits into this time, such as 60s or 5m; the rest fails.")
@click.option("--json", "json_file", metavar="FILE|-", help="Write the verdict as JSON; - is standard output.")
@click.option("--junit", "junit_file", type=FILE, help="Write it as JUnit XML.")
@click.option("--sarif", "sarif_file", type=FILE, help="Write it as SARIF, located at the model's own lines.")
@click.option("--summary", "summary_file", type=FILE, help="Write the short summary, with drawings, as Markdown.")
@click.option("--github/--no-github", default=None, help="Annotations and a step summary; in a workflow by itself.")
@click.option("--brief", is_flag=True, help="Show the short summary instead of all that is not as expected.")
@click.option("--trace-dir", type=FILE, help="Write traces and drawings of what differed there.")
@click.option("--update", is_flag=True, help="Show what the specs would expect instead, ask, and rewrite them.")
@click.option("--yes", is_flag=True, help="With --update: do not ask.")
def gate(
    specs: tuple[Path, ...],
    workers: int | None,
    budget: str | None,
    json_file: str | None,
    junit_file: Path | None,
    sarif_file: Path | None,
    summary_file: Path | None,
    github: bool | None,
    brief: bool,
    trace_dir: Path | None,
    update: bool,
    yes: bool,
) -> int:
    """Check that every run of a spec is as it expects.

    Without a SPEC, all of specs/*.toml (docs/gate.md). Exit 21 if something is not as expected.
    """
    if yes and not update:
        raise UsageError("--yes answers what --update asks: leave it out, or give --update too.")
    seconds = parse_duration(budget) if budget else None
    tables = [read_gate_spec(spec) for spec in _files(specs)]
    asked = [cell for spec in tables for cell in cells(spec)]
    with TallyLine(console(stderr=True), "reading the models") as progress:
        verdict = judge(GateRunner(asked, workers or os.cpu_count() or 1, seconds, progress.say).run())
    if trace_dir:
        save_what_differed(verdict, trace_dir)
    if json_file != "-":
        show_document(summary_document(verdict) if brief else verdict_document(verdict))
    if json_file:
        hand_over(to_json(verdict), json_file)
    if junit_file:
        write_aside(junit_file, junit(verdict))
    if sarif_file:
        write_aside(sarif_file, sarif(verdict))
    if summary_file:
        write_aside(summary_file, summary_markdown(verdict))
    if is_github() if github is None else github:
        for line in annotations(verdict):
            click.echo(line, err=json_file == "-")
        write_summary(summary_markdown(verdict))
    return _update(verdict, yes, json_file == "-") if update else verdict.exit


def _files(given: tuple[Path, ...]) -> list[Path]:
    files = list(dict.fromkeys(given)) or sorted(Path("specs").glob("*.toml"))
    if not files:
        raise UsageError("there is no specs/*.toml here: give the SPECs, or write one (docs/gate.md).")
    return files


def _update(verdict: GateVerdict, yes: bool, quiet: bool) -> int:
    texts = rewrite(verdict)
    if not texts:
        click.echo("nothing to rewrite: no run gave another answer than its spec expects.", err=quiet)
        return verdict.exit
    for line in difference(texts):
        click.echo(line, err=quiet)
    if not yes and not sys.stdin.isatty():
        click.echo("not rewritten: there is nobody to ask here; give --yes.", err=True)
        return verdict.exit
    if not yes and not click.confirm("Rewrite the specs so?", err=True):
        return verdict.exit
    for spec, (_, after) in texts.items():
        write_aside(spec, after)
    click.echo(f"rewritten: {', '.join(map(str, texts))}", err=quiet)
    left = {f.exit for j in verdict.cells for f in j.findings if not rewritable(j, f)}
    return worst(left | ({22} if still_vacuous(verdict) else set()) | ({130} if verdict.interrupted else set()))
