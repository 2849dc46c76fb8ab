"""What a partition survives under KRaft: the frontiers that are known."""

import inspect
from itertools import product
from pathlib import Path
from types import SimpleNamespace

import pytest

from isrcheck.catalogue import find_model
from isrcheck.engines.contract import Limits
from isrcheck.evidence.writers.terminal import plain_text
from isrcheck.ir.frozen import replace
from isrcheck.lang.declare import Model
from isrcheck.lang.read import read_model
from isrcheck.passes import bind
from isrcheck.run.replay import path_to_verdict
from isrrisk import search
from isrrisk.budget import FAULTS, FaultBudget, Vector, in_words, maximal, minimal, within
from isrrisk.document import frontier_table
from isrrisk.earlier import earlier_frontier, keep
from isrrisk.frontier import Frontier, LeastLoss, Survival, least
from isrrisk.question import question_text
from isrrisk.search import frontier, seconds_left
from isrrisk.setting import Setting

# Least faults and steps at two replicas and min.insync.replicas=2, by release: a prototype of the specification
# found the same.
KNOWN = {
    "3.6": {
        "acked_in_leader": {"f1 l1": 12, "k1 l1": 13, "l2": 13},
        "acked_somewhere": {"f1 l1": 14, "k1 l1": 15, "l2": 8},
    },
    "4.1": {"acked_in_leader": {"k1 l1": 13, "l2": 14}, "acked_somewhere": {"k1 l1": 15, "l2": 8}},
}
LETTERS = {"fences": "f", "kills": "k", "power_losses": "l"}


def named(found: Frontier, loss: str) -> dict[str, int]:
    return {
        " ".join(f"{LETTERS[name]}{n}" for name, n in each.faults if n): each.steps
        for each in found.losses
        if each.name == loss
    }


@pytest.mark.parametrize("release", [r if r == "4.1" else pytest.param(r, marks=pytest.mark.slow) for r in KNOWN])
def test_the_known_frontier_of_a_release(release: str) -> None:
    budget = FaultBudget({"fences": 1, "kills": 1, "power_losses": 2})
    found = frontier(Setting(release, 2, 2), budget, Limits(), workers=2)
    assert found.cut is None
    assert found.pruned == 0
    for loss, known in KNOWN[release].items():
        assert named(found, loss) == known
    assert found.is_complete


def test_least_and_greatest_numbers_of_faults() -> None:
    grid = [(("kills", a), ("power_losses", b)) for a, b in product(range(3), repeat=2)]
    above = [v for v in grid if sum(n for _, n in v) >= 2]
    below = [v for v in grid if sum(n for _, n in v) < 2]
    assert sorted(minimal(above)) == [grid[2], grid[4], grid[6]]
    assert sorted(maximal(below)) == [grid[1], grid[3]]


def test_faults_in_words() -> None:
    assert in_words(()) == "no fault"
    assert in_words((("kills", 1), ("power_losses", 2))) == "one kill and 2 power losses"
    assert in_words((("fences", 1), ("kills", 1), ("power_losses", 1))) == (
        "one fencing of a live broker, one kill and one power loss"
    )
    assert FaultBudget({"kills": 1}, 3).description() == "at most one kill during a rolling restart"
    assert FaultBudget({}, 3).description() == "no fault during a rolling restart"
    assert (
        FaultBudget({"kills": 2, "fences": 1}, in_all=1)
        .description()
        .endswith("2 kills and one fencing of a live broker, 1 fault in all")
    )


def test_faults_of_other_kinds_are_compared() -> None:
    assert within((("kills", 1),), (("fences", 0), ("kills", 1)))
    assert not within((("kills", 1),), (("fences", 1),))


def test_every_question_is_asked_once() -> None:
    budget = FaultBudget({"fences": 1, "kills": 2})
    text = question_text(Setting("4.1").model(), budget)
    assert text.count("@invariant") == 4 * 2 * 3
    assert "self.fenced_so_far > 1 or self.killed_so_far > 2 or self.leader_has_acked()" in text


def test_a_budget_in_all_asks_no_more() -> None:
    budget = FaultBudget({"fences": 1, "kills": 2}, in_all=2)
    assert sorted(sum(n for _, n in vector) for vector in budget.vectors()) == [0, 1, 1, 2, 2]
    text = question_text(Setting("4.1").model(), budget)
    assert text.count("@invariant") == 4 * 5
    assert "require(self.fenced_so_far + self.killed_so_far <= 2)" in text


def test_every_action_that_counts_a_fault_has_a_bound_in_all() -> None:
    counters = {fault.counter for fault in FAULTS.values()}
    model = find_model("kraft")
    counting = [
        a for a in read_model(model).actions if any(f"self.{c} += " in source_of(model, a.name) for c in counters)
    ]
    assert len(counting) > len(counters)  # brokers that stop by plan do so in two steps
    assert [action.name for action in counting if "limit_faults" not in action.calls] == []


def source_of(model: type[Model], action: str) -> str:
    return inspect.getsource(getattr(model, action))


@pytest.mark.slow
def test_no_step_goes_beyond_a_budget_in_all() -> None:
    """A fault of any kind that happened all the same would have states of its own, whether or not they go on."""
    none_in_all = frontier(Setting("4.1", 2, 2), FaultBudget(dict.fromkeys(FAULTS, 1), in_all=0))
    without_faults = frontier(Setting("4.1", 3, 2), FaultBudget({}), switches={"spares": 1})
    assert (none_in_all.states, none_in_all.pruned) == (without_faults.states, 0)


@pytest.mark.slow
def test_a_budget_in_all_says_what_single_searches_say() -> None:
    """Cell by cell, each number of faults with a search of its own; nothing is pruned at the edge."""
    setting = Setting("4.1", 2, 2, acks="1")
    together = frontier(setting, FaultBudget({"fences": 1, "kills": 2, "power_losses": 1}, in_all=2))
    assert (together.cut, together.pruned) == (None, 0)
    alone = [frontier(setting, FaultBudget(dict(vector))) for vector in together.budget.widest()]
    expected = least(loss for each in alone for loss in each.losses)
    assert expected
    assert sorted(map(summary, together.losses)) == sorted(map(summary, expected))


def summary(loss: LeastLoss) -> tuple[str, Vector, int]:
    return loss.name, tuple((name, n) for name, n in loss.faults if n), loss.steps


def cut_off() -> Frontier:
    return frontier(Setting("4.1", 2, 2), FaultBudget({"kills": 1, "power_losses": 1}), Limits(states=50), workers=1)


def test_what_was_cut_off_survives_nothing() -> None:
    found = cut_off()
    assert not found.is_complete
    assert found.survivals == []
    assert set(found.undecided) == {"acked_in_leader", "acked_somewhere", "exposed_in_leader", "leaderless"}
    text = plain_text(frontier_table(found), 120)
    assert "nothing searched" not in text
    assert text.count("undetermined") == 4


def test_an_undecided_property_is_no_survival_though_nothing_was_cut_off() -> None:
    """A violation that could not be replayed has neither a verdict nor a cut."""
    found = replace(cut_off(), cut=None)
    assert not found.is_complete
    assert "nothing searched" not in plain_text(frontier_table(found), 120)


def test_only_what_is_complete_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ISRCHECK_CACHE_DIR", str(tmp_path))
    keep(replace(cut_off(), cut=None), 1, "native")
    assert list(tmp_path.glob("risk-*.json")) == []


def test_an_earlier_frontier_hangs_on_the_sources_of_risk_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[frozenset[str]] = []
    monkeypatch.setattr("isrrisk.earlier.fingerprint", lambda packages: asked.append(packages))
    assert earlier_frontier(Setting("4.1", 2, 2), FaultBudget({}), 1, "native") is None
    assert [packages >= {"isrcheck", "isrmodel", "isrrisk"} for packages in asked] == [True]


def test_without_an_acknowledgement_none_is_lost() -> None:
    assert Setting("4.1", 3, 2).acknowledges()
    assert Setting("4.1", 2, 3).acknowledges()
    assert not Setting("3.6", 2, 3).acknowledges()
    assert not Setting("4.1", 3, 2, acks="0").acknowledges()
    found = frontier(Setting("4.1", 2, 2, acks="0"), FaultBudget({"fences": 1}), Limits(), workers=1)
    assert plain_text(frontier_table(found), 120).count("no record is ever acknowledged") == 2


def test_a_limit_in_seconds_is_of_all_searches_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "time", SimpleNamespace(monotonic=lambda: 50.0))
    assert seconds_left(Limits(seconds=10), 46.0).seconds == 6
    assert seconds_left(Limits(seconds=10), 10.0).seconds == 0.1
    assert seconds_left(Limits(states=7), 0.0) == Limits(states=7)


def test_a_story_is_one_of_the_releases_model() -> None:
    found = frontier(Setting("4.1", 2, 2, acks="1"), FaultBudget({"fences": 1}), Limits(), workers=1)
    trace = next(loss.trace for loss in found.losses if loss.name == "acked_in_leader")
    assert (trace.model, trace.name) == ("kraft-4.1", "acked_in_leader")
    assert trace.sentence.endswith("is safe, with at most one fencing of a live broker.")
    model = bind(read_model(find_model(trace.model)), trace.constants)
    assert len(path_to_verdict(model, trace, "trace")) == 5


def test_a_broker_that_is_stopped_by_plan_is_not_missing_for_ever() -> None:
    """It is up and in the ELR when the other one is killed, and leads once it has been restarted."""
    budget = FaultBudget({"kills": 1}, restarts=2)
    found = frontier(Setting("4.1", 2, 2), budget, Limits(), workers=1)
    assert not any(loss.name == "leaderless" for loss in found.losses)
    assert Survival("leaderless", (("kills", 1),)) in found.survivals
