"""The least change of settings that survives what a setting does not."""

from collections.abc import Callable
from dataclasses import dataclass

from isrcheck.plugin import Document, Paragraph, strong
from isrrisk.answer import Answer
from isrrisk.budget import FaultBudget, in_words
from isrrisk.frontier import Frontier
from isrrisk.setting import Change, Setting

ACKED = ("acked_in_leader", "acked_somewhere")
Search = Callable[[Setting, FaultBudget], Frontier]


@dataclass(frozen=True)
class Advice:
    """A change that survives the least faults that lose a record, or None; `tried` says of each what it comes to."""

    change: Change | None
    tried: dict[str, str]
    faults: str  # that lose a record now


def advise(answer: Answer, search: Search) -> Advice | None:
    """Try one change after the other, the cheapest first, until one survives every least way to lose a record.

    Each is searched with no more faults than lost one. None if no acknowledged record was lost.
    """
    lost = list(dict.fromkeys(loss.faults for loss in answer.losses if loss.name in ACKED))
    if not lost:
        return None
    budgets = [FaultBudget(dict(vector), _brokers_restarted(answer)) for vector in lost]
    faults = "; or ".join(map(in_words, lost))
    tried = {}
    for change in answer.setting.changes():
        tried[change.name] = _outcome(change.setting, budgets, search)
        if tried[change.name] == "survives":
            return Advice(change, tried, faults)
    return Advice(None, tried, faults)


def _brokers_restarted(answer: Answer) -> int:
    searched = answer.last or answer.cut
    return searched.budget.restarts if searched else 0


def _outcome(setting: Setting, budgets: list[FaultBudget], search: Search) -> str:
    for budget in budgets:
        frontier = search(setting, budget)
        if frontier.interrupted:
            raise KeyboardInterrupt
        if any(loss.name in ACKED for loss in frontier.losses):
            return "does not survive"
        if not frontier.is_complete or frontier.pruned:
            return "was not searched to the end"
    return "survives"


def advice_document(advice: Advice) -> Document:
    """The change that would have survived, its price, and what was not looked at."""
    caveat = f"Searched with no more than {advice.faults}; more faults, or others, may lose a record all the same."
    unsearched = [name for name, outcome in advice.tried.items() if outcome == "was not searched to the end"]
    if unsearched:
        caveat += f" Not searched to the end: {', '.join(unsearched)}."
    if advice.change is not None:
        change = f" loses no acknowledged record by that. Its price: {advice.change.price}."
        yield Paragraph(("The cheapest change tried: ", strong(advice.change.name), change), caveat)
        return
    tried = "; ".join(f"{name} {outcome}" for name, outcome in advice.tried.items())
    yield Paragraph(f"No single change of those tried survives this: {tried}.", caveat)
