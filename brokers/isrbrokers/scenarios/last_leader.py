"""An acknowledged record is lost though a whole copy exists (docs/last-leader.md)."""

import time

from isrbrokers.client import TOPIC, Client
from isrbrokers.cluster import Cluster
from isrbrokers.disk import lose_power
from isrbrokers.scenarios.scenario import Scenario, require_loss


def play_last_leader(cluster: Cluster, client: Client) -> None:
    """Broker 1 is killed, with all records on its disk; broker 2 leads alone and loses power; both come back.

    By ELR's rules neither may have all records, so the last leader is elected, which lost them.
    """
    client.create((1, 2), min_insync_replicas=2)
    client.wait_for_isr(1, 2)
    client.produce(5)
    cluster.kill(1)
    client.wait_for_leader(2, at=(2,))
    client.wait_for_isr(2, at=(2,))
    left = lose_power(cluster, 2, TOPIC)
    cluster.faults.note(what=f"observed: broker 2 kept {left}")
    time.sleep(6)  # its session ends
    cluster.start(2)
    time.sleep(3)
    cluster.start(1)
    client.wait_for_isr(1, 2)
    require_loss(cluster, client)


LAST_LEADER = Scenario("s20", play_last_leader, brokers=2, agent=False)
