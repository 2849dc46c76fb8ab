"""Small models with known answers: every verdict is that of the literature, and TLC's."""

import os
import shutil
from typing import Any

import pytest
from tests.temporal import tlc
from tests.temporal.known import HOLDS, KNOWN, VIOLATED, Known
from tools.reports import forever_partitions as page
from tools.reports.forever_partitions import BROKERS, ENVIRONMENTS, FOLLOWERS, PROPERTIES, verdict

from isrcheck import Outcome, Verdict, check
from isrcheck.lang.read import read_model
from isrcheck.passes import bind
from isrmodel import MODELS
from isrmodel.forever import PARTITIONS_FOREVER
from isrmodel.partition import PARTITIONS

AT_HAND = bool(os.environ.get("TLC_JAR")) and shutil.which("java") is not None
NAMED = pytest.mark.parametrize("known", KNOWN, ids=lambda known: known.name)


@NAMED
@pytest.mark.parametrize("engine", [pytest.param("native", marks=pytest.mark.slow), "reference"])
def test_every_verdict_is_the_known_one(known: Known, engine: str) -> None:
    outcome = check(
        known.model,
        engine=engine,
        properties=list(known.verdicts),
        constants=known.constants,
        fairness=known.environments,
    )
    assert {p.name: p.verdict.value for p in outcome.properties} == known.verdicts


@NAMED
@pytest.mark.slow
@pytest.mark.skipif(not AT_HAND, reason="TLC is not at hand: set TLC_JAR, and have java on the path")
def test_tlc_agrees(known: Known) -> None:
    model = bind(read_model(known.model), known.constants)
    assert tlc.verdicts(os.environ["TLC_JAR"], model, known.fairness) == known.by_tlc


def test_each_answer_has_models_enough() -> None:
    verdicts = [verdict for known in KNOWN for verdict in known.verdicts.values()]
    assert len(KNOWN) > 40
    assert min(verdicts.count(HOLDS), verdicts.count(VIOLATED)) > 20


def test_where_tlc_differs_a_bound_is_the_reason() -> None:
    differing = [(known.verdicts[name], known.tlc[name]) for known in KNOWN for name in known.tlc]
    assert set(differing) == {("undetermined", "holds")}


@pytest.mark.parametrize(
    ("said", "verdict"),
    [
        ("Model checking completed. No error has been found.\n", "holds"),
        ("Error: Temporal property WaitingEnds was violated.\n", "violated"),
        ("Error: Temporal properties were violated.\n", "violated"),
        ("Error: Temporal properties NobodyStarves and SomebodyEats were violated.\n", "violated"),
    ],
)
def test_tlc_s_words_are_understood(said: str, verdict: str) -> None:
    assert tlc.understood(said) == verdict


def test_what_is_no_answer_of_tlc_is_an_error() -> None:
    with pytest.raises(RuntimeError, match="out of memory"):
        tlc.understood("Error: Java ran out of memory.\n")


SAFEST = "forever-partition-kafka-7152"


def found(engine: str = "native", **constants: Any) -> Outcome:
    names = ["eligible_leads", "caught_up_returns", "no_stall"]
    return check(SAFEST, engine=engine, properties=names, fairness=[BROKERS, FOLLOWERS], constants=constants)


def verdicts(outcome: Outcome) -> set[Verdict]:
    return {p.verdict for p in outcome.properties}


def test_the_page_has_the_table() -> None:
    assert page.TABLE.findall(page.PAGE.read_text(encoding="utf-8")) == [page.table()]


def test_every_policy_is_asked_everything_in_every_environment() -> None:
    assert {run["model"] for run in page.runs()} == set(PARTITIONS_FOREVER) <= set(MODELS)
    for model in PARTITIONS_FOREVER:
        assert all(verdict(model, name, each) for name in PROPERTIES for each in ENVIRONMENTS)


@pytest.mark.parametrize("name", PROPERTIES)
def test_every_property_finds_both_answers(name: str) -> None:
    """Where somebody does not go on it is violated: what it says is not empty."""
    answers = {environment: {verdict(m, name, environment) for m in PARTITIONS_FOREVER} for environment in ENVIRONMENTS}
    assert answers[BROKERS, FOLLOWERS] == {"holds"}
    assert "violated" in answers[BROKERS,] | answers[FOLLOWERS,]


def test_flapping_ends_where_it_ends_without_changes_of_leader() -> None:
    """With fetches of everything: up to 0.9, as in the ISR family, and not since."""
    answers = {m.removeprefix(page.PREFIX): verdict(m, "no_flapping", (BROKERS, FOLLOWERS)) for m in PARTITIONS_FOREVER}
    assert answers == dict.fromkeys(("max-messages", "kip-16-merged"), "violated") | dict.fromkeys(
        ("kafka-4485-v2", "kafka-4485-merged", "kafka-7152", "strict-min-isr"), "holds"
    )


@pytest.mark.slow
def test_who_flaps_is_removed_and_comes_back() -> None:
    """With followers that fetch once in every tick of a cycle, which time does not stop in."""
    constants = {"recounted": True, "endless": True, "max_version": 2, "keeps_pace": True}
    outcome = check(
        "forever-partition-kip-16-merged",
        properties=["no_flapping"],
        fairness=[BROKERS, FOLLOWERS],
        constants=constants,
    )
    trace = outcome.property("no_flapping").trace
    assert trace is not None
    assert trace.loop is not None
    cycle = [step.action for step in trace.steps[trace.loop + 1 :]]
    assert {"tick", "leader_shrinks_isr", "follower_fetches"} <= set(cycle)
    assert cycle.count("tick") == cycle.count("follower_fetches")
    assert len({str(step.state["quorum_isr"]) for step in trace.steps[trace.loop :]}) == 2


def test_a_last_version_leaves_open_what_the_form_decides() -> None:
    outcome = found()
    reasons = {p.name: p.reason for p in outcome.properties if p.verdict is Verdict.UNDETERMINED}
    assert {"caught_up_returns", "no_stall"} == set(reasons)
    assert all("the bound on max_version stops it" in reason for reason in reasons.values())
    assert verdicts(found(max_version=2, recounted=True)) == {Verdict.HOLDS}


@pytest.mark.slow
def test_engines_agree_on_a_small_partition() -> None:
    small = {"max_records": 1, "leader_epochs": 1, "lag_time_max": 1, "max_version": 2, "recounted": True}
    one, other = (found(engine, **small, endless=True) for engine in ("native", "reference"))
    assert (one.distinct, one.generated, one.digest, one.notes) == (
        other.distinct,
        other.generated,
        other.digest,
        other.notes,
    )
    assert verdicts(one) == verdicts(other) == {Verdict.HOLDS}


def test_without_its_form_it_is_the_partition() -> None:
    own, other = (check(name, properties=[]) for name in (SAFEST, "partition"))
    assert (own.distinct, own.digest) == (other.distinct, other.digest)
    assert "partition" in PARTITIONS
