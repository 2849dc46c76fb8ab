"""A report's page, of facts and noise."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from isrcheck.errors import quantity
from isrcheck.evidence.report.matrix import matrix, tally
from isrcheck.evidence.report.words import Said, verdict_in_words
from isrcheck.evidence.writers.html import environment, render_page
from isrcheck.passes.constants import literal

WIDTH, HEIGHT = 420, 110  # states by depth
_LEAST = 1.0  # of a bar that is seen
# From here on, memory is that of states.
_MANY = 1_000_000


def report_page(facts: dict[str, Any], noise: dict[str, Any]) -> str:
    runs = facts["runs"]
    folder = Path(__file__).parent
    templates = environment(folder)
    templates.globals.update(
        by_depth=by_depth, verdicts_of=verdicts_of, share=share, tally=tally, reasons_not_asked=reasons_not_asked
    )
    templates.globals.update(WIDTH=WIDTH, HEIGHT=HEIGHT)
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
        document=list(matrix(runs, facts["pages"])),
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


def by_depth(levels: Sequence[int]) -> dict[str, Any] | None:
    if not levels:
        return None
    peak = max(levels)
    each = WIDTH / len(levels)
    heights = [max(_LEAST, HEIGHT * count / peak) for count in levels]
    bars = [
        {
            "x": round(n * each, 2),
            "y": round(HEIGHT - height, 2),
            "width": round(each - min(2.0, each / 5), 2),
            "height": round(height, 2),
            "text": f"depth {n + 1}: {quantity(levels[n], 'state')}",
        }
        for n, height in enumerate(heights)
    ]
    return {"bars": bars, "peak": peak, "at": levels.index(peak) + 1}


def share(value: float, most: float) -> float:
    return 0.0 if value <= 0 or most <= 0 else round(max(_LEAST, 100 * value / most), 2)
