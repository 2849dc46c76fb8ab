"""What induction can and cannot do with models whose answers are known by hand."""

import pytest
from tests.symbolic.proofs.small import Blinker, Careless, Club, FalseLemma, Soon, TornTwins, Twins

from isrcheck import Model, Verdict, check, prove
from isrcheck.engines.contract import Limits
from isrcheck.engines.symbolic.proof import BY_SEARCH
from isrcheck.errors import ModelError, UsageError
from isrcheck.place import NOWHERE
from isrcheck.run import proving
from isrcheck.run.proving import ProofRun


def verdict(run: ProofRun, name: str) -> tuple[str, str]:
    found = run.outcome.property(name)
    return found.verdict.value, found.assurance


def test_two_steps_of_induction() -> None:
    run = prove(Blinker)
    assert verdict(run, "never_three") == ("holds", "proved")
    assert (run.proofs[0].k, run.proofs[0].lemmas) == (2, ())
    assert run.outcome.exit == 0


def test_one_step_is_not_enough() -> None:
    run = prove(Blinker, k=1)
    assert verdict(run, "never_three") == ("undetermined", "bounded(0)")
    assert run.outcome.exit == 20
    assert run.proofs == ()
    trace = run.counterexamples["never_three"]
    assert [(s.action, s.state["light"]) for s in trace.steps] == [("", 2), ("blink", 3)]


def test_a_counterexample_too_large_to_show_loses_no_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise ModelError(NOWHERE, "light has 22,480 scalars.", "Use smaller constants.")

    monkeypatch.setattr(proving, "induction_trace", refuse)
    run = prove(Blinker, k=1)
    assert verdict(run, "never_three") == ("undetermined", "bounded(0)")
    assert (run.outcome.exit, run.counterexamples) == (20, {})


def test_a_lemma_is_needed() -> None:
    run = prove(Twins)
    assert verdict(run, "copy_is_behind") == ("holds", "proved")
    assert [lemma.name for lemma in run.proofs[0].lemmas] == ["twins_are_equal"]
    assert verdict(prove(Twins, lemmas=(), k=3), "copy_is_behind")[0] == "undetermined"


def test_a_step_property_needs_no_variable_more() -> None:
    run = prove(Twins, properties=["left_never_falls"])
    assert run.proofs[0].variables == ("left",)
    assert run.outcome.proofs[0].others == ("right", "copied")


def test_a_lemma_is_found() -> None:
    run = prove(Twins, properties=["copy_is_behind"], lemmas=(), search_lemmas=True)
    assert [(x.source, x.place) for x in run.proofs[0].lemmas] == [("self.right <= self.left", BY_SEARCH)]


def test_nothing_is_found_where_the_promise_breaks() -> None:
    run = prove(TornTwins, properties=["copy_is_behind"], search_lemmas=True)
    assert verdict(run, "copy_is_behind")[0] == "undetermined"


def test_lemmas_that_are_false_are_left_out() -> None:
    run = prove(FalseLemma, properties=["copy_is_behind"])
    assert [x.name for x in run.proofs[0].lemmas] == ["twins_are_equal"]
    assert set(run.outcome.proofs[0].dropped) == {"stays_small", "starts_at_one"}


def test_a_false_lemma_is_shown_with_its_trace() -> None:
    found = check(FalseLemma, properties=["stays_small"], engine="reference").property("stays_small")
    assert (found.verdict, found.trace.length if found.trace else 0) == (Verdict.VIOLATED, 3)


def test_lemmas_are_not_checked_unless_asked_for() -> None:
    outcome = check(FalseLemma, engine="reference")
    assert [p.name for p in outcome.properties] == ["copy_is_behind", "left_never_falls"]
    assert check(FalseLemma, properties=["copy_is_behind", "stays_small"], engine="reference").digest == outcome.digest


def test_a_lemma_can_be_proved_and_an_invariant_serve_as_one() -> None:
    assert verdict(prove(Twins, properties=["twins_are_equal"]), "twins_are_equal") == ("holds", "proved")
    assert verdict(prove(Twins, lemmas=["copy_is_behind"]), "copy_is_behind")[0] == "undetermined"


def test_the_base_finds_a_violation_and_its_constants() -> None:
    run = prove(Soon, k=3)
    found = run.outcome.property("not_three")
    assert (found.verdict, found.assurance, run.outcome.exit) == (Verdict.VIOLATED, "replayed", 12)
    assert found.trace is not None
    assert (found.trace.length, found.trace.constants["gap"]) == (3, 2)
    assert "gap = 2" in run.outcome.proofs[0].reason


def test_other_constants_are_safe() -> None:
    """From 1 on, a gap of 3 or more leads past 3."""
    assert verdict(prove(Soon, k=3, gap="3.."), "not_three") == ("holds", "proved")


def test_all_sizes_of_what_is_not_shape() -> None:
    run = prove(Club, nodes=4)
    assert verdict(run, "insiders_have_paid") == ("holds", "proved")
    assert (run.outcome.proofs[0].open, run.outcome.proofs[0].fixed) == ({"limit": "0.."}, {"nodes": "4"})


def test_text_that_goes_wrong_is_no_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    """A search that does not come so far leaves it to the obligations."""
    monkeypatch.setattr(proving, "refuse_reached_fault", lambda *_: None)
    run = prove(Careless)
    assert verdict(run, "small")[0] == "undetermined"
    assert run.outcome.proofs[0].reason == "a mistake in the text of an action cannot be excluded"
    assert run.outcome.proofs[0].open == {"limit": "3.."}


@pytest.mark.parametrize("model", [Blinker, Twins, Club])
def test_no_time_is_no_verdict(model: type[Model]) -> None:
    outcome = prove(model, limits=Limits(seconds=0)).outcome
    assert outcome.verdict is Verdict.UNDETERMINED
    assert outcome.exit == 20
    assert all("the time is over" in note.reason for note in outcome.proofs)


def test_z3_that_does_not_know_is_no_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    import z3

    monkeypatch.setattr(z3.Solver, "check", lambda _self, *_: z3.unknown)
    monkeypatch.setattr(z3.Solver, "reason_unknown", lambda _self: "(incomplete quantifiers)")
    outcome = prove(Twins).outcome
    assert outcome.verdict is Verdict.UNDETERMINED
    assert all("z3 does not know ((incomplete quantifiers))" in note.reason for note in outcome.proofs)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"properties": ["never_thre"]}, "Blinker has no property never_thre. Did you mean never_three?"),
        ({"lemmas": ["nothing"]}, "Blinker has no lemma or invariant nothing. Known: never_three."),
        ({"constants": {"limit": "5..3"}}, "the range 5..3 of the constant limit is empty: write the lower end first."),
    ],
)
def test_messages(options: dict[str, object], sentence: str) -> None:
    with pytest.raises(UsageError) as told:
        prove(Blinker, **options)  # type: ignore[arg-type]  # options of several kinds
    assert str(told.value) == sentence
