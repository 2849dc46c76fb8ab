"""Random walks: seeded, replayed, and never a proof."""

import json
from typing import Annotated

import pytest
from tests.native.systems import counter, kip320, mutex, names_of, stopper, wide
from tests.native.test_search import faulty

from isrcheck import Model, UpTo, Verdict, action, check, constraint, invariant, require, simulate
from isrcheck.engines.common.evaluate import Values
from isrcheck.engines.contract import FoundFault, Limits, Path, Request, Sampled
from isrcheck.engines.native.simulate import simulate as simulate_system
from isrcheck.ir.frozen import replace
from isrcheck.ir.scalar import ScalarSystem
from isrcheck.lang.read import read_model
from isrcheck.passes import bind
from isrcheck.run import shrink
from isrcheck.run.shrink import WalkShrinker
from isrmodel import Kip101


def timeless(seen: Sampled) -> Sampled:
    return replace(seen, seconds=0.0)


def states(system: ScalarSystem, path: tuple[int, ...]) -> list[tuple[int, ...]]:
    """The states along a path, each of whose steps must be possible."""
    result = [system.initial]
    for position in path:
        instance, values = system.instances[position], Values(result[-1])
        assert values.of(instance.guard)
        assert not values.of(instance.pruned)
        result.append(values.successor(instance))
    return result


@pytest.mark.parametrize("system", [mutex(4), wide(25, 8), kip320(2, 2, 2, 2)])
def test_any_number_of_workers_walks_the_same(system: ScalarSystem) -> None:
    asked = Request(properties=names_of(system), deadlock=True)
    one = timeless(simulate_system(system, asked, seed=7, walks=1000, steps=50))
    assert one.walks == 1000
    assert one.cut is None
    for workers in (2, 3):
        again = simulate_system(system, replace(asked, workers=workers), seed=7, walks=1000, steps=50)
        assert timeless(again) == one


def test_another_seed_walks_otherwise() -> None:
    asked = Request(properties=names_of(wide(25, 8)))
    seen = {str(simulate_system(wide(25, 8), asked, seed, 10, 200).paths) for seed in range(5)}
    assert len(seen) > 1


def test_paths_lead_to_what_was_found() -> None:
    system = mutex(4)
    seen = simulate_system(system, Request(properties=names_of(system)), seed=1, walks=100, steps=30)
    assert set(seen.paths) == {"entered"}
    entered = next(each for each in system.properties if each.name == "entered").conditions[0].node
    shown = [Values(state).of(entered) for state in states(system, seen.paths["entered"])]
    assert shown == [0] * (len(shown) - 1) + [1]


def test_deadlocks_steps_and_steps_counted() -> None:
    system = stopper(4)
    seen = simulate_system(system, Request(properties=("grows", "begins"), deadlock=True), seed=3, walks=1, steps=100)
    assert seen.paths["begins"] == ()
    assert states(system, seen.paths["deadlock"])[-1] == (3,)
    assert seen.steps == len(seen.paths["deadlock"])
    *_, before, after = states(system, seen.paths["grows"])
    assert before >= after


def test_a_fault_on_the_way() -> None:
    with pytest.raises(FoundFault) as fault:
        simulate_system(faulty("instance"), Request(), seed=1, walks=10, steps=20)
    assert fault.value.instance == 1
    assert fault.value.path.count(1) == 3


def test_a_limit_of_time() -> None:
    seen = simulate_system(kip320(3, 2, 2, 2), Request(limits=Limits(seconds=0.2)), seed=1, walks=10**9, steps=100)
    assert seen.cut == "after 0.2 seconds"
    assert 0 < seen.walks < 10**9
    assert seen.steps > 0


def test_the_last_step_of_a_walk_is_taken() -> None:
    """A property that breaks after three steps is broken by a walk of three steps, and by none of two."""
    asked = Request(properties=("small",))
    assert simulate_system(counter(9), asked, seed=1, walks=1, steps=3).paths == {"small": (0, 0, 0)}
    assert simulate_system(counter(9), asked, seed=1, walks=1, steps=2).paths == {}
    assert simulate_system(counter(9), asked, seed=1, walks=5, steps=7).steps == 35


KIP_101 = {"replicas": 2, "log_size": 2, "max_records": 2, "max_leader_epoch": 2}


def test_a_walk_finds_what_the_search_finds_and_is_replayed() -> None:
    found = simulate("kip-101", seed=7, properties=["strong_isr"], constants=KIP_101).property("strong_isr")
    shortest = check("kip-101", properties=["strong_isr"], constants=KIP_101).property("strong_isr").trace
    assert found.verdict is Verdict.VIOLATED
    assert found.assurance == "replayed"
    assert found.trace is not None
    assert shortest is not None
    assert found.trace.length >= shortest.length


def test_a_walk_is_shown_without_the_steps_that_it_does_not_need(monkeypatch: pytest.MonkeyPatch) -> None:
    bound, names = bind(read_model(Kip101), KIP_101), ("strong_isr", "something_is_truncated")
    outcome = simulate("kip-101", seed=7, walks=1000, properties=names, constants=KIP_101)
    for name, walk in outcome.result.paths.items():
        shrinker = WalkShrinker(bound, name)
        path = shrinker.shorten(walk)
        assert len(path) < len(walk)
        assert shrinker._decides(path)
        assert not any(shrinker._decides(path[:place] + path[place + 1 :]) for place in range(len(path)))
        trace = outcome.property(name).trace
        assert trace is not None
        assert trace.length == len(path) + 1
        monkeypatch.setattr(shrink, "MOST_CALLS", 0)
        assert WalkShrinker(bound, name).shorten(walk) == walk
        monkeypatch.undo()


class Guest(Model):
    """Visits and meals: the search ends at a visit before the payment, and a second meal before it is an error."""

    paid: Annotated[tuple[Annotated[int, UpTo(1)], ...], UpTo(1)] = ()
    visits: Annotated[int, UpTo(2)] = 0
    meals: Annotated[int, UpTo(2)] = 0

    @action
    def pay(self) -> None:
        require(self.paid == ())
        self.paid = (1,)

    @action
    def visit(self) -> None:
        self.visits += 1

    @action
    def eat(self) -> None:
        self.meals += 1 if self.meals == 0 else self.paid[0]

    @constraint
    def pays_first(self) -> bool:
        return len(self.paid) == 1 or self.visits == 0

    @invariant
    def few_visits(self) -> bool:
        """Wrong after a payment and two visits."""
        return self.visits < 2

    @invariant
    def few_meals(self) -> bool:
        """Wrong after a payment and two meals."""
        return self.meals < 2


@pytest.mark.parametrize(("name", "walk"), [("few_visits", (0, 1, 1)), ("few_meals", (0, 2, 2))])
def test_a_shorter_walk_meets_no_error_and_stays_within_the_constraints(name: str, walk: Path) -> None:
    assert WalkShrinker(bind(read_model(Guest), {}), name).shorten(walk) == walk


def test_a_walk_that_finds_nothing_decides_nothing() -> None:
    outcome = simulate("kip-320", seed=7, walks=500, constants=KIP_101)
    assert outcome.exit == 20
    assert outcome.verdict is Verdict.UNDETERMINED
    assert outcome.property("strong_isr").assurance == "sampled(500)"
    assert outcome.to_dict()["states"]["distinct"] is None


def test_the_same_seed_makes_the_same_walks_for_any_number_of_workers() -> None:
    def facts(workers: int) -> str:
        outcome = simulate("kip-101", seed=11, walks=2000, workers=workers, constants=KIP_101).to_dict()
        noise = ("seconds", "startup_seconds", "peak_rss_bytes", "workers", "command")
        return json.dumps({k: v for k, v in outcome.items() if k not in noise})

    assert facts(1) == facts(2) == facts(3)


def test_the_command_of_a_simulation_names_its_seed() -> None:
    outcome = simulate("kip-101", walks=10, steps=5, constants=KIP_101)
    assert outcome.sample is not None
    assert outcome.command.endswith(f"--walks 10 --steps 5 --seed {outcome.sample.seed}")
