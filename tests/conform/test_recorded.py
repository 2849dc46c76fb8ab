"""Runs of real brokers, each against the models of several releases: which rules were they following?"""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.observe.runs import RECORDED, folders, recorded
from tools.bench.damaged_runs import Reason, Trial, try_damaged

from isrlogs.conform.judge import judge
from isrlogs.conform.reading import by_partitions, events_of, settings_of
from isrlogs.conform.search import Limits
from isrlogs.conform.verdict import CONFORMS, UNDETERMINED, Verdict
from isrlogs.observe.event import Event
from isrlogs.observe.records import metadata

VERDICTS: dict[str, dict[str, str]] = json.loads((Path(__file__).parent / "verdicts.json").read_text(encoding="utf-8"))
LIMITS = Limits(seconds=None, nodes=100_000)  # of seconds a busy machine has fewer


def verdict_on(folder: Path, model: str, limits: Limits = LIMITS, **given: str) -> Verdict:
    ((partition, events),) = events_of(folder, "tv-0").items()
    lag = {"replica.lag.time.max.ms": "3000"}  # of all recorded runs; some have no file of properties
    return judge(partition, events, {**lag, **settings_of(folder, events)}, model, given, limits)


def judged() -> list[Any]:
    """The runs with a verdict. That a run departs takes up to a minute to know: of most it is a slow test."""
    known = [folder for folder in folders() if folder.name in VERDICTS]
    is_quick = {folder for folder in known if folder.parent == RECORDED and not folder.name.startswith("natural")}
    return [pytest.param(f, id=f.name, marks=[] if f in is_quick else [pytest.mark.slow]) for f in known]


@pytest.mark.parametrize("folder", judged())
def test_every_run_has_its_verdict(folder: Path) -> None:
    expected = VERDICTS[folder.name]
    assert {model: verdict_on(folder, model).verdict for model in expected} == expected


def test_every_recorded_run_is_in_the_table() -> None:
    assert VERDICTS.keys() == {folder.name for folder in folders()}


@pytest.mark.parametrize("run", [run for run in VERDICTS if run != "natural-4.1.1"])
def test_each_release_explains_its_own_runs(run: str) -> None:
    """In one an operator elects by hand. The one that is left out takes long."""
    assert VERDICTS[run][own_rules(run)] == "conforms"
    assert verdict_on(recorded(run), own_rules(run)).verdict == "conforms"


def test_a_leader_that_forgets_after_a_missed_term_does_not_lose_the_record() -> None:
    brief = Limits(seconds=None, nodes=2_000)  # it takes 1,169 to explain the run without the switch
    verdict = verdict_on(recorded("missed-4.1.1"), "kraft-4.1", brief, forgets_missed="true")
    assert verdict.verdict == "undetermined"
    assert verdict.unexplained is not None
    assert verdict.unexplained.event == "hw_up(broker=1, from=2, to=3)"


@pytest.mark.slow
def test_a_late_answer_truncates_in_no_release_that_drops_it() -> None:
    """Of the run on 3.7.2, in which it does: KAFKA-18991."""
    verdict = verdict_on(recorded("k1-3.7.2-2"), "kraft-3.7", response_epoch_checked="true")
    assert verdict.verdict == "departs"
    assert verdict.unexplained is not None
    assert verdict.unexplained.event.startswith("truncates(follower=2, leader=1, to=1, ")
    assert verdict.unexplained.because.startswith("take_late(follower=2) needs any(self.is_taken(")


def own_rules(run: str) -> str:
    """The model of the release that was run; of 0.10 and 0.11, what a new follower truncates."""
    if "-0.1" in run:
        return "truncate-to-high-watermark" if "-0.10" in run else "kip-101"
    if "4.4.0" in run:
        return "kraft-4.3"
    return "kraft-4.1" if "4.1.1" in run or "4.2.1" in run or "elr" in run or "rf3" in run else "kraft-3.7"


@pytest.mark.parametrize(
    ("given", "because"),
    [
        ({"last_known": "false"}, "last known leader on record: {2} observed, {} in the model"),
        ({"unclean_leaves": "false"}, "partition epoch on record: 3 observed, 2 in the model"),
        ({"elr": "false", "last_known": "false"}, "after fence(broker=1, chosen=2), ELR on record: {1} observed, {}"),
    ],
    ids=["last_known", "unclean_leaves", "elr"],
)
def test_the_loss_of_an_acknowledged_record_needs_each_rule_of_4_1(given: dict[str, str], because: str) -> None:
    verdict = verdict_on(RECORDED / "s20-elr-BA-1", "kraft-4.1", LIMITS, **given)
    assert verdict.verdict == "departs"
    assert verdict.unexplained is not None
    assert because in verdict.unexplained.because


def test_the_idle_stall_is_not_what_kip_16_does() -> None:
    verdict = verdict_on(RECORDED / "stall2-4.1.1", "isr-kip-16-merged")
    assert verdict.unexplained is not None
    assert verdict.unexplained.as_json() == {
        "node": "broker 1",
        "event": "append(last=3, first=3, end=4)",
        "because": "after append_until(end=4), broker 1 would have said hw_up(from=3, to=4)",
    }


def test_before_kip_101_a_new_follower_truncates_to_its_own_high_watermark() -> None:
    lossy = verdict_on(RECORDED / "kip101-0.10.2.2", "truncate-to-high-watermark")
    assert lossy.trace is not None
    assert lossy.inferred == 0
    cuts = [step for step in lossy.trace.steps if step.truncation]
    assert cuts[0].truncation == "r2 truncates to offset 1, the follower's own high watermark"
    assert "truncate(to=1)" in cuts[0].state["told_by"]
    departs = verdict_on(RECORDED / "kip101-0.10.2.2", "kip-320")
    assert departs.unexplained is not None
    assert departs.unexplained.as_json() == {
        "node": "broker 3",
        "event": "truncate(to=1)",
        "because": "log end offset of broker 3: 1 observed, 2 in the model",
    }


def test_since_kip_101_it_does_not() -> None:
    departs = verdict_on(recorded("kip101-0.11.0.3"), "truncate-to-high-watermark")
    assert departs.unexplained is not None
    assert departs.unexplained.because == (
        "after replica_becomes_follower(follower=3, leader=2, epoch=1), broker 3 would have said truncate(to=1)"
    )


def test_a_zombie_appends_once_more_and_is_cut_back() -> None:
    verdict = verdict_on(RECORDED / "zombie-3.9.1", "kraft-3.7")
    assert verdict.trace is not None
    assert verdict.inferred == 0
    cuts = [step for step in verdict.trace.steps if step.action == "truncate"]
    said = "r0 truncates to offset 5, where its log and that of r1 part, by leader epochs"
    assert [step.truncation for step in cuts] == [said]


def row(kind: str, topic: str | None, partition: int | None, run: str = "c", **fields: str) -> Event:
    return Event(run, "controller", "metadata", 0, None, None, 0, kind, topic, partition, fields, "")


def test_what_is_of_a_topic_is_of_its_partitions_alone() -> None:
    rows = [
        row("stop", None, None),
        row("stop", None, None, run="d"),
        row("config", "a", None, name="min.insync.replicas", value="2"),
        row("config", "b", None, name="min.insync.replicas", value="1"),
        row("append", "a", 0),
        row("append", "b", 0),
        row("append", "__consumer_offsets", 0),
    ]
    found = by_partitions(rows)
    assert {name: [event.kind for event in own] for name, own in found.items()} == {
        "c a-0": ["stop", "config", "append"],
        "c b-0": ["stop", "config", "append"],
    }
    assert [settings_of(None, own) for own in found.values()] == [
        {"min.insync.replicas": "2"},
        {"min.insync.replicas": "1"},
    ]


def test_a_setting_in_the_metadata_log_is_of_its_topic_or_of_all() -> None:
    for kind, topic in ((2, "tv"), (4, None)):
        data = f'{{"resourceType":{kind},"resourceName":"tv","name":"min.insync.replicas","value":"1"}}'
        line = f'| offset: 6 CreateTime: 1 keySize: -1 payload: {{"type":"CONFIG_RECORD","version":0,"data":{data}}}'
        (record,) = metadata(line)
        assert record.topic == topic


COPIES = 25
# Lines that others repeat, or that tell of a step that need not happen.
MISSING = {"hw_same", "known", "fetch_sent", "fetched", "fetch_done", "follows_on", "leads_on", "leads", "ack"}


@pytest.fixture(scope="module", params=[pytest.param("isr-strict-min-isr", marks=pytest.mark.slow), "kraft-4.1"])
def trial(request: pytest.FixtureRequest) -> Trial:
    return try_damaged(RECORDED / "stall2-4.1.1", request.param, COPIES)


def test_half_of_what_is_wrong_is_noticed(trial: Trial) -> None:
    """What is missing may make a run undetermined; what is swapped or another number is a departure."""
    assert trial.verdicts.total() == COPIES
    assert sum(count for (_, verdict), count in trial.verdicts.items() if verdict != CONFORMS) >= 12
    assert {what for what, verdict in trial.verdicts if verdict == UNDETERMINED} <= {"removed"}


def test_what_is_not_noticed_is_a_behaviour_for_a_known_reason(trial: Trial) -> None:
    """Each was replayed by the reference: try_damaged() raises else."""
    assert not any(reason == Reason.OTHER for _, _, reason in trial.legal)
    assert {kind for what, kind, _ in trial.legal if what == "removed"} <= MISSING
    assert {kind for what, kind, _ in trial.legal if what == "changed"} <= {"hw_same.candidate", "shrinks.to"}


def test_an_append_is_never_lost_unnoticed(trial: Trial) -> None:
    kinds = {kind.partition(".")[0] for what, kind, _ in trial.legal if what != "swapped"}
    assert not kinds & {"append", "copies", "hw_up", "elects", "isr_asked", "isr_settled"}
