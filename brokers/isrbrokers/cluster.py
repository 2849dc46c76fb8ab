"""A cluster: one controller (or ZooKeeper) and some brokers, each a Java process in a folder of its own."""

import json
import signal
import subprocess
import uuid
from base64 import urlsafe_b64encode
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Self

from isrbrokers.journal import Journal
from isrbrokers.plan import (
    CONTROLLER,
    kraft_properties,
    options_for_logs,
    properties_text,
    zookeeper_properties,
)
from isrbrokers.process import ClusterError, JavaProcess, end_before_us, java
from isrbrokers.releases import Release, jars, program

_TOOL_SECONDS = 300  # a tool starts Java, and prints whole logs
_ZOOKEEPER = "org.apache.zookeeper.server.quorum.QuorumPeerMain"


@dataclass
class Cluster:
    """Node 0 is the controller, or ZooKeeper where there is one; brokers are 1 to `brokers`.

    `faults` is told of whatever is done to a node, before it is done.
    """

    release: Release
    folder: Path
    brokers: int = 3
    port: int = 19090  # node N listens on port + N
    properties: Mapping[str, object] = field(default_factory=dict)
    java_options: Sequence[str] = ()  # of brokers; {folder} is the broker's folder
    controller_options: Sequence[str] = ()
    _stack: ExitStack = field(default_factory=ExitStack, init=False, repr=False)

    def __post_init__(self) -> None:
        """Look for Java and Maven: raises UsageError where one is missing."""
        self.java = program("java")
        self.jars = jars(self.release)
        self.id = urlsafe_b64encode(uuid.uuid4().bytes).rstrip(b"=").decode()
        self.faults = Journal(self.folder / "faults.jsonl")
        self.clients = Journal(self.folder / "client.jsonl")
        self.nodes = {node: self._process(node) for node in range(self.brokers + 1)}

    def __enter__(self) -> Self:
        """Start all nodes and wait until they listen."""
        self._stack.enter_context(end_before_us(self.nodes.values()))
        try:
            described = {"version": self.release.number, "n": self.brokers, "port": self.port}
            (self.folder / "cluster.json").write_text(json.dumps(described, indent=1) + "\n", encoding="utf-8")
            self.start(CONTROLLER)
            for broker in self.all_brokers():
                self.start(broker, wait=False)
            for broker in self.all_brokers():
                self.wait_for(broker)
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.end()
        self._stack.close()

    def all_brokers(self) -> range:
        """The numbers of the brokers."""
        return range(1, self.brokers + 1)

    def node_folder(self, node: int) -> Path:
        """A node's folder: replication.log, server.properties, data."""
        return self.folder / ("controller" if node == CONTROLLER else f"broker{node}")

    def addresses(self, *brokers: int) -> str:
        """Return bootstrap.servers of these brokers, or of all."""
        return ",".join(f"127.0.0.1:{self.port + broker}" for broker in brokers or self.all_brokers())

    def start(self, node: int, wait: bool = True) -> None:
        """Start a node, or start it again."""
        self.faults.note(what="start", node=node)
        self.nodes[node].start()
        if wait:
            self.wait_for(node)

    def wait_for(self, node: int) -> None:
        """Wait until a node listens. Raises ClusterError."""
        self.nodes[node].wait_until_it_listens()
        self.faults.note(what="listening", node=node)

    def stop(self, node: int, wait: bool = True) -> None:
        """A clean shutdown, which lasts until all brokers that are live have read of it."""
        self._signal(node, signal.SIGTERM, "stop", wait)

    def kill(self, node: int) -> None:
        """kill -9: what was written is in the page cache."""
        self._signal(node, signal.SIGKILL, "kill")

    def pause(self, node: int) -> None:
        """A node stands still, and its peers cannot tell."""
        self._signal(node, signal.SIGSTOP, "pause")

    def resume(self, node: int) -> None:
        """Let a suspended node go on."""
        self._signal(node, signal.SIGCONT, "resume")

    def end(self) -> None:
        """Kill whatever is left."""
        for process in self.nodes.values():
            process.signal(signal.SIGKILL)

    def tool(self, main: str, *arguments: object) -> str:
        """The output of one of Kafka's tools. Raises ClusterError."""
        command = java(self.java, self.jars, main, *map(str, arguments), heap="128m")
        try:
            ended = subprocess.run(command, capture_output=True, text=True, timeout=_TOOL_SECONDS, check=False)
        except subprocess.TimeoutExpired:
            raise ClusterError(f"{main} did not end within {_TOOL_SECONDS} seconds") from None
        if ended.returncode:
            raise ClusterError(f"{main} ended with {ended.returncode}: {(ended.stdout + ended.stderr).strip()}")
        return ended.stdout

    def _signal(self, node: int, number: signal.Signals, what: str, wait: bool = True) -> None:
        self.faults.note(what=what, node=node)
        self.nodes[node].signal(number, wait)

    def _process(self, node: int) -> JavaProcess:
        folder = self.node_folder(node)
        data = folder / "data"
        data.mkdir(parents=True, exist_ok=True)
        if self.release.has_zookeeper and node == CONTROLLER:
            return self._zookeeper(folder, data)
        port = self.port + node
        make = zookeeper_properties if self.release.has_zookeeper else kraft_properties
        file = folder / "server.properties"
        file.write_text(properties_text({**make(node, port, self.port, data), **self.properties}), encoding="utf-8")
        if not self.release.has_zookeeper:
            self.format_disk(node)
        options = self.controller_options if node == CONTROLLER else self.java_options
        return self._java(folder, port, "kafka.Kafka", file, [option.format(folder=folder) for option in options])

    def format_disk(self, node: int) -> None:
        """Format a node's log directory, without which it does not start under KRaft. Raises ClusterError."""
        named = f"--cluster-id={self.id}"  # it may begin with a dash
        file = self.node_folder(node) / "server.properties"
        self.tool("kafka.tools.StorageTool", "format", named, "-c", file, "--ignore-formatted")

    def _zookeeper(self, folder: Path, data: Path) -> JavaProcess:
        file = folder / "zookeeper.properties"
        own = {"dataDir": data, "clientPort": self.port, "clientPortAddress": "127.0.0.1", "tickTime": 500}
        file.write_text(properties_text({**own, "maxClientCnxns": 0}), encoding="utf-8")
        return self._java(folder, self.port, _ZOOKEEPER, file)

    def _java(self, folder: Path, port: int, main: str, file: Path, more: Sequence[str] = ()) -> JavaProcess:
        options = [*options_for_logs(self.release, folder), *more]
        command = java(self.java, self.jars, main, str(file), heap="300m", options=options)
        return JavaProcess(folder.name, folder, port, command)
