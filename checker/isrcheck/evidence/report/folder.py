"""A report as a folder: made aside and moved into place whole, so that a report is the old one or the new one."""

import json
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from isrcheck.errors import UsageError
from isrcheck.evidence.forms.table import rendered
from isrcheck.evidence.report.entry import Entry, Failed
from isrcheck.evidence.report.facts import SCHEMA, as_json
from isrcheck.evidence.report.page import report_page
from isrcheck.files import umask

_OURS = {"index.html", "facts.json", "noise.json", "traces"}
_ENDINGS = {".html", ".svg"}
_BEFORE = "isrcheck.report/1"  # the same, with another word for what is vacuous


def refuse_another(folder: Path) -> None:
    """Raises UsageError if the place of a report is taken by something that is not one."""
    if not folder.exists() and not folder.is_symlink():
        return
    if not folder.is_dir() or folder.is_symlink():
        raise UsageError(f"{folder} is not a folder: give -o a folder that is new, empty, or a report to be replaced.")
    inside = {file.name for file in folder.iterdir()}
    traces = folder / "traces"
    strange = sorted(inside - _OURS)
    strange += (
        sorted(f"traces/{f.name}" for f in traces.iterdir() if f.suffix not in _ENDINGS) if traces.is_dir() else []
    )
    if strange:
        raise UsageError(
            f"{folder} holds {strange[0]}, which is of no report: give -o another folder, or empty this one."
        )
    if inside:
        read_facts(folder)


def write_report(folder: Path, entries: Sequence[Entry], facts: dict[str, Any], noise: dict[str, Any]) -> None:
    """The whole folder, in place of the report that was there. Raises UsageError, and then nothing has changed."""
    refuse_another(folder)
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent, prefix=f".{folder.name}.") as room:
            made = Path(room) / "new"
            made.mkdir()
            _fill(made, entries, facts, noise)
            made.chmod(0o777 & ~umask())
            _swap(made, folder, Path(room) / "old")
    except OSError as error:
        raise UsageError(f"{folder} cannot be written: {error.strerror or error}.") from None


def _fill(made: Path, entries: Sequence[Entry], facts: dict[str, Any], noise: dict[str, Any]) -> None:
    _write(made / "facts.json", as_json(facts))
    _write(made / "noise.json", as_json(noise))
    _write(made / "index.html", report_page(facts, noise))
    for entry, run in zip(entries, facts["runs"], strict=True):
        if isinstance(entry, Failed):
            continue
        for found in run["properties"]:
            if found["drawn"]:
                _draw(made / "traces" / found["drawn"], entry, found["name"], facts["pages"])


def _draw(stem: Path, entry: Any, name: str, pages: bool) -> None:
    stem.parent.mkdir(exist_ok=True)
    for form in ("html", "svg") if pages else ("svg",):
        _write(stem.with_name(f"{stem.name}.{form}"), rendered(entry.traces[name], form))


def _write(file: Path, text: str) -> None:
    file.write_text(text, encoding="utf-8", errors="backslashreplace")


def _swap(made: Path, folder: Path, old: Path) -> None:
    """Puts what was made in place; what was there comes back if that fails."""
    was_there = folder.exists()
    if was_there:
        folder.rename(old)
    try:
        made.rename(folder)
    except BaseException:
        if was_there:
            old.rename(folder)
        raise
    if was_there:
        shutil.rmtree(old)


def read_facts(report: Path) -> dict[str, Any]:
    """The facts of a report, from its folder or from facts.json itself. Raises UsageError if they are not whole."""
    file = report / "facts.json" if report.is_dir() else report
    try:
        facts = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError):
        raise UsageError(
            f"{report} is not a report: there is no facts.json to be read. `isrcheck report` makes one."
        ) from None
    except (ValueError, RecursionError):
        raise UsageError(f"{file} was cut short: it is not whole JSON. Make the report again.") from None
    schema = facts.get("schema") if isinstance(facts, dict) else None
    if schema == _BEFORE:
        schema, facts = SCHEMA, json.loads(json.dumps(facts).replace('"idle"', '"vacuous"'))
    if schema != SCHEMA or facts.get("part") != "facts":
        came = f"schema {schema}, part {facts.get('part')}" if schema else "no schema"
        raise UsageError(
            f"{file} is not the facts of a report of this version: it has {came}, and {SCHEMA}, part facts, "
            "was expected."
        )
    if not _is_whole(facts):
        raise UsageError(f"{file} is not whole: a run in it lacks what every run has. Make the report again.")
    return dict(facts)


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
