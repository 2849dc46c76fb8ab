"""The answer to a question: every ring that is complete, and what is known beyond."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from isrrisk.budget import FaultBudget
from isrrisk.frontier import Frontier, LeastLoss, counts, least
from isrrisk.question import LOSSES
from isrrisk.setting import Setting


@dataclass(frozen=True)
class Wider:
    """The first ring that is not complete, and about how many states it has at most, if that is known."""

    budget: FaultBudget
    expected: int | None


@dataclass(frozen=True)
class Answer:
    """Answer for a setting: the complete rings in order, the search that was cut off, and what is wider."""

    setting: Setting
    complete: list[Frontier]
    cut: Frontier | None
    wider: Wider | None
    widest: FaultBudget

    @property
    def last(self) -> Frontier | None:
        """The widest complete ring."""
        return self.complete[-1] if self.complete else None

    @property
    def losses(self) -> list[LeastLoss]:
        """The least losses of the widest complete ring, and what the search that was cut off met beyond them."""
        return least([*(self.last.losses if self.last else ()), *(self.cut.losses if self.cut else ())])

    @property
    def undecided(self) -> list[str]:
        """The properties of which nothing is known to the end."""
        if self.last is not None:
            return []
        return (self.cut.undecided if self.cut else []) or list(LOSSES)

    @property
    def pruned(self) -> int:
        return self.last.pruned if self.last else 0

    @property
    def was_interrupted(self) -> bool:
        return self.cut is not None and self.cut.interrupted

    def exit(self, is_widest_asked: bool) -> int:
        """12 if something is lost, 20 if no ring is complete, or not the widest although it was asked for; else 0."""
        if self.losses:
            return 12
        return 20 if self.last is None or (is_widest_asked and self.wider is not None) else 0


def as_json(answer: Answer) -> dict[str, Any]:
    """The answer as `isrcheck.risk/2`; faults that did not happen are left out."""
    last = answer.last
    shown = last or answer.cut
    return {
        "schema": "isrcheck.risk/2",
        "setting": answer.setting.description(),
        "model": f"kraft-{answer.setting.model_release()}",
        "remarks": answer.setting.remarks(),
        "frontier": [
            {"property": loss.name, "faults": counts(loss.faults), "steps": loss.steps} for loss in answer.losses
        ],
        "survives": [
            {"property": each.name, "faults": counts(each.faults)} for each in (last.survivals if last else ())
        ],
        "complete": [_search_facts(each) for each in answer.complete],
        "rolling_restart": bool(shown and shown.budget.restarts),
        "undecided": answer.undecided,
        "cut": _search_facts(answer.cut) | {"reason": answer.cut.cut} if answer.cut else None,
        "wider": answer.wider and {**_budget(answer.wider.budget), "expected_states": answer.wider.expected},
        "states": shown.states if shown else 0,
        "pruned": answer.pruned,
        "seconds": round(sum(each.seconds for each in _all(answer)), 3),
    }


def _all(answer: Answer) -> Iterable[Frontier]:
    return (*answer.complete, *((answer.cut,) if answer.cut else ()))


def _search_facts(frontier: Frontier) -> dict[str, Any]:
    return {
        **_budget(frontier.budget),
        "states": frontier.states,
        "seconds": round(frontier.seconds, 3),
        "from_cache": frontier.from_cache,
    }


def _budget(budget: FaultBudget) -> dict[str, Any]:
    return {"budget": {name: n for name, n in budget.most.items() if n}, "in_all": budget.in_all}
