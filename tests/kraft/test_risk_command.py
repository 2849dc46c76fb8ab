"""`isrcheck risk` as a command: what it shows, writes, keeps and refuses."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from tests.fixtures.clock import run_slowly_in

from isrcheck.cli import commands
from isrrisk.budget import FaultBudget
from isrrisk.frontier import Frontier
from isrrisk.search import frontier
from isrrisk.setting import Setting, is_alike

SMALL = ("--replication-factor", "2", "--acks", "1", "--budget", "fences=1,kills=0,power_losses=0")


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ISRCHECK_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("COLUMNS", "200")
    return tmp_path / "cache"


def risk(*options: str) -> Result:
    return CliRunner().invoke(commands, ["risk", *options], standalone_mode=False)


def test_the_table_comes_before_the_story() -> None:
    answer = risk(*SMALL, "--no-advice")
    assert answer.return_value == 12
    lines = [" ".join(line.split()) for line in answer.stdout.splitlines()]
    assert lines[0] == "Kafka 4.1, replication factor 2, min.insync.replicas=2, acks=1"
    assert "an acknowledged record is missing in the leader one fencing of a live broker 5" in lines
    assert "the partition is left without a leader nothing searched does" in lines
    story = lines.index("How an acknowledged record is missing in the leader after one fencing of a live broker")
    assert lines.index("what goes wrong the least that does it steps") < story
    assert any(line.startswith("1 the partition is created, r0 leads r0, {r0, r1}") for line in lines[story:])
    assert "the record is acknowledged" in lines[story:]
    assert any(
        re.match("Lost: the record, acknowledged in step [0-9], is not in the log of r1", each) for each in lines
    )


def test_what_an_earlier_search_said_is_said_to_be_kept(own_cache: Path) -> None:
    first = risk(*SMALL, "--no-advice", "--json", "-")
    again = risk(*SMALL, "--no-advice", "--json", "-")
    assert (first.return_value, again.return_value) == (12, 12)
    ((searched,), (kept,)) = (json.loads(each.stdout)["complete"] for each in (first, again))
    assert (searched["from_cache"], kept["from_cache"]) == (False, True)
    assert searched["states"] == kept["states"]
    assert "kept from an earlier search" in risk(*SMALL, "--no-advice").stdout
    assert "kept from" not in risk(*SMALL, "--no-advice", "--no-cache").stdout


def test_a_home_that_cannot_be_written_to_is_no_obstacle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv("ISRCHECK_CACHE_DIR", str(tmp_path / "file" / "cache"))
    assert risk(*SMALL, "--no-advice", "--no-cache").return_value == 12


def test_after_an_interrupt_no_advice_is_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[FaultBudget] = []

    def search(setting: Setting, budget: FaultBudget, *more: object) -> Frontier:
        asked.append(budget)
        if len(asked) == 1:
            return frontier(setting, budget)
        raise KeyboardInterrupt

    monkeypatch.setattr("isrrisk.run.frontier", search)
    answer = risk("--replication-factor", "2", "--acks", "1", "--budget", "fences=2,kills=0,power_losses=0")
    assert answer.return_value == 12
    assert len(asked) == 2
    assert "Searched completely up to at most one fencing of a live broker" in answer.stdout
    assert "Not complete: at most 2 fencings of live brokers (cut off by the user)." in answer.stdout
    assert "cheapest change" not in answer.stdout


def test_advice_comes_with_its_price() -> None:
    text = risk(*SMALL).stdout
    assert (
        "The cheapest change tried: acks=all loses no acknowledged record by that. Its price: each write waits" in text
    )
    assert "more faults, or others, may lose a record all the same" in text


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--faults", "fence", "--budget", "kills=1"), "contradict"),
        (("--kafka", "3.9", "--vary", "kafka=4.0,4.1"), "--kafka and --vary kafka contradict"),
        (("--vary", "elr", "--cluster", "upgraded"), "--cluster upgraded"),
        (("--vary", "elr", "--advice"), "--advice is of one setting"),
        (("--racks", "a,a,b", "--vary", "replication-factor=3,5"), "--racks is of one replication factor"),
        (("--kafka", "9.9"), "is not a release that was read"),
        (("--replication-factor", "100"), "give at most 7"),
    ],
)
def test_contradictions_are_refused(options: tuple[str, ...], sentence: str) -> None:
    with pytest.raises(Exception, match=sentence):
        CliRunner().invoke(commands, ["risk", *options], standalone_mode=False, catch_exceptions=False)


def test_settings_that_are_one_question_are_searched_once_and_share_a_column(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def search(setting: Setting, budget: FaultBudget, *more: object) -> Frontier:
        asked.append(setting.kafka)
        return frontier(setting, budget)

    monkeypatch.setattr("isrrisk.run.frontier", search)
    text = risk(*SMALL, "--vary", "kafka=4.1,4.2").stdout
    assert asked == ["4.1"]
    assert re.search(r"what goes wrong +Kafka 4\.1, 4\.2\s", text)
    assert "Kafka 4.2 behaves as 4.1 here" in text


def test_settings_that_answer_alike_within_a_budget_are_said_to_do_so_as_far_as_searched() -> None:
    answer = risk("--budget", "fence=1", "--replication-factor", "2", "--vary", "elr")
    assert re.search(r"what goes wrong +ELR on, off: alike as far as searched", answer.stdout)
    assert answer.stdout.splitlines()[1:3] == [
        "ELR on: nothing is lost with at most one fencing of a live broker.",
        "ELR off: nothing is lost with at most one fencing of a live broker.",
    ]


def test_topics_are_read_from_a_pipe() -> None:
    described = "Topic: a\tPartitionCount: 1\tReplicationFactor: 2\tConfigs: min.insync.replicas=1\n"
    words = [sys.executable, "-m", "isrcheck", "risk", "--describe", "-", "--budget", "kill=0", "--json", "-"]
    ended = subprocess.run(words, input=described, capture_output=True, text=True, check=False)
    assert json.loads(ended.stdout)["setting"] == "Kafka 4.1, replication factor 2, min.insync.replicas=1, acks=all"


def test_alike_settings() -> None:
    assert is_alike(Setting("4.1"), Setting("4.2"))
    assert not is_alike(Setting("4.1"), Setting("4.0"))


def test_an_upgraded_cluster_has_no_eligible_leader_replicas() -> None:
    assert "without ELR" in risk(*SMALL, "--no-advice", "--cluster", "upgraded").stdout
    assert "with ELR" in risk(*SMALL, "--no-advice", "--cluster", "upgraded", "--elr").stdout


def test_a_zone_that_is_lost_names_its_brokers() -> None:
    options = ("--replication-factor", "2", "--min-isr", "1", "--faults", "kill", "--budget", "kills=0")
    text = risk(*options, "--racks", "a,a", "--no-advice").stdout
    assert "The loss of a rack is that of zone a" in text
    assert re.search("In the story r[01] and r[01] are the two brokers of zone a", text)
    assert "Zone a or b is one broker" in risk(*options, "--racks", "a,b", "--no-advice").stdout


def test_settings_that_were_not_searched_after_an_interrupt_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def search(*_: object) -> Frontier:
        raise KeyboardInterrupt

    monkeypatch.setattr("isrrisk.run.frontier", search)
    answer = risk("--vary", "min-isr=1,2,3")
    assert answer.return_value == 20
    assert answer.stdout.startswith("Interrupted before a search was complete: nothing is known of these settings.\n")
    assert "undetermined" not in answer.stdout
    assert "Not searched, since the user ended the run: min.insync.replicas=2, min.insync.replicas=3." in answer.stdout


def test_a_limit_that_ends_the_reading_leaves_the_question_undecided(monkeypatch: pytest.MonkeyPatch) -> None:
    run_slowly_in("reading the model", monkeypatch, step=100.0)
    answer = risk("--no-cache", "--max-seconds", "10", "--replication-factor", "2", "--min-isr", "1")
    assert answer.return_value == 20
    assert "after 10 seconds, while reading the model" in " ".join(answer.stdout.split())
