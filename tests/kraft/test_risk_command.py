"""`isrcheck risk` as a command: what it shows, writes, keeps and refuses."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from tests.fixtures.clock import run_slowly_in

from isrcheck import Trace
from isrcheck.cli import commands
from isrcheck.errors import UsageError
from isrcheck.run.trace import PlainRun
from isrrisk.against import Earlier, is_decided, judge_topics
from isrrisk.answer import Answer
from isrrisk.budget import FaultBudget
from isrrisk.frontier import Frontier, LeastLoss, Survival
from isrrisk.question import LOSSES
from isrrisk.search import frontier
from isrrisk.setting import Setting, is_alike
from isrrisk.wording import WORDS

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
    assert "1 the partition is created: r0 is elected from the ISR, leader epoch 1, ISR {r0, r1}" in lines[story:]
    assert "acknowledged to the producer: record 0 of epoch 1" in lines[story:]
    assert any(re.search(r"acknowledged to the producer.* in step \d, is lost: r1 leads", each) for each in lines)


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

    def search(setting: Setting, budget: FaultBudget, *more: object, **options: object) -> Frontier:
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

    def search(setting: Setting, budget: FaultBudget, *more: object, **options: object) -> Frontier:
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
    def search(*_: object, **__: object) -> Frontier:
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


LINE = (
    "Topic: {}\tPartitionCount: 1\tReplicationFactor: 2\t"
    "Configs: min.insync.replicas=2,unclean.leader.election.enable={}\n"
)
BUDGET = FaultBudget({"fences": 1})


def against(folder: Path, now: str, before: str, *options: str) -> Result:
    for name, described in (("now", now), ("before", before)):
        (folder / name).write_text(described, encoding="utf-8")
    words = ["risk", "--describe", str(folder / "now"), "--against", str(folder / "before"), *options]
    return CliRunner().invoke(commands, words, standalone_mode=False)


def answer(survived: int, loses: bool = False) -> Answer:
    """An answer that survives so many fencings; or in which one more loses everything."""
    survivals = [Survival(loss, (("fences", survived),)) for loss in LOSSES]
    story = Trace("kraft-4.1", {}, "", PlainRun(), "", "", ())
    losses = [LeastLoss(loss, (("fences", survived + 1),), story) for loss in LOSSES] if loses else []
    frontier = Frontier(Setting("4.1", 3), BUDGET, losses, survivals, [], None, 7, 0, 1.0)
    return Answer(frontier.setting, [frontier], None, None, BUDGET)


def test_topics_that_did_not_change_are_not_searched(tmp_path: Path) -> None:
    described = LINE.format("a", "false")
    done = against(tmp_path, described + LINE.format("b", "true"), described + LINE.format("c", "true"), "--json", "-")
    assert (done.return_value, json.loads(done.stdout)) == (0, [])
    done = against(tmp_path, described + LINE.format("b", "true"), described + LINE.format("c", "true"))
    assert "1 topic with the settings that they had." in done.stdout
    assert "Not judged, since they were not there before: b." in done.stdout
    assert "No longer there: c." in done.stdout


def test_a_topic_that_survives_less_is_refused_and_one_that_survives_more_is_not(tmp_path: Path) -> None:
    low, high = (LINE.format("a", "false").replace("replicas=2", f"replicas={n}") for n in (1, 2))
    budget = ("--budget", "fence=1,power=1")
    done = against(tmp_path, low, high, *budget)
    assert done.return_value == 21
    lost = f"{WORDS['acked_in_leader']} after one fencing of a live broker and one power loss"
    assert f"a survives less than before: {lost}" in " ".join(done.stdout.split())
    done = against(tmp_path, high, low, *budget)
    assert done.return_value == 0
    assert "a survives no less than before." in done.stdout


def test_descriptions_without_a_topic_in_common_are_refused(tmp_path: Path) -> None:
    done = against(tmp_path, LINE.format("a", "false"), LINE.format("b", "false"))
    assert isinstance(done.exception, UsageError)
    assert str(done.exception) == (
        "no topic of now (a) is in the earlier description (b): "
        "give --against an earlier description of the same topics."
    )


@pytest.mark.parametrize(("now", "code"), [(2, 0), (1, 0), (0, 21), (None, 20)])
def test_the_exit_code_says_whether_a_topic_survives_less(now: int | None, code: int) -> None:
    """One fencing was survived before; now so many are."""
    answers = {"a before": answer(1)} | ({} if now is None else {"a": answer(now, loses=now == 0)})
    assert judge_topics(Earlier(("a",), 0, (), ()), answers)[1] == code


def test_a_setting_that_was_searched_less_far_is_undetermined() -> None:
    assert is_decided(answer(1), answer(1))
    assert not is_decided(answer(0), answer(1))


@pytest.mark.parametrize("options", [("--against", "x"), ("--describe", "x", "--against", "x")])
def test_a_description_is_not_compared_with_itself(options: tuple[str, ...]) -> None:
    done = CliRunner().invoke(commands, ["risk", *options], standalone_mode=False)
    assert isinstance(done.exception, UsageError)
    assert "from another file" in str(done.exception)
