"""Decides whether a change to Kafka's replication is safe, by trying every interleaving of a small cluster."""

from isrcheck.api import check, simulate
from isrcheck.evidence.outcome import Outcome, Verdict
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
    members,
    policy,
    reachable,
    require,
    required,
    step,
)

__all__ = [
    "Model",
    "Outcome",
    "Sort",
    "Taken",
    "UpTo",
    "Verdict",
    "action",
    "applies",
    "assume",
    "check",
    "constant",
    "each",
    "history",
    "invariant",
    "members",
    "policy",
    "reachable",
    "require",
    "required",
    "simulate",
    "step",
]
