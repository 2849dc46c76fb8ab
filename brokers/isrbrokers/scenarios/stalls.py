"""The high watermark stands still although the whole ISR has the record, until the next append."""

import time

from isrbrokers.client import Client
from isrbrokers.cluster import Cluster
from isrbrokers.plan import CONTROLLER
from isrbrokers.scenarios.isr import SLOW_SESSIONS
from isrbrokers.scenarios.scenario import Scenario, gate

_WATCHED_SECONDS = 20
_UNTIL_FENCED = 14  # sessions are of 9


def play_stall2(cluster: Cluster, client: Client) -> None:
    """Idle stall, two replicas: a follower outside the ISR that was caught up holds the high watermark back, and stops.

    Its late fetch then lets it in, long after it was last caught up.
    """
    client.create((1, 2), min_insync_replicas=1)
    _stall(cluster, client, follower=2, isr=(1,), replicas=(1, 2))


def play_stall3(cluster: Cluster, client: Client) -> None:
    """Idle stall, three replicas, min.insync.replicas=2: broker 2, in the ISR, fetches all the time in vain.

    From 2.4 on a fetch recomputes the high watermark only if it moved the follower or let it in.
    """
    client.create((1, 2, 3), min_insync_replicas=2)
    _stall(cluster, client, follower=3, isr=(1, 2), replicas=(1, 2, 3))


def _stall(cluster: Cluster, client: Client, follower: int, isr: tuple[int, ...], replicas: tuple[int, ...]) -> None:
    client.produce(1)
    fetches = gate(cluster, follower)
    fetches.close()
    client.produce(1, acks=1)
    client.wait_for_isr(*isr)
    client.high_watermark()
    fetches.let_one_pass()
    client.produce(1, acks=1)
    time.sleep(0.3)
    fetches.let_one_pass()
    client.produce(1, acks="all", seconds=_WATCHED_SECONDS, wait=False)
    watch(client)
    client.flush()
    fetches.let_one_pass()
    client.wait_for_isr(*isr)
    client.high_watermark()
    fetches.open()
    client.wait_for_isr(*replicas)


def play_stallkill(cluster: Cluster, client: Client) -> None:
    """Idle stall, two replicas: the follower outside the ISR is killed for good, and only an append ends the stall."""
    client.create((1, 2), min_insync_replicas=1)
    client.produce(1)
    fetches = gate(cluster, 2)
    fetches.close()
    client.produce(1, acks=1)
    client.wait_for_isr(1)
    fetches.let_one_pass()
    client.produce(1, acks=1)
    time.sleep(0.3)
    fetches.let_one_pass()
    client.produce(1, acks=1)
    cluster.kill(2)
    watch(client, broker=1)
    client.produce(1, acks=1, to=1)
    client.high_watermark(broker=1)


def play_refused(cluster: Cluster, client: Client) -> None:
    """Leader 1 asks for follower 2, which is fenced: broker 1 has not read that, and the controller refuses.

    The whole ISR, broker 1 alone, has the record that was written meanwhile. Broker 2 is killed, and only an append
    ends the stall.
    """
    client.create((1, 2), min_insync_replicas=1)
    client.produce(1)
    fetches, news, beats = gate(cluster, 2), gate(cluster, 1, "metadata"), gate(cluster, 2, "heartbeat")
    fetches.close()
    client.produce(1, acks=1)
    client.wait_for_isr(1)
    fetches.let_one_pass()
    news.shut()
    beats.close()
    time.sleep(_UNTIL_FENCED)
    cluster.pause(CONTROLLER)
    fetches.let_one_pass()
    client.produce(1, acks="all", seconds=_WATCHED_SECONDS, to=1, wait=False)
    time.sleep(1)
    cluster.resume(CONTROLLER)
    cluster.kill(2)
    watch(client, broker=1)
    client.produce(1, acks=1, to=1)
    client.flush()
    client.high_watermark(broker=1)


def watch(client: Client, broker: int | None = None) -> None:
    """Ask a broker for the high watermark every two seconds, so that its log shows whether it moves."""
    until = time.monotonic() + _WATCHED_SECONDS
    while time.monotonic() < until:
        client.high_watermark(broker=broker)
        time.sleep(2)


STALL2 = Scenario("stall2", play_stall2, brokers=2, properties=SLOW_SESSIONS)
STALL3 = Scenario("stall3", play_stall3, properties=SLOW_SESSIONS)
STALL_KILL = Scenario("stallkill", play_stallkill, brokers=2, properties={"broker.session.timeout.ms": 60000})
REFUSED = Scenario("refused", play_refused, brokers=2, properties=SLOW_SESSIONS)
