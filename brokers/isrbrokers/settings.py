"""The properties of a node, and what it logs."""

from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path

from isrbrokers.releases import Release

CONTROLLER = 0  # a node's number; brokers count from 1
CONTROLLER_ID = 100
LAG_TIME_MAX_MS = 3000  # replica.lag.time.max.ms; the expiration task runs twice in it

_EVERY_NODE: dict[str, object] = {
    "num.network.threads": 2,
    "num.io.threads": 4,
    "log.cleaner.enable": "false",
    "log.index.size.max.bytes": 65536,
    "auto.create.topics.enable": "false",
    "auto.leader.rebalance.enable": "false",
    "unclean.leader.election.enable": "false",
    "offsets.topic.num.partitions": 1,
    "offsets.topic.replication.factor": 1,
    "replica.lag.time.max.ms": LAG_TIME_MAX_MS,
}
_KRAFT: dict[str, object] = {
    "transaction.state.log.num.partitions": 1,
    "transaction.state.log.replication.factor": 1,
    "transaction.state.log.min.isr": 1,
    "broker.heartbeat.interval.ms": 500,
    "broker.session.timeout.ms": 4000,
    "controller.listener.names": "CONTROLLER",
    "listener.security.protocol.map": "CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT",
}


def kraft_properties(node: int, port: int, controller_port: int, data: Path) -> dict[str, object]:
    """server.properties of a controller or a broker under KRaft, all on the loopback."""
    is_controller = node == CONTROLLER
    own: dict[str, object] = {
        "node.id": CONTROLLER_ID if is_controller else node,
        "process.roles": "controller" if is_controller else "broker",
        "controller.quorum.voters": f"{CONTROLLER_ID}@127.0.0.1:{controller_port}",
        "listeners": f"{'CONTROLLER' if is_controller else 'PLAINTEXT'}://127.0.0.1:{port}",
        "log.dirs": data,
        "metadata.log.dir": data,
    }
    between = {} if is_controller else {"inter.broker.listener.name": "PLAINTEXT"}
    return {**_EVERY_NODE, **_KRAFT, **own, **between}


def zookeeper_properties(node: int, port: int, zookeeper_port: int, data: Path) -> dict[str, object]:
    """server.properties of a broker that keeps its metadata in ZooKeeper."""
    return {
        **_EVERY_NODE,
        "broker.id": node,
        "listeners": f"PLAINTEXT://127.0.0.1:{port}",
        "log.dirs": data,
        "zookeeper.connect": f"127.0.0.1:{zookeeper_port}",
        "zookeeper.session.timeout.ms": 4000,
        "controlled.shutdown.enable": "false",
    }


def properties_text(properties: Mapping[str, object]) -> str:
    """A file of properties."""
    return "".join(f"{name}={value}\n" for name, value in properties.items())


def options_for_logs(release: Release, folder: Path) -> list[str]:
    """Java's options for a node that logs what `isrcheck observe` needs into FOLDER/replication.log."""
    file = files("isrlogs.observe") / "loggers" / release.loggers
    name = "log4j2.configurationFile" if release.loggers.startswith("log4j2") else "log4j.configuration"
    return [f"-Dkafka.logs.dir={folder}", f"-D{name}=file:{file}"]
