"""Clusters of real brokers, where Java and Maven are: one run that is right, and one with a bug that is found."""

import shutil
from pathlib import Path

import pytest

pytest.importorskip("confluent_kafka")

from isrbrokers.judging import by_model, by_rules, record
from isrbrokers.releases import find_release
from isrbrokers.scenarios import SCENARIOS

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not (shutil.which("mvn") and shutil.which("javac")), reason="clusters need a JDK and Maven"),
]


def test_a_steady_run_keeps_the_rules_and_conforms(tmp_path: Path) -> None:
    record(SCENARIOS["steady"], find_release("4.1"), tmp_path / "steady", port=22900)
    assert by_rules(tmp_path / "steady") is None
    assert by_model("kraft-4.1")(tmp_path / "steady") is None


def test_a_follower_that_joins_at_once_is_found(tmp_path: Path) -> None:
    record(SCENARIOS["rejoin"], find_release("4.1"), tmp_path / "rejoin", port=22910, bug="joins-at-once")
    wrong = by_model("kraft-4.1")(tmp_path / "rejoin")
    assert wrong is not None
    assert "departs from kraft-4.1: broker 1: isr_asked(broker=1, what=Expand, who=3" in wrong.what
