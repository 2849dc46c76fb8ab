"""The properties of a node, and what it logs."""

from collections.abc import Mapping
from pathlib import Path

from isrbrokers.releases import Logging, Release

CONTROLLER = 0  # a node's number; brokers count from 1
CONTROLLER_ID = 100
LAG_TIME_MAX_MS = 3000  # replica.lag.time.max.ms; the expiration task runs twice in it

# What is needed for the events that `isrcheck observe` reads; all else is at INFO.
LOGGERS = {
    "kafka.cluster.Partition": "TRACE",
    "kafka.cluster.Replica": "TRACE",
    "kafka.controller": "DEBUG",
    "kafka.log.Log": "TRACE",
    "kafka.log.UnifiedLog": "TRACE",
    "kafka.server.DefaultAlterPartitionManager": "DEBUG",
    "kafka.server.ReplicaFetcherThread": "TRACE",
    "kafka.server.ReplicaManager": "DEBUG",
    "org.apache.kafka.controller": "DEBUG",
    "org.apache.kafka.server.replica.Replica": "TRACE",
    "org.apache.kafka.storage.internals.epoch.LeaderEpochFileCache": "DEBUG",
    "org.apache.kafka.storage.internals.log.UnifiedLog": "TRACE",
    "state.change.logger": "TRACE",
}
_PATTERN = "%d{yyyy-MM-dd HH:mm:ss.SSS} %-5p [%t] %c - %m%n"
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


def logging_option(release: Release, folder: Path, levels: Mapping[str, str] = LOGGERS) -> str:
    """Write the file that tells a node what to log, into FOLDER/kafka.log; the option of Java that names it."""
    file = folder / release.logging.value
    if release.logging is Logging.LOG4J:
        file.write_text(_log4j(folder, levels), encoding="utf-8")
        return f"-Dlog4j.configuration=file:{file}"
    file.write_text(_log4j2(folder, levels), encoding="utf-8")
    return f"-Dlog4j2.configurationFile=file:{file}"


def _log4j(folder: Path, levels: Mapping[str, str]) -> str:
    properties: dict[str, object] = {
        "log4j.rootLogger": "INFO, file",
        "log4j.appender.file": "org.apache.log4j.FileAppender",
        "log4j.appender.file.File": folder / "kafka.log",
        "log4j.appender.file.layout": "org.apache.log4j.PatternLayout",
        "log4j.appender.file.layout.ConversionPattern": _PATTERN,
    }
    return properties_text({**properties, **{f"log4j.logger.{name}": level for name, level in levels.items()}})


def _log4j2(folder: Path, levels: Mapping[str, str]) -> str:
    properties: dict[str, object] = {
        "appender.file.type": "File",
        "appender.file.name": "file",
        "appender.file.fileName": folder / "kafka.log",
        "appender.file.layout.type": "PatternLayout",
        "appender.file.layout.pattern": _PATTERN,
        "rootLogger.level": "INFO",
        "rootLogger.appenderRef.file.ref": "file",
    }
    for number, (name, level) in enumerate(levels.items()):
        properties |= {f"logger.{number}.name": name, f"logger.{number}.level": level}
    return properties_text(properties)
