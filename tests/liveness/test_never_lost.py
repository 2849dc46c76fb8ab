"""What was decided before the search for cycles stays, whatever ends that search; and no unfair lasso is shown."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.liveness import choices, small
from tools.reports.kip_320 import ALIVE, NAMES, Kip320Forever

from isrcheck import Limits, Model, Outcome, Verdict, check
from isrcheck.engines.common.behaviours import Lasso
from isrcheck.engines.contract import Searched
from isrcheck.engines.native.behaviours import graph
from isrcheck.engines.native.lowered import Lowered
from isrcheck.engines.native.search import NativeSearch
from isrcheck.errors import Disagreement, UsageError
from isrcheck.ir.frozen import replace
from isrcheck.lang.read import read_model
from isrcheck.liveness import deciding, naive
from isrcheck.liveness.deciding import fairness_conditions
from isrcheck.passes import bind, lower
from isrcheck.process.budget import OutOfBudget
from isrcheck.run import deciding as run_deciding
from isrcheck.run.lassos import LassoReplay


def raising(error: BaseException) -> Callable[..., Any]:
    def fail(*_: object) -> Any:
        raise error

    return fail


@pytest.mark.parametrize(
    ("error", "code", "reason"),
    [
        (KeyboardInterrupt(), 130, "the search for cycles ended by the user"),
        (OutOfBudget("at the memory limit"), 12, "the search for cycles ended at the memory limit"),
    ],
)
def test_an_end_of_the_search_for_cycles_keeps_the_other_verdicts(
    monkeypatch: pytest.MonkeyPatch, error: BaseException, code: int, reason: str
) -> None:
    monkeypatch.setattr(naive, "find_lasso", raising(error))
    outcome = check(small.Broken, engine="reference")
    assert outcome.property("stays_off").verdict is Verdict.VIOLATED
    assert outcome.property("is_on").reason == reason
    assert outcome.interrupted == (code == 130)
    assert outcome.exit == 12


def test_an_interrupt_of_the_search_for_behaviours_writes_no_graph(monkeypatch: pytest.MonkeyPatch) -> None:
    class Interrupted(NativeSearch):
        def run(self) -> Searched:
            return replace(super().run(), interrupted=True, cut="by the user")

    monkeypatch.setattr(graph, "NativeSearch", Interrupted)
    monkeypatch.setattr(graph, "_GraphWriter", raising(AssertionError("it is written")))
    outcome = check(small.Broken, engine="native")
    assert outcome.property("stays_off").verdict is Verdict.VIOLATED
    assert outcome.property("is_on").reason == "the search for cycles ended by the user"
    assert outcome.interrupted


def test_what_states_decide_is_told_before_cycles_are_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[Outcome] = []

    def stop(*_: object) -> Any:
        assert [p.verdict for p in told[0].properties] == [Verdict.VIOLATED, Verdict.UNDETERMINED]
        return deciding.BehaviourFindings()

    monkeypatch.setattr(deciding, "decide", stop)
    check(small.Broken, engine="native", on_states=told.append)
    assert told[0].property("is_on").reason == "the search for cycles is not done"


@pytest.mark.parametrize(
    ("model", "asked", "says"),
    [
        (choices.Many, {"fairness": ("takers",)}, "takers is asked of 2,253,002 choices of parameters"),
        (choices.ManyFair, {}, "take speaks of 1,002,001 choices of parameters"),
        (choices.ManyFair, {"constants": {"most": 400}}, "take speaks of 160,801 choices of parameters, each with"),
        (choices.Endless, {}, "begins, a temporal property, is asked of at most 4,294,967,296 choices"),
        (small.Lock, {"fairness": ("patient",)}, "Lock has no fairness patient"),
    ],
    ids=["environment", "action", "conditions", "steps", "name"],
)
def test_what_is_refused_is_refused_before_the_search(
    monkeypatch: pytest.MonkeyPatch, model: type[Model], asked: dict[str, Any], says: str
) -> None:
    """After it, the other properties' verdicts would be lost."""
    monkeypatch.setattr(run_deciding, "engine_named", lambda _: raising(AssertionError("it searches")))
    with pytest.raises(UsageError, match=says):
        check(model, **asked)


def lasso(stem: tuple[int, ...], cycle: tuple[int, ...]) -> Lasso:
    return Lasso((), stem, (), cycle)


@pytest.mark.parametrize(
    ("found", "says"),
    [
        (lasso((0,), ()), "the reference says that weak fairness of enter(p=p0) is put off for ever"),
        (lasso((0, 2), (4,)), "does not go round it, or finds the property true of it"),
        (lasso((0,), (1,)), "does not go round it"),
        (lasso((2,), ()), "does not go round it"),
    ],
    ids=["unfair", "true", "open", "no step"],
)
def test_a_lasso_that_is_none_is_a_disagreement(found: Lasso, says: str) -> None:
    model = bind(read_model(small.Lock), {})
    replay = LassoReplay(model, fairness_conditions(model, ()), "Lock", "native")
    with pytest.raises(Disagreement, match=says.replace("(", r"\(").replace(")", r"\)")):
        replay.trace("waiting_ends", found)


def test_a_run_without_temporal_properties_costs_nothing() -> None:
    """The program of a search is the same text, whether the model has such properties or not."""
    models = (small.Broken, small.Plain)
    one, other = (Lowered.of(lower(bind(read_model(model), {})), ("stays_off",)).ir for model in models)
    assert one == other


def test_limits_of_memory_and_time_are_heeded(tmp_path: Path) -> None:
    outcome = check(small.Stopping, engine="reference", limits=Limits(seconds=0))
    assert outcome.verdict is Verdict.UNDETERMINED
    assert outcome.exit == 20


def verdicts(*fairness: str, **constants: Any) -> dict[str, Verdict]:
    outcome = decided(*fairness, **constants)
    return {each.name: each.verdict for each in outcome.properties}


def decided(*fairness: str, **constants: Any) -> Outcome:
    return check(Kip320Forever, properties=NAMES, fairness=fairness, limits=Limits(memory=4 << 30), **constants)


def test_with_live_replicas_every_property_holds_and_without_none_does() -> None:
    assert verdicts(*ALIVE) == dict.fromkeys(NAMES, Verdict.HOLDS)
    assert verdicts() == dict.fromkeys(NAMES, Verdict.VIOLATED)


@pytest.mark.parametrize("dead", [each for each in ALIVE if each != "isr_is_kept"])
def test_each_environment_is_needed(dead: str) -> None:
    """But for changes of the ISR: while everybody fetches, nobody needs to be dropped."""
    assert Verdict.VIOLATED in verdicts(*(each for each in ALIVE if each != dead)).values()


@pytest.mark.slow
def test_the_graph_that_tlc_was_published_with() -> None:
    """737,794 states, 1,929,154 steps; 5 CPU seconds and 0.2 GiB."""
    outcome = decided(*ALIVE, replicas=3, log_size=2, max_records=2, max_leader_epoch=2)
    assert [each.verdict for each in outcome.properties] == [Verdict.HOLDS] * 3
    assert outcome.searched is not None
    assert outcome.searched.distinct == 737_794
