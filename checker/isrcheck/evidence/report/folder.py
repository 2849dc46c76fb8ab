"""A report's page, of facts and noise; and the folder of a report, made aside and moved into place."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from isrcheck.errors import UsageError, quantity
from isrcheck.evidence.forms.table import render_trace
from isrcheck.evidence.report.entry import Failed, ReportedRun
from isrcheck.evidence.report.facts import SCHEMA, Said, verdict_in_words
from isrcheck.evidence.report.matrix import matrix, tally
from isrcheck.evidence.writers.html import environment, render_page
from isrcheck.files import as_json, read_json, replace_folder
from isrcheck.passes.constants import literal

_LEAST = 1.0  # of a bar that is seen
_MANY = 1_000_000  # From here on, memory is that of states


def report_page(facts: dict[str, Any], noise: dict[str, Any]) -> str:
    runs = facts["runs"]
    folder = Path(__file__).parent
    templates = environment(folder)
    templates.globals.update(verdicts_of=verdicts_of, share=share, tally=tally, reasons_not_asked=reasons_not_asked)
    templates.filters.update(
        value=literal,
        number=lambda value: "" if value is None else f"{value:,.0f}",
        seconds=lambda value: f"{value:,.3f}" if value < 10 else f"{value:,.1f}",
        mib=lambda value: f"{value / (1 << 20):,.0f}",
    )
    return render_page(
        "index.html.j2",
        folder,
        title=f"Run report: {quantity(len(runs), 'run')}",
        facts=facts,
        noise=noise,
        document=list(matrix(runs, in_report=True)),
        total=tally(runs),
        costs=[
            {"number": number, "run": run, "noise": own, **_costs(run["states"]["distinct"] or 0, own)}
            for number, (run, own) in enumerate(zip(runs, noise["runs"], strict=True))
            if "failed" not in run
        ],
    )


def _costs(distinct: int, noise: dict[str, Any]) -> dict[str, float | None]:
    return {
        "rate": distinct / noise["seconds"] if distinct and noise["seconds"] > 0 else None,
        "bytes": noise["peak_rss_bytes"] / distinct if distinct >= _MANY else None,
    }


def verdicts_of(run: dict[str, Any]) -> list[tuple[Said, list[str], str | None]]:
    by_words: dict[tuple[Said, str | None], list[str]] = {}
    for each in run["properties"]:
        by_words.setdefault((verdict_in_words(run, each["name"]), each["drawn"]), []).append(each["name"])
    return [(said_of, names, drawn) for (said_of, drawn), names in by_words.items()]


def reasons_not_asked(run: dict[str, Any]) -> dict[str, list[str]]:
    by_reason: dict[str, list[str]] = {}
    for name, why in {} if "asked" in run else run.get("not_asked", {}).items():
        by_reason.setdefault(why, []).append(name)
    return by_reason


def share(value: float, most: float) -> float:
    return 0.0 if value <= 0 or most <= 0 else round(max(_LEAST, 100 * value / most), 2)


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
        read_json(folder / "facts.json", "the facts of a report", "isrcheck compare --to report", SCHEMA)


def write_report(folder: Path, entries: Sequence[ReportedRun], facts: dict[str, Any], noise: dict[str, Any]) -> None:
    """Write a report in one step. Raises UsageError, and then nothing has changed."""
    refuse_another(folder)
    with replace_folder(folder) as fresh:
        _fill(fresh, entries, facts, noise)


def _fill(fresh: Path, entries: Sequence[ReportedRun], facts: dict[str, Any], noise: dict[str, Any]) -> None:
    _write(fresh / "facts.json", as_json(facts))
    _write(fresh / "noise.json", as_json(noise))
    _write(fresh / "index.html", report_page(facts, noise))
    for run_file, run in zip(entries, facts["runs"], strict=True):
        if isinstance(run_file, Failed):
            continue
        for decided in run["properties"]:
            if decided["drawn"]:
                _draw(fresh / "traces" / decided["drawn"], run_file, decided["name"])


def _draw(stem: Path, run_file: Any, name: str) -> None:
    stem.parent.mkdir(exist_ok=True)
    for form in ("html", "svg"):
        _write(stem.with_name(f"{stem.name}.{form}"), render_trace(run_file.traces[name], form))


def _write(file: Path, content: str) -> None:
    file.write_text(content, encoding="utf-8", errors="backslashreplace")
