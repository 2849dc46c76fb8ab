"""Decides whether a change to Kafka's replication is safe, by trying every interleaving of a small cluster."""

from importlib import import_module
from time import time_ns
from typing import TYPE_CHECKING, Any

from isrcheck.errors import ModelError, UsageError
from isrcheck.lang.declare import (
    Between,
    Model,
    Sort,
    Taken,
    UpTo,
    action,
    applies,
    assume,
    canonical,
    constant,
    constant_of,
    constraint,
    each,
    enabled,
    fairness,
    history,
    initial,
    invariant,
    lemma,
    members,
    policy,
    reachable,
    refines,
    require,
    start,
    step,
    subsets,
    temporal,
)
from isrcheck.lang.formulas import Temporal, always_eventually, eventually, eventually_always, leads_to
from isrcheck.lang.network import Bag, Channels, Network
from isrcheck.lang.record import Record

if TYPE_CHECKING:
    from isrcheck.api import check, prove, simulate
    from isrcheck.compare.matrix import Matrix, matrix
    from isrcheck.engines.contract import Limits, Options
    from isrcheck.ir.property_kinds import Verdict
    from isrcheck.lang.drawing import (
        Drawing,
        arrow,
        badge,
        blame,
        cells,
        change,
        crown,
        lane,
        mark,
        note,
        phrase,
        receipt,
        ribbon,
        since,
        truncation,
    )
    from isrcheck.run.outcome import Outcome
    from isrcheck.run.trace import Trace, read_trace

IMPORTED_NS = time_ns()  # what is changed later is not what runs

__all__ = ["Bag", "Between", "Channels", "Model", "Network", "Record", "Sort", "Taken", "UpTo", "action", "applies"]
__all__ += ["assume", "canonical", "constant", "constraint", "each", "enabled", "history", "initial", "invariant"]
__all__ += ["lemma", "members", "policy", "reachable"]
__all__ += ["constant_of", "refines", "require", "start", "step", "subsets"]
__all__ += ["Temporal", "always_eventually", "eventually", "eventually_always", "fairness", "leads_to", "temporal"]
__all__ += ["Drawing", "arrow", "badge", "blame", "cells", "change", "crown", "lane", "mark", "note", "phrase"]
__all__ += ["receipt", "ribbon", "since", "truncation"]
__all__ += ["Limits", "Matrix", "Options", "Outcome", "Trace", "Verdict", "check", "matrix", "prove", "read_trace"]
__all__ += ["ModelError", "UsageError", "simulate"]

# Imported when first used: they bring the engines, which the command line wants only after it hears signals.
_LATER = ("lang.drawing", "ir.property_kinds", "engines.contract", "run.outcome", "run.trace", "api", "compare.matrix")


def __getattr__(name: str) -> Any:
    for module in _LATER if name in __all__ else ():
        known = vars(import_module(f"{__name__}.{module}"))
        if name in known:
            return globals().setdefault(name, known[name])
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
