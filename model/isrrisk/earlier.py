"""Frontiers of earlier searches, in the user's cache: believed while no model and no part of isrcheck has changed."""

import hashlib
import json
from typing import Any

from isrcheck.plugin import fingerprint, packages_with_models, trace_of, user_cache
from isrrisk.budget import FaultBudget
from isrrisk.frontier import Frontier, LeastLoss, Survival
from isrrisk.search import NotebookFrontier
from isrrisk.setting import Setting


def earlier_frontier(setting: Setting, budget: FaultBudget, records: int, engine: str) -> Frontier | None:
    """The frontier of a complete search for the same question, if there was one."""
    content = user_cache().get(_name(setting, budget, records, engine))
    if content is None:
        return None
    data = json.loads(content)
    losses = [LeastLoss(each["property"], _vector(each["faults"]), trace_of(each["trace"])) for each in data["losses"]]
    survivals = [Survival(each["property"], _vector(each["faults"])) for each in data["survivals"]]
    return NotebookFrontier(setting, budget, losses, survivals, [], None, **data["counts"], from_cache=True)


def keep(frontier: Frontier, records: int, engine: str) -> None:
    """Keep a frontier if its search was complete."""
    if not frontier.is_complete:
        return
    data: dict[str, Any] = {
        "losses": [
            {"property": each.name, "faults": each.faults, "trace": json.loads(each.trace.to_json())}
            for each in frontier.losses
        ],
        "survivals": [{"property": each.name, "faults": each.faults} for each in frontier.survivals],
        "counts": {
            "states": frontier.states,
            "pruned": frontier.pruned,
            "seconds": frontier.seconds,
        },
    }
    user_cache().put(_name(frontier.setting, frontier.budget, records, engine), json.dumps(data).encode())


def _name(setting: Setting, budget: FaultBudget, records: int, engine: str) -> str:
    question = repr(
        (
            setting,
            sorted(budget.most.items()),
            budget.restarts,
            budget.in_all,
            records,
            engine,
            fingerprint(packages_with_models() | {__name__.partition(".")[0]}),
        )
    )
    return f"risk-{hashlib.sha256(question.encode()).hexdigest()[:32]}.json"


def _vector(data: list[list[Any]]) -> tuple[tuple[str, int], ...]:
    return tuple((str(name), int(number)) for name, number in data)
