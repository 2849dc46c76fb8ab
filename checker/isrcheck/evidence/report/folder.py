"""A report as a folder, made aside and moved into place."""

import json
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from isrcheck.errors import UsageError
from isrcheck.evidence.forms.table import render_trace
from isrcheck.evidence.report.entry import Failed, ReportedRun
from isrcheck.evidence.report.facts import SCHEMA
from isrcheck.evidence.report.page import report_page
from isrcheck.files import as_json, read_json, refuse_unwritable, umask

_OURS = {"index.html", "facts.json", "noise.json", "traces"}
_ENDINGS = {".html", ".svg"}


def refuse_another(folder: Path) -> None:
    """Require a folder that is new, empty or a report. Raises UsageError."""
    if not folder.exists() and not folder.is_symlink():
        return
    if not folder.is_dir() or folder.is_symlink():
        raise UsageError(f"{folder} is not a folder: give -o a folder that is new, empty, or a report to be replaced.")
    inside = {file.name for file in folder.iterdir()}
    traces = sorted(f"traces/{f.name}" for f in folder.glob("traces/*") if f.suffix not in _ENDINGS)
    strange = [*sorted(inside - _OURS), *traces]
    if strange:
        raise UsageError(
            f"{folder} holds {strange[0]}, which is of no report: give -o another folder, or empty this one."
        )
    if inside:
        read_facts(folder)


def write_report(folder: Path, entries: Sequence[ReportedRun], facts: dict[str, Any], noise: dict[str, Any]) -> None:
    """Write a report in one step. Raises UsageError, and then nothing has changed."""
    refuse_another(folder)
    with refuse_unwritable(folder):
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent, prefix=f".{folder.name}.") as room:
            fresh = Path(room) / "new"
            fresh.mkdir()
            _fill(fresh, entries, facts, noise)
            fresh.chmod(0o777 & ~umask())
            _swap(fresh, folder, Path(room) / "old")


def _fill(fresh: Path, entries: Sequence[ReportedRun], facts: dict[str, Any], noise: dict[str, Any]) -> None:
    _write(fresh / "facts.json", as_json(facts))
    _write(fresh / "noise.json", as_json(noise))
    _write(fresh / "index.html", report_page(facts, noise))
    for run_file, run in zip(entries, facts["runs"], strict=True):
        if isinstance(run_file, Failed):
            continue
        for decided in run["properties"]:
            if decided["drawn"]:
                _draw(fresh / "traces" / decided["drawn"], run_file, decided["name"], facts["pages"])


def _draw(stem: Path, run_file: Any, name: str, pages: bool) -> None:
    stem.parent.mkdir(exist_ok=True)
    for form in ("html", "svg") if pages else ("svg",):
        _write(stem.with_name(f"{stem.name}.{form}"), render_trace(run_file.traces[name], form))


def _write(file: Path, content: str) -> None:
    file.write_text(content, encoding="utf-8", errors="backslashreplace")


def _swap(fresh: Path, folder: Path, old: Path) -> None:
    was_there = folder.exists()
    if was_there:
        folder.rename(old)
    try:
        fresh.rename(folder)
    except BaseException:
        if was_there:
            old.rename(folder)
        raise
    if was_there:
        shutil.rmtree(old)


def read_facts(report: Path) -> dict[str, Any]:
    """Read facts from a report's folder or from facts.json itself. Raises UsageError if they are incomplete."""
    file = report / "facts.json" if report.is_dir() else report
    facts = read_json(file, "the facts of a report", "isrcheck report", SCHEMA, _as_current)
    if facts.get("part") != "facts":
        raise UsageError(f"{file} is part {facts.get('part')} of a report, and part facts was expected.")
    if not _is_whole(facts):
        raise UsageError(f"{file} is not whole: a run in it lacks what every run has. Make the report again.")
    return facts


def _as_current(facts: Any) -> Any:
    """Version 1 said idle."""
    if not isinstance(facts, dict) or facts.get("schema") != "isrcheck.report/1":
        return facts
    return {**json.loads(json.dumps(facts).replace('"idle"', '"vacuous"')), "schema": SCHEMA}


def _is_whole(facts: dict[str, Any]) -> bool:
    try:
        for run in facts["runs"]:
            about = (run["model"], run["constants"].items(), run["exit"])
            if "failed" not in run:
                assert about, run["states"]["levels"]
                _ = [(p["name"], p["verdict"], p["assurance"], p["length"]) for p in run["properties"]]
                _ = [(a["name"], a["generated"], a["distinct"]) for a in run["actions"]]
    except (KeyError, TypeError, AttributeError):
        return False
    return True
