"""A late answer of an older leadership has a follower truncate what is committed by now (KAFKA-18991)."""

import time

from isrbrokers.client import Client
from isrbrokers.cluster import Cluster
from isrbrokers.scenarios.scenario import Scenario, gate, require_loss

_PATIENT = {"replica.lag.time.max.ms": 90000}
_LONG = 90.0  # seconds within which each step has happened, however busy the machine is


def play_late_answer(cluster: Cluster, client: Client) -> None:
    """No disk loses anything, and every election is clean.

    Broker 2 has a record that nobody copied, and stands still until broker 1 leads. Broker 1 answers its fetch: cut
    the log at 1. While that answer is held, broker 3 is elected, broker 2 cuts, and copies a record that is
    acknowledged. Broker 1 leads again, broker 2 fetches from where it did before, and handles the old answer: it cuts
    what is acknowledged, up to 3.9.0 and 4.0.0. Then broker 1 is killed, and broker 2 is elected.
    """
    client.create((3, 1, 2), (1, 2, 3), min_insync_replicas=2)  # by the second, a fetcher of 2 keeps asking 1
    client.wait_for_isr(1, 2, 3)
    client.produce(1, seconds=60)
    cluster.pause(3)
    client.wait_for_leader(1, at=(1, 2), seconds=_LONG)
    cluster.pause(1)
    client.wait_for_leader(2, at=(2,), seconds=_LONG)
    cluster.resume(1)
    client.wait_for_isr(1, 2, at=(1, 2), seconds=_LONG)
    copies = gate(cluster, 1)
    copies.close()
    client.produce(1, acks=1, to=2, seconds=20)
    answers = gate(cluster, 2, "cut-1")
    cluster.pause(2)
    answers.shut()
    client.wait_for_leader(1, at=(1,), seconds=_LONG)
    copies.open()
    cluster.resume(3)
    client.wait_for_isr(1, 3, at=(1, 3), seconds=_LONG)
    cluster.resume(2)
    answers.close()
    client.elect(1, 3)
    client.wait_for_leader(3, at=(1, 3), seconds=_LONG)
    client.wait_for_isr(1, 2, 3, seconds=_LONG)
    client.produce(1, seconds=20)
    client.high_watermark(broker=3)
    time.sleep(2)  # brokers 1 and 2 hear that it is committed
    client.read()
    cluster.pause(3)
    client.wait_for_leader(1, at=(1, 2), seconds=_LONG)
    client.wait_for_isr(1, 2, at=(1,), seconds=_LONG)
    fetches = gate(cluster, 2)
    fetches.shut()
    answers.open()
    fetches.close()  # it has handled the answer once it comes to ask again
    cluster.kill(1)
    client.wait_for_leader(2, at=(2,), seconds=_LONG)
    fetches.open()
    cluster.resume(3)
    cluster.start(1)
    client.wait_for_isr(1, 2, 3, seconds=_LONG)
    require_loss(cluster, client)


LATE_ANSWER = Scenario("late-answer", play_late_answer, properties=_PATIENT)
