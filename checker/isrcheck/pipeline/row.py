"""A cell's row: what its run said, or why there was none, one of `STATUSES`."""

import json
from dataclasses import asdict
from typing import Any

import pyarrow as pa
from msgspec import structs

from isrcheck.grid.cells import GridCell
from isrcheck.ir.property_kinds import Verdict
from isrcheck.run.outcome import Outcome

DECIDED = "decided"  # all that was asked
CUT = "cut"  # by a limit, before that
# the constants contradict the model's
ASSUMPTION_FALSE = "assumption-false"
MODEL_ERROR = "model-error"
DISAGREEMENT = "disagreement"  # of engines
FAULT = "fault"  # ours, or the machine's
# far longer than the search may take
TIMEOUT = "timeout"
LOST = "lost"  # killed twice
STATUSES = (DECIDED, CUT, ASSUMPTION_FALSE, MODEL_ERROR, DISAGREEMENT, FAULT, TIMEOUT, LOST)

# They say nothing of the model, so that the
# next run computes such cells again.
OF_THE_MACHINE = (FAULT, TIMEOUT, LOST)

_BY_EXIT = {10: ASSUMPTION_FALSE, 75: MODEL_ERROR}
_EXIT = {ASSUMPTION_FALSE: 10, MODEL_ERROR: 75, DISAGREEMENT: 70, FAULT: 70, TIMEOUT: 20, LOST: 20}

Row = dict[str, Any]

# What changes in one changes its name.
CELLS = "isrcheck.sweep-cells/1"
MATRIX = "isrcheck.sweep-matrix/1"
FRONTIER = "isrcheck.sweep-frontier/1"

_NAMES = dict.fromkeys(("name", "kind", "verdict", "assurance"), pa.string())
_PROPERTY = pa.struct({**_NAMES, "length": pa.int64(), "trace": pa.string()})
_ACTION = pa.struct({"name": pa.string(), "generated": pa.int64(), "distinct": pa.int64()})
_LIMITS = pa.struct({"states": pa.int64(), "depth": pa.int64(), "seconds": pa.float64(), "memory": pa.int64()})

SCHEMA = pa.schema(
    {
        **dict.fromkeys(("key", "grid", "model", "text"), pa.string()),
        "constants": pa.map_(pa.string(), pa.string()),
        "limits": _LIMITS,
        "status": pa.string(),
        "sentence": pa.string(),
        "exit": pa.int32(),
        "attempts": pa.int32(),
        "verdict": pa.string(),
        "properties": pa.list_(_PROPERTY),
        "actions": pa.list_(_ACTION),
        "levels": pa.list_(pa.int64()),
        **dict.fromkeys(("distinct", "generated", "depth", "pruned"), pa.int64()),
        "digest": pa.string(),
        "bits": pa.int64(),
        "cut": pa.string(),
        **dict.fromkeys(("seconds", "startup_seconds", "total_seconds"), pa.float64()),
        "peak_rss_bytes": pa.int64(),
        **dict.fromkeys(("version", "command", "outcome"), pa.string()),
    },
    metadata={"schema": CELLS},
)


def status_of(exit_code: int) -> str:
    return _BY_EXIT.get(exit_code, FAULT)


_COUNTS = ("distinct", "generated", "depth", "pruned", "digest")
_OF_OUTCOME = (*_COUNTS, "exit", "cut", "command", "seconds", "startup_seconds", "peak_rss_bytes")


def row_of_outcome(outcome: Outcome, total_seconds: float) -> Row:
    """The row of an outcome, without the columns of `row_of_cell`."""
    undecided = outcome.verdict is Verdict.UNDETERMINED or any(
        p.verdict is Verdict.UNDETERMINED for p in outcome.properties
    )
    return {
        "status": CUT if undecided else DECIDED,
        "sentence": f"The search was cut off {outcome.cut}." if undecided else None,
        "verdict": outcome.verdict.value,
        "properties": [
            {
                "name": p.name,
                "kind": p.kind.name,
                "verdict": p.verdict.value,
                "assurance": p.assurance,
                "length": p.trace.length if p.trace else None,
                "trace": p.trace.to_json() if p.trace else None,
            }
            for p in outcome.properties
        ],
        "actions": [asdict(action) for action in outcome.actions],
        "levels": list(outcome.levels),
        "bits": outcome.state_bits,
        "total_seconds": total_seconds,
        "outcome": json.dumps(outcome.to_dict(), ensure_ascii=False),
        **{name: getattr(outcome, name) for name in _OF_OUTCOME},
    }


def row_of_failure(status: str, sentence: str, properties: tuple[str, ...], total_seconds: float = 0.0) -> Row:
    """A run without an outcome: every property asked is there, and none has a verdict."""
    return {
        "status": status,
        "sentence": " ".join(sentence.split()),
        "exit": _EXIT[status],
        "properties": [{"name": name} for name in properties],
        "actions": [],
        "levels": [],
        "total_seconds": total_seconds,
    }


def row_of_cell(cell: GridCell, key: str, model_hash: str, version: str, attempts: int) -> Row:
    return {
        "key": key,
        "grid": cell.grid,
        "model": cell.model,
        "text": model_hash,
        "constants": list(cell.constants.items()),
        "limits": structs.asdict(cell.limits),
        "attempts": attempts,
        "version": version,
    }
