"""The frontier: the least numbers of faults that lose something, and the most that lose nothing."""

import hashlib
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from isrcheck.api import check
from isrcheck.engines.contract import NO_LIMITS, Limits, Options, Progress
from isrcheck.evidence.writers.fragment import fragment_of
from isrcheck.files import write_aside
from isrcheck.ir.frozen import replace
from isrcheck.ir.property_kinds import Verdict
from isrcheck.run.outcome import Outcome
from isrcheck.run.trace import Trace
from isrcheck.user_cache import user_cache
from isrmodel.risk.budget import FaultBudget, Vector, in_words, maximal, minimal
from isrmodel.risk.document import answers_document
from isrmodel.risk.question import CLASS, LOSSES, name_of, question_text, sentence_of
from isrmodel.risk.setting import Setting

NO_SWITCHES: Mapping[str, bool] = MappingProxyType({})


@dataclass(frozen=True, repr=False)
class LeastLoss:
    """One least number of faults that breaks a property, and the shortest way there."""

    name: str  # of the property
    faults: Vector
    trace: Trace

    @property
    def steps(self) -> int:
        return self.trace.length - 1  # its length counts states

    def __repr__(self) -> str:
        return f"<LeastLoss {self.name}: {in_words(self.faults)}, {self.steps} steps>"


@dataclass(frozen=True)
class Survival:
    """One greatest number of faults within which a property holds in every reachable state."""

    name: str  # of the property
    faults: Vector


@dataclass(frozen=True, repr=False)
class Frontier:
    """What a setting survives within a budget.

    Unless `cut` is None, what is missing was not looked for to the end; `undecided` names the properties of which some
    number of faults has neither a replayed violation nor a whole search.
    """

    setting: Setting
    budget: FaultBudget
    losses: list[LeastLoss]
    survivals: list[Survival]
    undecided: list[str]
    cut: str | None
    states: int
    pruned: int
    seconds: float
    command: str  # the line that searches again

    @property
    def is_complete(self) -> bool:
        """Whether every property was decided for every number of faults."""
        return self.cut is None and not self.undecided

    @property
    def exit(self) -> int:
        """12 if something is lost, 20 if that is not known, else 0."""
        return 12 if self.losses else 0 if self.is_complete else 20

    def __repr__(self) -> str:
        losses = ", ".join(f"{loss.name} after {in_words(loss.faults)}" for loss in self.losses)
        survives = "survives everything searched" if self.is_complete and not self.pruned else "nothing lost so far"
        return f"<Frontier {self.setting.described()}: {losses or survives}>"

    def _repr_html_(self) -> str:
        return fragment_of(answers_document(self))


def frontier(
    setting: Setting,
    budget: FaultBudget,
    limits: Limits = NO_LIMITS,
    workers: int = 1,
    records: int = 1,
    progress: Callable[[Progress], None] | None = None,
    on_first: Callable[[Frontier], object] = lambda _: None,
    switches: Mapping[str, bool] = NO_SWITCHES,
) -> Frontier:
    """Search one setting's model once, for every number of faults within the budget.

    `on_first` is given the first losses that the search meets, which then goes on; `switches` are constants of the
    model that no setting of Kafka's has.

    Raises UsageError for a setting that is not modelled, ModelError and Disagreement as `check` does.
    """
    question = question_text(setting.model(), budget).encode()
    file = user_cache().path / "risk" / f"question_{hashlib.sha256(question).hexdigest()[:16]}.py"
    write_aside(file, question)

    first: list[Frontier] = []

    def tell(outcome: Outcome) -> None:
        first.append(_read(setting, budget, outcome))
        on_first(first[0])

    outcome = check(
        f"{file}:{CLASS}",
        properties=[name_of(loss, vector) for loss in LOSSES for vector in budget.vectors()],
        limits=limits,
        options=Options(workers=workers, symmetry=True),
        constants={
            **setting.constants(),
            **budget.constants(),
            **switches,
            "replicas": setting.replication_factor + budget.spares(),
            "max_records": records,
        },
        on_first=tell,
        progress=progress,
    )
    return with_losses(_read(setting, budget, outcome), [loss for each in first for loss in each.losses])


def with_losses(found: Frontier, before: list[LeastLoss]) -> Frontier:
    """A frontier that a limit cut off may lack what a search before it has replayed."""
    losses = []
    for loss in LOSSES:
        known = {each.faults: each for each in (*before, *found.losses) if each.name == loss}
        losses += [known[vector] for vector in sorted(minimal(known), key=by_number)]
    return replace(found, losses=losses)


def by_number(faults: Vector) -> tuple[int, Vector]:
    """The fewest faults first."""
    return sum(n for _, n in faults), faults


def left(limits: Limits, began: float) -> Limits:
    """What is left of a limit in seconds since a monotonic time; a little, so that the search says when it ended."""
    if limits.seconds is None:
        return limits
    return replace(limits, seconds=max(round(limits.seconds - (time.monotonic() - began), 1), 0.1))


def _read(setting: Setting, budget: FaultBudget, outcome: Outcome) -> Frontier:
    verdicts = {each.name: each for each in outcome.properties}
    losses, survivals, undecided = [], [], []
    for loss in LOSSES:
        by_vector = {vector: verdicts[name_of(loss, vector)] for vector in budget.vectors()}
        violated = {v: each.trace for v, each in by_vector.items() if each.verdict is Verdict.VIOLATED}
        stories = {v: _story(setting, loss, v, trace) for v, trace in violated.items() if trace}
        kept = [v for v, each in by_vector.items() if each.verdict is Verdict.HOLDS]
        if len(stories) + len(kept) < len(by_vector):
            undecided.append(loss)
        losses += [LeastLoss(loss, v, stories[v]) for v in minimal(stories)]
        survivals += [Survival(loss, v) for v in maximal(kept)]
    searched = outcome.searched
    return Frontier(
        setting,
        budget,
        losses,
        survivals,
        undecided,
        outcome.cut,
        searched.distinct if searched else 0,
        searched.pruned if searched else 0,
        outcome.seconds,
        outcome.command,
    )


def _story(setting: Setting, loss: str, faults: Vector, trace: Trace) -> Trace:
    """A trace of the question's model as one of the release's, which has the same property for all faults."""
    model, sentence = f"kraft-{setting.modelled_release()}", sentence_of(loss, faults)
    return replace(trace, model=model, name=loss, sentence=sentence, place="")


def as_json(found: Frontier) -> dict[str, Any]:
    """The frontier as `isrcheck.risk/1`; faults that did not happen are left out."""
    return {
        "schema": "isrcheck.risk/1",
        "setting": found.setting.described(),
        "model": f"kraft-{found.setting.modelled_release()}",
        "frontier": [
            {"property": loss.name, "faults": _counts(loss.faults), "steps": loss.steps} for loss in found.losses
        ],
        "survives": [{"property": each.name, "faults": _counts(each.faults)} for each in found.survivals],
        "budget": {name: n for name, n in found.budget.most.items() if n},
        "rolling_restart": found.budget.restarted > 0,
        "undecided": found.undecided,
        "cut": found.cut,
        "states": found.states,
        "pruned": found.pruned,
        "seconds": round(found.seconds, 3),
    }


def _counts(vector: Vector) -> dict[str, int]:
    return {name: n for name, n in vector if n}
