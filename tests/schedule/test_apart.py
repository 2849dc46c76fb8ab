"""The search for the shortest schedule that tells two variants apart, against trying every schedule in order."""

import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from tests.models.generate import models
from tests.models.loading import load
from tests.schedule.naive import runs, shortest_schedule
from tests.schedule.pumps import Careful, Careless

from isrcheck.engines.contract import Limits
from isrcheck.engines.evaluator import ScalarStepper
from isrcheck.engines.reference import ReferenceStepper
from isrcheck.errors import ModelError
from isrcheck.lang.read import read_model
from isrcheck.passes import bind, check_domains, lower
from isrcheck.schedule.apart import Apart, Search, Side
from isrcheck.schedule.labels import shared_labels
from isrcheck.schedule.observe import observable
from isrcheck.schedule.steps import vocabulary

LONGEST = 3


class Without:
    """A stepper that some instances are taken from: a variant of a model that has none."""

    def __init__(self, stepper: Any, dropped: frozenset[int]) -> None:
        self.stepper, self.dropped = stepper, dropped
        self.initial = stepper.initial
        self.holds, self.step_holds = stepper.holds, stepper.step_holds

    def steps(self, state: Any) -> Iterator[tuple[int, Any]]:
        return ((i, t) for i, t in self.stepper.steps(state) if i not in self.dropped)


def searched(sides: Sequence[tuple[Any, tuple[int | None, ...]]], model: Any, name: str, longest: int) -> Apart:
    both = [Side(stepper, labels, observable(name, model, stepper)) for stepper, labels in sides]
    return Search(both[0], both[1], Limits(states=20_000), False, lambda _: None).run()


def tried(sides: Sequence[tuple[Any, tuple[int | None, ...]]], name: str, kind: str) -> tuple[int, ...] | None:
    """The first schedule of at most LONGEST steps that tells the sides apart, by trying all."""

    def looks(schedule: Sequence[int]) -> tuple[bool, bool, bool, bool]:
        follow, broken = [], []
        for stepper, labels in sides:
            sets = [frozenset(i for i, label in enumerate(labels) if label == wanted) for wanted in schedule]
            internal = frozenset(i for i, label in enumerate(labels) if label is None)
            paths = list(runs(lambda s, of=stepper: enabled(of, s), stepper.initial, sets, internal))  # type: ignore[misc] # a default
            follow.append(any(taken == len(schedule) for taken, _, _ in paths))
            broken.append(any(breaks(stepper, name, kind, path, states) for _, path, states in paths))
        return follow[0], follow[1], broken[0], broken[1]

    return shortest_schedule(1 + max(n or 0 for _, labels in sides for n in labels), LONGEST, looks)


def enabled(stepper: Any, state: Any) -> list[tuple[int, Any]]:
    return [(i, t) for i, t in stepper.steps(state) if t is not None]


def breaks(stepper: Any, name: str, kind: str, path: tuple[int, ...], states: list[Any]) -> bool:
    if kind == "step":
        return bool(path) and not stepper.step_holds(name, states[-2], path[-1], states[-1])
    return not stepper.holds(name, states[-1])


def test_the_pumps() -> None:
    bounds = [bind(read_model(cls), {"high": 1}) for cls in (Careless, Careful)]
    words = [vocabulary(bound) for bound in bounds]
    labels, numbered = shared_labels(words[0], words[1])
    assert len(labels) == 6
    for make in (ReferenceStepper, lambda bound: ScalarStepper(lower(bound))):
        steppers = [make(bound) for bound in bounds]
        sides = list(zip(steppers, numbered, strict=True))
        for name, kind in (
            ("nothing_spills", "invariant"),
            ("never_both_full", "invariant"),
            ("one_at_a_time", "step"),
        ):
            found = searched(sides, bounds[0], name, LONGEST)
            wanted = tried(sides, name, kind)
            assert found.cut is None
            assert wanted == (found.labels if found.labels is None or len(found.labels) <= LONGEST else None)


@settings(max_examples=60, derandomize=True, database=None, deadline=None, suppress_health_check=list(HealthCheck))
@given(models(), st.data())
def test_random_variants(text: str, data: st.DataObject) -> None:
    with tempfile.TemporaryDirectory() as folder:
        cls = load(text, Path(folder))
        try:
            read = read_model(cls)
            check_domains(read)
            bound = bind(read, {})
            system = lower(bound)
        except ModelError:
            assume(False)
    kinds = {p.name: p.role for p in bound.properties if p.role != "reachable"}
    count = len(system.instances)
    assume(kinds and 1 < count <= 10)
    some = st.frozensets(st.sampled_from(range(count)), max_size=2)
    internal, dropped = data.draw(st.frozensets(st.sampled_from(range(count)), max_size=1)), data.draw(some)
    name = data.draw(st.sampled_from(sorted(kinds)))
    outer = [i for i in range(count) if i not in internal]
    labels = tuple(None if i in internal else outer.index(i) for i in range(count))
    sides = [(Without(ScalarStepper(system), frozenset()), labels), (Without(ScalarStepper(system), dropped), labels)]
    try:
        wanted = tried(sides, name, kinds[name])
        found = searched(sides, bound, name, LONGEST)
    except ModelError:
        return
    if found.labels is not None and len(found.labels) <= LONGEST:
        assert wanted == found.labels
    else:
        assert wanted is None


def test_a_search_that_is_cut_tells_nothing() -> None:
    bounds = [bind(read_model(cls), {"high": 2}) for cls in (Careful, Careful)]
    words = [vocabulary(bound) for bound in bounds]
    _, numbered = shared_labels(words[0], words[1])
    sides = [
        Side(stepper, by, observable("nothing_spills", bound, stepper))
        for bound, by in zip(bounds, numbered, strict=True)
        for stepper in [ReferenceStepper(bound)]
    ]
    cut = Search(sides[0], sides[1], Limits(states=3), False, lambda _: None).run()
    assert (cut.labels, cut.cut) == (None, f"after {cut.nodes} pairs of sets")
    whole = Search(sides[0], sides[1], Limits(), False, lambda _: None).run()
    assert (whole.labels, whole.cut) == (None, None)
    assert whole.nodes > cut.nodes
