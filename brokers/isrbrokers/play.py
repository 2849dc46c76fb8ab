"""A scenario, played on a new cluster and recorded."""

import tempfile
from pathlib import Path

from isrbrokers.agent import controller_options
from isrbrokers.client import TOPIC, Client
from isrbrokers.cluster import Cluster
from isrbrokers.recording import keep
from isrbrokers.releases import Release
from isrbrokers.scenarios.scenario import Scenario


def record(scenario: Scenario, release: Release, into: Path, port: int = 19090, bug: str | None = None) -> None:
    """Play a scenario and write its run into a folder, also if it went otherwise. Raises ClusterError, UsageError."""
    with tempfile.TemporaryDirectory(prefix="isrbrokers-") as folder:
        cluster = Cluster(
            release,
            Path(folder),
            brokers=scenario.brokers,
            port=port,
            properties=scenario.properties,
            java_options=scenario.java_options(bug),
            controller_options=controller_options(bug),
        )
        with cluster:
            client = Client(cluster)
            try:
                scenario.play(cluster, client)
            finally:
                client.flush()
                keep(cluster, TOPIC, into, f"{scenario.name} on Kafka {release.number}\n\n{scenario.about}")
