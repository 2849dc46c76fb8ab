"""Symbolic constants for a terminal: a sentence for each property, and the table of choices."""

from rich.console import Console
from rich.padding import Padding
from rich.table import Table

from isrcheck.run.choices import Choices, PropertyChoices
from isrcheck.run.trace import chosen, shown


def print_choices(choices: Choices, console: Console) -> None:
    """A sentence for each property, and with `all` the table of choices."""
    for found in choices.properties:
        console.print(f"{found.name}: {_sentence(found, choices)}.", highlight=False)
    if choices.all and any(p.found for p in choices.properties):
        console.print(Padding(_table(choices), (1, 0, 0, 2)))


def _sentence(found: PropertyChoices, choices: Choices) -> str:
    ranges = ", ".join(f"{name}={choice}" for name, choice in choices.ranges.items())
    verb = found.kind.target_verb
    within = f"within {choices.steps} step{'' if choices.steps == 1 else 's'}"
    if not found.found:
        return f"no choice of {ranges} {verb} {within}"
    smallest = ", ".join(chosen(found.found[0].constants))
    states = f"{found.found[0].length} state{'' if found.found[0].length == 1 else 's'}"
    if not choices.all and found.kind.is_violation:
        return f"the smallest choice that {verb} is {smallest}, in {states}"
    number = len(found.found)
    many = "every choice" if found.every else f"{number:,} choice{'' if number == 1 else 's'}"
    verb = verb if found.every or number == 1 else verb.replace("meets", "meet").replace("violates", "violate")
    return f"{many} of {ranges} {verb} {within}, the smallest {smallest} in {states}"


def _table(choices: Choices) -> Table:
    """A row for each choice at which something was found: the number of states of the shortest trace."""
    found = [p for p in choices.properties if p.found]
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for name in choices.ranges:
        table.add_column(name, justify="right", overflow="fold")
    for each in found:
        table.add_column(each.name, justify="right", overflow="fold")
    lengths = [{c.rank: c.length for c in p.found} for p in found]
    for rank, constants in sorted({c.rank: c.constants for p in found for c in p.found}.items()):
        cells = [str(own[rank]) if rank in own else "-" for own in lengths]
        table.add_row(*map(shown, constants.values()), *cells)
    return table
