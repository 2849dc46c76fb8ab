"""A schedule run over one variant: a verdict for each property, or the step that the variant cannot take, and why."""

from collections.abc import Iterable
from dataclasses import dataclass

from isrcheck.engines.contract import Limits
from isrcheck.engines.frozen_values import State
from isrcheck.engines.reference.why import AskingStepper, Bound, Guard
from isrcheck.ir.frozen import replace
from isrcheck.ir.property_kinds import PropertyKind
from isrcheck.passes.bind import BoundModel
from isrcheck.process.budget import OutOfBudget, budget, poll_by_timer
from isrcheck.run.replay import replay
from isrcheck.run.trace import Trace
from isrcheck.schedule.steps import ScheduleVocabulary, Step
from isrcheck.schedule.walk import Following, Walk, Way

ENGINE = "schedule"  # in disagreements


_BEYOND = 1 << 30  # a step that would leave a bound has passed every guard


@dataclass(frozen=True)
class Refusal:
    """One instance that cannot happen."""

    call: str
    guard: str  # or words about a bound
    place: str

    def __str__(self) -> str:
        return f"{self.guard} ({self.place})" if self.place else self.guard


@dataclass(frozen=True)
class PropertyRun:
    """One property over all runs."""

    name: str
    kind: PropertyKind
    # violated, kept, cannot (none ends),
    # reached, unreached, undetermined
    verdict: str
    taken: int = 0  # on the shortest way
    trace: Trace | None = None
    way: Way | None = None


@dataclass(frozen=True)
class VariantRun(Following[State]):
    model: str
    bound: BoundModel
    steps: tuple[Step, ...]
    properties: tuple[PropertyRun, ...]
    refusal: Refusal | None

    @property
    def verdict(self) -> str:
        verdicts = {p.verdict for p in self.properties}
        if "violated" in verdicts:
            return "violated"
        if self.cut:
            return "undetermined"
        if self.taken < len(self.steps):
            return "cannot"
        return "kept" if self.properties else "followed"


def run_variant(
    model: str, words: ScheduleVocabulary, steps: tuple[Step, ...], names: Iterable[str], limits: Limits
) -> VariantRun:
    """Every run of a variant under these steps; violations are replayed. Raises ModelError or Disagreement."""
    bound = words.model
    wanted = frozenset(names)
    stepper = AskingStepper(bound)
    kinds = {p.name: p.kind for p in bound.ir.properties if p.name in wanted}
    with budget(limits.seconds, limits.memory):
        following = Walk(stepper, steps, words.internal, kinds, limits).run()
        following, refusal = _with_refusal(following, stepper, steps)
    is_complete = following.taken == len(steps)
    decided = [
        PropertyRun(name, kind, _verdict_without_trace(kind, following.cut, is_complete))
        for name, kind in kinds.items()
    ]
    for number, one in enumerate(decided):
        if way := following.decided.get(one.name):
            trace = replay(bound, one.name, way.path, model, ENGINE)
            verdict = "reached" if one.kind.holds_by_target else "violated"
            decided[number] = PropertyRun(one.name, one.kind, verdict, way.scheduled, trace, way)
    return VariantRun(
        **vars(following), model=model, bound=bound, steps=steps, properties=tuple(decided), refusal=refusal
    )


def _with_refusal(
    following: Following[State], stepper: AskingStepper, steps: tuple[Step, ...]
) -> tuple[Following[State], Refusal | None]:
    """Find why no run takes the next step; a run that has no time for that is cut off."""
    if following.cut is not None or following.taken == len(steps):
        return following, None
    try:
        with poll_by_timer():
            return following, nearest_refusal(stepper, following.ends, steps[following.taken].instances)
    except OutOfBudget as over:
        return replace(following, cut=str(over)), None


def _verdict_without_trace(kind: PropertyKind, cut: str | None, is_complete: bool) -> str:
    if cut:
        return "undetermined"
    if not is_complete:
        return "cannot"
    return "unreached" if kind.holds_by_target else "kept"


def nearest_refusal(stepper: AskingStepper, states: Iterable[State], instances: Iterable[int]) -> Refusal | None:
    """The refusal whose guard stands furthest down; the first of equals."""
    wanted = sorted(instances)
    asked = ((answers[i], i) for answers in map(stepper.answers, states) for i in wanted)
    refused = filter(None, (_refusal_of(stepper.call(i), answer) for answer, i in asked))
    nearest = max(refused, key=lambda each: each[1], default=None)
    return nearest and nearest[0]


def _refusal_of(call: str, answer: object) -> tuple[Refusal, int] | None:
    match answer:
        case Guard(at=at, condition=condition, reached=line):
            return Refusal(call, f"require({condition})", str(at)), line
        case Bound():
            return Refusal(call, "it would leave the bounds of the constants", ""), _BEYOND
    return None
