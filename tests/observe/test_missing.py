"""What is not in the logs is named: brokers that hold a partition and have no log, loggers that a rule needs."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from tests.observe.runs import RECORDED, in_plain_layout, log_lines

from isrlogs.observe.command import observe
from isrlogs.observe.event import Event
from isrlogs.observe.missing import NAMING, LinesByBroker, marks_of
from isrlogs.observe.run import read_run

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
