"""The work of a worker on one cell, and its inputs: a model's text, as a key, and a user's own files."""

import hashlib
import json
import re
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from msgspec import structs

from isrcheck.api import check
from isrcheck.catalogue import find_model
from isrcheck.engines.contract import Limits
from isrcheck.errors import Disagreement, IsrcheckError, UsageError
from isrcheck.files import write_aside
from isrcheck.grid.cells import GridCell
from isrcheck.ir.frozen import replace, tree_of
from isrcheck.ir.model import ModelIR
from isrcheck.lang.read import read_model
from isrcheck.pipeline.folder import (
    DISAGREEMENT,
    FAULT,
    LOST,
    TIMEOUT,
    Row,
    row_of_failure,
    row_of_outcome,
    status_of,
)
from isrcheck.place import source_text
from isrcheck.process.supervised import how_it_ended, start
from isrcheck.run.outcome import Outcome, PropertyOutcome
from isrcheck.run.trace import drawing_to_json
from isrcheck.version import __version__

_MOST_BYTES = 8 << 20
_NOT_READ = ("cls", "make")  # the class is the text, and a domain's name says what it makes
# A user's file is loaded as a module whose name has a number that is another one in each process.
_LOADED = re.compile(r"\bisrcheck_model_(\w+)_[0-9a-f]+\b")


def text_key(ir: ModelIR) -> str:
    """The hash of a model as it was read, without comments, blank lines and places."""
    tree = _LOADED.sub(r"\1", repr(tree_of(ir, _NOT_READ)))
    drawing = getattr(ir.cls, "drawing", None)
    drawn = json.dumps(drawing_to_json(drawing) if drawing else None, sort_keys=True)
    return hashlib.sha256(f"{tree}\0{drawn}".encode(errors="surrogatepass")).hexdigest()


def cell_key(cell: GridCell, model_hash: str, version: str) -> str:
    """The key of a cell: all that its result depends on, and isrcheck's version."""
    parts: list[Any] = [
        version,
        model_hash,
        cell.model,
        sorted(cell.constants.items()),
        cell.properties,
        structs.asdict(cell.limits),
        cell.engine,
    ]
    parts.append(cell.refusal and cell.refusal[0])  # not the sentence, which says where the model's file lies
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def sources_of(model: str) -> dict[str, str]:
    """The texts of FILE.py:Class, once loaded, and what it imported, by path. Raises UsageError if too large."""
    if ".py" not in model:
        return {}
    folder = Path(model.partition(":")[0]).resolve().parent
    loaded = {getattr(module, "__file__", None) or "" for module in list(sys.modules.values())}
    files = sorted({Path(f).resolve() for f in loaded if f.endswith(".py")})
    # Not of an environment that happens to lie below the folder.
    own = (f for f in files if "site-packages" not in f.parts and not f.is_relative_to(Path(__file__).parents[1]))
    texts = {str(f.relative_to(folder)): source_text(f) for f in own if f.is_relative_to(folder)}
    if sum(map(len, texts.values())) > _MOST_BYTES:
        raise UsageError(
            f"{model} has more than {_MOST_BYTES >> 20} MiB of Python beside it: give it a folder of its own."
        )
    return texts


def place_sources(model: str, texts: dict[str, str]) -> str:
    """The name under which a worker finds the model: the same, or that of a copy of its files."""
    if not texts:
        return model
    path, _, class_name = model.partition(":")
    content = hashlib.sha256("\0".join(f"{n}\0{t}" for n, t in sorted(texts.items())).encode()).hexdigest()
    folder = Path(tempfile.gettempdir()) / f"isrcheck-{content[:32]}"
    for name, source in texts.items():
        if not (folder / name).is_file() or (folder / name).read_text(encoding="utf-8") != source:
            write_aside(folder / name, source)
    return f"{folder / Path(path).name}:{class_name}"


_STARTUP_SECONDS = 600.0  # to read, compile and replay

CellTask = dict[str, Any]  # what is sent: model, sources, text, version, constants, properties, limits and engine


def check_in_child(task: CellTask) -> Row:
    """The row of one cell, from a process of its own on the worker."""
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
    asked = {name: task[name] for name in ("properties", "constants", "engine")}
    outcome = check(name, limits=Limits(**task["limits"]), **asked)
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
