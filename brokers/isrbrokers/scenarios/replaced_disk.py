"""Acknowledged records are lost with one broker's disk, though another broker has them (docs/replaced-disk.md)."""

import time

from isrbrokers.client import Client
from isrbrokers.cluster import Cluster
from isrbrokers.disk import replace_disk
from isrbrokers.scenarios.scenario import Scenario, require_loss


def play_replaced_disk(cluster: Cluster, client: Client) -> None:
    """Broker 1 is shut down cleanly, with all records; the disk of broker 2, which leads, is replaced; both come back.

    Up to 4.2 the report of the new directory empties the ELR, and broker 2 is elected as the last leader.
    """
    client.create((1, 2), min_insync_replicas=2)
    client.wait_for_isr(1, 2)
    client.produce(5)
    cluster.stop(1)
    client.wait_for_leader(2, at=(2,))
    client.wait_for_isr(2, at=(2,))
    replace_disk(cluster, 2)
    time.sleep(9)  # its session ends
    cluster.start(2)
    time.sleep(8)  # it reports its directory, and is elected or not
    cluster.start(1)
    client.wait_for_isr(1, 2)
    require_loss(cluster, client)


REPLACED_DISK = Scenario("replaced-disk", play_replaced_disk, brokers=2, agent=False)
