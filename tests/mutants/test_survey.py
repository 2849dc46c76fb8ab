"""What becomes of the mutants of tiny models: every fate, at every way of asking."""

import os
import signal
from pathlib import Path

import pytest
from tests.mutants.models import fates, surveyed

from isrcheck.engines.contract import Limits
from isrcheck.errors import UsageError
from isrcheck.gate.mutants.judge import JudgeOptions
from isrcheck.gate.mutants.make import Fate
from isrcheck.gate.mutants.survey import survey, through
from isrcheck.lang.read import read_model
from isrmodel import AsyncIsr


def test_a_tank_whole() -> None:
    made = surveyed("Tank", everything=True)
    assert [(b.search.distinct, b.search.generated, b.asked, b.failing) for b in made.baselines] == [
        (6, 9, ("never_over", "gets_full"), ())
    ]
    assert fates(made) == {
        "open_tap/guard-1": "survived",
        "open_tap/effect-1": "killed gets_full never",
        "close_tap/guard-1": "survived",
        "close_tap/effect-1": "survived",
        "fill/guard-1": "survived",
        "fill/guard-2": "killed never_over 4",
        "fill/comparison-1": "killed never_over 4",
        "fill/shift-1": "killed gets_full never",
        "fill/effect-1": "killed gets_full never",
    }


def test_equal_graphs_equal_texts_and_helpers_that_properties_read() -> None:
    assert fates(surveyed("Twice", everything=True)) == {
        "climb/guard-1": "equivalent",
        "climb/comparison-1": "equivalent",
        "climb/shift-1": "survived",
        "climb/guard-2": "equivalent",
        "climb/conjunct-1": "equivalent",
        "climb/conjunct-2": "trivially-equivalent",
        "climb/guard-3": "trivially-equivalent",
        "climb/effect-1": "killed climbs_by_one 1",
        "climb/effect-2": "survived",
        "note/history-1": "survived",
        "is_allowed/comparison-1": "equivalent",
        "is_allowed/shift-1": "survived",  # the property goes on asking what is written, not what the action asks now
    }


def test_errors_on_the_way_texts_that_are_none_and_actions_that_sleep() -> None:
    made = surveyed("Shelf")
    found = {r.mutant.name: r.outcome for r in made.results}
    assert {name: f.fate.value for name, f in found.items() if f.fate is not Fate.SURVIVED} == {
        "look/guard-1": "error",
        "look/comparison-1": "error",
        "look/shift-1": "dead-action",
        "look/effect-1": "killed",
        "look/effect-2": "dead-action",
        "step_back/branch-1": "equivalent",
        "step_back/branch-2": "invalid",
        "step_back/comparison-1": "equivalent",
        "step_back/shift-1": "equivalent",
        "step_back/guard-1": "error",
        "step_back/conjunct-1": "error",
        "step_back/shift-2": "dead-action",
        "forget/conjunct-1": "error",
        "forget/shift-1": "dead-action",
    }
    assert found["look/guard-1"].why.endswith("the sequence has no such element, after 2 steps")
    assert found["step_back/branch-2"].why.endswith("an integer is needed, and this is None.")
    assert found["step_back/shift-2"].dead_actions == ("step_back",)


def test_the_same_states_by_other_steps_are_no_equal_graph() -> None:
    """hour = 0 left out: as many states and steps, the same digest, and yet the clock stands still."""
    assert fates(surveyed("Stuck"))["begins_again/effect-1"] == "survived"


def test_deadlocks_kill_if_asked() -> None:
    assert fates(surveyed("Stuck", deadlock=True)) == {
        "strikes/guard-1": "survived",
        "strikes/comparison-1": "survived",
        "strikes/shift-1": "killed deadlock 1",
        "strikes/effect-1": "dead-action",
        "begins_again/guard-1": "survived",
        "begins_again/effect-1": "survived",
    }


def test_configurations_are_asked_smallest_first_and_one_is_enough() -> None:
    made = surveyed("Twice", {"limit": "3"}, {"limit": "2"}, {"limit": "2", "strict": "true"})
    assert [b.search.distinct for b in made.baselines] == [1, 3, 4]
    by_name = {r.mutant.name: r for r in made.results}
    effect = by_name["climb/effect-1"]
    assert effect.position == 1
    assert effect.outcomes[2] is None  # it was seen before
    strict = by_name["climb/guard-3"]
    assert [f.fate.value for f in strict.outcomes if f] == ["survived", "trivially-equivalent", "trivially-equivalent"]
    assert strict.outcome.fate is Fate.SURVIVED


def test_an_original_that_is_cut_off_is_refused() -> None:
    with pytest.raises(UsageError, match="the model itself is cut off after 2 states with these constants"):
        surveyed("Tank", limits=Limits(states=2))


def test_properties_that_are_not_asked_do_not_kill() -> None:
    made = surveyed("Tank")
    assert all(len(r.outcome.kills) <= 1 for r in made.results)


def work(task: str, folder: Path) -> str:
    """Kills its own process: for `always` each time, for `once` the first time."""
    mark = folder / task
    if task == "always" or (task == "once" and not mark.exists()):
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    if task == "wrong":
        raise ValueError("not a death")
    return task.upper()


def lost(task: str) -> str:
    return f"lost {task}"


def answers(tasks: list[str], folder: Path) -> dict[str, str]:
    found = list(through(tasks, lambda task: work(task, folder), lost, 2))
    assert sorted(task for task, _ in found) == sorted(tasks)
    return dict(found)


def test_nobody_dies(tmp_path: Path) -> None:
    assert answers(["a", "b", "c"], tmp_path) == {"a": "A", "b": "B", "c": "C"}


def test_a_task_that_kills_is_tried_twice_and_given_up(tmp_path: Path) -> None:
    assert answers(["a", "always", "b", "once"], tmp_path) == {
        "a": "A",
        "always": "lost always",
        "b": "B",
        "once": "ONCE",
    }


def test_an_error_is_not_a_death(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="not a death"):
        answers(["a", "wrong"], tmp_path)


@pytest.mark.parametrize(
    ("guard", "expected"),
    [
        ("leader_requests_expand: require(self.fetched[follower] >= self.high_watermark())", ("hw_never_decreases", 5)),
        ("follower_replicates: require(self.fetched[follower] < self.log_end)", ("followers_within_log", 2)),
    ],
)
def test_properties_that_the_published_module_lacks_need_a_guard(guard: str, expected: tuple[str, int]) -> None:
    """KIP-497's module has `valid_high_watermark` alone, which neither of these guards serves."""
    options = JudgeOptions(Limits())
    made = survey("async-isr", read_model(AsyncIsr), [{}], wanted=lambda m: m.guard == guard, options=options)
    (result,) = made.results
    assert [(n.name, n.length) for n in result.outcome.kills] == [expected]
