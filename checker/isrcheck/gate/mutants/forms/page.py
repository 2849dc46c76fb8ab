"""A survey as a page: the table of properties by mutants, without scripts."""

from base64 import b64encode
from functools import cache
from hashlib import sha256
from itertools import groupby
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template
from markupsafe import Markup

from isrcheck.gate.mutants.forms.words import HEADINGS, cell, constants_of, reason_of, remarks, tally, told
from isrcheck.wrap import plain

_HERE = Path(__file__).parent


def survey_page(facts: dict[str, Any]) -> str:
    """One HTML file that needs nothing else; whatever a model is called, it is shown and not run."""
    style = (_HERE / "page.css").read_text(encoding="utf-8")
    asked = [p for p in facts["properties"] if p["can_notice"]]
    return _template().render(
        facts=facts,
        shown=[p for p in asked if p["notices"]],
        silent=[p["name"] for p in asked if not p["notices"]],
        style=Markup(style),
        digest=b64encode(sha256(style.encode()).digest()).decode(),
    )


def _cells(mutant: dict[str, Any]) -> dict[str, str]:
    """What each property says of a mutant: steps, or `never` where something is not reached any more."""
    return {n["name"]: "never" if n["length"] is None else cell(n) for n in mutant["noticed_by"]}


def _by_method(mutants: list[dict[str, Any]]) -> list[tuple[str, list[dict[str, Any]]]]:
    """Each method in the order of the text, with its mutants."""
    return [(method, list(group)) for method, group in groupby(mutants, key=lambda m: str(m["method"]))]


@cache
def _template() -> Template:
    loader = FileSystemLoader(_HERE)
    environment = Environment(
        loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.finalize = lambda value: plain(value) if type(value) is str else value
    environment.globals.update(
        HEADINGS=HEADINGS,
        by_method=_by_method,
        cells=_cells,
        constants_of=constants_of,
        reason_of=reason_of,
        remarks=remarks,
    )
    environment.filters.update(told=told, tally=tally)
    return environment.get_template("page.html.j2")
