"""Lemmas: false ones do no harm, are checked where somebody asks, and may be proved or be invariants."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from tests.proofs.small import Careless, FalseLemma, Twins

from isrcheck import Limits, Model, Verdict, check, prove
from isrcheck.catalogue import find_model
from isrcheck.errors import ModelError, UsageError
from isrcheck.ir.model import ModelIR
from isrcheck.lang.read import read_model
from isrcheck.proofs import prover
from isrcheck.proofs.refutation import AT_ONCE, refuse_reached_fault


def verdict(model: type[Model], name: str, **options: object) -> tuple[str, str]:
    proved = prove(model, properties=[name], **options).outcome.property(name)  # type: ignore[arg-type]  # options pass through
    return proved.verdict.value, proved.assurance


def test_a_lemma_is_needed() -> None:
    run = prove(Twins)
    assert run.outcome.property("copy_is_behind").verdict is Verdict.HOLDS
    assert [lemma.name for lemma in run.proofs[0].lemmas] == ["twins_are_equal"]
    assert verdict(Twins, "copy_is_behind", lemmas=())[0] == "undetermined"


def test_lemmas_that_are_false_are_left_out() -> None:
    run = prove(FalseLemma, properties=["copy_is_behind"])
    assert [lemma.name for lemma in run.proofs[0].lemmas] == ["twins_are_equal"]


def test_a_false_lemma_is_shown_with_its_trace() -> None:
    found = check(FalseLemma, properties=["stays_small"], engine="reference").property("stays_small")
    assert (found.verdict, found.trace.length if found.trace else 0) == (Verdict.VIOLATED, 3)


def test_lemmas_are_not_checked_unless_asked_for() -> None:
    outcome = check(FalseLemma, engine="reference")
    assert [p.name for p in outcome.properties] == ["copy_is_behind", "left_never_falls"]
    assert check(FalseLemma, properties=["copy_is_behind", "stays_small"], engine="reference").digest == outcome.digest


def test_a_lemma_can_be_proved_and_an_invariant_serve_as_one() -> None:
    assert verdict(Twins, "twins_are_equal") == ("holds", "proved")


def test_a_property_that_is_its_own_lemma_and_not_inductive_ends() -> None:
    assert verdict(Twins, "copy_is_behind", lemmas=["copy_is_behind"])[0] == "undetermined"


def test_text_that_goes_wrong_is_no_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    """A search that does not come so far leaves it to the obligations."""
    monkeypatch.setattr(prover, "refuse_reached_fault", lambda *_: None)
    run = prove(Careless, properties=["small"])
    assert run.outcome.property("small").verdict is Verdict.UNDETERMINED
    assert "the obligation 'fault down' is not refuted" in run.outcome.proofs[0].reason


def test_a_text_that_goes_wrong_late_ends_the_proof_as_it_ends_a_search(monkeypatch: pytest.MonkeyPatch) -> None:
    """The search before a proof does not come so far; the one that an obligation asks for does."""

    def stop_early(ir: ModelIR, names: Sequence[str], constants: Mapping[str, Any], limits: Limits) -> None:
        if limits is not AT_ONCE:
            refuse_reached_fault(ir, names, constants, limits)

    monkeypatch.setattr(prover, "refuse_reached_fault", stop_early)
    with pytest.raises(ModelError, match=r"down\(\)"):
        prove(Careless, properties=["small"])


@pytest.mark.parametrize("model", [Twins, FalseLemma])
def test_no_time_is_no_verdict(model: type[Model]) -> None:
    outcome = prove(model, limits=Limits(seconds=0)).outcome
    assert (outcome.verdict, outcome.exit) == (Verdict.UNDETERMINED, 20)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"properties": ["copy_is_behin"]}, "Twins has no property copy_is_behin. Did you mean copy_is_behind?"),
        ({"lemmas": ["twin"]}, "Twins has no lemma or invariant twin. Known: copy_is_behind, twins_are_equal."),
        (
            {"constants": {"limit": "1..3"}},
            "limit=1..3 makes limit a symbolic constant: use check --engine symbolic, or a run for each value.",
        ),
    ],
)
def test_messages(options: dict[str, object], sentence: str) -> None:
    with pytest.raises(UsageError) as refused:
        prove(Twins, **options)  # type: ignore[arg-type]  # options of several kinds
    assert str(refused.value) == sentence


@pytest.mark.slow
def test_every_lemma_of_kip_320_holds_of_every_state() -> None:
    names = [lemma.name for lemma in read_model(find_model("kip-320")).lemmas]
    outcome = check("kip-320", properties=names, replicas=2, log_size=2, max_records=2, max_leader_epoch=2)
    assert {p.name: p.verdict for p in outcome.properties} == dict.fromkeys(names, Verdict.HOLDS)
