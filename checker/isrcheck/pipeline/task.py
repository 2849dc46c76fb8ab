"""The work of a worker on one cell."""

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
from isrcheck.pipeline.row import (
    DISAGREEMENT,
    FAULT,
    LOST,
    TIMEOUT,
    Row,
    row_of_failure,
    row_of_outcome,
    status_of,
)
from isrcheck.pipeline.sources import place_sources, text_key
from isrcheck.process.supervised import how_it_ended, start
from isrcheck.run.outcome import Outcome, PropertyOutcome
from isrcheck.version import __version__

RESULT = "row string"  # as DDL
# to read, compile and replay
_STARTUP_SECONDS = 600.0

CellTask = dict[str, Any]  # what is sent: model, sources, text, version, constants, properties and limits


def check_cells(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Rows for the tasks in the column `cell`, both as JSON."""
    for batch in batches:
        rows = [json.dumps(check_in_child(json.loads(task))) for task in batch.column("cell").to_pylist()]
        yield pa.RecordBatch.from_arrays([pa.array(rows, pa.string())], ["row"])


def check_in_child(task: CellTask) -> Row:
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
            return row_of_failure(LOST, f"The process that checked it {how_it_ended(code)}.", properties, seconds)
        sentence = f"Start-up and search together were not done after {allowed:,.0f} seconds."
        return row_of_failure(TIMEOUT, sentence, properties, seconds)
    finally:
        child.kill()


def answer(task: CellTask) -> Row:
    began = time.monotonic()
    properties = tuple(task["properties"])

    def failure(status: str, error: object) -> Row:
        return row_of_failure(status, _name_as_asked(str(error), task), properties, time.monotonic() - began)

    try:
        return _check(task, began)
    except IsrcheckError as error:
        return failure(DISAGREEMENT if isinstance(error, Disagreement) else status_of(error.exit_code), error)
    except MemoryError:
        return failure(FAULT, "There was not enough memory, and the limit of memory did not end the search in time.")
    except Exception as error:  # whatever it is, it must not look like a verdict, and the other cells go on
        return failure(FAULT, f"A fault of isrcheck: {type(error).__name__}: {error}.")


def _check(task: CellTask, began: float) -> Row:
    if task["version"] != __version__:
        raise IsrcheckError(f"The worker has isrcheck {__version__}, and {task['version']} asks it: install the same.")
    name = place_sources(task["model"], task["sources"])
    if text_key(read_model(find_model(name))) != task["text"]:
        raise IsrcheckError(f"The worker has another text of {task['model']} than the driver: install the same.")
    outcome = check(name, properties=task["properties"], constants=task["constants"], limits=Limits(**task["limits"]))
    return row_of_outcome(_rename(outcome, name, task["model"]), time.monotonic() - began)


def _rename(outcome: Outcome, name: str, own: str) -> Outcome:
    copy_path, own_path = name.partition(":")[0], own.partition(":")[0]

    def rename_trace(property_outcome: PropertyOutcome) -> PropertyOutcome:
        trace = property_outcome.trace
        return replace(
            property_outcome, trace=trace and replace(trace, model=own, place=trace.place.replace(copy_path, own_path))
        )

    return replace(
        outcome,
        invocation=replace(outcome.invocation, model=own),
        properties=tuple(rename_trace(p) for p in outcome.properties),
    )


def _name_as_asked(sentence: str, task: CellTask) -> str:
    copy, own = (name.partition(":")[0] for name in (place_sources(task["model"], task["sources"]), task["model"]))
    return sentence.replace(copy, own)
