"""The published modules: TLC's counts, verdicts and lengths."""

from typing import Any

import pytest

from isrcheck import Model, Options, Outcome, action, check, require
from isrmodel.raft.published import PublishedKraft, PullRaft, PullRaftVariant2
from isrmodel.raft.published.messages import Fetch


class CountedTwice(PublishedKraft):
    """TLC finds a fetch from the beginning valid twice: by its offset, and since it agrees with the leader's log."""

    @action
    def serve_first_fetch(self, request: Fetch) -> None:
        require(request.end == 0 and request.last_epoch == 0)
        self.serve(request)


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


@pytest.mark.parametrize("model", [PullRaft, PullRaftVariant2])
def test_pull_raft_with_one_value_commits_nothing(model: type[Model]) -> None:
    """A pull is served only with an entry, so no leader hears of the last one: TLC's rows are vacuous."""
    found = verdicts(check(model, engine="evaluator", constants={"servers": 2, "in_flight": 4, "max_elections": 2}))
    assert found["all_is_committed"] == "violated"
