"""One cell of a comparison, checked: an outcome, or why there is none."""

from dataclasses import dataclass, replace

from isrcheck.api import check
from isrcheck.engines.contract import Limits
from isrcheck.errors import IsrcheckError
from isrcheck.evidence.report.entry import Entry, Failed, from_outcome, sentence_of
from isrcheck.evidence.trace import Value
from isrcheck.gate.cells import GateCell
from isrcheck.grid.cells import Cell


@dataclass(frozen=True)
class Wanted:
    """A run to make. `constants` are all of the model's, as on the command line; `refused` is an exit code and why."""

    model: str
    constants: dict[str, str]
    properties: tuple[str, ...] | None
    limits: Limits
    engine: str = "native"
    symmetry: bool = False
    deadlock: bool = False
    refused: tuple[int, str] | None = None


def of_grid(cell: Cell) -> Wanted:
    """A cell of a grid: what it asks, by the native engine."""
    return Wanted(cell.model, cell.constants, cell.properties, cell.limits, refused=cell.refused)


def of_gate(cell: GateCell) -> Wanted:
    """A cell of the gate: what it asks, without what is expected of it."""
    return Wanted(cell.model, cell.constants, cell.properties, cell.limits, cell.engine, cell.symmetry, cell.deadlock)


def checked(cell: Wanted) -> Entry:
    """The entry of a cell. Whatever goes wrong, a fault of isrcheck included, is an entry without a verdict.

    A violation is told by its length: the trace itself stays behind.
    """
    if cell.refused:
        return failed(cell, *cell.refused)
    limits = cell.limits
    try:
        outcome = check(
            cell.model,
            properties=cell.properties,
            engine=cell.engine,
            symmetry=cell.symmetry,
            deadlock=cell.deadlock,
            constants=cell.constants,
            max_states=limits.states,
            max_depth=limits.depth,
            max_seconds=limits.seconds,
            max_memory=limits.memory,
        )
    except IsrcheckError as error:
        return failed(cell, error.exit_code, sentence_of(error))
    except MemoryError:
        return failed(cell, 70, "there was not enough memory for it.")
    except Exception as error:  # it must not look like a verdict, and the other cells go on
        return failed(cell, 70, f"a fault of isrcheck itself: {type(error).__name__}: {error}.")
    return replace(from_outcome(outcome), traces={})


def failed(cell: Wanted, code: int, sentence: str) -> Failed:
    """A cell without a verdict."""
    constants: dict[str, Value] = {name: _value(word) for name, word in cell.constants.items()}
    return Failed(cell.model, constants, code, " ".join(sentence.split()))


def _value(word: str) -> Value:
    """A constant as outcomes have it."""
    if word in ("true", "false"):
        return word == "true"
    return int(word) if word.lstrip("-").isdigit() else word
