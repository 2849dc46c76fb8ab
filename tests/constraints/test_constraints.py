"""What is counted, checked and expanded within constraints: TLC's rules, with figures found by hand."""

from pathlib import Path

import pytest
from tests.constraints.models import Elsewhere, Near, NearAndUp, NoWayBack, Overflowing, Two, WrongAtFirst

import isrcheck
from isrcheck import Limits, Model, Outcome
from isrcheck.errors import ModelError, UsageError
from isrcheck.evidence.outcome_document import outcome_document
from isrcheck.evidence.writers.terminal import plain_text
from isrcheck.lang.read import read_model
from isrcheck.passes import bind
from isrcheck.tla.export import to_tla

ENGINES = ("reference", "evaluator", "native")


def lengths(outcome: Outcome) -> dict[str, int | None]:
    return {p.name: p.trace.length if p.trace else None for p in outcome.properties}


def counts(outcome: Outcome) -> tuple[int | None, ...]:
    return outcome.distinct, outcome.outside, outcome.generated, outcome.depth, outcome.pruned


@pytest.mark.parametrize("engine", ENGINES)
def test_a_state_outside_is_checked_and_neither_counted_nor_expanded(engine: str) -> None:
    outcome = isrcheck.check(Near, engine=engine, deadlock=True)
    assert counts(outcome) == (10, 5, 31, 4, 0)
    assert outcome.levels == (1, 2, 3, 4)
    assert lengths(outcome) == {"below_four": 5, "below_six": None, "grows": None, "far": None, "deadlock": None}
    assert [(a.name, a.generated, a.distinct) for a in outcome.actions] == [
        ("up", 10, 6),
        ("right", 10, 3),
        ("back", 10, 0),
    ]


@pytest.mark.parametrize("engine", ENGINES)
def test_a_dropped_step_is_generated_and_checked_and_leads_nowhere(engine: str) -> None:
    outcome = isrcheck.check(NoWayBack, engine=engine)
    assert counts(isrcheck.check(NoWayBack, engine=engine, properties=())) == (42, 1, 114, 12, 6)
    assert lengths(outcome) == {"below_four": 5, "below_six": 7, "grows": 6, "far": 6}
    trace = outcome.property("grows").trace
    assert trace is not None
    assert trace.steps[-1].action == "back"  # the step that is dropped


@pytest.mark.parametrize("engine", ENGINES)
def test_a_state_outside_is_one_also_where_a_dropped_step_leads_to_it(engine: str) -> None:
    """The five of four, and three below to which dropped steps lead."""
    assert counts(isrcheck.check(NearAndUp, engine=engine, properties=())) == (10, 8, 31, 4, 0)


@pytest.mark.parametrize("engine", ENGINES)
def test_an_initial_state_outside_is_all_there_is(engine: str) -> None:
    outcome = isrcheck.check(Elsewhere, engine=engine, deadlock=True)
    assert counts(outcome) == (0, 1, 1, 0, 0)
    assert outcome.warnings == ("the initial state is outside moved: nothing else was looked at.",)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_constraint_without_a_value_is_an_error_of_the_model(engine: str) -> None:
    with pytest.raises(ModelError, match=r"has_values raised ValueError|max\(\) of nothing|of nothing"):
        isrcheck.check(Overflowing, engine=engine)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_constraint_without_a_value_in_the_initial_state_is_an_error_of_the_model(engine: str) -> None:
    with pytest.raises(ModelError, match=r"has_value raised ValueError|of nothing"):
        isrcheck.check(WrongAtFirst, engine=engine)


@pytest.mark.parametrize("cls", [Near, NoWayBack])
def test_workers_and_constraints_alone_decide_the_digest(cls: type[Model]) -> None:
    digests = {isrcheck.check(cls, engine=engine).digest for engine in ENGINES}
    assert digests == {isrcheck.check(cls, workers=2).digest}


def test_the_symbolic_engine_searches_within_them() -> None:
    asked = ("below_four", "below_six", "far")
    found = isrcheck.check(Near, engine="symbolic", properties=asked, limits=Limits(depth=8))
    assert lengths(found) == {"below_four": 5, "below_six": None, "far": None}
    assert "undetermined" in plain_text(outcome_document(found))
    dropped = isrcheck.check(NoWayBack, engine="symbolic", properties=("grows",), limits=Limits(depth=8))
    assert lengths(dropped) == {"grows": 6}


def test_walks_stay_within_them() -> None:
    seen = isrcheck.simulate(Near, walks=50, steps=30, seed=1)
    assert lengths(seen) == {"below_four": 5, "below_six": None, "grows": None, "far": None}


def test_an_outcome_says_within_what_it_holds_and_what_may_lie_beyond() -> None:
    outcome = isrcheck.check(Near, properties=("below_six", "far"))
    text = plain_text(outcome_document(outcome))
    assert "holds within the constraint near (5 states not expanded)" in text
    assert "never reached within the constraint near (5 states not expanded)" in text
    assert "Warning: far may be reached beyond near, where nothing was looked for." in text
    reads = "below_six reads a and b, and so does the constraint near: a violation further beyond was not looked for."
    assert outcome.warnings[0] == reads
    assert outcome.to_dict()["constraints"] == {"names": ["near"], "outside": 5}
    assert "constraints" not in isrcheck.check(Two).to_dict()


def test_what_knows_no_constraints_refuses_them(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"^Near has constraints, which the spark engine does not know: use --engine"):
        isrcheck.check(Near, engine="spark")
    with pytest.raises(UsageError, match=r"^a certificate says that no step leaves its states, and near leaves some"):
        isrcheck.check("tests/constraints/models.py:Near", certificate=tmp_path / "c")


def test_a_proof_does_without_them() -> None:
    proof = isrcheck.prove(Near, properties=("below_six",))
    assert proof.outcome.property("below_six").verdict is not isrcheck.Verdict.HOLDS


def test_tlc_is_given_them() -> None:
    exported = to_tla(bind(read_model(NoWayBack), {}))
    assert "ACTION_CONSTRAINTS\n    Stays\n" in exported.configuration
    assert "Stays == Back => a = 2" in exported.modules[-2].source
    assert "\nCONSTRAINTS\n    Near\n" in to_tla(bind(read_model(Near), {})).configuration
