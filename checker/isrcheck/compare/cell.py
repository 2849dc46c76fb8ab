"""One cell of a comparison: a run as the gate makes it, and what came of it as an entry of a report."""

import re
from dataclasses import replace

from isrcheck.errors import UsageError
from isrcheck.evidence.report.entry import Entry, Failed, from_outcome
from isrcheck.gate.cells import GateCell
from isrcheck.gate.result import Ended, LeftOut, Ran, Result
from isrcheck.grid.cells import GridCell
from isrcheck.run.trace import Value

_PICTURED = re.compile(r" +\d* *\| ")  # a line of the model's text below an error, or what underlines it


def of_grid(cell: GridCell) -> GateCell:
    """A cell of a grid as a run of which nothing is expected."""
    return GateCell(**vars(cell), given=tuple(cell.constants))


def plain_run(cell: GateCell) -> GateCell:
    """A cell of the gate without what is expected of it: it asks the same, and needs no second search for counts."""
    terms = replace(cell.terms, never=(), vacuous=(), strict=False, error=None, says="")
    return replace(cell, expect={}, counts={}, terms=terms)


def entry_of(cell: GateCell, result: Result) -> Entry:
    """What a run came to. A violation is told by its length; the trace itself stays behind.

    Raises UsageError for a run that wrong usage ended: the command, not the model, is to be mended.
    """
    match result:
        case Ran(outcome=outcome):
            return replace(from_outcome(outcome), traces={})
        case Ended(exit=2, sentence=sentence):
            raise UsageError(sentence)
        case Ended(exit=code, sentence=sentence):
            return failed(cell, code, sentence)
        case LeftOut(why=why):
            return failed(cell, 20, f"left out: {why}.")


def failed(cell: GateCell, code: int, sentence: str) -> Failed:
    """A cell without a verdict."""
    constants: dict[str, Value] = {name: _value(word) for name, word in cell.constants.items()}
    said = " ".join(line for line in sentence.splitlines() if not _PICTURED.match(line))
    return Failed(cell.model, constants, code, " ".join(said.split()))


def _value(word: str) -> Value:
    """A constant as outcomes have it."""
    if word in ("true", "false"):
        return word == "true"
    return int(word) if word.lstrip("-").isdigit() else word
