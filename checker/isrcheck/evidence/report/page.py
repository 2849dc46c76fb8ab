"""The page of a report: one HTML file without scripts, made of facts and noise alone."""

from pathlib import Path
from typing import Any

from isrcheck.evidence.report.charts import HEIGHT, WIDTH, by_depth, share
from isrcheck.evidence.report.facts import word
from isrcheck.evidence.report.matrix import spoken, tally, unasked
from isrcheck.evidence.report.matrix_document import matrix
from isrcheck.evidence.writers.html import environment, rendered_page

_HERE = Path(__file__).parent
_MANY = 1_000_000  # states from which on a process's memory is that of its states


def report_page(facts: dict[str, Any], noise: dict[str, Any]) -> str:
    """The page. Its links lead to facts.json, noise.json and traces/ beside it, and to nothing else."""
    runs = facts["runs"]
    made = environment(_HERE)
    made.globals.update(by_depth=by_depth, spoken=spoken, share=share, tally=tally, unasked=unasked)
    made.globals.update(WIDTH=WIDTH, HEIGHT=HEIGHT)
    made.filters.update(number=_number, value=word, seconds=_seconds, mib=_mib)
    return rendered_page(
        "index.html.j2",
        _HERE,
        title=f"Run report: {len(runs)} run{'' if len(runs) == 1 else 's'}",
        facts=facts,
        noise=noise,
        document=list(matrix(runs, facts["pages"])),
        total=tally(runs),
        costs=_costs(runs, noise["runs"]),
    )


def _costs(runs: list[dict[str, Any]], noises: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What each run that came to an end has cost; None where it would say nothing."""
    found = []
    for number, (run, noise) in enumerate(zip(runs, noises, strict=True)):
        if "failed" in run:
            continue
        distinct = run["states"]["distinct"] or 0
        seconds = noise["seconds"]
        found.append(
            {
                "number": number,
                "run": run,
                "noise": noise,
                "rate": distinct / seconds if distinct and seconds > 0 else None,
                "bytes": noise["peak_rss_bytes"] / distinct if distinct >= _MANY else None,
            }
        )
    return found


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:,.0f}"


def _seconds(value: float) -> str:
    return f"{value:,.3f}" if value < 10 else f"{value:,.1f}"


def _mib(value: int) -> str:
    return f"{value / (1 << 20):,.0f}"
