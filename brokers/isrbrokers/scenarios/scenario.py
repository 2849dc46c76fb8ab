"""A scenario and what it needs."""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from isrbrokers.agent import Gate, HeldClock, agent_option
from isrbrokers.client import Client
from isrbrokers.cluster import Cluster
from isrbrokers.process import ClusterError


@dataclass(frozen=True)
class Scenario:
    """A story to be played on a cluster of its own."""

    name: str
    play: Callable[[Cluster, Client], None]
    brokers: int = 3
    agent: bool = True
    properties: Mapping[str, object] = field(default_factory=dict)

    @property
    def about(self) -> str:
        """The story, in words."""
        return inspect.getdoc(self.play) or ""

    def java_options(self, bug: str | None = None) -> list[str]:
        """Java's options: the agent, unless the story is about brokers as they are."""
        return [agent_option(bug)] if self.agent or bug else []


def gate(cluster: Cluster, broker: int, name: str = "fetch") -> Gate:
    """Return the gate of a broker at which its fetches, or what `name` says, wait."""
    return Gate(cluster.node_folder(broker), name)


def clock(cluster: Cluster, broker: int) -> HeldClock:
    """The clock by which a broker judges its followers."""
    return HeldClock(cluster.node_folder(broker))


def require_loss(cluster: Cluster, client: Client) -> None:
    """Read what was written to, and note which acknowledged records are lost. Raises ClusterError if none is."""
    acknowledged = client.records_acknowledged()
    values = {partition: client.read(partition=partition) for partition in {each.partition for each in acknowledged}}
    lost = [each for each in acknowledged if values[each.partition].get(each.offset) != each.value]
    named = ", ".join(f"{each.value} at offset {each.offset} of partition {each.partition}" for each in lost)
    cluster.faults.note(what=f"observed: {len(lost)} acknowledged records are lost: {named}")
    if not lost:
        raise ClusterError("nothing was lost")
