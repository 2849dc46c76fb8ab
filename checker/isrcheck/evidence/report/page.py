"""The page of a report: one HTML file without scripts, made of facts and noise alone."""

from base64 import b64encode
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template
from markupsafe import Markup, escape

from isrcheck.evidence.forms.wrap import plain
from isrcheck.evidence.report.charts import HEIGHT, WIDTH, by_depth, share
from isrcheck.evidence.report.facts import title, word
from isrcheck.evidence.report.matrix import legend, spoken, tables, tally, unasked
from isrcheck.evidence.report.matrix_text import states, summary

_HERE = Path(__file__).parent
_MANY = 1_000_000  # states from which on a process's memory is that of its states


def report_page(facts: dict[str, Any], noise: dict[str, Any]) -> str:
    """The page. Its links lead to facts.json, noise.json and traces/ beside it, and to nothing else."""
    style = (_HERE / "index.css").read_text(encoding="utf-8")
    runs = facts["runs"]
    return _template("index.html.j2").render(
        facts=facts,
        noise=noise,
        tables=tables(runs),
        legend=legend(runs),
        total=tally(runs),
        costs=_costs(runs, noise["runs"]),
        linked=True,
        style=Markup(style),
        digest=b64encode(sha256(style.encode()).digest()).decode(),
    )


def matrix_page(facts: dict[str, Any]) -> str:
    """The matrix alone as a page: facts of runs without drawings."""
    style = (_HERE / "index.css").read_text(encoding="utf-8")
    runs = facts["runs"]
    return _template("compare.html.j2").render(
        facts=facts,
        tables=tables(runs),
        legend=legend(runs),
        summary=summary(runs),
        linked=False,
        style=Markup(style),
        digest=b64encode(sha256(style.encode()).digest()).decode(),
    )


@cache
def _template(name: str) -> Template:
    loader = FileSystemLoader(_HERE)
    environment = Environment(
        loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.finalize = lambda value: plain(value) if type(value) is str else value
    environment.globals.update(
        by_depth=by_depth,
        spoken=spoken,
        share=share,
        states=states,
        tally=tally,
        title=title,
        unasked=unasked,
        WIDTH=WIDTH,
        HEIGHT=HEIGHT,
    )
    environment.filters.update(number=_number, breakable=_breakable, value=word, seconds=_seconds, mib=_mib)
    return environment.get_template(name)


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


def _breakable(name: str) -> Markup:
    """A name that may be broken at its underscores and hyphens."""
    text = str(escape(plain(name)))
    return Markup(text.replace("_", "_<wbr>").replace("-", "-<wbr>"))
