"""The published modules: TLC's counts, verdicts and lengths. Where TLC's view is not sound, both are counted."""

from collections.abc import Hashable
from typing import Any

import pytest

from isrcheck import Model, Options, Outcome, action, check, require, view
from isrcheck.engines.contract import Request
from isrcheck.engines.evaluator import ScalarStepper, State, compile_values
from isrcheck.engines.explore import Explorer
from isrcheck.ir.scalar import ScalarSystem
from isrcheck.lang.read import read_model
from isrcheck.passes import lower
from isrcheck.passes.bind import bind
from isrmodel.raft.published import PublishedKraft, PullRaft, PullRaftVariant2
from isrmodel.raft.published.messages import Fetch


class CountedTwice(PublishedKraft):
    """TLC finds a fetch from the beginning valid twice: by its offset, and since it agrees with the leader's log."""

    @action
    def serve_first_fetch(self, request: Fetch) -> None:
        require(request.end == 0 and request.last_epoch == 0)
        self.serve(request)


class Viewed(CountedTwice):
    """With the view of the published configuration."""

    @view
    def shown(self) -> object:
        """All but two counters, of which the guard of a restart reads one: such a search misses states."""
        return (
            self.network,
            self.sent,
            self.role,
            self.voted_for,
            self.votes,
            self.waits_for,
            self.log,
            self.hw,
            self.end_of,
            self.client,
        )


class Orbits(ScalarStepper):
    """States are one if their views are, once servers and values have changed places. So TLC has a view and a symmetry.

    isrcheck refuses the two together. This is for small graphs: all permutations of every state are made.
    """

    def __init__(self, system: ScalarSystem) -> None:
        super().__init__(system)
        self.swaps = [compile_values(list(swap)) for symmetry in system.symmetries for swap in symmetry.swaps]
        self.keys: dict[State, Hashable] = {}

    def key(self, state: State) -> Hashable:
        if state not in self.keys:
            orbit = [state]
            for each in orbit:
                orbit += {swap(each) for swap in self.swaps} - set(orbit)
            self.keys[state] = min(self.view_of(each) for each in orbit)
        return self.keys[state]

    def view_of(self, state: State) -> Any:
        return super().key(state)


def counts(found: Outcome) -> tuple[int | None, int | None, int]:
    assert found.pruned == 0
    return found.distinct, found.generated, found.depth


def verdicts(found: Outcome) -> dict[str, Any]:
    """What holds, or in how many steps it does not."""
    return {p.name: p.trace.length - 1 if p.trace else p.verdict.value for p in found.properties}


TWO = {"servers": 2, "in_flight": 2, "messages": 12}


@pytest.mark.parametrize(
    ("model", "constants", "expected"),
    [
        (PullRaft, {"max_elections": 2, "in_flight": 4}, (456, 679, 17)),
        (PullRaft, {"max_elections": 2, "max_restarts": 1, "in_flight": 4}, (1_762, 3_305, 19)),
        (PullRaftVariant2, {"max_elections": 2, "in_flight": 4}, (462, 641, 19)),
        (PullRaftVariant2, {"max_elections": 2, "max_restarts": 1, "in_flight": 4}, (2_166, 3_523, 21)),
        pytest.param(CountedTwice, {"max_restarts": 1}, (271, 371, 21), marks=pytest.mark.slow),
    ],
)
def test_two_servers(model: type[Model], constants: dict[str, int], expected: tuple[int, int, int]) -> None:
    assert counts(check(model, engine="evaluator", properties=[], constants={**TWO, **constants})) == expected


@pytest.mark.slow
def test_a_follower_of_nobody_is_refused_after_six_steps() -> None:
    """KRaft.tla restarts a server so; its own NoIllegalState fails, which its configuration does not ask for."""
    found = verdicts(check(PublishedKraft, engine="evaluator", constants={**TWO, "max_restarts": 1}))
    assert found["no_illegal_state"] == 6
    assert found["one_leader_an_epoch"] == found["logs_agree"] == found["leader_has_what_clients_know"] == "holds"
    assert isinstance(found["all_is_committed"], int)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("model", "constants", "engine", "expected"),
    [
        (PullRaft, {}, "symmetry", (219, 550, 19)),
        (PullRaft, {}, "evaluator", (1_270, 3_202, 19)),
        (PullRaftVariant2, {}, "symmetry", (206, 477, 20)),
        (PullRaftVariant2, {}, "evaluator", (1_192, 2_770, 20)),
        (PublishedKraft, {"messages": 20}, "evaluator", (10_468, 21_421, 30)),
        (CountedTwice, {"messages": 20}, "evaluator", (10_468, 23_167, 30)),
        (CountedTwice, {"messages": 20}, "symmetry", (1_759, 3_894, 30)),
    ],
)
def test_rows_of_the_reference(
    model: type[Model], constants: dict[str, int], engine: str, expected: tuple[int, int, int]
) -> None:
    """Three voters, one value, one election. TLC's view hides only the election, which the epochs tell."""
    symmetry = engine == "symmetry"
    options = Options(symmetry=symmetry)
    found = check(model, constants=constants, engine="native" if symmetry else engine, options=options)
    assert counts(found) == expected
    assert {p.verdict.value for p in found.properties if p.name != "all_is_committed"} == {"holds"}


@pytest.mark.slow
def test_a_restart_of_one_of_three() -> None:
    """TLC has the same counts without its view, and the same verdicts and length with it."""
    constants = {"max_restarts": 1, "messages": 30}
    found = check(CountedTwice, constants=constants, engine="native", options=Options(symmetry=True))
    assert counts(found) == (22_611, 48_356, 43)
    said = verdicts(found)
    assert said["no_illegal_state"] == 6
    assert said["one_leader_an_epoch"] == said["logs_agree"] == said["leader_has_what_clients_know"] == "holds"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("constants", "expected"),
    [
        ({**TWO, "max_restarts": 1}, (109, 155, 21)),
        ({"max_restarts": 1, "messages": 30}, (20_853, 44_466, 43)),
    ],
)
def test_what_a_view_that_hides_the_restarts_misses(constants: dict[str, int], expected: tuple[int, int, int]) -> None:
    """TLC's counts with view and symmetry: of states that differ in their restarts one goes on."""
    system = lower(bind(read_model(Viewed), constants), ())
    found = Explorer(Orbits(system), {}, Request()).run()
    assert (found.distinct, found.generated, found.depth, found.pruned, found.cut) == (*expected, 0, None)


@pytest.mark.parametrize("model", [PullRaft, PullRaftVariant2])
def test_pull_raft_with_one_value_commits_nothing(model: type[Model]) -> None:
    """A pull is served only with an entry, so no leader hears of the last one: TLC's rows are vacuous."""
    found = verdicts(check(model, engine="evaluator", constants={"servers": 2, "in_flight": 4, "max_elections": 2}))
    assert found["all_is_committed"] == "violated"
