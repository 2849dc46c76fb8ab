"""What a script found, as a document and as JSON."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from isrcheck.errors import counted
from isrcheck.evidence import document as doc
from isrcheck.evidence.document import Tone
from isrcheck.run.trace import encode
from isrcheck.schedule.runs import ScheduleReport
from isrcheck.schedule.variant import PropertyRun, VariantRun

SCHEMA = "isrcheck.schedule/1"

_TONES = {
    "violated": Tone.BAD,
    "kept": Tone.GOOD,
    "cannot": Tone.UNSURE,
    "followed": Tone.PLAIN,
    "undetermined": Tone.UNSURE,
    "reached": Tone.GOOD,
    "unreached": Tone.UNSURE,
}


def report_document(report: ScheduleReport) -> Iterator[doc.Block]:
    """A table of models and verdicts, which were left out and why, and what was expected and not found."""
    model = doc.Column("model", fixed=True, tone=Tone.STRONG)
    rows: list[doc.TableRow] = [
        [run.model if number == 0 else "", names, doc.Piece(verdict, _TONES[verdict]), event]
        for run in report.runs
        for number, (names, verdict, event) in enumerate(_rows(run))
    ]
    if rows:
        yield doc.Table([model, "property", "verdict", "what happened"], rows)
        yield doc.Paragraph("kept is said of this schedule alone: nothing else was run.", tone=Tone.QUIET)
    if report.left_out:
        reasons = {
            reason: [n for n, why in report.left_out.items() if why == reason] for reason in report.left_out.values()
        }
        models = (f"  {', '.join(names)}: {reason}" for reason, names in reasons.items())
        yield doc.Paragraph(f"Left out: {counted(len(report.left_out), 'model')}.", *models, tone=Tone.QUIET)
    if report.unmet:
        yield doc.Paragraph(*(f"Not as expected: {sentence}" for sentence in report.unmet), tone=Tone.BAD)


def _rows(run: VariantRun) -> Iterator[tuple[str, str, str]]:
    """(properties, verdict, what happened): a row for those decided by the same, one for the rest of each verdict."""
    decided: dict[tuple[str, str], list[str]] = {}
    for found in run.properties:
        if found.trace:
            decided.setdefault((found.verdict, _decided_by(found, run)), []).append(found.name)
    yield from ((", ".join(names), verdict, what) for (verdict, what), names in decided.items())
    for verdict in ("kept", "unreached", "undetermined", "cannot"):
        rest = [p.name for p in run.properties if p.verdict == verdict]
        if rest:
            several = len(rest) > 3
            names = f"{len(rest)} {'others' if decided else 'properties'}" if several else ", ".join(rest)
            yield names, verdict, _about(verdict, run)
    if run.properties and run.taken < len(run.steps) and all(p.trace for p in run.properties) and not run.cut:
        yield "the rest of the schedule", "cannot", _about("cannot", run)
    if not run.properties:
        yield "none that applies", run.verdict, _about(run.verdict, run)


def _decided_by(found: PropertyRun, run: VariantRun) -> str:
    assert found.trace is not None
    internal = found.trace.length - 1 - found.taken
    steps = f", with {counted(internal, 'internal step')}" if internal else ""
    if not found.taken:
        return f"before the first step{steps}"
    return f"step {found.taken} of {len(run.steps)}, {run.steps[found.taken - 1].text}{steps}"


def _about(verdict: str, run: VariantRun) -> str:
    if verdict == "undetermined":
        return f"cut short {run.cut}"
    if verdict == "cannot":
        step = f"step {run.taken + 1} of {len(run.steps)}, {run.steps[run.taken].text}"
        return f"{step}: {run.refusal}" if run.refusal else f"{step}: no instance of it"
    pruned = f", within bounds ({counted(run.pruned, 'step')} pruned)" if run.pruned else ""
    return f"every run, {counted(len(run.ends), 'state')} at the end{pruned}"


# JSON


def report_to_dict(report: ScheduleReport, version: str, files: dict[tuple[str, str], str]) -> dict[str, Any]:
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
    return {
        "model": run.model,
        "constants": {n: encode(v) for n, v in run.bound.constants.items()},
        "verdict": run.verdict,
        "steps": [{"text": s.text, "action": s.action} for s in run.steps],
        "taken": run.taken,
        "states": {"ends": len(run.ends), "nodes": run.nodes, "pruned": run.pruned},
        "cut": run.cut,
        "refusal": run.refusal and asdict(run.refusal),
        "properties": [_property(p, files.get((run.model, p.name))) for p in run.properties],
    }


def _property(found: PropertyRun, file: str | None) -> dict[str, Any]:
    trace = {"length": found.trace.length, "file": file} if found.trace else None
    return {"name": found.name, "kind": found.kind.name, "verdict": found.verdict, "taken": found.taken, "trace": trace}
