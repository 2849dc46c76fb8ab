"""The least change of settings that survives what a setting does not."""

from collections.abc import Callable
from dataclasses import dataclass

from isrcheck.ir.frozen import replace
from isrmodel.risk.budget import FaultBudget
from isrmodel.risk.frontier import Frontier
from isrmodel.risk.setting import Setting

ACKED = ("acked_in_leader", "acked_somewhere")
Search = Callable[[Setting, FaultBudget], Frontier]


@dataclass(frozen=True)
class Advice:
    """A change by name, or None if none of those tried survives; `tried` says of each what it comes to."""

    change: str | None
    tried: dict[str, str]


def advise(found: Frontier, search: Search) -> Advice | None:
    """Try one change after the other, the cheapest first, until one survives every least way to lose a record.

    Each is searched with no more faults than lost one. None if no acknowledged record was lost.
    """
    lost = list(dict.fromkeys(loss.faults for loss in found.losses if loss.name in ACKED))
    if not lost:
        return None
    tried = {}
    for name, setting in found.setting.changes().items():
        tried[name] = _outcome(setting, [replace(found.budget, most=dict(vector)) for vector in lost], search)
        if tried[name] == "survives":
            return Advice(name, tried)
    return Advice(None, tried)


def _outcome(setting: Setting, budgets: list[FaultBudget], search: Search) -> str:
    for budget in budgets:
        answer = search(setting, budget)
        if any(loss.name in ACKED for loss in answer.losses):
            return "does not survive"
        if not answer.is_complete or answer.pruned:
            return "undetermined"
    return "survives"
