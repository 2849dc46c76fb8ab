"""A soak's timetable, on a cluster that only writes down what is done to it."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("confluent_kafka")

from confluent_kafka import KafkaError, KafkaException

from isrbrokers.client import Client
from isrbrokers.cluster import Cluster
from isrbrokers.journal import Journal
from isrbrokers.plan import KINDS, Fault
from isrbrokers.process import ClusterError
from isrbrokers.releases import find_release
from isrbrokers.soak import Soak, _Timetable, read_soak


@dataclass
class FakeProcess:
    up: bool = True

    def is_up(self) -> bool:
        return self.up


@dataclass
class FakeCluster:
    """Nodes that shut down only when they are killed."""

    faults: Journal
    done: list[tuple[str, int]] = field(default_factory=list)
    nodes: dict[int, FakeProcess] = field(default_factory=lambda: {node: FakeProcess() for node in range(4)})
    on_resume: Callable[[], object] = lambda: None

    def _do(self, what: str, node: int, up: bool | None = None) -> None:
        self.done.append((what, node))
        self.nodes[node].up = self.nodes[node].up if up is None else up

    def kill(self, node: int) -> None:
        self._do("kill", node, up=False)

    def stop(self, node: int, wait: bool = True) -> None:
        assert not wait
        self._do("stop", node)

    def start(self, node: int, wait: bool = True) -> None:
        assert not wait
        assert not self.nodes[node].up
        self._do("start", node, up=True)

    def pause(self, node: int) -> None:
        self._do("pause", node)

    def resume(self, node: int) -> None:
        self._do("resume", node)
        self.on_resume()


@dataclass
class FakeClient:
    """Elections by hand wait until they may end."""

    may_end: threading.Event = field(default_factory=threading.Event)
    asked: list[object] = field(default_factory=list)
    error: Exception | None = None

    def elect(self, kind: str = "preferred") -> None:
        assert self.may_end.wait(600)
        self.asked.append(kind)
        if self.error:
            raise self.error

    def set_min_isr(self, number: int) -> None:
        self.asked.append(number)


def follow(cluster: Any, client: Any, *faults: Fault) -> None:
    _Timetable(cluster, client, lambda _: None).follow(faults, 0.1)


@pytest.fixture
def cluster(tmp_path: Path) -> FakeCluster:
    return FakeCluster(Journal(tmp_path / "faults.jsonl"))


def test_each_kind_of_fault_is_done_and_ended(cluster: FakeCluster) -> None:
    client = FakeClient()
    client.may_end.set()
    faults = [Fault(number / 50, kind, number % 3 + 1, 0.01, 2) for number, kind in enumerate(KINDS)]
    follow(cluster, client, *faults)
    assert cluster.done == [
        ("pause", 1), ("resume", 1), ("kill", 2), ("start", 2), ("stop", 3), ("kill", 3), ("start", 3),
        ("pause", 0), ("resume", 0),
    ]  # fmt: skip
    assert sorted(map(str, client.asked)) == ["2", "preferred", "unclean"]


def test_an_election_that_takes_long_keeps_nothing_else_waiting(cluster: FakeCluster) -> None:
    client = FakeClient()
    cluster.on_resume = client.may_end.set  # the election ends after the pause, and would be waited for in vain
    follow(cluster, client, Fault(0.0, "elect", 0), Fault(0.01, "pause", 1, 0.05))
    assert cluster.done == [("pause", 1), ("resume", 1)]
    assert client.asked == ["preferred"]


@pytest.mark.parametrize("error", [ClusterError("no leader"), KafkaException(KafkaError(KafkaError._TIMED_OUT))])
def test_what_the_cluster_refuses_is_noted(error: Exception, cluster: FakeCluster) -> None:
    client = FakeClient(error=error)
    client.may_end.set()
    follow(cluster, client, Fault(0.0, "elect", 0))
    assert [note["what"] for note in cluster.faults.read()] == ["the soak begins", "refused"]


def test_a_fault_of_the_harness_is_not_a_refusal(cluster: FakeCluster) -> None:
    client = FakeClient(error=AttributeError("elect"))
    client.may_end.set()
    with pytest.raises(AttributeError):
        follow(cluster, client, Fault(0.0, "elect", 0))


def test_a_soak_is_read_from_its_run(tmp_path: Path) -> None:
    soak = Soak(find_release("4.1"), [Fault(10.0, "kill", 1, 2.0)], 60.0, partitions=2, bug="any-epoch")
    soak._describe(tmp_path)
    assert read_soak(tmp_path) == soak


class FakeAdmin:
    """Answers with errors, one after the other, then creates."""

    def __init__(self, *errors: KafkaError) -> None:
        self.errors = list(errors)

    def create_topics(self, topics: list[Any], request_timeout: float) -> dict[str, Any]:
        return {topics[0].topic: self}

    def result(self, timeout: float) -> None:
        if self.errors:
            raise KafkaException(self.errors.pop(0))


def created(monkeypatch: pytest.MonkeyPatch, *errors: KafkaError) -> Callable[[], bool]:
    from confluent_kafka.admin import NewTopic

    admin = FakeAdmin(*errors)
    monkeypatch.setattr(Client, "_admin", lambda _: admin)
    return lambda: Client.__new__(Client)._is_created(NewTopic("tv", 1))


def test_a_topic_is_created_again_as_long_as_it_may_succeed(monkeypatch: pytest.MonkeyPatch) -> None:
    again = [KafkaError(code) for code in (KafkaError._TIMED_OUT, KafkaError.NOT_CONTROLLER)]
    ask = created(monkeypatch, *again, KafkaError(KafkaError.TOPIC_ALREADY_EXISTS))
    assert [ask() for _ in range(4)] == [False, False, True, True]
    with pytest.raises(ClusterError, match="the topic tv could not be created: "):
        created(monkeypatch, KafkaError(KafkaError.INVALID_REPLICA_ASSIGNMENT))()


def test_a_topic_waits_for_all_brokers_that_are_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """A broker that is not registered yet would not be in the first ISR, and one that is down and not fenced would."""

    class Told:
        def __init__(self, brokers: set[int]) -> None:
            self.brokers = dict.fromkeys(brokers)

        def list_topics(self, timeout: float) -> "Told":
            return self

    cluster = Cluster.__new__(Cluster)
    cluster.brokers = 3
    processes: Any = {node: FakeProcess() for node in (1, 2, 3)}
    cluster.nodes = processes
    client = Client.__new__(Client)
    client.cluster = cluster
    known = {1: {1, 2, 3}, 2: {1, 2, 3}, 3: {1, 3}}
    monkeypatch.setattr(Client, "_admin", lambda _, broker: Told(known[broker]))
    assert not client.has_all_brokers()
    known[3] = {1, 2, 3}
    assert client.has_all_brokers()
    processes[3].up = False
    assert not client.has_all_brokers()
    known[1] = known[2] = {1, 2}
    assert client.has_all_brokers()
