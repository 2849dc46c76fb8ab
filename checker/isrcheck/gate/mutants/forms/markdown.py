"""A survey as Markdown: the table of mutants, the properties, and the guards that nothing needs."""

from typing import Any

from isrcheck.gate.mutants.forms.words import change_of, constants_of, reason_of, remarks, tally, told
from isrcheck.wrap import plain


def survey_markdown(facts: dict[str, Any]) -> str:
    """The whole survey; `facts` as in facts.py."""
    lines = [f"# Mutants of {_safe(facts['model'])}", "", f"`{_code(facts['command'])}`", ""]
    for number, each in enumerate(facts["configurations"]):
        lines.append(f"{number}. {_safe(constants_of(each))}: {each['distinct']:,} states, depth {each['depth']}")
    lines += ["", tally(facts), "", *_guards(facts), *_properties(facts), *(_safe(r) + "\n" for r in remarks(facts))]
    rows = [
        [f"`{_code(m['name'])}`", _safe(m["at"]), f"`{_code(change_of(m))}`", _safe(told(m)), str(m["configuration"])]
        for m in facts["mutants"]
    ]
    lines += ["## Mutants", "", *_table(["mutant", "place", "change", "who notices, after how many steps", "at"], rows)]
    return "\n".join(lines) + "\n"


def _guards(facts: dict[str, Any]) -> list[str]:
    rows = [[f"`{_code(g['guard'])}`", _safe(reason_of(g, facts))] for g in facts["unneeded_guards"]]
    found = ["## Guards whose removal nothing notices", ""]
    found += [*_table(["guard", "why not"], rows), ""] if rows else ["None.", ""]
    return found + [f"**{_safe(sentence)}**\n" for sentence in facts["wrong_reasons"]]


def _properties(facts: dict[str, Any]) -> list[str]:
    rows = [
        [f"`{_code(p['name'])}`", p["kind"], *((str(p["notices"]), str(p["alone"])) if p["can_notice"] else ("-", "-"))]
        for p in facts["properties"]
        if p["asked"]
    ]
    return [
        "## Properties",
        "",
        *_table(["property", "kind", "mutants that it notices", "and no other does"], rows),
        "",
    ]


def _table(headings: list[str], rows: list[list[str]]) -> list[str]:
    return [f"| {' | '.join(row)} |" for row in (headings, ["---"] * len(headings), *rows)]


def _safe(text: str) -> str:
    """Text that no reader of Markdown acts upon."""
    return "".join(f"\\{c}" if c in "\\`*_{}[]<>|#" else c for c in plain(text)).replace("\n", " ")


def _code(text: str) -> str:
    """Text between backticks in a table."""
    return plain(text).replace("`", "'").replace("|", "\\|").replace("\n", " ")
