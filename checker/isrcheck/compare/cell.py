"""One cell of a comparison, checked by the native engine: an outcome, or why there is none."""

from dataclasses import replace

from isrcheck.api import check
from isrcheck.errors import IsrcheckError
from isrcheck.evidence.report.entry import Entry, Failed, from_outcome
from isrcheck.evidence.trace import Value
from isrcheck.grid.cells import Cell

# A violation is shown by its length; the trace itself would only make what is sent larger.


def checked(cell: Cell) -> Entry:
    """The entry of a cell. Whatever goes wrong, a fault of isrcheck included, is an entry without a verdict."""
    if cell.refused:
        return failed(cell, *cell.refused)
    limits = cell.limits
    try:
        outcome = check(
            cell.model,
            properties=cell.properties,
            constants=cell.constants,
            max_states=limits.states,
            max_depth=limits.depth,
            max_seconds=limits.seconds,
            max_memory=limits.memory,
        )
    except IsrcheckError as error:
        return failed(cell, error.exit_code, str(error))
    except MemoryError:
        return failed(cell, 70, "there was not enough memory for it.")
    except Exception as error:  # it must not look like a verdict, and the other cells go on
        return failed(cell, 70, f"a fault of isrcheck itself: {type(error).__name__}: {error}.")
    return replace(from_outcome(outcome), traces={})


def failed(cell: Cell, code: int, sentence: str) -> Failed:
    """A cell without a verdict."""
    constants: dict[str, Value] = {name: _value(word) for name, word in cell.constants.items()}
    return Failed(cell.model, constants, code, " ".join(sentence.split()))


def _value(word: str) -> Value:
    """A constant as outcomes have it."""
    if word in ("true", "false"):
        return word == "true"
    return int(word) if word.lstrip("-").isdigit() else word
