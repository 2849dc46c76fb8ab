"""Refusals and prompt acts that a cluster owes: each shows one of the bugs that the agent can make."""

import time

from isrbrokers.client import Client
from isrbrokers.cluster import Cluster
from isrbrokers.scenarios.scenario import Scenario, clock, gate


def play_rejoin(cluster: Cluster, client: Client) -> None:
    """Follower 3 was dropped; its first fetch is from far below the high watermark, and must not let it in."""
    client.create((1, 2, 3), min_insync_replicas=2)
    client.produce(3)
    fetches = gate(cluster, 3)
    fetches.close()
    client.produce(4, acks=1)
    client.wait_for_isr(1, 2)
    client.produce(3)
    fetches.let_one_pass()
    time.sleep(1)
    fetches.open()
    client.wait_for_isr(1, 2, 3)
    client.produce(1)


def play_old_request(cluster: Cluster, client: Client) -> None:
    """The controller fences broker 3, leader 1 has not read of it and drops both followers: its request is old."""
    client.create((1, 2, 3), min_insync_replicas=1)
    client.produce(2)
    judges = clock(cluster, 1)
    judges.hold()
    news, fetches = gate(cluster, 1, "metadata"), gate(cluster, 2)
    news.shut()
    cluster.kill(3)
    client.wait_for_isr(1, 2, at=(2,))
    fetches.close()
    client.produce(1, acks=1, to=1)
    judges.advance(30_000)
    time.sleep(8)
    news.open()
    fetches.open()
    judges.release()
    cluster.start(3)
    client.wait_for_isr(1, 2, 3)
    client.produce(2)


def play_old_follower(cluster: Cluster, client: Client) -> None:
    """Broker 1 leads, then broker 2, then broker 1; broker 3 learns nothing of it and fetches as in the first epoch."""
    client.create((1, 2, 3), min_insync_replicas=2)
    client.produce(2)
    cluster.pause(1)
    news = gate(cluster, 3, "metadata")
    news.shut()
    client.wait_for_leader(2, at=(2,))
    cluster.resume(1)
    client.wait_for_isr(1, 2, at=(1, 2))
    client.elect(1, 2)
    client.wait_for_leader(1, at=(1, 2))
    client.produce(2, to=1)
    time.sleep(4)
    news.open()
    client.wait_for_isr(1, 2, 3)
    client.produce(1)


REJOIN = Scenario("rejoin", play_rejoin)
OLD_REQUEST = Scenario("old-request", play_old_request, properties={"replica.lag.time.max.ms": 12000})
OLD_FOLLOWER = Scenario("old-follower", play_old_follower)
