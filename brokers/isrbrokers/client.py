"""Clients of a cluster: a topic, a producer, a consumer, whose acts are noted in a journal."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from confluent_kafka import Consumer, KafkaError, KafkaException, Producer, TopicPartition
from confluent_kafka.admin import (
    AdminClient,
    AlterConfigOpType,
    ConfigEntry,
    ConfigResource,
    NewTopic,
    ResourceType,
)

from isrbrokers.cluster import Cluster
from isrbrokers.plan import CONTROLLER
from isrbrokers.process import ClusterError

TOPIC = "tv"
_QUIET = {"log_level": 0}
# What the client itself does not call retriable: nobody answered in time, or who did is not the controller any more.
_ASK_AGAIN = (KafkaError._TIMED_OUT, KafkaError._TRANSPORT, KafkaError.NOT_CONTROLLER, KafkaError.REQUEST_TIMED_OUT)
_REASSIGN = Path(__file__).parent / "tools" / "Reassign.java"
_HASTY = "request.timeout.ms=2000\nsocket.connection.setup.timeout.ms=1500\ndefault.api.timeout.ms=25000\n"


@dataclass(frozen=True)
class PartitionView:
    """A broker's view of a partition."""

    leader: int  # -1: none
    isr: frozenset[int]


class Acknowledged(NamedTuple):
    """A record that a producer was told is safe; another may be acknowledged in its place after a loss."""

    partition: int
    offset: int
    value: str


@dataclass
class Client:
    """Producers by acks and address, and a count of records, whose values are m1, m2 and so on."""

    cluster: Cluster
    topic: str = TOPIC
    _producers: dict[tuple[str, float, str, int], Producer] = field(default_factory=dict)
    _sent: int = 0

    def create(self, *assignments: Sequence[int], **settings: object) -> None:
        """A topic with a partition for each list of brokers. Waits until each has its first leader."""
        named = {name.replace("_", "."): str(value) for name, value in settings.items()}
        self.wait(self.has_all_brokers, "all brokers that are up are members")  # who is not is in no first ISR
        self.cluster.faults.note(what="topic created", assignment=[list(each) for each in assignments], conf=named)
        if self.cluster.release.has_zookeeper:
            self._create_in_zookeeper(assignments, named)
        else:
            listed = [list(each) for each in assignments]
            topic = NewTopic(self.topic, len(listed), replica_assignment=listed, config=named)
            self.wait(lambda: self._is_created(topic), "the topic is created")
        for number, each in enumerate(assignments):
            self.wait_for_leader(each[0], partition=number)

    def view(self, partition: int = 0, *brokers: int) -> PartitionView:
        """The partition by the metadata of these brokers, or of all that answer."""
        known = self._admin(*brokers).list_topics(self.topic, timeout=5).topics[self.topic].partitions[partition]
        return PartitionView(known.leader, frozenset(known.isrs))

    def wait(self, condition: Callable[[], bool], what: str, seconds: float = 45) -> None:
        """Wait until a condition is true, which may fail as long as brokers are away. Raises ClusterError."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            try:
                if condition():
                    self.cluster.faults.note(what="observed: " + what)
                    return
            except (KafkaException, KeyError):
                pass
            time.sleep(0.1)
        self.cluster.faults.note(what="NOT observed: " + what)
        raise ClusterError(f"within {seconds:g} seconds it was not so: {what}")

    def wait_for_isr(self, *brokers: int, partition: int = 0, seconds: float = 45, at: Sequence[int] = ()) -> None:
        """Wait until the ISR is exactly these brokers."""
        isr = frozenset(brokers)
        self.wait(lambda: self.view(partition, *at).isr == isr, f"isr={sorted(isr)}", seconds)

    def wait_for_leader(self, *brokers: int, partition: int = 0, seconds: float = 45, at: Sequence[int] = ()) -> None:
        """Wait until one of these brokers leads."""
        self.wait(lambda: self.view(partition, *at).leader in brokers, f"leader in {brokers}", seconds)

    def produce(
        self,
        count: int = 1,
        acks: str | int = "all",
        *,
        seconds: float = 5,
        to: int | None = None,
        wait: bool = True,
        partition: int = 0,
        alone: bool = False,
        then: Callable[[], object] = lambda: None,
    ) -> None:
        """Send records one by one, each once; `then` is called as soon as one is acknowledged.

        A producer that is `alone` is new, so that it knows of the partition what the broker says to which it is sent.
        """
        producer = self._producer(str(acks), seconds, self.cluster.addresses(*([to] if to else [])), self._sent * alone)
        for _ in range(count):
            self._sent += 1
            value = f"m{self._sent}"
            self._note(op="send", value=value, acks=str(acks), partition=partition)
            producer.produce(
                self.topic, value.encode(), partition=partition, callback=self._on_answer(value, str(acks), then)
            )
            if wait:
                producer.flush(seconds + 2)
            else:
                producer.poll(0)

    def elect(self, *brokers: int, kind: str = "preferred") -> None:
        """Elect a leader of each partition by hand, asked of these brokers, or of all.

        `preferred`: its first replica, if that is in the ISR; `unclean`: whoever is alive, if nobody leads.
        """
        self.cluster.faults.note(what="elect", topic=self.topic, kind=kind)
        at = self.cluster.addresses(*brokers)
        words = ("--bootstrap-server", at, "--election-type", kind, "--all-topic-partitions")
        self.cluster.tool("org.apache.kafka.tools.LeaderElectionCommand", *words, "--admin.config", self._hasty())

    def reassign(self, replicas: Sequence[int]) -> None:
        """Ask that these brokers hold partition 0; it is done when the controller says so.

        It is asked itself where it answers: a client takes any broker for it that is not fenced yet.
        """
        self.cluster.faults.note(what="reassign", order=list(replicas))
        answers = self.cluster.release.controller_answers
        at = f"controllers={self.cluster.addresses(CONTROLLER)}" if answers else f"servers={self.cluster.addresses()}"
        hasty = self._hasty(f"bootstrap.{at}\n")
        self.cluster.tool(str(_REASSIGN), hasty, self.topic, ",".join(map(str, replicas)))

    def set_min_isr(self, number: int) -> None:
        """Change min.insync.replicas of the topic."""
        self.cluster.faults.note(what="min_isr", topic=self.topic, value=number)
        setting = ConfigEntry("min.insync.replicas", str(number), incremental_operation=AlterConfigOpType.SET)
        resource = ConfigResource(ResourceType.TOPIC, self.topic, incremental_configs=[setting])
        admin = self._admin()
        admin.incremental_alter_configs([resource], request_timeout=10)[resource].result(15)

    def flush(self, seconds: float = 10) -> None:
        """Wait for what was sent."""
        for producer in self._producers.values():
            producer.flush(seconds)

    def has_all_brokers(self) -> bool:
        """Whether every broker that is up knows of just those that are."""
        up = {broker for broker in self.cluster.all_brokers() if self.cluster.nodes[broker].is_up()}
        return all(set(self._admin(broker).list_topics(timeout=5).brokers) == up for broker in up)

    def poll(self) -> None:
        """Record the acknowledgements that brokers have sent to the producers by now."""
        for producer in self._producers.values():
            producer.poll(0)

    def high_watermark(self, partition: int = 0, broker: int | None = None) -> int:
        """The offset up to which consumers may read."""
        consumer = self._consumer(broker)
        try:
            high = int(consumer.get_watermark_offsets(TopicPartition(self.topic, partition), timeout=5)[1])
        finally:
            consumer.close()
        self._note(op="watermark", high=high, partition=partition)
        return high

    def read(self, seconds: float = 3, partition: int = 0, broker: int | None = None, start: int = 0) -> dict[int, str]:
        """Return what a consumer gets from an offset on: values by offset."""
        consumer = self._consumer(broker)
        values: dict[int, str] = {}
        try:
            consumer.assign([TopicPartition(self.topic, partition, start)])
            until = time.monotonic() + seconds
            while time.monotonic() < until:
                message = consumer.poll(0.2)
                if message is not None and not message.error():
                    values[message.offset() or 0] = (message.value() or b"").decode()
        finally:
            consumer.close()
        for offset, value in values.items():
            self._note(op="read", offset=offset, value=value, partition=partition)
        return values

    def records_acknowledged(self, acks: str = "all") -> list[Acknowledged]:
        """The records acknowledged to producers with `acks`, in the order of the answers."""
        notes = [note for note in self.cluster.clients.read() if note["op"] == "ack" and note["acks"] == acks]
        return [Acknowledged(note["partition"], note["offset"], note["value"]) for note in notes]

    def _hasty(self, more: str = "") -> Path:
        """The configuration of a tool that may choose to ask a broker that stands still."""
        hasty = self.cluster.folder / "admin.properties"
        hasty.write_text(_HASTY + more, encoding="utf-8")
        return hasty

    def _is_created(self, topic: NewTopic) -> bool:
        """Asks again as Java's client does: what may succeed is tried again, and what is there was created before."""
        admin = self._admin()
        try:
            admin.create_topics([topic], request_timeout=10)[topic.topic].result(15)
        except KafkaException as error:
            reason = error.args[0]
            if reason.code() == KafkaError.TOPIC_ALREADY_EXISTS:
                return True
            if reason.retriable() or reason.code() in _ASK_AGAIN:
                return False
            raise ClusterError(f"the topic {topic.topic} could not be created: {reason.str()}") from None
        return True

    def _note(self, **what: Any) -> None:
        self.cluster.clients.note(topic=self.topic, **what)

    def _on_answer(self, value: str, acks: str, then: Callable[[], object]) -> Callable[[Any, Any], None]:
        def note_answer(error: Any, message: Any) -> None:
            if error is None:
                then()
            offset = None if error else message.offset()
            said = str(error) if error else None
            partition = message.partition()
            self._note(
                op="nack" if error else "ack", value=value, acks=acks, offset=offset, error=said, partition=partition
            )

        return note_answer

    def _admin(self, *brokers: int) -> AdminClient:
        return AdminClient({"bootstrap.servers": self.cluster.addresses(*brokers), **_QUIET})

    def _producer(self, acks: str, seconds: float, addresses: str, number: int = 0) -> Producer:
        key = (acks, seconds, addresses, number)
        if key not in self._producers:
            milliseconds = int(seconds * 1000)
            self._producers[key] = Producer(
                {
                    "bootstrap.servers": addresses,
                    "acks": acks,
                    "retries": 0,
                    "linger.ms": 0,
                    "message.timeout.ms": milliseconds,
                    "request.timeout.ms": milliseconds,
                    "topic.metadata.refresh.interval.ms": 1000,
                    **_QUIET,
                }
            )
        return self._producers[key]

    def _consumer(self, broker: int | None) -> Consumer:
        addresses = self.cluster.addresses(*([broker] if broker else []))
        return Consumer({"bootstrap.servers": addresses, "group.id": "watch", "enable.auto.commit": False, **_QUIET})

    def _create_in_zookeeper(self, assignments: Sequence[Sequence[int]], settings: dict[str, str]) -> None:
        listed = ",".join(":".join(map(str, each)) for each in assignments)
        configs = [argument for name, value in settings.items() for argument in ("--config", f"{name}={value}")]
        at = f"127.0.0.1:{self.cluster.port}"
        words = ["--zookeeper", at, "--create", "--topic", self.topic, "--replica-assignment", listed]
        self.cluster.tool("kafka.admin.TopicCommand", *words, *configs)
