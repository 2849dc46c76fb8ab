"""What is proved of Kafka's designs for any number of records, and what cannot be."""

import pytest

from isrcheck import Model, Verdict, check, prove
from isrcheck.catalogue import find_model
from isrcheck.ir.interval import Span, is_endless
from isrcheck.lang.read import read_model
from isrmodel.isr.kafka_4485_merged import Kafka4485Merged
from isrmodel.isr.kafka_4485_v2 import Kafka4485V2
from isrmodel.isr.kafka_7152 import Kafka7152
from isrmodel.vocabulary import Follower

WATERMARK = ("hw_never_decreases", "isr_at_least_hw")


@pytest.mark.parametrize("model", ["isr-kafka-4485-v2", "isr-kafka-4485-merged", "isr-kafka-7152"])
@pytest.mark.parametrize("replicas", [2, pytest.param(3, marks=pytest.mark.slow)])
def test_high_watermark(model: str, replicas: int) -> None:
    """Guarantees 3 and 4 of KAFKA-4485, for any number of records and any lag time."""
    run = prove(model, properties=WATERMARK, replicas=replicas, k=1)
    assert [(p.name, p.verdict, p.assurance) for p in run.outcome.properties] == [
        (name, Verdict.HOLDS, "proved") for name in WATERMARK
    ]
    for proof in run.proofs:
        for name in ("max_records", "lag_time_max", "expiration_period", "min_isr", "max_lag_messages"):
            span = proof.symbolic.model.symbolic[name]
            assert isinstance(span, Span)
            assert is_endless(span.high)
        assert set(proof.symbolic.model.symbolic) > {"pace", "fetch_size", "appends", "leo_taken", "fetch_steps"}
        assert "append_age" not in proof.variables


OTHERS = ["isr-max-messages", "isr-kip-16-text", "isr-kip-16-merged", "isr-kafka-4485-v1", "isr-kafka-4485-first-patch"]
OTHERS += ["isr-strict-min-isr", "isr-kafka-19996-fix", "isr-kip-501"]


@pytest.mark.slow
@pytest.mark.parametrize("model", OTHERS)
def test_the_rest_of_the_family(model: str) -> None:
    run = prove(model, properties=WATERMARK, k=1)
    assert {p.verdict for p in run.outcome.properties} == {Verdict.HOLDS}


def test_what_breaks_is_not_proved() -> None:
    run = prove("isr-original-design", properties=["hw_never_decreases"], k=1)
    assert run.outcome.property("hw_never_decreases").verdict is Verdict.UNDETERMINED


class JoinsTooEarly(Kafka7152):
    """A follower joins one record below the high watermark."""

    def may_join(self, follower: Follower) -> bool:
        """One record is forgiven."""
        return self.known[follower] + 1 >= self.hw


class WaitsForNobody(Kafka4485Merged):
    """The high watermark waits for pseudo-ISR members alone."""

    def holds_back(self, follower: Follower) -> bool:
        """Whoever was caught up within T."""
        return self.caught_up_age[follower] <= self.lag_time_max


class AnybodyIsIn(Kafka4485V2):
    """The ISR is the pseudo-ISR: the high watermark is not asked."""

    def may_join(self, follower: Follower) -> bool:
        """Anybody."""
        return True


@pytest.mark.parametrize("mutant", [pytest.param(JoinsTooEarly, marks=pytest.mark.slow), WaitsForNobody, AnybodyIsIn])
def test_mutants_are_not_provable(mutant: type[Model]) -> None:
    run = prove(mutant, properties=["isr_at_least_hw"], k=1)
    assert run.outcome.property("isr_at_least_hw").verdict is not Verdict.HOLDS


@pytest.mark.parametrize("replicas", [2, pytest.param(3, marks=pytest.mark.slow)])
def test_maximal_isr(replicas: int) -> None:
    """KIP-497 with any number of records, and as many versions as the lemmas' sets are given room for."""
    run = prove("async-isr", properties=["valid_high_watermark"], replicas=replicas, k=1)
    (proof,) = run.proofs
    assert str(proof.symbolic.model.symbolic["max_offset"]) == "0.."
    ranges, constants = proof.symbolic.model.symbolic, proof.symbolic.model.constants
    assert {n: v for n, v in constants.items() if n not in ranges} == {"replicas": replicas, "max_version": 3}
    assert "controller_isr_is_within_maximal" in {lemma.name for lemma in proof.lemmas}


@pytest.mark.parametrize("model", ["async-isr-committed-only", "async-isr-proposed-only"])
def test_less_than_the_maximal_isr_is_not_provable(model: str) -> None:
    assert prove(model, k=1).outcome.verdict is not Verdict.HOLDS


@pytest.mark.slow
def test_lemmas_are_found_for_the_high_watermark() -> None:
    run = prove("isr-kafka-7152", properties=["isr_at_least_hw"], lemmas=(), search_lemmas=True, k=1)
    assert {lemma.source for lemma in run.proofs[0].lemmas} == {
        "all(self.known[f] <= self.follower_end[f] for f in Follower)",
        "all(self.follower_end[f] <= self.log_end for f in Follower)",
    }


SMALLEST = {"replicas": 2, "log_size": 1, "max_records": 1, "max_leader_epoch": 1}


@pytest.mark.slow
def test_kip_320_at_two_replicas() -> None:
    run = prove("kip-320", properties=["strong_isr", "leader_in_isr"], k=1, constants=SMALLEST)
    assert {(p.verdict, p.assurance) for p in run.outcome.properties} == {(Verdict.HOLDS, "proved")}
    assert run.outcome.proofs[0].dropped == ()


@pytest.mark.slow
def test_every_lemma_of_kip_320_holds_of_every_state() -> None:
    names = [lemma.name for lemma in read_model(find_model("kip-320")).lemmas]
    outcome = check("kip-320", properties=names, replicas=2, log_size=2, max_records=2, max_leader_epoch=2)
    assert {p.name: p.verdict for p in outcome.properties} == dict.fromkeys(names, Verdict.HOLDS)
