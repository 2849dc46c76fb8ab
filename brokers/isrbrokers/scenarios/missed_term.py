"""A leader that reads two changes of leader at once remembers what its followers had before the term it missed."""

import time

from isrbrokers.client import Client
from isrbrokers.cluster import Cluster
from isrbrokers.scenarios.scenario import Scenario, require_loss

_PATIENT = {"broker.session.timeout.ms": 30000, "replica.lag.time.max.ms": 90000}


def play_missed_term(cluster: Cluster, client: Client) -> None:
    """No disk loses anything, and every election is clean.

    Broker 1 leads, and only broker 3 has its last record. While broker 1 stands still, broker 2 is elected, broker 3
    cuts that record off, and broker 2 shuts down, so that broker 1 is elected again. It goes on, reads both changes at
    once, and takes broker 3 for having the record: the record is acknowledged. Then broker 1 is killed.
    """
    client.create((2, 1, 3), min_insync_replicas=2)
    client.produce(1)
    cluster.stop(2)
    client.wait_for_leader(1, at=(1, 3))
    cluster.start(2)
    client.wait_for_isr(1, 2, 3)
    client.produce(1, seconds=10)
    cluster.pause(2)
    time.sleep(1.5)  # what it asked for is answered: it will not have the next record
    client.produce(1, seconds=90, to=1, wait=False)
    time.sleep(2)  # broker 3 copies it, and says so
    cluster.pause(1)
    cluster.resume(2)
    client.elect(2, 3)
    client.wait_for_leader(2, at=(2, 3))
    time.sleep(2)  # broker 3 fetches from broker 2, and truncates
    cluster.pause(3)
    cluster.stop(2, wait=False)  # it hands its leadership over, and waits in vain for two that stand still
    time.sleep(3)
    cluster.kill(2)
    cluster.resume(1)
    client.flush(8)
    cluster.kill(1)
    cluster.resume(3)
    client.wait_for_leader(3, at=(3,), seconds=150)
    cluster.start(2)
    cluster.start(1)
    client.wait_for_isr(1, 2, 3, seconds=150)
    require_loss(cluster, client)


MISSED_TERM = Scenario("missed-term", play_missed_term, agent=False, properties=_PATIENT)
