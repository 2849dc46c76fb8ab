"""A cell's row: what its run said, or why there was none. The statuses are the closed list `STATUSES`."""

import json
from typing import Any

from isrcheck.grid.cells import GridCell
from isrcheck.ir.property_kinds import Verdict
from isrcheck.run.outcome import Outcome

DECIDED = "decided"  # every property asked has a verdict
CUT = "cut"  # a limit ended the search before that
ASSUMPTION_FALSE = "assumption-false"  # the constants contradict an assumption of the model
MODEL_ERROR = "model-error"
DISAGREEMENT = "disagreement"  # two engines answered differently
FAULT = "fault"  # of isrcheck, or of the machine
TIMEOUT = "timeout"  # start-up and search together took far longer than the search may
LOST = "lost"  # whoever computed it was killed, twice
STATUSES = (DECIDED, CUT, ASSUMPTION_FALSE, MODEL_ERROR, DISAGREEMENT, FAULT, TIMEOUT, LOST)

# These say nothing about the model: the next run computes such cells again.
OF_THE_MACHINE = (FAULT, TIMEOUT, LOST)

_BY_EXIT = {10: ASSUMPTION_FALSE, 75: MODEL_ERROR}
_EXIT = {ASSUMPTION_FALSE: 10, MODEL_ERROR: 75, DISAGREEMENT: 70, FAULT: 70, TIMEOUT: 20, LOST: 20}

Row = dict[str, Any]


def status_of(exit_code: int) -> str:
    """The status of a cell that ended with this exit code."""
    return _BY_EXIT.get(exit_code, FAULT)


def found_row(outcome: Outcome, total_seconds: float) -> Row:
    """What a run that ended with an outcome says; `cell_part` says the rest."""
    undecided = outcome.verdict is Verdict.UNDETERMINED or any(
        p.verdict is Verdict.UNDETERMINED for p in outcome.properties
    )
    return {
        "status": CUT if undecided else DECIDED,
        "sentence": f"The search was cut off {outcome.cut}." if undecided else None,
        "exit": outcome.exit,
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
        "actions": [{"name": a.name, "generated": a.generated, "distinct": a.distinct} for a in outcome.actions],
        "levels": list(outcome.levels),
        "distinct": outcome.distinct,
        "generated": outcome.generated,
        "depth": outcome.depth,
        "pruned": outcome.pruned,
        "digest": outcome.digest,
        "bits": outcome.state_bits,
        "cut": outcome.cut,
        "seconds": outcome.seconds,
        "startup_seconds": outcome.startup_seconds,
        "total_seconds": total_seconds,
        "peak_rss_bytes": outcome.peak_rss_bytes,
        "command": outcome.command,
        "outcome": json.dumps(outcome.to_dict(), ensure_ascii=False),
    }


def failed_row(status: str, sentence: str, properties: tuple[str, ...], total_seconds: float = 0.0) -> Row:
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


def cell_part(cell: GridCell, key: str, text: str, version: str, attempts: int) -> Row:
    """Which cell a row belongs to."""
    limits = cell.limits
    return {
        "key": key,
        "grid": cell.grid,
        "model": cell.model,
        "text": text,
        "constants": list(cell.constants.items()),
        "limits": {
            "states": limits.states,
            "depth": limits.depth,
            "seconds": limits.seconds,
            "memory": limits.memory,
        },
        "attempts": attempts,
        "version": version,
    }
