"""Acts on a cluster for each action: gates of the agent, signals, the clients' requests."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from isrbrokers.agent import Gate, HeldClock, MetadataLimit
from isrbrokers.client import TOPIC, Client
from isrbrokers.cluster import Cluster
from isrbrokers.disk import lose_power
from isrbrokers.schedule.course import Move, Plan
from isrbrokers.schedule.facts import Fact
from isrbrokers.schedule.watch import Record, facts_of, wait_until_it_holds

LAG_MS = 1000  # replica.lag.time.max.ms, on the clock that the agent holds; the expiration task runs twice in it
_AHEAD_MS = 86_400_000  # of the held clock, so that what a broker takes from its own is long past
_ANSWERED_WITHIN = 600  # seconds that a producer waits: longer than a schedule


def properties(plan: Plan) -> dict[str, object]:
    """Properties of every node: fetches of one record that do not wait, and sessions that end late enough."""
    return {
        "broker.session.timeout.ms": 1000 * plan.session_seconds,
        "replica.lag.time.max.ms": LAG_MS,
        "replica.fetch.max.bytes": 1,
        "replica.fetch.wait.max.ms": 20,
        "replica.fetch.backoff.ms": 20,
        "replica.high.watermark.checkpoint.interval.ms": 200,
        "max.incremental.fetch.session.cache.slots": 0,  # so that a fetch that was made anew says all again
        "controlled.shutdown.enable": str(not plan.stops_at_once).lower(),
    }


@dataclass
class KafkaSystem:
    """A cluster whose followers fetch, whose leaders expire and whose clocks go on only as a schedule says."""

    cluster: Cluster
    client: Client
    plan: Plan
    constants: Mapping[str, Any]
    record: Record
    shift: int = 0  # partition epochs beside the schedule

    def __post_init__(self) -> None:
        self._assigned = list(self.plan.order)

    def prepare(self, broker: int) -> None:
        """Close the gates of a broker that is to be started; it may read all metadata."""
        gates = self.cluster.node_folder(broker) / "gates"
        gates.mkdir(exist_ok=True)
        for file in gates.iterdir():
            file.unlink()
        for name in ("fetch", "expire"):
            (gates / f"{name}.closed").touch()
        clock = HeldClock(self.cluster.node_folder(broker))
        clock.hold()
        clock.advance(_AHEAD_MS)

    def facts(self) -> dict[Fact, Any]:
        """The facts that can be seen now."""
        self.client.poll()
        return facts_of(self.cluster, self.record)

    def do(self, move: Move, limits: Mapping[int, int]) -> None:
        """Take one action; each broker that is up may read up to a partition epoch. Raises ClusterError."""
        done: Callable[..., None] | None = getattr(self, f"_{move.action}", None)
        if move.action not in ("leave_out", "begin"):
            self._limit(limits)
        if done is not None:  # otherwise it is only awaited
            done(**move.given)
        if move.action in ("begin", "register"):
            self._limit(limits)

    def after(self) -> None:
        """Time passes: who was caught up once is not any more."""
        for broker in self.cluster.all_brokers():
            HeldClock(self.cluster.node_folder(broker)).advance(LAG_MS + 1)

    def _limit(self, limits: Mapping[int, int]) -> None:
        for broker, version in limits.items():
            MetadataLimit(self.cluster.node_folder(broker)).set(version + self.shift)

    def _gate(self, broker: int, name: str) -> Gate:
        return Gate(self.cluster.node_folder(broker), name)

    def _leave_out(self, broker: int) -> None:
        self._assigned.remove(broker)

    def _begin(self, leader: int, left_out: int) -> None:
        first = [leader, *(broker for broker in self._assigned if broker != leader)]
        unclean = {"unclean_leader_election_enable": "true"} if self.constants["unclean"] else {}
        self.client.create(first, min_insync_replicas=self.constants["min_isr"], **unclean)
        if first != self._assigned:
            self.client.reassign(self._assigned)  # in another order: who is elected first
            self.shift = 1

    def _reassign(self, added: int | None, removed: int | None, chosen: int | None) -> None:
        self._assigned = [b for b in self.plan.order if b == added or (b in self._assigned and b != removed)]
        self.client.reassign(self._assigned)

    def _write(self, leader: int) -> None:
        acks = self.constants["acks"].value
        self.client.produce(1, acks, seconds=_ANSWERED_WITHIN, to=leader, wait=False, alone=True)

    def _fetch(self, follower: int, leader: int) -> None:
        gate = self._gate(follower, "fetch")
        gate.come_again()
        gate.let_one_pass()

    _truncate = _fetch

    def _ask_drop(self, leader: int, follower: int, also: int) -> None:
        self._gate(leader, "expire").let_one_pass()

    def _elect(self, chosen: int) -> None:
        self.client.elect()

    def _leave(self, broker: int, chosen: int | None) -> None:
        self.cluster.stop(broker, wait=False)

    def _stop(self, broker: int) -> None:
        MetadataLimit(self.cluster.node_folder(broker)).lift()
        self.cluster.stop(broker, wait=False)
        self.cluster.nodes[broker].wait_until_it_ends(self._gate(broker, "expire").skip)

    def _kill(self, broker: int) -> None:
        self.cluster.kill(broker)

    def _lose_power(self, broker: int, kept: int) -> None:
        lose_power(self.cluster, broker, TOPIC, kept)

    def _lose_rack(self, one: int, other: int) -> None:
        ends = 10**9 if self.constants["flushed"] else 0
        for broker in (one, other):
            lose_power(self.cluster, broker, TOPIC, ends)

    def _fence(self, broker: int, chosen: int | None) -> None:
        self.cluster.faults.note(what="no more heartbeats", node=broker)
        self._gate(broker, "heartbeat").shut()

    def _register(self, broker: int, chosen: int | None) -> None:
        self.prepare(broker)
        self._gate(broker, "heartbeat").shut()
        self.cluster.start(broker, wait=False)  # it listens once it is unfenced
        wait_until_it_holds(self.cluster.node_folder(broker), self.cluster.nodes[broker].is_up)

    def _unfence(self, broker: int, chosen: int | None) -> None:
        self.cluster.faults.note(what="heartbeats", node=broker)
        self._gate(broker, "heartbeat").open()
        self.cluster.wait_for(broker)
