"""Lines that Kafka 4.2 to 4.4 write otherwise than 4.1: both forms are understood, and tell the same."""

from pathlib import Path
from typing import Any

import pytest
from tests.observe.runs import broken

from isrcheck.plugin import Paragraph
from isrlogs.observe.account import sum_accounts
from isrlogs.observe.document import account_document
from isrlogs.observe.event import Event
from isrlogs.observe.patterns import table
from isrlogs.observe.records import agent
from isrlogs.observe.run import read_run

Told = dict[str, str]

TOPIC_ID = "pFMgbySoQsqUzas8CWIHyg"
LOG = "[UnifiedLog partition=tv-0, dir=/d] "
LEADER, EPOCHS = "[Partition tv-0 broker=1] ", "[LeaderEpochCache tv-0] "
CONTROLLER = "[QuorumController id=100] "
STATE = (
    "LeaderAndIsrPartitionState(topicName='tv', partitionIndex=0, controllerEpoch=-1, leader=1, leaderEpoch=2, "
    "isr=[1, 2], partitionEpoch=4, replicas=[1, 2, 3], addingReplicas=[], removingReplicas=[], isNew=false, "
    "leaderRecoveryState=0)"
)
REGISTRATION = (
    f"PartitionRegistration(replicas=[1, 2, 3], directories=[{TOPIC_ID}, {TOPIC_ID}, {TOPIC_ID}], isr=[1, 2], "
    "removingReplicas=[], addingReplicas=[], elr=[3], lastKnownElr=[], leader=1, leaderRecoveryState=RECOVERED, "
    "leaderEpoch=2, partitionEpoch=4)"
)
SENT = (
    "sentLeaderAndIsr=LeaderAndIsr(leader=1, leaderEpoch=2, isrWithBrokerEpoch={}, leaderRecoveryState=RECOVERED, "
    "partitionEpoch=4), leaderRecoveryState=RECOVERED, lastCommittedState="
)
STATES = "BrokerState(brokerId=1, brokerEpoch=78), BrokerState(brokerId=2, brokerEpoch=56)"
SENT_BEFORE, SENT_SINCE = SENT.format(f"List({STATES})"), SENT.format(f"[{STATES}]")
COMMITTED_BEFORE = "CommittedPartitionState(isr=Set(1, 2), leaderRecoveryState=RECOVERED)"
COMMITTED_SINCE = "CommittedPartitionState[isr=[1, 2], leaderRecoveryState=RECOVERED]"
SHRINKS_BEFORE = f"PendingShrinkIsr(outOfSyncReplicaIds=Set(3), {SENT_BEFORE}{COMMITTED_BEFORE})"
SHRINKS_SINCE = f"PendingShrinkIsr(outOfSyncReplicaIds=[3], {SENT_SINCE}{COMMITTED_SINCE})"


def skips_to(role: str, described: str, end: str) -> str:
    return (
        f"[Broker id=1] Skipped the become-{role} state change for tv-0 with topic id Some({TOPIC_ID}){described}{end}"
    )


def both(role: str, end: str) -> tuple[str, str]:
    """The line of a broker that goes on in its role, until 4.1 and from 4.2 on."""
    since = f", partition registration {REGISTRATION} and isNew=false"
    return skips_to(role, f" and partition state {STATE}", end), skips_to(role, since, end)


def told(logger: str, message: str) -> list[tuple[str, str | None, int | None, Told]]:
    events = table().match(logger, message)
    assert events is not None, message
    return [(each.kind, each.topic, each.partition, each.fields) for each in events]


READ = {"broker": "1", "topic_id": TOPIC_ID, "isr": "1,2", "version": "4"}
WROTE = [
    (
        "state.change.logger",
        both(
            "leader",
            " since it is already the leader with leader epoch 2. Current high watermark 7, ISR [1, 2], adding "
            "replicas [] and removing replicas [].",
        ),
        ("leads_on", READ | {"leader": "1", "epoch": "2", "hw": "7"}),
    ),
    (
        "state.change.logger",
        both("follower", " since it is already a follower with leader epoch 2."),
        ("follows_on", READ | {"leader": "1", "epoch": "2"}),
    ),
    (
        "state.change.logger",
        both("follower", " since the follower is already at a newer partition epoch 5."),
        ("ignores", READ | {"role": "follower", "epoch": "2", "newer": "5"}),
    ),
    (
        "Partition",
        (
            f"{LEADER}Submitting ISR state change {SHRINKS_BEFORE}",
            f"{LEADER}Submitting ISR state change {SHRINKS_SINCE}",
        ),
        (
            "isr_asked",
            {"broker": "1", "what": "Shrink", "who": "3", "leader": "1", "epoch": "2", "version": "4", "isr": "1,2"}
            | {"broker_epochs": "1:78,2:56"},
        ),
    ),
    (
        "Partition",
        (
            f"{LEADER}Ignoring failed ISR update to {SHRINKS_BEFORE} since we have already updated state to "
            f"{COMMITTED_BEFORE}",
            f"{LEADER}Ignoring failed ISR update to {SHRINKS_SINCE} since we have already updated state to "
            f"{COMMITTED_SINCE}",
        ),
        ("isr_late_answer", {"broker": "1", "what": "Shrink", "isr": "1,2"}),
    ),
    (
        "Partition",
        (
            f"{LEADER}Not increasing HWM because partition is under min ISR(ISR=Set(1)",
            f"{LEADER}Not increasing HWM because partition is under min ISR(ISR=[1]",
        ),
        ("hw_blocked", {"broker": "1", "isr": "1"}),
    ),
    (
        "LeaderEpochFileCache",
        (
            f"{EPOCHS}Appended new epoch entry EpochEntry(epoch=2, startOffset=7). Cache now contains 1 entries.",
            f"{EPOCHS}Appended new epoch entry EpochEntry[epoch=2, startOffset=7]. Cache now contains 1 entries.",
        ),
        ("epoch_starts", {"epoch": "2", "start": "7"}),
    ),
    (
        "LeaderEpochFileCache",
        (
            f"{EPOCHS}Cleared entries [EpochEntry(epoch=0, startOffset=0)] and rewrote first entry EpochEntry(epoch=2, "
            "startOffset=7) after truncating to start offset 7, leaving 1 in the cache.",
            f"{EPOCHS}Cleared entries [EpochEntry[epoch=0, startOffset=0]] and rewrote first entry EpochEntry[epoch=2, "
            "startOffset=7] after truncating to start offset 7, leaving 1 in the cache.",
        ),
        ("epochs_trimmed", {"epoch": "2", "start": "7", "from": "7", "left": "1"}),
    ),
    (
        "LeaderEpochFileCache",
        (
            f"{EPOCHS}New epoch entry EpochEntry(epoch=2, startOffset=7) caused truncation of conflicting entries []. "
            "Cache now contains 1 entries.",
            f"{EPOCHS}New epoch entry EpochEntry[epoch=2, startOffset=7] caused truncation of conflicting entries []. "
            "Cache now contains 1 entries.",
        ),
        ("epochs_conflict", {"epoch": "2", "start": "7"}),
    ),
]


@pytest.mark.parametrize(("logger", "lines", "expected"), WROTE, ids=[f"{n} {w[2][0]}" for n, w in enumerate(WROTE)])
def test_a_line_tells_the_same_in_both_forms(logger: str, lines: tuple[str, str], expected: tuple[str, Told]) -> None:
    kind, fields = expected
    assert [told(logger, line) for line in lines] == [[(kind, "tv", 0, fields)]] * 2


def test_4_4_closes_the_bracket_below_min_isr() -> None:
    line = f"{LEADER}Not increasing HWM because partition is under min ISR(ISR=[1, 3])"
    assert told("Partition", line) == [("hw_blocked", "tv", 0, {"broker": "1", "isr": "1,3"})]


def test_4_3_says_what_the_isr_was_before() -> None:
    before = f"{CONTROLLER}Node 1 has altered ISR for tv-0 to [1, 2]."
    assert told("ReplicationControlManager", before) == [("altered", "tv", 0, told_of_controller("1,2"))]
    since = (
        f"{CONTROLLER}Node 1 has altered ISR for tv-0. isr: [1, 2, 3] -> [1, 2], replicaSet: [1, 2, 3] -> [1, 2, 3], "
        "partitionEpoch: 4 -> 5, leaderEpoch: 1 -> 1"
    )
    more = {"isr_before": "1,2,3", "replicas_before": "1,2,3", "replicas": "1,2,3", "version_before": "4"}
    more |= {"version": "5", "epoch_before": "1", "epoch": "1"}
    assert told("ReplicationControlManager", since) == [("altered", "tv", 0, told_of_controller("1,2") | more)]


def told_of_controller(isr: str) -> Told:
    return {"controller": "100", "leader": "1", "isr": isr}


def test_a_truncation_below_the_high_watermark_is_told_by_the_log_since_4_2() -> None:
    fetcher = "[ReplicaFetcher replicaId=2, leaderId=1, fetcherId=0] Truncating tv-0 to offset 3 below high watermark 5"
    (before,) = told("ReplicaFetcherThread", fetcher)
    assert before == ("truncates_below", "tv", 0, {"follower": "2", "leader": "1", "to": "3", "hw": "5"})
    for name in ("tv-0", "future tv-0"):
        (since,) = told("UnifiedLog", f"{LOG}Truncating {name} to offset 3 below high watermark 5")
        assert since == ("truncates_below", "tv", 0, {"dir": "/d", "to": "3", "hw": "5"})


def test_the_controller_says_whether_eligible_leader_replicas_are_on() -> None:
    name = "eligible.leader.replicas.version"
    line = f"{CONTROLLER}Replayed a FeatureLevelRecord setting feature {name} to 1"
    (feature,) = told("FeatureControlManager", line)
    assert feature == ("feature_level", None, None, {"controller": "100", "name": name, "featureLevel": "1"})
    (version,) = told(
        "FeatureControlManager", f"{CONTROLLER}Replayed a FeatureLevelRecord setting metadata.version to 4.1-IV1"
    )
    assert version[3] == {"controller": "100", "level": "4.1-IV1"}


def row(order: int, kind: str, **fields: str) -> Event:
    return Event("c", "broker 1", "log", order, None, None, order, kind, "tv", 0, fields, "")


def test_that_truncation_breaks_the_rule_without_any_other_line_of_the_high_watermark() -> None:
    lines = [row(1, "truncates_below", dir="/d", to="3", hw="5"), row(2, "truncate", dir="/d", to="3")]
    assert [(each.rule, each.kind, each.order) for each in broken(lines)] == [("committed_stays", "truncate", 2)]
    assert broken(lines[1:]) == []


@pytest.mark.parametrize(
    ("logger", "line"),
    [
        ("UnifiedLog", f"{LOG}Duplicate batch detected, returning AppendInfo from duplicate batch with last offset: 4"),
        ("UnifiedLog", f"{LOG}Closing handlers"),
        ("UnifiedLog", f"{LOG}Closing quietly"),
        ("ReplicationControlManager", f"{CONTROLLER}Unknown server error validating Create Topic"),
        ("ReplicationControlManager", f"{CONTROLLER}Directories [{TOPIC_ID}] in broker 1 marked cordoned"),
        ("ClusterControlManager", f"{CONTROLLER}Replayed UnregisterControllerRecord(controllerId=100)"),
        (
            "DefaultAlterPartitionManager",
            f"Controller returned an invalid leader recovery state (2) for {TOPIC_ID}:0: PartitionData(..)",
        ),
    ],
)
def test_a_line_that_is_known_not_to_matter(logger: str, line: str) -> None:
    assert told(logger, line) == []


@pytest.mark.parametrize(
    ("state", "expected"),
    [
        (COMMITTED_BEFORE, {"isr": "1,2"}),
        (COMMITTED_SINCE, {"isr": "1,2"}),
        (SHRINKS_BEFORE, {"isr": "1,2", "pending": "Shrink 3"}),
        (SHRINKS_SINCE, {"isr": "1,2", "pending": "Shrink 3"}),
        (f"PendingExpandIsr(newInSyncReplicaId=3, {SENT_BEFORE}{COMMITTED_BEFORE})", {"pending": "Expand 3"}),
        (f"PendingExpandIsr(newInSyncReplicaId=3, {SENT_SINCE}{COMMITTED_SINCE})", {"pending": "Expand 3"}),
    ],
)
def test_the_agent_tells_a_leaders_state_in_both_forms(state: str, expected: Told) -> None:
    (record,) = agent(f'{{"n":1,"ns":2,"k":"Partition.makeLeader","tp":"tv-0","state":"{state}"}}')
    assert {name: record.fields[name] for name in expected} == expected


STAMP = "2026-11-26 22:00:00.000000000 1 INFO  [t] "
UNKNOWN = [
    f"{STAMP}kafka.cluster.Partition - [Partition tv-0 broker=1] Something new",
    f"{STAMP}org.apache.kafka.controller.ReplicationControlManager - [QuorumController id=100] Something new",
    f"{STAMP}org.apache.kafka.common.utils.AppInfoParser - Kafka version: 4.5.0",
]


def test_a_line_that_is_not_understood_is_an_event_of_its_partition_or_of_all(tmp_path: Path) -> None:
    (tmp_path / "broker1.log").write_text("\n".join(UNKNOWN) + "\n", encoding="utf-8")
    events, accounts = read_run(tmp_path)
    assert [(e.kind, e.topic, e.partition, e.fields.get("logger")) for e in events] == [
        ("not_understood", "tv", 0, "Partition"),
        ("not_understood", None, None, "ReplicationControlManager"),
        ("release", None, None, None),
    ]
    about = {**sum_accounts(account.as_json() for account in accounts), "unread": []}
    assert about["lines"]["events"] == 1  # a line that is not understood is none
    assert about["releases"] == ["4.5.0"]
    assert "Kafka 4.5.0 is newer than the newest release whose lines are known, 4.4." in text_of(about)
    assert "newer" not in text_of({**about, "releases": ["4.4.1"]})


def text_of(about: dict[str, Any]) -> str:
    lines = [line for each in account_document(about) if isinstance(each, Paragraph) for line in each.lines]
    pieces = [piece for line in lines for piece in (line if isinstance(line, tuple) else (line,))]
    return "".join(piece if isinstance(piece, str) else piece.content for piece in pieces)


def test_a_line_of_a_journal_that_is_not_understood_is_an_event_too(tmp_path: Path) -> None:
    (tmp_path / "broker1.log").write_text(UNKNOWN[2] + "\n", encoding="utf-8")
    (tmp_path / "faults.jsonl").write_text('{"what": 7}\n', encoding="utf-8")
    assert [e.source for e in read_run(tmp_path)[0] if e.kind == "not_understood"] == ["faults"]
