"""A leader is lost, and somebody cuts a log."""

import time

from isrbrokers.client import Client
from isrbrokers.cluster import Cluster
from isrbrokers.scenarios.scenario import Scenario


def play_crash(cluster: Cluster, client: Client) -> None:
    """Two records on the leader alone, which is killed; it comes back and truncates them."""
    client.create((1, 2, 3), min_insync_replicas=2)
    client.produce(5)
    cluster.pause(2)
    cluster.pause(3)
    time.sleep(0.7)
    client.produce(2, acks=1, to=1)
    cluster.kill(1)
    cluster.resume(2)
    cluster.resume(3)
    client.wait_for_leader(2, 3, at=(2, 3))
    client.produce(4, seconds=10)
    cluster.start(1)
    client.wait_for_isr(1, 2, 3)
    client.produce(3)


def play_zombie(cluster: Cluster, client: Client) -> None:
    """The leader stands still, another is elected; the first goes on, takes one more record, and truncates it."""
    client.create((1, 2, 3), min_insync_replicas=2)
    client.produce(3)
    client.produce(2, acks=1, to=1, seconds=40)
    cluster.pause(1)
    client.produce(1, acks=1, to=1, seconds=40, wait=False)
    client.wait_for_leader(2, 3, at=(2, 3))
    client.produce(5, to=2, seconds=10)
    cluster.resume(1)
    client.flush()
    client.wait_for_isr(1, 2, 3)
    client.produce(3)


def play_kip101(cluster: Cluster, client: Client) -> None:
    """KIP-101, scenario 1: the leader is killed as soon as it has acknowledged, and the next leader a second later.

    Before KIP-101 the third replica cuts its log at its own high watermark, which is one fetch old, and is elected.
    """
    client.create((1, 2, 3), min_insync_replicas=3)
    client.produce(1)
    time.sleep(1.5)
    client.produce(1, seconds=8, then=lambda: cluster.kill(1))
    time.sleep(1)
    cluster.kill(2)
    client.wait_for_leader(3, at=(3,))
    time.sleep(2)
    client.read(broker=3)
    cluster.start(1)
    cluster.start(2)
    client.wait_for_isr(1, 2, 3)
    client.read()


CRASH = Scenario("crash", play_crash)
ZOMBIE = Scenario("zombie", play_zombie)
KIP_101 = Scenario("kip101", play_kip101, agent=False)
