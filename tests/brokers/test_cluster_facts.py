"""What a cluster shows, as the facts that a schedule's model is compared with."""

import gzip
import json
from pathlib import Path

from isrbrokers.schedule.facts import HW
from isrbrokers.schedule.watch import Record, of_snapshot


def test_a_snapshot_in_facts() -> None:
    state = json.loads(
        '{"leads": true, "leader": 1, "epoch": 2, "version": 4, "isr": "Set(1, 3)", "maximal_isr": "Set(1, 3, 2)",'
        '"end": 3, "hw": 1, "epochs": "[EpochEntry(epoch=0, startOffset=0), EpochEntry(epoch=2, startOffset=2)]",'
        '"heard": {"2": -1, "3": 2}}'
    )
    assert dict(of_snapshot(state)) == {
        "partition epoch": 4,
        "leader epoch": 2,
        "leader": 1,
        HW: 1,
        "leader epochs of its records": (0, 0, 2),
        "ISR": frozenset({1, 3}),
        "maximal ISR": frozenset({1, 2, 3}),
        "log end of broker 2 that it knows": None,
        "log end of broker 3 that it knows": 2,
    }
    since_4_2 = {"isr": "[1, 3]", "maximal_isr": "[1, 3, 2]"}
    since_4_2["epochs"] = "[EpochEntry[epoch=0, startOffset=0], EpochEntry[epoch=2, startOffset=2]]"
    assert dict(of_snapshot({**state, **since_4_2})) == dict(of_snapshot(state))
    assert dict(of_snapshot({**state, "leads": False, "leader": -1}))["leader"] is None
    assert dict(of_snapshot(None)) == {}


_AT = "2026-11-22 16:13:35.239 INFO  [quorum-controller-100-event-handler] org.apache.kafka.controller."
_WHO = "[QuorumController id=100]"
_LINES = f"""{_AT}ReplicationControlManager - {_WHO} Replayed PartitionRecord for new partition tv-0 with topic ID \
ChND3YLSR4OJMMa6P3zVBQ and PartitionRegistration(replicas=[1, 2], directories=[], isr=[1, 2], removingReplicas=[], \
addingReplicas=[], elr=[], lastKnownElr=[], leader=1, leaderRecoveryState=RECOVERED, leaderEpoch=0, partitionEpoch=0).
{_AT}ReplicationControlManager - {_WHO} partition change for tv-0 with topic ID ChND3YLSR4OJMMa6P3zVBQ: isr: \
[1, 2] -> [2], leader: 1 -> 2, leaderEpoch: 0 -> 1, elr: [] -> [1], partitionEpoch: 0 -> 1
{_AT}ClusterControlManager - {_WHO} Replayed BrokerRegistrationChangeRecord modifying the registration for broker 1: \
BrokerRegistrationChangeRecord(brokerId=1, brokerEpoch=20, fenced=1, inControlledShutdown=0, logDirs=[])
"""


def test_the_controllers_log_in_facts(tmp_path: Path) -> None:
    file = tmp_path / "kafka.log"
    file.write_text(_LINES + "a line that is being wri")
    record = Record(file)
    expected = {
        "partition epoch": 1,
        "leader": 2,
        "leader epoch": 1,
        "ISR": frozenset({2}),
        "ELR": frozenset({1}),
        "last leader": frozenset(),
    }
    assert {what: value for (_, what), value in record.facts()} == expected
    assert record.fenced == {1}
    with file.open("a") as stream:
        stream.write("tten\n" + _LINES.splitlines()[2].replace("fenced=1", "fenced=-1") + "\n")
    assert dict(record.facts())["controller", "leader"] == 2
    assert record.fenced == set()


def test_the_controllers_log_is_read_on_when_it_rolls_over_and_is_compressed(tmp_path: Path) -> None:
    file, rolled = tmp_path / "replication.log", tmp_path / "replication.log.2026-11-22-16.1"
    created, elected, fenced = _LINES.splitlines(keepends=True)
    file.write_text(created)
    record = Record(file)
    assert dict(record.facts())["controller", "leader"] == 1
    with file.open("a") as stream:
        stream.write(elected)  # and nobody looks before it rolls over
    file.rename(rolled)
    assert dict(record.facts())["controller", "leader"] == 1, "between two files"
    file.write_text(fenced)
    assert dict(record.facts())["controller", "leader"] == 2
    assert record.fenced == {1}
    for number in (1, 2):
        packed = rolled.with_name(f"{rolled.name}.gz")
        packed.write_bytes(gzip.compress(rolled.read_bytes()))
        rolled.unlink()
        rolled = rolled.with_name(f"replication.log.2026-11-22-16.{number + 1}")
        file.rename(rolled)
        file.write_text(fenced.replace("fenced=1", "fenced=-1" if number == 1 else "fenced=1"))
        assert list(record.facts())
        assert record.fenced == (set() if number == 1 else {1})
    assert dict(Record(file).facts()) == dict(record.facts()), "also by who looks first when it has rolled over"
