"""What a worker does with one cell."""

import json
import time
from collections.abc import Iterable, Iterator
from typing import Any

import pyarrow as pa

from isrcheck.api import check
from isrcheck.catalogue import find_model
from isrcheck.engines.contract import Limits
from isrcheck.errors import Disagreement, IsrcheckError
from isrcheck.ir.frozen import replace
from isrcheck.lang.read import read_model
from isrcheck.pipeline.row import DISAGREEMENT, FAULT, LOST, TIMEOUT, Row, failed_row, found_row, status_of
from isrcheck.pipeline.sources import placed, text_key
from isrcheck.run.outcome import Outcome, PropertyOutcome
from isrcheck.supervised import how_it_ended, start
from isrcheck.version import __version__

RESULT = "row string"  # as DDL
# to read, compile and replay
_STARTUP_SECONDS = 600.0

CellTask = dict[str, Any]  # what is sent: model, sources, text, version, constants, properties and limits


def check_cells(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Rows for the tasks in the column `cell`, both as JSON."""
    for batch in batches:
        rows = [json.dumps(checked(json.loads(task))) for task in batch.column("cell").to_pylist()]
        yield pa.RecordBatch.from_arrays([pa.array(rows, pa.string())], ["row"])


def checked(task: CellTask) -> Row:
    """The row of one cell, from a process of its own."""
    began = time.monotonic()
    allowed = task["limits"]["seconds"] + _STARTUP_SECONDS
    properties = tuple(task["properties"])
    child = start(lambda channel: channel.say(json.dumps(answer(task)).encode()))
    try:
        message = child.next_message(allowed)
        if message is not None:
            row: Row = json.loads(message)
            return row
        is_over = child.is_silent or child.code() is not None
        code = child.kill()
        seconds = time.monotonic() - began
        if is_over:
            return failed_row(LOST, f"The process that checked it {how_it_ended(code)}.", properties, seconds)
        sentence = f"Start-up and search together were not done after {allowed:,.0f} seconds."
        return failed_row(TIMEOUT, sentence, properties, seconds)
    finally:
        child.kill()


def answer(task: CellTask) -> Row:
    began = time.monotonic()
    properties = tuple(task["properties"])

    def failed(status: str, error: object) -> Row:
        return failed_row(status, _told(str(error), task), properties, time.monotonic() - began)

    try:
        return _checked(task, began)
    except IsrcheckError as error:
        return failed(DISAGREEMENT if isinstance(error, Disagreement) else status_of(error.exit_code), error)
    except MemoryError:
        return failed(FAULT, "There was not enough memory, and the limit of memory did not end the search in time.")
    except Exception as error:  # whatever it is, it must not look like a verdict, and the other cells go on
        return failed(FAULT, f"A fault of isrcheck: {type(error).__name__}: {error}.")


def _checked(task: CellTask, began: float) -> Row:
    if task["version"] != __version__:
        raise IsrcheckError(f"The worker has isrcheck {__version__}, and {task['version']} asks it: install the same.")
    name = placed(task["model"], task["sources"])
    if text_key(read_model(find_model(name))) != task["text"]:
        raise IsrcheckError(f"The worker has another text of {task['model']} than the driver: install the same.")
    outcome = check(name, properties=task["properties"], constants=task["constants"], limits=Limits(**task["limits"]))
    return found_row(_renamed(outcome, name, task["model"]), time.monotonic() - began)


def _renamed(outcome: Outcome, name: str, own: str) -> Outcome:
    copy_path, own_path = name.partition(":")[0], own.partition(":")[0]

    def told(found: PropertyOutcome) -> PropertyOutcome:
        trace = found.trace
        return replace(found, trace=trace and replace(trace, model=own, place=trace.place.replace(copy_path, own_path)))

    return replace(
        outcome,
        invocation=replace(outcome.invocation, model=own),
        properties=tuple(told(p) for p in outcome.properties),
    )


def _told(sentence: str, task: CellTask) -> str:
    copy, own = (name.partition(":")[0] for name in (placed(task["model"], task["sources"]), task["model"]))
    return sentence.replace(copy, own)
