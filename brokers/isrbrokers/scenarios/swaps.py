"""One replica moves while the other is out of sync: the removed one stays in the ELR (KAFKA-19975, docs/kraft.md)."""

import time

from isrbrokers.client import TOPIC, Client
from isrbrokers.cluster import Cluster
from isrbrokers.process import ClusterError
from isrbrokers.scenarios.scenario import Scenario, require_loss

_PATIENT = {"broker.session.timeout.ms": 30000}  # a move is asked for before it ends
_BRIEF = {"broker.session.timeout.ms": 15000}  # and no session ends without a fault
_LONG = 300.0  # seconds within which each step has happened, however busy the machine is
_WATCHED_SECONDS = 20


def play_swap_back(cluster: Cluster, client: Client) -> None:
    """No broker stops, and every election is clean.

    Broker 1 stands still. The partition moves from broker 2 to broker 3, and back while broker 3 stands still. So
    broker 2 has an empty log, and is in the ELR since it left: it is elected once broker 3 is fenced. All go on.
    """
    client.create((1, 2), min_insync_replicas=2)
    client.wait_for_isr(1, 2)
    client.produce(1, seconds=60)
    cluster.pause(1)
    client.wait_for_leader(2, at=(2, 3), seconds=_LONG)
    client.reassign((1, 3))
    client.wait_for_leader(3, at=(2, 3), seconds=_LONG)
    log = cluster.node_folder(2) / "data" / f"{TOPIC}-0"
    client.wait(lambda: not log.exists(), "broker 2 has deleted its log", _LONG)
    cluster.pause(3)
    client.reassign((1, 2))
    client.wait_for_leader(2, at=(2,), seconds=_LONG)
    cluster.resume(3)
    cluster.resume(1)
    client.wait_for_isr(1, 2, seconds=_LONG)
    require_loss(cluster, client)


def play_swap_kill(cluster: Cluster, client: Client) -> None:
    """Broker 2 is down while the partition moves from broker 1 to broker 3, which is killed: all start, nobody leads.

    Broker 1 has no replica any more, and is all there is in the ELR; so the last leader, broker 3, is not elected.
    """
    cluster.stop(2)
    client.create((1, 2), min_insync_replicas=2)
    client.produce(1, acks=1, seconds=60)
    client.reassign((3, 2))
    client.wait_for_leader(3, at=(1, 3), seconds=_LONG)
    cluster.kill(3)
    client.wait_for_leader(-1, at=(1,), seconds=_LONG)
    cluster.start(3)
    cluster.start(2)
    client.wait(client.has_all_brokers, "all brokers that are up are members", _LONG)
    time.sleep(_WATCHED_SECONDS)
    leader = client.view().leader
    cluster.faults.note(what=f"observed: leader {leader} after {_WATCHED_SECONDS} s with all brokers up")
    if leader != -1:
        raise ClusterError(f"broker {leader} was elected")


SWAP_BACK = Scenario("swap-back", play_swap_back, agent=False, properties=_PATIENT)
SWAP_KILL = Scenario("swap-kill", play_swap_kill, agent=False, properties=_BRIEF)
