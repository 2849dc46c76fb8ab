"""One search of one setting's model, for every number of faults within a budget."""

import hashlib
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from isrcheck import Limits, Options, Outcome, Trace, UsageError, Verdict, check
from isrcheck.plugin import Progress, fragment_of, replace, user_cache, write_aside
from isrrisk.budget import FaultBudget, Vector, maximal, minimal
from isrrisk.document import frontier_table
from isrrisk.frontier import Frontier, LeastLoss, Survival, least
from isrrisk.question import CLASS, LOSSES, name_of, question_text, sentence_of
from isrrisk.setting import Setting

NO_LIMITS = Limits()
NO_SWITCHES: Mapping[str, int] = MappingProxyType({})


@dataclass(frozen=True, repr=False)
class NotebookFrontier(Frontier):
    """A frontier that a notebook shows as its table."""

    def _repr_html_(self) -> str:
        return fragment_of(frontier_table(self))


def frontier(
    setting: Setting,
    budget: FaultBudget,
    limits: Limits = NO_LIMITS,
    workers: int = 1,
    records: int = 1,
    progress: Callable[[Progress], None] | None = None,
    switches: Mapping[str, int] = NO_SWITCHES,
    engine: str = "native",
) -> Frontier:
    """Search one setting's model once, for every number of faults within the budget.

    `switches` are constants of the model that no setting of Kafka's has. The gpu engine counts every state, the native
    engine one of those that differ only in which broker is which.

    Raises UsageError for a setting that is not modelled, ModelError and Disagreement as `check` does.
    """
    with _question_file(question_text(setting.model(), budget)) as file:
        outcome = check(
            f"{file}:{CLASS}",
            properties=[name_of(loss, vector) for loss in LOSSES for vector in budget.vectors()],
            engine=engine,
            limits=limits,
            options=Options(workers=workers, symmetry=engine == "native"),
            constants={
                **setting.constants(),
                **budget.constants(),
                **switches,
                "replicas": setting.replication_factor + budget.spares(),
                "max_records": records,
            },
            progress=progress,
        )
    return _frontier_of(setting, budget, outcome)


@contextmanager
def _question_file(question: str) -> Iterator[Path]:
    """A file with the question: in the user's cache, or in a temporary folder where that cannot be written."""
    name = f"question_{hashlib.sha256(question.encode()).hexdigest()[:16]}.py"
    try:
        file = user_cache().path / "risk" / name
        write_aside(file, question)
    except UsageError:
        with tempfile.TemporaryDirectory(prefix="isrcheck-risk-") as folder:
            write_aside(Path(folder) / name, question)
            yield Path(folder) / name
        return
    yield file


def seconds_left(limits: Limits, began: float) -> Limits:
    """The limits with what is left of the seconds since a monotonic time; a little, so that a search says its end."""
    if limits.seconds is None:
        return limits
    return replace(limits, seconds=max(round(limits.seconds - (time.monotonic() - began), 1), 0.1))


def _frontier_of(setting: Setting, budget: FaultBudget, outcome: Outcome) -> Frontier:
    verdicts = {each.name: each for each in outcome.properties}
    losses, survivals, undecided = [], [], []
    for loss in LOSSES:
        asked = ((vector, verdicts.get(name_of(loss, vector))) for vector in budget.vectors())
        by_vector = {vector: each for vector, each in asked if each is not None}  # none if the time was over before
        violated = {v: each.trace for v, each in by_vector.items() if each.verdict is Verdict.VIOLATED}
        stories = {v: _story(setting, loss, v, trace) for v, trace in violated.items() if trace}
        survived = [v for v, each in by_vector.items() if each.verdict is Verdict.HOLDS]
        if len(stories) + len(survived) < len(list(budget.vectors())):
            undecided.append(loss)
        losses += [LeastLoss(loss, v, stories[v]) for v in minimal(stories)]
        survivals += [Survival(loss, v) for v in maximal(survived)]
    return NotebookFrontier(
        setting=setting,
        budget=budget,
        losses=least(losses),
        survivals=survivals,
        undecided=undecided,
        cut=outcome.cut,
        states=outcome.distinct or 0,
        pruned=outcome.pruned or 0,
        seconds=outcome.seconds,
        interrupted=outcome.interrupted,
    )


def _story(setting: Setting, loss: str, faults: Vector, trace: Trace) -> Trace:
    """A trace of the question's model as one of the release's, which has the same property for all faults."""
    model, sentence = f"kraft-{setting.model_release()}", sentence_of(loss, faults)
    return replace(trace, model=model, name=loss, sentence=sentence, place="")
