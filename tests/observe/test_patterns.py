"""The tables of lines: each is well formed, explained, and what the page on them names is in them."""

import re
from importlib.resources import files
from pathlib import Path

import pytest

from isrlogs.observe import forms
from isrlogs.observe.layout import Reader, short_name
from isrlogs.observe.patterns import FAMILIES, pattern, read_family, table
from isrlogs.observe.records import fault_kind, metadata

PAGE = Path(__file__).parents[2] / "docs" / "observe.md"


@pytest.mark.parametrize("family", FAMILIES)
def test_every_line_that_is_skipped_has_a_reason(family: str) -> None:
    for entry in read_family(family)["skip"]:
        assert len(entry["why"]) > 10
        assert set(entry) <= {"why", "logger", "line"}


def test_the_page_names_kinds_and_fields_that_there_are() -> None:
    _, _, page = PAGE.read_text(encoding="utf-8").partition("**Kinds**")
    lines = "".join(str(read_family(family)["event"]) for family in FAMILIES)
    named, fields = (re.findall(r"`(\w+)`", paragraph) for paragraph in page.split("\n\n")[:2])
    others = {"send", "ack", "nack", "read", "watermark", "kill"}
    assert [kind for kind in named if f"'kind': '{kind}'" not in lines and kind not in others] == []
    assert [field for field in fields if not re.search(rf"{{{field}[:}}]", lines)] == []


def test_a_logger_that_matters_has_lines() -> None:
    assert table().matter <= set(table().events)


def test_a_line_of_a_table() -> None:
    made = pattern("truncate", "[UnifiedLog partition={tp}, dir=...] Truncating to offset {to}")
    found = list(made.match_message("[UnifiedLog partition=a-b.c-12, dir=/data/a-b.c-12] Truncating to offset 7") or ())
    assert [(f.kind, f.topic, f.partition, f.fields) for f in found] == [("truncate", "a-b.c", 12, {"to": "7"})]
    assert made.match_message("[UnifiedLog partition=a-1, dir=/d] Truncating to offset 7 and more") is None


def test_a_request_that_tells_of_several_partitions() -> None:
    request = (
        "[ReplicaFetcher replicaId=2, leaderId=1, fetcherId=0] Sending fetch request (type=FetchRequest, replicaId=2, "
        "maxWait=500, fetchData={t-0=PartitionData(topicId=x, fetchOffset=5, logStartOffset=0, maxBytes=1, "
        "currentLeaderEpoch=Optional[3], lastFetchedEpoch=Optional.empty), t-u-11=PartitionData(topicId=y, "
        "fetchOffset=6, logStartOffset=0, maxBytes=1, currentLeaderEpoch=Optional[4], lastFetchedEpoch=Optional[2])}, "
        "removed=)"
    )
    found = table().match("ReplicaFetcherThread", request)
    assert found is not None
    assert [(f.topic, f.partition, f.fields) for f in found] == [
        ("t", 0, {"follower": "2", "leader": "1", "offset": "5", "epoch": "3"}),
        ("t-u", 11, {"follower": "2", "leader": "1", "offset": "6", "epoch": "4", "last_epoch": "2"}),
    ]


def found(line: str) -> list[tuple[str, str | None, int | None, dict[str, str]]]:
    """What a line in the layout of recorded runs tells."""
    read = Reader().split(f"2026-11-22 16:30:15.803 INFO  [t] {line}")
    assert read is not None
    return [(f.kind, f.topic, f.partition, f.fields) for f in table().match(read.logger, read.message) or ()]


def test_lines_of_2_4() -> None:
    lines = {
        "kafka.log.Log - [Log partition=tv-0, dir=/d] Setting high watermark (offset=3 segment=[0:210])": (
            "hw_set", "tv", 0, {"dir": "/d", "hw": "3"},
        ),
        "kafka.cluster.Partition - [Partition tv-0 broker=2] tv-0 starts at leader epoch 4 from offset 7 with high "
        "watermark 5. Previous leader epoch was 3.": (
            "leads_at", "tv", 0, {"broker": "2", "epoch": "4", "offset": "7", "hw": "5"},
        ),
        "kafka.cluster.Partition - [Partition tv-0 broker=2] ISR updated to [2,1] and zkVersion updated to [1]": (
            "isr_settled", "tv", 0, {"broker": "2", "isr": "2,1", "version": "1"},
        ),
        "state.change.logger - [Broker id=2] Received LeaderAndIsr request LeaderAndIsrPartitionState(topicName='tv', "
        "partitionIndex=0, controllerEpoch=1, leader=2, leaderEpoch=0, isr=[2], zkVersion=0, replicas=[1, 2, 3], "
        "addingReplicas=[], removingReplicas=[], isNew=false) correlation id 1 from controller 2 epoch 1": (
            "leads", "tv", 0, {"broker": "2", "epoch": "0", "isr": "2", "version": "0", "replicas": "1,2,3"},
        ),
        "kafka.server.ReplicaFetcherThread - [ReplicaFetcher replicaId=1, leaderId=2, fetcherId=0] Sending fetch "
        "request (type=FetchRequest, replicaId=1, fetchData={tv-0=(fetchOffset=5, logStartOffset=0, maxBytes=1048576, "
        "currentLeaderEpoch=Optional[1])}, isolationLevel=READ_UNCOMMITTED)": (
            "fetch_sent", "tv", 0, {"follower": "1", "leader": "2", "offset": "5", "epoch": "1"},
        ),
    }  # fmt: skip
    assert {line: found(line) for line in lines} == {line: [told] for line, told in lines.items()}


def test_lines_of_2_3() -> None:
    replica = "isLocal=true, lastCaughtUpTimeMs=0, highWatermark=(offset=9 segment=[0:632])"
    lines = {
        "kafka.cluster.Partition - [Partition tv-0 broker=1] Recorded replica 2 log end offset (LEO) position 1.": (
            "known", "tv", 0, {"broker": "1", "follower": "2", "offset": "1"},
        ),
        "kafka.cluster.Partition - [Partition tv-0 broker=1] High watermark updated to (offset=2 segment=[0:140])": (
            "hw_up", "tv", 0, {"broker": "1", "to": "2"},
        ),
        "kafka.cluster.Partition - [Partition tv-0 broker=1] Skipping update high watermark since new hw (offset=-1 "
        "segment=[0:0]) is not larger than old hw (offset=0 segment=[0:0]). All current LEOs are Set(replica 1: "
        "(offset=1 segment=[0:70]), replica 2: (offset=-1 segment=[0:0]))": (
            "hw_same", "tv", 0, {"broker": "1", "candidate": "-1", "hw": "0", "ends": "1:1,2:-1"},
        ),
        "kafka.cluster.Partition - [Partition tv-0 broker=2] tv-0 starts at Leader Epoch 2 from offset 5. Previous "
        "Leader Epoch was: 0": (
            "leads_at", "tv", 0, {"broker": "2", "epoch": "2", "offset": "5"},
        ),
        f"kafka.cluster.Partition - [Partition tv-0 broker=2] ISR updated to [Replica(replicaId=2, topic=tv, "
        f"partition=0, {replica}),Replica(replicaId=3, topic=tv, partition=0, isLocal=false, "
        f"lastCaughtUpTimeMs=1795374688447)] and zkVersion updated to [3]": (
            "isr_settled", "tv", 0, {"broker": "2", "isr": "2,3", "version": "3"},
        ),
        "kafka.cluster.Replica - Setting log end offset for replica 2 for partition tv-0 to [(offset=-1 "
        "segment=[0:0])]": (
            "end_set", "tv", 0, {"follower": "2", "offset": "-1"},
        ),
        "kafka.cluster.Replica - Setting high watermark for replica 1 partition tv-0 to [(offset=1 segment=[-1:-1])]": (
            "hw_set", "tv", 0, {"broker": "1", "hw": "1"},
        ),
        "state.change.logger - [Broker id=2] Received LeaderAndIsrRequest with correlation id 3 from controller 2 "
        "epoch 2 for partition tv-0 (last update controller epoch 2) but cannot become follower since the new leader "
        "-1 is unavailable.": (
            "cannot_follow", "tv", 0, {"broker": "2", "leader": "-1"},
        ),
    }  # fmt: skip
    assert {line: found(line) for line in lines} == {line: [told] for line, told in lines.items()}


def test_a_partition_is_created_in_3_6() -> None:
    line = (
        "org.apache.kafka.controller.ReplicationControlManager - [QuorumController id=100] Replayed PartitionRecord "
        "for new partition tv-0 with topic ID YCT7pXBeS76he_OM0ftlpQ and PartitionRegistration(replicas=[1, 2, 3], "
        "isr=[1, 2, 3], removingReplicas=[], addingReplicas=[], leader=1, leaderRecoveryState=RECOVERED, "
        "leaderEpoch=0, partitionEpoch=0)."
    )
    ((kind, topic, partition, fields),) = found(line)
    assert (kind, topic, partition) == ("creates", "tv", 0)
    assert [fields[name] for name in ("replicas", "isr", "leader", "epoch", "version")] == [
        "1,2,3", "1,2,3", "1", "0", "0",
    ]  # fmt: skip


def test_a_follower_of_4_1_skips_a_batch_of_a_later_epoch() -> None:
    line = (
        "org.apache.kafka.storage.internals.log.UnifiedLog - [UnifiedLog partition=tv-0, dir=/d] Skipping batch "
        "RecordBatch(magic=2, offsets=[1, 1], sequence=[-1, -1], partitionLeaderEpoch=2, isTransactional=false, "
        "isControlBatch=false, compression=none, timestampType=CreateTime, crc=4065910919) from an origin of "
        "REPLICATION because its partition leader epoch 2 is higher than the replica's current leader epoch 0"
    )
    assert found(line) == [("batch_skipped", "tv", 0, {"dir": "/d", "batch_epoch": "2", "epoch": "0"})]


def test_a_change_of_the_isr_that_is_not_sent_is_no_refusal() -> None:
    line = (
        "kafka.cluster.Partition - [Partition tv-0 broker=1] Failed to alter partition to PendingExpandIsr("
        "newInSyncReplicaId=2, sentLeaderAndIsr=LeaderAndIsr(leader=1)) since the controller rejected the request with "
        "{}. Partition state has been reset to the latest committed state CommittedPartitionState(isr=Set(1, 3))."
    )
    kinds = [found(line.format(error))[0][0] for error in ("OPERATION_NOT_ATTEMPTED", "INELIGIBLE_REPLICA")]
    assert kinds == ["isr_not_sent", "isr_refused"]


def test_elrs_are_emptied() -> None:
    controller = "org.apache.kafka.controller.ReplicationControlManager - [QuorumController id=100] "
    assert found(f"{controller}Removed ELRs from 2 partitions of topic tv.") == [
        ("elr_removed", "tv", None, {"controller": "100", "partitions": "2"})
    ]
    assert found(f"{controller}Removed ELRs from 7 partitions in all topics.") == [
        ("elr_removed", None, None, {"controller": "100", "partitions": "7"})
    ]


def test_the_record_that_empties_elrs() -> None:
    line = (
        "| offset: 212 CreateTime: 1795376873880 keySize: -1 valueSize: 6 sequence: -1 headerKeys: [] payload: "
        '{{"type":"CLEAR_ELR_RECORD","version":0,"data":{{"topicName":"{}"}}}}'
    )
    told = [next(metadata(line.format(topic))) for topic in ("tv", "")]
    assert [(each.kind, each.topic, each.fields) for each in told] == [
        ("clear_elr", "tv", {"log_offset": "212"}),
        ("clear_elr", None, {"log_offset": "212"}),
    ]


def test_who_leads_is_told_by_the_same_line_as_who_follows() -> None:
    line = (
        "state.change.logger - [Broker id={}] Received LeaderAndIsr request PartitionState(controllerEpoch=1, "
        "leader=2, leaderEpoch=0, isr=2,1, zkVersion=0, replicas=1,2,3, isNew=true) correlation id 1 for partition tv-0"
    )
    assert [found(line.format(broker))[0][0] for broker in (1, 2, 22)] == ["follows", "leads", "follows"]


_OLDER = {"Log", "OfflinePartitionLeaderSelector"}
_IN_CONTROLLER = {"ReplicationControlManager", "ClusterControlManager"}  # in org.apache.kafka.controller
_NEWER = {"UnifiedLog", "LeaderEpochFileCache", "DefaultAlterPartitionManager", "OfflinePartitionLeaderSelector"}


@pytest.mark.parametrize(
    ("name", "others"), [("log4j2.yaml", _OLDER), ("log4j.properties", _OLDER), ("log4j-zookeeper.properties", _NEWER)]
)
def test_the_files_of_loggers_name_what_the_page_does(name: str, others: set[str]) -> None:
    text = files("isrlogs.observe").joinpath("loggers", name).read_text(encoding="utf-8")
    named = {
        short_name(logger) for logger in re.findall(r"(?:name: |^log4j\.logger\.)([a-z][\w.]+)", text, re.MULTILINE)
    }
    assert (table().matter - others - _IN_CONTROLLER) | {"controller"} <= named
    page = PAGE.read_text(encoding="utf-8")
    assert [logger for logger in named if logger not in page] == []
    assert f"loggers/{name}" in page


def test_forms_of_fields() -> None:
    assert forms.ids("isr", "[3, 1, 2]") == {"isr": "3,1,2"}
    states = "List(BrokerState(brokerId=1, brokerEpoch=21), BrokerState(brokerId=2, brokerEpoch=-1)"
    assert forms.states("isr", states) == {"isr": "1,2", "broker_epochs": "1:21,2:-1"}
    assert forms.ends("ends", "Set(replica 2: (offset=-1, segment=[-1:-1]), replica 1: (offset=4, segment=[0:9]))") == {
        "ends": "1:4,2:-1"
    }
    changed = "isr: [1, 2] -> [], leader: 2 -> -1, leaderEpoch: 1 -> 2, lastKnownElr: [] -> [2], partitionEpoch: 1 -> 2"
    assert forms.changes("change", changed) == {
        "isr_before": "1,2",
        "isr": "",
        "leader_before": "2",
        "leader": "-1",
        "epoch_before": "1",
        "epoch": "2",
        "last_known_elr_before": "",
        "last_known_elr": "2",
        "version_before": "1",
        "version": "2",
    }


def test_kinds_of_faults() -> None:
    kinds = {
        "power loss": "power_loss",
        "kill": "kill",
        "observed: isr=[1]": "observed",
        "high watermark 3 LEO 4, 2.1 s after the append": "high_watermark",
        "fetch begins": "fetch_begins",
        "42": "noted",
    }
    assert {what: fault_kind(what) for what in kinds} == kinds
