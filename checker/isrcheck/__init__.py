"""Decides whether a change to Kafka's replication is safe, by trying every interleaving of a small cluster."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from isrcheck.lang.declare import (
    Model,
    Sort,
    Taken,
    UpTo,
    action,
    applies,
    assume,
    constant,
    each,
    history,
    invariant,
    lemma,
    members,
    policy,
    reachable,
    require,
    required,
    step,
)

if TYPE_CHECKING:
    from isrcheck.api import check, prove, simulate
    from isrcheck.engines.contract import Limits, Options
    from isrcheck.ir.property_kinds import Verdict
    from isrcheck.lang.drawing import (
        Drawing,
        arrow,
        blame,
        cells,
        crown,
        lane,
        mark,
        note,
        phrase,
        ribbon,
        truncation,
    )
    from isrcheck.run.outcome import Outcome

__all__ = [
    "Drawing", "Limits", "Model", "Options", "Outcome", "Sort", "Taken", "UpTo", "Verdict",
    "action", "applies", "arrow", "assume", "blame", "cells", "check", "constant", "crown", "each",
    "history", "invariant", "lane", "lemma", "mark", "members", "note", "phrase", "policy", "prove",
    "reachable", "require", "required", "ribbon", "simulate", "step", "truncation",
]  # fmt: skip

# Imported when first used: they bring the engines, which the command line wants only after it hears signals.
_LATER = {
    **dict.fromkeys(
        ("Drawing", "arrow", "blame", "cells", "crown", "lane", "mark", "note", "phrase", "ribbon", "truncation"),
        "isrcheck.lang.drawing",
    ),
    "Limits": "isrcheck.engines.contract",
    "Options": "isrcheck.engines.contract",
    "Outcome": "isrcheck.run.outcome",
    "Verdict": "isrcheck.ir.property_kinds",
    "check": "isrcheck.api",
    "prove": "isrcheck.api",
    "simulate": "isrcheck.api",
}


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = getattr(import_module(_LATER[name]), name)
    return globals()[name]


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
