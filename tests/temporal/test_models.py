"""Small models with known answers: every verdict is that of the literature, and TLC's."""

import os
import shutil

import pytest
from tests.temporal import tlc
from tests.temporal.known import HOLDS, KNOWN, VIOLATED, Known

from isrcheck import check
from isrcheck.lang.read import read_model
from isrcheck.passes import bind

AT_HAND = bool(os.environ.get("TLC_JAR")) and shutil.which("java") is not None
NAMED = pytest.mark.parametrize("known", KNOWN, ids=lambda known: known.name)


@NAMED
@pytest.mark.parametrize("engine", [pytest.param("native", marks=pytest.mark.slow), "reference"])
def test_every_verdict_is_the_known_one(known: Known, engine: str) -> None:
    outcome = check(known.model, engine=engine, properties=list(known.verdicts), constants=known.constants)
    assert {p.name: p.verdict.value for p in outcome.properties} == known.verdicts


@NAMED
@pytest.mark.slow
@pytest.mark.skipif(not AT_HAND, reason="TLC is not at hand: set TLC_JAR, and have java on the path")
def test_tlc_agrees(known: Known) -> None:
    assert tlc.verdicts(os.environ["TLC_JAR"], bind(read_model(known.model), known.constants)) == known.by_tlc


def test_each_answer_has_models_enough() -> None:
    """Twenty models at least, and both answers often."""
    verdicts = [verdict for known in KNOWN for verdict in known.verdicts.values()]
    assert len({known.model for known in KNOWN}) > 40
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
