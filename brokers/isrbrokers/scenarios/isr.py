"""Followers leave the ISR and come back."""

import time

from isrbrokers.client import Client
from isrbrokers.cluster import Cluster
from isrbrokers.scenarios.scenario import Scenario, gate

SLOW_SESSIONS = {"broker.session.timeout.ms": 9000}  # so that a leader, and not the controller, drops who stands still


def play_steady(cluster: Cluster, client: Client) -> None:
    """60 records by acks=all and acks=1 in turn; no fault."""
    client.create((1, 2, 3), min_insync_replicas=2)
    for round_number in range(30):
        client.produce(acks="all")
        client.produce(acks=1)
        if round_number % 10 == 9:
            client.high_watermark()


def play_isr(cluster: Cluster, client: Client) -> None:
    """Follower 3 stands still until the leader drops it, goes on, and comes back."""
    client.create((1, 2, 3), min_insync_replicas=2)
    client.produce(5)
    cluster.pause(3)
    client.produce(4, acks=1)
    client.wait_for_isr(1, 2, at=(1, 2))
    client.produce(3)
    cluster.resume(3)
    client.produce(3)
    client.wait_for_isr(1, 2, 3)
    client.produce(3)


def play_flap(cluster: Cluster, client: Client) -> None:
    """KAFKA-19996: below min.insync.replicas the high watermark stands still, so that a follower that lags joins at it.

    Follower 2 makes one fetch after each record, one record behind: it joins, is dropped when it has lagged for
    replica.lag.time.max.ms, and joins again with its next fetch.
    """
    client.create((1, 2), min_insync_replicas=2)
    client.produce(2)
    fetches = gate(cluster, 2)
    fetches.close()
    client.produce(2, acks=1)
    client.wait_for_isr(1)
    for _ in range(4):
        client.produce(1, acks=1)
        fetches.let_one_pass()
        time.sleep(0.5)
        client.high_watermark()
        client.wait_for_isr(1)
    fetches.open()
    client.wait_for_isr(1, 2)


STEADY = Scenario("steady", play_steady)
ISR = Scenario("isr", play_isr, properties=SLOW_SESSIONS)
FLAP = Scenario("flap", play_flap, brokers=2, properties=SLOW_SESSIONS)
