"""Every recorded run is understood: events are counted, no line that matters is left, and losses break a rule."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from tests.observe.runs import RECORDED, described, folders, in_plain_layout, log_lines, pinned

from isrlogs.observe.command import observe
from isrlogs.observe.event import Event
from isrlogs.observe.missing import NAMING, LinesByBroker, marks_of
from isrlogs.observe.run import read_run

# Runs in which an acknowledged record was lost: brokers/README.md of the runs.
LOST = {
    "k1-3.7.2-2",
    "k2-4.1.1-1",
    "k2-4.2.1-1",
    "kip101-0.10.2.2",
    "kip101-0.10.2.2-first",
    "kip101-0.10.2.2-own",
    "missed-3.7.2-c",
    "missed-3.9.1-a",
    "missed-4.1.1",
    "missed-4.1.1-b",
    "missed-4.4.0-1",
    "s20-3.9.1",
    "s20-4.1.1",
    "s20-elr-AB-1",
    "s20-elr-BA-1",
    "s20-elr-early-1",
    "s20-rf3-BAC-1",
    "s20-v391-BA-1",
    "swap-back-4.4.0-1",
}


@pytest.mark.parametrize("folder", folders(), ids=lambda folder: folder.name)
def test_the_events_of_a_run(folder: Path) -> None:
    found = described(folder)
    assert found == pinned()[folder.name]
    assert found.keys() <= {"events", "broken"}  # nothing was not understood, or cut off


def test_the_rules_tell_the_runs_that_lost_records_from_the_others() -> None:
    assert len(pinned()) == 46
    assert {name for name, run in pinned().items() if "broken" in run} == LOST


def test_a_leader_and_a_follower_of_a_run() -> None:
    events, _ = read_run(RECORDED / "stall2-4.1.1")
    shrunk = next(e for e in events if e.kind == "shrinks")
    assert (shrunk.run, shrunk.node, shrunk.source, shrunk.topic, shrunk.partition) == (
        "stall2-4.1.1", "broker 1", "log", "tv", 0,
    )  # fmt: skip
    assert shrunk.wall_ms == 1795310114387
    assert shrunk.fields == {
        "broker": "1",
        "from": "1,2",
        "to": "1",
        "hw": "1",
        "end": "2",
        "out": "2",
        "ends": "2:1",
        "caught_up": "2:1795310109892",
        "thread": "kafka-scheduler-4",
    }
    sent = [e for e in events if e.kind == "fetch_sent"]
    assert {(e.node, e.fields["leader"]) for e in sent} == {("broker 2", "1")}
    assert sent[0].fields["offset"] == "0"
    assert "last_epoch" not in sent[0].fields


def test_a_change_by_the_controller_says_before_and_after() -> None:
    events, _ = read_run(RECORDED / "s20-elr-BA-1")
    elected = [e for e in events if e.kind == "elects" and "unclean" in e.fields]
    assert [(e.node, e.topic, e.partition) for e in elected] == [("controller", "tv", 0)]
    fields = elected[0].fields
    assert [fields[name] for name in ("leader_before", "leader", "isr_before", "isr")] == ["-1", "2", "", "2"]
    assert [fields[name] for name in ("epoch", "version", "last_known_elr_before", "recovery")] == [
        "3", "4", "2", "RECOVERING",
    ]  # fmt: skip


def test_a_topic_is_known_by_its_id_where_a_line_has_no_more() -> None:
    events, _ = read_run(RECORDED / "stall2-4.1.1")
    answered = [e for e in events if e.kind == "isr_answered"]
    assert {(e.topic, e.partition) for e in answered} == {("tv", 0)}
    assert {e.topic for e in events if e.kind == "partition_change"} == {"tv"}


def test_the_other_sources_of_a_run() -> None:
    events, _ = read_run(RECORDED / "stall2-4.1.1")
    call = next(e for e in events if e.kind == "agent.Partition.makeLeader")
    assert (call.node, call.source, call.start_ns, call.end_ns) == ("broker 1", "agent", 2382146686506, 2382743610374)
    assert [call.fields[name] for name in ("epoch", "version", "end", "hw", "isr")] == ["0", "0", "0", "0", "1,2"]
    ack = next(e for e in events if e.kind == "ack")
    assert (ack.node, ack.topic, ack.partition, ack.end_ns, ack.wall_ms) == (
        "client", "tv", 0, 2383775007000, 1795310109902,
    )  # fmt: skip
    assert ack.fields == {"value": "m1", "acks": "all", "offset": "0"}
    gate = next(e for e in events if e.kind == "gate")
    assert (gate.node, gate.source) == ("broker 2", "faults")
    born = next(e for e in events if e.kind == "partition_record")
    assert (born.node, born.source, born.topic, born.partition, born.fields["isr"]) == (
        "controller", "metadata", "tv", 0, "1,2",
    )  # fmt: skip


def test_an_old_brokers_lines() -> None:
    events, _ = read_run(RECORDED / "kip101-0.10.2.2")
    roles = [(e.node, e.kind, e.fields["epoch"]) for e in events if e.kind in ("leads", "follows", "ignores")]
    assert ("broker 3", "leads", "2") in roles
    assert ("broker 3", "ignores", "2") in roles
    assert [e.fields["to"] for e in events if e.kind == "hw_up" and e.node == "broker 1"] == ["1", "2"]
    orders = [e for e in events if e.kind == "orders"]
    assert {e.node for e in orders} == {"controller"}
    assert orders[0].fields["controller"] == "3"


@pytest.mark.parametrize("run", ["stall2-4.1.1", "zombie-3.9.1", "kip101-0.10.2.2"])
def test_the_layout_that_kafka_comes_with_says_the_same_but_for_threads(run: str, tmp_path: Path) -> None:
    (tmp_path / run).mkdir()
    for file in (RECORDED / run).glob("*.log.gz"):
        text = "\n".join(in_plain_layout(log_lines(file))) + "\n"
        (tmp_path / run / file.name.removesuffix(".gz")).write_text(text, encoding="utf-8")
    (tmp_path / run / "cluster.json").touch()
    plain, accounts = read_run(tmp_path / run)
    recorded = [e for e in read_run(RECORDED / run)[0] if e.source == "log"]
    assert not any(account.not_understood for account in accounts)
    assert Counter(map(_told, plain)) == Counter(map(_told, recorded))
    for node in {e.node for e in plain}:
        assert [_told(e) for e in plain if e.node == node] == [_told(e) for e in recorded if e.node == node]


def _told(event: Event) -> tuple[object, ...]:
    fields = {name: text for name, text in event.fields.items() if name != "thread"}
    # Without the metadata log some topics are known by their ids only.
    return event.node, event.kind, event.partition, tuple(sorted(fields.items()))


LINE = (
    "[2026-11-22 01:15:0{0},000] INFO [Partition tv-0 broker=1] ISR updated to {1}  and version updated to {0} "
    "(kafka.cluster.Partition)\n"
)
TWO_LINES = LINE.format(1, "1") + LINE.format(2, "1,2")
UNIFIED_LOG = "UnifiedLog (Log until 2.8) at TRACE"


def lines_of(events: list[Event]) -> LinesByBroker:
    lines = LinesByBroker()
    for event in events:
        if event.source == "log":
            lines.add(event.run, event.node, event.kind)
        for mark in marks_of(event) if event.kind in NAMING else ():
            lines.add(*mark)
    return lines


def test_two_lines_of_one_broker_at_info_leave_the_rules_undetermined(spark: Any, tmp_path: Path) -> None:
    (tmp_path / "kafka-1").mkdir()
    (tmp_path / "kafka-1" / "server.log").write_text(TWO_LINES, encoding="utf-8")
    done = CliRunner().invoke(observe, [str(tmp_path), "--rules", "--json", "-"], standalone_mode=False)
    assert done.return_value == 20
    run = tmp_path.name
    assert json.loads(done.stdout)["undecided"] == [
        f"brokers without a log: broker 2 of {run}",
        f"no line by {UNIFIED_LOG}: broker 1 of {run}",
        f"no line by kafka.cluster.Partition at TRACE: broker 1 of {run}",
        f"no line by state.change.logger at INFO: broker 1 of {run}",
        f"no line by kafka.server.ReplicaFetcherThread at TRACE: {run}",
    ]


@pytest.mark.parametrize("name", ["stall2-4.1.1", "zombie-3.9.1"])
def test_nothing_is_missing_in_a_recorded_run(name: str) -> None:
    lines = lines_of(read_run(RECORDED / name)[0])
    assert (lines.without_log(), lines.silent_loggers()) == ([], {})


def test_a_logger_that_is_silent_on_one_broker_of_several_is_named() -> None:
    events = read_run(RECORDED / "stall2-4.1.1")[0]
    rest = [event for event in events if event.node != "broker 2" or event.kind not in ("append", "hw_set")]
    assert lines_of(rest).silent_loggers() == {UNIFIED_LOG: ["broker 2 of stall2-4.1.1"]}


def test_logs_as_kafka_comes_with_them_lack_the_loggers_that_rules_need(tmp_path: Path) -> None:
    for file in (RECORDED / "stall2-4.1.1").glob("*.log.gz"):
        lines = [line for line in in_plain_layout(log_lines(file)) if "] INFO " in line or "] WARN " in line]
        (tmp_path / file.name.removesuffix(".gz")).write_text("\n".join(lines) + "\n", encoding="utf-8")
    run, found = tmp_path.name, lines_of(read_run(tmp_path)[0])
    assert found.without_log() == []
    assert found.silent_loggers() == {
        UNIFIED_LOG: [f"broker 1 of {run}", f"broker 2 of {run}"],
        "kafka.cluster.Partition at TRACE": [f"broker 1 of {run}"],
        "kafka.server.ReplicaFetcherThread at TRACE": [run],
        "LeaderEpochFileCache at DEBUG": [run],
    }


def test_a_leader_that_only_a_follower_names_has_no_log() -> None:
    events = [event for event in read_run(RECORDED / "stall2-4.1.1")[0] if event.node == "broker 2"]
    assert lines_of(events).without_log() == ["broker 1 of stall2-4.1.1"]


def test_no_leader_is_not_a_broker() -> None:
    event = Event("r", "controller", "log", 0, None, None, 0, "creates", "t", 0, {"leader": "-1", "isr": ""}, "")
    assert list(marks_of(event)) == []
