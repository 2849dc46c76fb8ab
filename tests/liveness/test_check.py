"""What a run says of temporal properties, row by row of what other checkers were seen to get wrong."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from tests.fixtures.command_line import as_process
from tests.liveness import choices, small

from isrcheck import Limits, Model, Options, Outcome, Verdict, check, prove, simulate
from isrcheck.errors import ModelError, UsageError
from isrcheck.run.trace import read_trace

ENGINES = ["native", "reference"]
Row = tuple[str, str]


def decided(model: type[Model], engine: str, **more: Any) -> Outcome:
    return check(model, engine=engine, **more)


def rows(outcome: Outcome) -> dict[str, str]:
    """By property: the verdict, and the lasso or the reason."""
    return {
        p.name: p.verdict.value + (f": {p.trace.span}" if p.trace else f": {p.reason}" if p.reason else "")
        for p in outcome.properties
    }


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_a_behaviour_may_stop_unless_fairness_forbids_it(engine: str) -> None:
    assert rows(decided(small.Stopping, engine)) == {"gets_there": "violated: stops for ever after 0 steps"}
    for environment in ("goes_on", "goes_on_alone"):
        assert rows(decided(small.Stopping, engine, fairness=(environment,))) == {"gets_there": "holds"}


def test_a_step_that_changes_nothing_is_neither_demanded_nor_taken(engine: str) -> None:
    """Fairness is of <A>_vars: a checker that asks for A sees no behaviour stop here, or one go round in one state."""
    assert rows(decided(small.Waiting, engine)) == {"finishes": "violated: stops for ever after 0 steps"}


def test_fairness_is_asked_for_each_choice_of_parameters(engine: str) -> None:
    assert rows(decided(small.Lock, engine)) == {
        "lock_is_freed": "holds",
        "waiting_ends": "violated: a cycle of 3 steps after 1",
    }
    assert rows(decided(small.Lock, engine, processes=1))["waiting_ends"] == "holds"


def test_weak_fairness_is_of_each_choice_and_weak_any_of_some(engine: str) -> None:
    assert rows(decided(choices.Turns, engine)) == {"all_are_served": "holds"}
    assert rows(decided(choices.TurnsOfAny, engine)) == {"all_are_served": "violated: a cycle of 2 steps after 1"}


def test_strong_fairness_ends_what_weak_fairness_lets_go_on(engine: str) -> None:
    assert rows(decided(small.Lock, engine, fairness=("patient_lock",)))["waiting_ends"] == "holds"


def test_several_strong_conditions_are_met_in_one_cycle(engine: str) -> None:
    found = rows(decided(small.Lights, engine))
    assert (found["both_break"], found["both_stay_broken"]) == ("holds", "holds")
    assert found["light_stays"].startswith("violated: a cycle of")


def test_a_join_is_not_a_cycle(engine: str) -> None:
    assert rows(decided(small.Join, engine)) == {
        "joins": "holds",
        "goes_left": "violated: stops for ever after 2 steps",
    }


def test_what_a_bound_stops_is_neither_violated_nor_held(engine: str) -> None:
    outcome = decided(small.Log, engine)
    assert rows(outcome) == {
        "appends_are_answered": "undetermined: the bound on max_records stops it, at append()",
        "begins": "holds",
        "stays_empty": "holds",
    }
    assert outcome.exit == 20
    assert outcome.verdict is Verdict.UNDETERMINED


def test_a_constraint_is_never_the_reason_of_a_verdict(engine: str) -> None:
    found = rows(decided(small.Confined, engine))
    assert found["begins"].startswith("undetermined")
    assert found["stays_empty"].startswith("undetermined")
    assert found["is_acknowledged"] == "undetermined: the constraint short stops it"


def test_one_flag_is_flipped_for_ever_and_the_other_never_settles(engine: str) -> None:
    assert rows(decided(small.Flips, engine)) == {
        "b_settles": "violated: a cycle of 2 steps after 0",
        "a_flips": "holds",
    }


def test_a_condition_without_a_value_is_an_error_and_no_verdict(engine: str) -> None:
    with pytest.raises(ModelError, match="first_is_true"):
        decided(small.Raising, engine)


def test_a_condition_without_a_value_ends_the_command_with_an_error() -> None:
    """Not with 0, as if nothing had been asked."""
    made = as_process("check", f"{small.__file__}:Raising", "--engine=reference")
    assert made.returncode == 75
    assert "first_is_true" in made.stderr
    assert "holds" not in made.stdout


@pytest.mark.parametrize("steps", [2_000, pytest.param(20_000, marks=pytest.mark.slow)])
def test_a_long_behaviour_is_walked(steps: int) -> None:
    outcome = check(choices.Far, properties=["never_arrives"], far=steps)
    trace = outcome.property("never_arrives").trace
    assert trace is not None
    assert (trace.span, len(trace.steps)) == (f"stops for ever after {steps:,} steps", steps + 1)


def test_a_limit_leaves_undetermined_what_it_cut_off(engine: str) -> None:
    outcome = decided(small.Stopping, engine, limits=Limits(states=2), fairness=("goes_on",))
    assert outcome.property("gets_there").verdict is Verdict.UNDETERMINED
    assert outcome.exit == 20


def test_what_is_violated_within_a_limit_is_violated(engine: str) -> None:
    outcome = decided(small.Log, "reference", limits=Limits(states=3), properties=["begins"])
    assert outcome.property("begins").verdict is not Verdict.HOLDS


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"symmetry": True}, "--symmetry may change the verdict on lock_is_freed, a temporal property"),
        ({"fairness": ("patient",)}, "Lock has no fairness patient. Did you mean patient_lock?"),
        (
            {"certificate": Path("/tmp")},
            "a certificate has states, which do not show the temporal property lock_is_freed",
        ),
    ],
)
def test_what_cannot_be_asked_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message.replace("(", r"\(")):
        check(small.Lock, engine="reference" if "symmetry" not in options else "native", **options)


@pytest.mark.parametrize("other", ["spark", "evaluator", "symbolic"])
def test_other_engines_say_that_they_do_not_decide_it(other: str) -> None:
    with pytest.raises(UsageError, match=r"does not decide lock_is_freed, a temporal property: use --engine"):
        check(small.Lock, engine=other, limits=Limits(depth=3))


def test_fairness_of_what_can_never_happen_is_vacuous(engine: str) -> None:
    outcome = decided(small.Unasked, engine, vacuity=True, fairness=("of_nothing",))
    assert {(p.kind, p.owner) for p in outcome.vacuous} >= {
        ("fairness", "never"),
        ("fairness", "of_nothing"),
        ("antecedent", "leads_nowhere"),
    }
    assert ("fairness", "go") not in {(p.kind, p.owner) for p in outcome.vacuous}


def test_fairness_that_leaves_no_behaviour_is_vacuous(engine: str) -> None:
    outcome = decided(small.Drained, engine, vacuity=True)
    assert ("closure", "Drained") in {(p.kind, p.owner) for p in outcome.vacuous}
    assert outcome.warnings == ("no behaviour is fair within the bounds: what holds of all of them holds of none.",)
    assert rows(outcome) == {
        "gets_on": "holds",
        "ends_at_two": "undetermined: the bounds stop every fair behaviour",
        "is_two_again": "undetermined: the bounds stop every fair behaviour",
    }


@pytest.mark.parametrize(
    ("model", "where"), [(small.Escaping, "a state after 1 step"), (small.EscapingAtFirst, "an initial state")]
)
def test_how_it_ends_is_open_where_bounds_stop_every_fair_behaviour(
    model: type[Model], where: str, engine: str
) -> None:
    """That some other behaviour within the bounds is fair makes no difference."""
    assert rows(decided(model, engine)) == {
        "stays_at_two": f"undetermined: the bounds stop every fair behaviour from {where}",
        "gets_to_two": "holds",
    }


def test_of_several_initial_states_the_fair_one_is_walked(engine: str) -> None:
    assert rows(decided(choices.Modes, engine)) == {"ends": "violated: stops for ever after 0 steps"}


def test_choices_that_fairness_does_not_name_are_not_walked() -> None:
    assert rows(decided(choices.Many, "native")) == {"is_taken": "violated: stops for ever after 1 step"}
    message = "takers is asked of 2,253,002 choices of parameters; 1,000,000 are the most: use smaller constants."
    with pytest.raises(UsageError, match=re.escape(message)):
        decided(choices.Many, "native", fairness=("takers",))


def test_the_command_says_it_in_text_json_and_traces(tmp_path: Path) -> None:
    file = f"{small.__file__}:Lock"
    made = as_process("check", file, "--engine=reference", f"--trace-dir={tmp_path}", f"--json={tmp_path}/o.json")
    assert made.returncode == 13
    assert "violated: a cycle of 3 steps after 1" in made.stdout
    assert "waiting_ends is violated by a cycle of 3 steps after 1" in made.stdout
    outcome = json.loads((tmp_path / "o.json").read_text())
    found = next(p for p in outcome["properties"] if p["name"] == "waiting_ends")
    assert (found["kind"], found["verdict"], found["trace"]["loop"], found["trace"]["length"]) == (
        "temporal",
        "violated",
        1,
        5,
    )
    trace = read_trace(Path(found["trace"]["file"]))
    assert trace.loop == 1
    assert trace.steps[1].state == trace.steps[-1].state


def test_the_line_that_runs_it_again_names_the_fairness() -> None:
    outcome = check(small.Lock, engine="reference", options=Options(fairness=("patient_lock",)))
    assert "--fairness patient_lock" in outcome.command
    assert outcome.invocation.properties is None


def test_fairness_without_a_temporal_property_is_said() -> None:
    outcome = check(small.Lock, engine="reference", properties=[], fairness=("patient_lock",))
    assert outcome.warnings == ("no temporal property is asked, and no other assumes patient_lock.",)


def test_the_first_violation_ends_a_run_that_is_to_stop_there(engine: str) -> None:
    outcome = check(small.Broken, engine=engine, stop_at_first=True)
    assert rows(outcome) == {
        "stays_off": "violated: 1 step",
        "is_on": "undetermined: the search for cycles ended at the first violation",
    }
    assert rows(check(small.Broken, engine=engine))["is_on"].startswith("violated")


def test_random_walks_decide_no_temporal_property() -> None:
    with pytest.raises(UsageError, match="random walks end, and do not decide lock_is_freed, a temporal property"):
        simulate(small.Lock, walks=1, properties=["lock_is_freed"])
    assert simulate(small.Lock, walks=1).properties == ()


def test_prove_is_not_for_behaviours() -> None:
    with pytest.raises(UsageError, match="lock_is_freed is a temporal property: prove is for"):
        prove(small.Lock, properties=["lock_is_freed"])


def test_symbolic_constants_are_not_for_temporal_properties() -> None:
    ranges, depth = {"max_records": "1..2"}, Limits(depth=4)
    leave = "use --engine native or reference, or ask for other properties with --property."
    with pytest.raises(UsageError) as refused:
        check(small.Log, engine="symbolic", constants=ranges, limits=depth, deadlock=True)
    asked = "the symbolic engine does not decide appends_are_answered, a temporal property"
    assert str(refused.value) == f"{asked}: {leave}"


def test_a_formula_is_asked_of_every_choice(engine: str) -> None:
    """The second of two processes is the one that waits for ever."""
    found = rows(decided(choices.Uneven, engine))
    assert found["each_moves"].startswith("violated")
    assert found["first_moves"] == "holds"
    assert found["pairs_move"] == "holds"


def test_fairness_is_of_elements_where_sets_have_slots(engine: str) -> None:
    """Each letter apart: not each slot, in which another letter stands when one before it is received."""
    found = rows(decided(choices.Post, engine))
    assert found["arrives"] == "holds"
    assert found["settles"].startswith("violated: a cycle of")


def said(outcome: Outcome) -> str:
    (only,) = outcome.properties
    return f"{only.verdict.value}: {only.trace.span if only.trace else only.reason}".removesuffix(": ")


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("model", "expected"),
    [
        (choices.Pointing, "undetermined: the constraint short stops it"),
        (choices.PointingBack, "violated: a cycle of 2 steps after 0"),
        (choices.Polling, "violated: stops for ever after 0 steps"),
    ],
)
def test_what_is_left_out_decides_nothing(model: type[Model], expected: str, engine: str) -> None:
    assert said(check(model, engine=engine)) == expected


@pytest.mark.parametrize("engine", ENGINES)
def test_a_constraint_that_leaves_nothing_out_leaves_the_verdict_whole(engine: str) -> None:
    outcome = check(choices.Polling, engine=engine, fairness=("goes_on",))
    assert (outcome.outside, said(outcome)) == (0, "holds")


@pytest.mark.parametrize("engine", ENGINES)
def test_a_state_that_is_left_out_hides_no_fault_of_one_that_is_not(engine: str) -> None:
    with pytest.raises(ModelError, match="points_to_one"):
        check(choices.PointingFar, engine=engine)


def test_more_choices_than_a_graph_tells_apart_are_refused() -> None:
    message = (
        "begins, a temporal property, is asked of at most 4,294,967,296 choices of parameters, and the actions of "
        "Endless have 4,900,140,002: use smaller constants, or ask for other properties with --property."
    )
    with pytest.raises(UsageError, match=re.escape(message)):
        check(choices.Endless, engine="native")
