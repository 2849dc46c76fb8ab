"""A survey for a terminal: what nobody notices first, then who notices what."""

from itertools import groupby
from typing import Any

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from isrcheck.gate.mutants.forms.words import SEEN, change_of, constants_of, reason_of, remarks, tally, told
from isrcheck.wrap import plain

_STYLES = {"survived": "bold red", "undecided": "yellow", "lost": "yellow", "equal": "dim", "same": "dim"}


def print_survey(facts: dict[str, Any], console: Console) -> None:
    """Every mutant, the properties, and the guards that nothing needs."""
    _say(console, Text(plain(facts["model"]), "bold"))
    for number, configuration in enumerate(facts["configurations"]):
        states = f"{configuration['distinct']:,} states, depth {configuration['depth']}"
        _say(console, f"  [{number}] {plain(constants_of(configuration))}: {states}")
    _say(console, f"\n{tally(facts)}\n")
    for owner, mutants in groupby(facts["mutants"], key=lambda m: (m["method"], m["owner"])):
        _say(console, Text.assemble((plain(owner[0]), "bold"), f"  {plain(owner[1])}"))
        console.print(Padding(_changes(list(mutants), len(facts["configurations"]) > 1), (0, 0, 1, 2)))
    _print_properties(facts, console)
    for remark in remarks(facts):
        _say(console, plain(remark))
    _print_guards(facts, console)


def _say(console: Console, text: str | Text) -> None:
    console.print(text, markup=False, highlight=False)


def _changes(mutants: list[dict[str, Any]], numbered: bool) -> Table:
    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold", ratio=3)
    table.add_column(overflow="fold", ratio=2)
    for m in mutants:
        at = f" [{m['configuration']}]" if numbered and m["fate"] in SEEN else ""
        line = m["at"].rpartition("/")[2].partition(":")[2]
        table.add_row(line, Text(plain(change_of(m))), Text(plain(told(m)) + at, _STYLES.get(m["fate"], "green")))
    return table


def _print_properties(facts: dict[str, Any], console: Console) -> None:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for heading in ("property", "kind"):
        table.add_column(heading)
    for heading in ("notices", "alone"):
        table.add_column(heading, justify="right")
    for p in facts["properties"]:
        if p["asked"]:
            counts = (str(p["notices"]), str(p["alone"])) if p["can_notice"] else ("-", "-")
            table.add_row(Text(plain(p["name"])), p["kind"], *counts)
    console.print(table)
    if not facts["everything"]:
        _say(console, "Each mutant was let go at the first property that noticed it; --all asks every property.")


def _print_guards(facts: dict[str, Any], console: Console) -> None:
    guards = facts["unneeded_guards"]
    if guards:
        _say(console, f"\nGuards whose removal nothing notices: {len(guards)}")
    for each in guards:
        _say(console, f"  {plain(each['guard'])}")
        if why := reason_of(each, facts):
            console.print(Padding(Text(plain(why), "dim" if each["because"] else "bold red"), (0, 0, 0, 6)))
    for sentence in facts["wrong_reasons"]:
        _say(console, Text(plain(sentence), "bold red"))
