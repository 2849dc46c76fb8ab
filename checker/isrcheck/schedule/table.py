"""What a script found, for a terminal and as JSON."""

from collections.abc import Iterator
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from isrcheck.errors import counted
from isrcheck.evidence.forms.wrap import plain
from isrcheck.run.trace import encode
from isrcheck.schedule.runs import Report
from isrcheck.schedule.variant import PropertyRun, VariantRun

SCHEMA = "isrcheck.schedule/1"

STYLES = {
    "violated": "bold red",
    "kept": "green",
    "cannot": "magenta",
    "followed": "",
    "undetermined": "yellow",
    "reached": "green",
    "unreached": "yellow",
}


def print_report(report: Report, console: Console) -> None:
    """A table of models and verdicts, who was left out and why, and what was expected and not found."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("model", style="bold", no_wrap=True)
    table.add_column("property", overflow="fold")
    table.add_column("verdict")
    table.add_column("what happened", ratio=1, overflow="fold")
    for run in report.runs:
        for number, (names, verdict, told) in enumerate(_rows(run)):
            name = plain(run.model) if number == 0 else ""
            table.add_row(Text(name), Text(names), Text(verdict, STYLES[verdict]), Text(told))
    if report.runs:
        console.print(table)
        console.print(Text("kept is said of this schedule alone: nothing else was run.", "dim"))
    if report.left_out:
        console.print(Text(f"\nLeft out: {counted(len(report.left_out), 'model')}.", "dim"))
        for reason, left in _by_reason(report.left_out).items():
            console.print(Text(f"  {', '.join(map(plain, left))}: {plain(reason)}", "dim"))
    for sentence in report.unmet:
        console.print(Text(f"Not as expected: {sentence}", "bold red"))


def _rows(run: VariantRun) -> Iterator[tuple[str, str, str]]:
    """(properties, verdict, what happened): a row for those decided by the same, one for the rest of each verdict."""
    told: dict[tuple[str, str], list[str]] = {}
    for found in run.properties:
        if found.trace:
            told.setdefault((found.verdict, _told(found, run)), []).append(found.name)
    yield from ((", ".join(names), verdict, what) for (verdict, what), names in told.items())
    for verdict in ("kept", "unreached", "undetermined", "cannot"):
        rest = [p.name for p in run.properties if p.verdict == verdict]
        if rest:
            several = len(rest) > 3
            names = f"{len(rest)} {'others' if told else 'properties'}" if several else ", ".join(rest)
            yield names, verdict, _about(verdict, run)
    if run.properties and run.taken < len(run.steps) and all(p.trace for p in run.properties) and not run.cut:
        yield "the rest of the schedule", "cannot", _about("cannot", run)
    if not run.properties:
        yield "none that applies", run.verdict, _about(run.verdict, run)


def _told(found: PropertyRun, run: VariantRun) -> str:
    assert found.trace is not None
    own = found.trace.length - 1 - found.taken
    with_own = f", with {counted(own, 'own step')}" if own else ""
    if not found.taken:
        return f"before the first step{with_own}"
    return f"step {found.taken} of {len(run.steps)}, {run.steps[found.taken - 1].text}{with_own}"


def _about(verdict: str, run: VariantRun) -> str:
    if verdict == "undetermined":
        return f"cut short {run.cut}"
    if verdict == "cannot":
        step = f"step {run.taken + 1} of {len(run.steps)}, {run.steps[run.taken].text}"
        return f"{step}: {run.refusal}" if run.refusal else f"{step}: no instance of it"
    pruned = f", within bounds ({counted(run.pruned, 'step')} pruned)" if run.pruned else ""
    return f"every run, {counted(run.states, 'state')} at the end{pruned}"


def _by_reason(left_out: dict[str, str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, reason in left_out.items():
        found.setdefault(reason, []).append(name)
    return found


# JSON


def report_to_dict(report: Report, version: str, files: dict[tuple[str, str], str]) -> dict[str, Any]:
    """The report as plain data; `files` has the file of each trace that was written, by model and property."""
    return {
        "schema": SCHEMA,
        "version": version,
        "exit": report.exit,
        "runs": [_run(run, files) for run in report.runs],
        "left_out": report.left_out,
        "unmet": list(report.unmet),
    }


def _run(run: VariantRun, files: dict[tuple[str, str], str]) -> dict[str, Any]:
    refusal = run.refusal
    return {
        "model": run.model,
        "constants": {n: encode(v) for n, v in run.bound.constants.items()},
        "verdict": run.verdict,
        "steps": [{"text": s.text, "action": s.action} for s in run.steps],
        "taken": run.taken,
        "states": {"ends": run.states, "nodes": run.nodes, "pruned": run.pruned},
        "cut": run.cut,
        "refusal": refusal and {"call": refusal.call, "guard": refusal.guard, "place": refusal.place},
        "properties": [_property(p, files.get((run.model, p.name))) for p in run.properties],
    }


def _property(found: PropertyRun, file: str | None) -> dict[str, Any]:
    trace = {"length": found.trace.length, "file": file} if found.trace else None
    return {"name": found.name, "kind": found.kind.name, "verdict": found.verdict, "taken": found.taken, "trace": trace}
