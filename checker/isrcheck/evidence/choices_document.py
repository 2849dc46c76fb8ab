"""Symbolic constants in a document: a sentence for each property, and the table of choices."""

from collections.abc import Iterator

from isrcheck.errors import counted
from isrcheck.evidence import document as doc
from isrcheck.run.choices import Choices, PropertyChoices
from isrcheck.run.trace import chosen, shown


def choices_blocks(choices: Choices) -> Iterator[doc.Block]:
    """A sentence for each property, and with `all` the table of choices."""
    yield doc.Paragraph(*(f"{found.name}: {_sentence(found, choices)}." for found in choices.properties))
    if choices.all and any(found.found for found in choices.properties):
        yield _table(choices)


def _sentence(found: PropertyChoices, choices: Choices) -> str:
    ranges = ", ".join(f"{name}={choice}" for name, choice in choices.ranges.items())
    verb = found.kind.target_verb
    within = f"within {counted(choices.steps, 'step')}"
    if not found.found:
        return f"no choice of {ranges} {verb} {within}"
    smallest = ", ".join(chosen(found.found[0].constants))
    states = counted(found.found[0].length, "state")
    if not choices.all and found.kind.is_violation:
        return f"the smallest choice that {verb} is {smallest}, in {states}"
    many = "every choice" if found.every else counted(len(found.found), "choice")
    verb = verb if found.every or len(found.found) == 1 else verb.replace("s it", " it")
    return f"{many} of {ranges} {verb} {within}, the smallest {smallest} in {states}"


def _table(choices: Choices) -> doc.Table:
    """A row for each choice at which something was found: the number of states of the shortest trace."""
    decided = [found for found in choices.properties if found.found]
    lengths = [{c.rank: c.length for c in found.found} for found in decided]
    constants = {c.rank: c.constants for found in decided for c in found.found}
    rows = [
        [*map(shown, values.values()), *(str(own.get(rank, "-")) for own in lengths)]
        for rank, values in sorted(constants.items())
    ]
    names = (*choices.ranges, *(found.name for found in decided))
    return doc.Table([doc.Column(name, is_number=True) for name in names], rows)
