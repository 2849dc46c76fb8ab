"""The search for the shortest schedule that tells two variants apart, against trying every schedule in order."""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.schedule.pumps import Careful, Careless, shortest_schedule

from isrcheck import Model
from isrcheck.engines.evaluator import ScalarStepper
from isrcheck.engines.reference.stepper import ReferenceStepper
from isrcheck.ir.property_kinds import INVARIANT, STEP, PropertyKind
from isrcheck.lang.read import read_model
from isrcheck.passes import bind, lower
from isrcheck.passes.bind import BoundModel
from isrcheck.schedule.distinguish import Distinction, DistinguishingSearch, SearchedVariant
from isrcheck.schedule.steps import ScheduleVocabulary, Step, labels_of_both
from isrcheck.schedule.walk import Walk
from isrtoys import TOYS

NAMES = ("toy-mutex", "toy-counter", "toy-ratchet", "toy-forks", "toy-crossing-careless", "toy-queue")
LONGEST = 3
TALLY: Counter[int | None] = Counter()  # schedules found, by length


class Changed:
    """A stepper in which some instances cannot happen, and others happen without effect: a variant of its model."""

    def __init__(self, stepper: Any, dropped: frozenset[int], idle: frozenset[int]) -> None:
        self.stepper, self.dropped, self.idle = stepper, dropped, idle
        self.initial = stepper.initial
        self.holds, self.step_holds = stepper.holds, stepper.step_holds

    def steps(self, state: Any) -> Iterator[tuple[int, Any]]:
        enabled = ((i, t) for i, t in self.stepper.steps(state) if i not in self.dropped)
        return ((i, state if i in self.idle and t is not None else t) for i, t in enabled)


def searched(sides: Sequence[tuple[Any, tuple[int | None, ...]]], name: str, kind: PropertyKind) -> Distinction:
    both = [SearchedVariant(stepper, labels, name, kind) for stepper, labels in sides]
    return DistinguishingSearch(both[0], both[1], 20_000, False, lambda _: None).run()


def tried(sides: Sequence[tuple[Any, tuple[int | None, ...]]], name: str, kind: PropertyKind) -> tuple[int, ...] | None:
    """The first schedule of at most LONGEST steps that tells the sides apart, by trying all of them."""

    def looks(schedule: Sequence[int]) -> tuple[bool, bool, bool, bool]:
        seen = [
            Walk(
                stepper,
                [
                    Step("", "", frozenset(i for i, label in enumerate(labels) if label == wanted))
                    for wanted in schedule
                ],
                frozenset(i for i, label in enumerate(labels) if label is None),
                {name: kind},
            ).run()
            for stepper, labels in sides
        ]
        left, right = (one.taken == len(schedule) for one in seen)
        return left, right, name in seen[0].decided, name in seen[1].decided

    return shortest_schedule(1 + max(n or 0 for _, labels in sides for n in labels), LONGEST, looks)


def test_the_pumps() -> None:
    bounds = [bind(read_model(cls), {"high": 1}) for cls in (Careless, Careful)]
    words = [ScheduleVocabulary(bound) for bound in bounds]
    labels, numbered = labels_of_both(words[0], words[1])
    assert len(labels) == 6
    for make in (ReferenceStepper, lambda bound: ScalarStepper(lower(bound))):
        steppers = [make(bound) for bound in bounds]
        sides = list(zip(steppers, numbered, strict=True))
        for name, kind in (("nothing_spills", INVARIANT), ("never_both_full", INVARIANT), ("one_at_a_time", STEP)):
            found = searched(sides, name, kind)
            wanted = tried(sides, name, kind)
            assert found.cut is None
            assert wanted == (found.labels if found.labels is None or len(found.labels) <= LONGEST else None)


MODELS = [*(TOYS[name] for name in NAMES), Careful, Careless]


@cache
def system(cls: type[Model]) -> tuple[BoundModel, ScalarStepper]:
    bound = bind(read_model(cls), {})
    return bound, ScalarStepper(lower(bound))


@settings(max_examples=100, derandomize=True, suppress_health_check=list(HealthCheck))
@given(st.sampled_from(MODELS), st.data())
def test_random_variants(cls: Any, data: st.DataObject) -> None:
    bound, stepper = system(cls)
    kinds = {p.name: p.kind for p in bound.properties if p.kind.is_violation}
    instances = range(len(stepper.action_of))
    some = st.frozensets(st.sampled_from(instances), max_size=2)
    internal, dropped, idle = data.draw(some), data.draw(some), data.draw(some)
    outer = data.draw(st.permutations([i for i in instances if i not in internal]))[:4]
    labels = tuple(None if i in internal else outer.index(i) if i in outer else -1 for i in instances)
    steppers = [Changed(stepper, frozenset(), frozenset()), Changed(stepper, dropped, idle)]
    sides = [(changed, labels) for changed in steppers]
    for name, kind in kinds.items():
        wanted = tried(sides, name, kind)
        found = searched(sides, name, kind)
        if found.labels is not None and len(found.labels) <= LONGEST:
            assert wanted == found.labels
        else:
            assert wanted is None
        TALLY[None if wanted is None else len(wanted)] += 1


def test_random_variants_are_told_apart() -> None:
    """The schedules that random variants are told apart by are not all of one kind, or the test above says little."""
    if not TALLY:
        test_random_variants()
    assert TALLY[1] + TALLY[2] + TALLY[3] >= 5, TALLY


def test_a_search_that_is_cut_tells_nothing() -> None:
    bounds = [bind(read_model(cls), {"high": 2}) for cls in (Careful, Careful)]
    words = [ScheduleVocabulary(bound) for bound in bounds]
    _, numbered = labels_of_both(words[0], words[1])
    sides = [
        SearchedVariant(ReferenceStepper(bound), by, "nothing_spills", INVARIANT)
        for bound, by in zip(bounds, numbered, strict=True)
    ]
    cut = DistinguishingSearch(sides[0], sides[1], 3, False, lambda _: None).run()
    assert (cut.labels, cut.cut) == (None, f"after {cut.nodes} pairs of sets")
    whole = DistinguishingSearch(sides[0], sides[1], None, False, lambda _: None).run()
    assert (whole.labels, whole.cut) == (None, None)
    assert whole.nodes > cut.nodes
