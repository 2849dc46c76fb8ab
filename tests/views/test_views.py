"""What a view makes one, what is said of it, and what is not said where it hides what decides."""

from pathlib import Path

import pytest
from tests.views.models import Bounded, HiddenGuard, Hopping, Messages, OnlyA, Parity, Shown, Two

import isrcheck
from isrcheck import Limits, Model, Outcome, Verdict
from isrcheck.engines.contract import Request
from isrcheck.engines.explore import reached
from isrcheck.engines.reference import ReferenceStepper
from isrcheck.engines.registry import engine
from isrcheck.errors import UsageError
from isrcheck.evidence.outcome_document import outcome_document
from isrcheck.evidence.writers.terminal import plain_text
from isrcheck.lang.read import read_model
from isrcheck.passes import bind
from isrcheck.tla.export import to_tla

ENGINES = ("reference", "evaluator", "native")
HOLDS, UNDETERMINED = Verdict.HOLDS, Verdict.UNDETERMINED


def verdicts(outcome: Outcome) -> dict[str, Verdict]:
    return {p.name: p.verdict for p in outcome.properties}


@pytest.mark.parametrize("engine", ENGINES)
def test_states_that_agree_in_what_is_shown_are_one(engine: str) -> None:
    stepper = ReferenceStepper(bind(read_model(Two), {}))
    place = stepper.names.index("ups")
    views = {state[:place] + state[place + 1 :] for state in reached(stepper)}
    assert isrcheck.check(Shown, engine=engine, properties=()).distinct == len(views) == 37


@pytest.mark.parametrize("cls", [Shown, OnlyA, HiddenGuard, Parity, Messages])
def test_engines_keep_the_same_states(cls: type[Model]) -> None:
    """The least of the first level of each view, whatever the order of the search."""
    found = [isrcheck.check(cls, engine=engine, properties=(), limits=Limits(depth=50)) for engine in ENGINES]
    assert len({(o.distinct, o.generated, o.levels, o.actions) for o in found}) == 1
    model = bind(read_model(cls), {})
    raw = [engine(name).search(model, Request()) for name in ENGINES]
    assert len({(each.digest, each.distinct) for each in raw}) == 1
    assert raw[0].digest is not None


def test_a_trace_goes_through_states_that_were_kept() -> None:
    """`ups` is read by the property, and hidden: a path through other states of the same views is another one."""
    model = bind(read_model(OnlyA), {})
    asked = Request(properties=("small", "one_at_a_time", "five_ups", "full"))
    assert len({tuple(engine(name).search(model, asked).found.items()) for name in ENGINES}) == 1
    model = bind(read_model(Hopping), {})
    assert len({tuple(engine(name).search(model, Request(properties=("far",))).found.items()) for name in ENGINES}) == 1


@pytest.mark.parametrize("engine", ENGINES)
def test_a_history_may_be_hidden(engine: str) -> None:
    outcome = isrcheck.check(Shown, engine=engine)
    assert verdicts(outcome) == {"small": HOLDS, "one_at_a_time": HOLDS, "five_ups": HOLDS, "full": HOLDS}
    assert outcome.digest is not None
    text = plain_text(outcome_document(outcome))
    assert "37 distinct views" in text
    assert "holds up to the view seen" in text
    assert outcome.to_dict()["view"] == "seen"
    assert not outcome.warnings


def test_a_property_that_reads_what_is_hidden_is_not_decided() -> None:
    """`last` is read by no guard, and by no update of what is shown."""
    outcome = isrcheck.check(OnlyA, properties=("small", "one_at_a_time", "full"))
    assert verdicts(outcome) == {"small": UNDETERMINED, "one_at_a_time": HOLDS, "full": HOLDS}
    assert outcome.property("small").assurance == "bounded(0)"
    assert outcome.warnings == ("small reads last, which the view hides.",)
    assert outcome.exit == 20


@pytest.mark.parametrize(
    ("cls", "why"),
    [
        (HiddenGuard, "at what the view seen hides: a, which a guard of up() reads"),
        (Parity, "at what the view seen hides: a, which a guard of up() reads"),
        (Bounded, "at what the view seen hides: ups, whose bounds may prune steps"),
    ],
)
def test_a_view_that_hides_what_decides_lets_nothing_hold(cls: type[Model], why: str) -> None:
    outcome = isrcheck.check(cls)
    assert outcome.cut == why
    assert outcome.digest is None
    assert HOLDS not in {v for n, v in verdicts(outcome).items() if n in ("small", "one_at_a_time")}
    assert {p.assurance for p in outcome.properties if p.verdict is UNDETERMINED} == {"bounded(0)"}


def test_a_short_search_with_such_a_view_has_looked_at_nothing() -> None:
    outcome = isrcheck.check(HiddenGuard, properties=("small",), limits=Limits(depth=2))
    assert outcome.property("small").assurance == "bounded(0)"
    assert isrcheck.check(Shown, properties=("small",), limits=Limits(depth=2)).properties[0].assurance == "bounded(1)"


def test_the_symbolic_engine_and_proofs_do_without() -> None:
    outcome = isrcheck.check(HiddenGuard, engine="symbolic", properties=("full",), limits=Limits(depth=6))
    assert verdicts(outcome) == {"full": HOLDS}
    assert outcome.view == ""


def test_what_knows_no_views_refuses_them(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"^--symmetry: Shown declares no sort as symmetric"):
        isrcheck.check(Shown, symmetry=True)
    with pytest.raises(
        UsageError, match=r"^Shown has the view seen, with which there is no --workers: leave it out\.$"
    ):
        isrcheck.check(Shown, workers=2)
    with pytest.raises(UsageError, match=r"^Shown has a view, which the spark engine does not know: use --engine"):
        isrcheck.check(Shown, engine="spark")
    with pytest.raises(UsageError, match=r"^a certificate has every reachable state, and the view seen leaves some"):
        isrcheck.check("tests/views/models.py:Shown", certificate=tmp_path / "c")


def test_tlc_is_given_it() -> None:
    exported = to_tla(bind(read_model(Shown), {}))
    assert "\nVIEW\n    Seen\n" in exported.configuration
    assert any("Seen == <<a, last>>" in module.source for module in exported.modules)


def test_vacuity_looks_behind_it() -> None:
    """A part of the model may read what is hidden."""
    asked = ("one_at_a_time",)
    one, two = (isrcheck.check(cls, properties=asked, vacuity=True) for cls in (Two, OnlyA))
    assert (one.vacuous, one.vacuity_cut) == (two.vacuous, two.vacuity_cut)
    assert one.vacuity_cut is None
