"""A soak: a cluster under load, with faults, recorded whole and to be judged afterwards."""

import heapq
import json
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, replace
from pathlib import Path

from confluent_kafka import KafkaException

from isrbrokers.agent import agent_option, controller_options
from isrbrokers.client import TOPIC, Client
from isrbrokers.cluster import Cluster
from isrbrokers.journal import BEGINS
from isrbrokers.plan import CONTROLLER, Fault, read_plan, write_plan
from isrbrokers.process import ClusterError, folder_aside
from isrbrokers.recording import keep
from isrbrokers.releases import Release, find_release
from isrcheck.errors import UsageError

_HEAL_SECONDS = 90
_SETTINGS = "soak.json"
_READ_AGAIN = 20  # records that a reader reads once more, to see that they are still there


@dataclass(frozen=True)
class Soak:
    """A soak: what is played, and for how long."""

    release: Release
    faults: Sequence[Fault]
    seconds: float
    partitions: int = 8
    brokers: int = 3
    rate: float = 0.5  # records a second, for each partition
    bug: str | None = None

    def record(self, into: Path, port: int = 19090, say: Callable[[str], object] = lambda _: None) -> None:
        """Play it, and write the run's folder, also if it does not heal. Raises ClusterError, UsageError."""
        with folder_aside() as (folder, _):
            cluster = self._cluster(folder, port)
            with cluster:
                client = Client(cluster)
                try:
                    self._play(cluster, client, say)
                finally:
                    keep(cluster, TOPIC, into, self._about)
                    self._describe(into)

    def _play(self, cluster: Cluster, client: Client, say: Callable[[str], object]) -> None:
        client.create(*self._assignments(), min_insync_replicas=2)
        with _Load(client, self.partitions, self.rate).run_clients():
            _Timetable(cluster, client, say).follow(self.faults, self.seconds)
            self._heal(cluster, client)
        self._read_everything(client)

    @property
    def _about(self) -> str:
        return f"A soak of {self.seconds:.0f} s on Kafka {self.release.number}: {len(self.faults)} faults."

    def _describe(self, into: Path) -> None:
        """Write the files that play it again."""
        settings = {each.name: getattr(self, each.name) for each in fields(self) if each.name != "faults"}
        document = json.dumps({**settings, "release": self.release.number}, indent=1)
        (into / _SETTINGS).write_text(document + "\n", encoding="utf-8")
        write_plan(self.faults, into / "plan.jsonl")

    def _cluster(self, folder: Path, port: int) -> Cluster:
        options = [agent_option(self.bug)] if self.bug else []
        of_controller = controller_options(self.bug)
        return Cluster(self.release, folder, self.brokers, port, java_options=options, controller_options=of_controller)

    def _assignments(self) -> Iterator[list[int]]:
        for partition in range(self.partitions):
            yield [1 + (partition + k) % self.brokers for k in range(self.brokers)]

    def _heal(self, cluster: Cluster, client: Client) -> None:
        for node, process in cluster.nodes.items():
            cluster.resume(node)
            if not process.is_up():
                cluster.start(node)
        for partition in range(self.partitions):
            client.wait_for_isr(*cluster.all_brokers(), partition=partition, seconds=_HEAL_SECONDS)

    def _read_everything(self, client: Client) -> None:
        for partition in range(self.partitions):
            client.high_watermark(partition)
            client.read(partition=partition)


def read_soak(run: Path) -> Soak:
    """The soak that wrote a run. Raises UsageError."""
    try:
        settings = json.loads((run / _SETTINGS).read_text(encoding="utf-8"))
        return Soak(**{**settings, "release": find_release(settings["release"])}, faults=read_plan(run / "plan.jsonl"))
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise UsageError(
            f"{run} is not the run of a soak: {error}. Write the folder of one, with its plan.jsonl."
        ) from None


@dataclass(frozen=True)
class Player:
    """Plays other faults on a cluster like that of a soak; one that does not heal is recorded all the same."""

    soak: Soak
    port: int

    def __call__(self, faults: Sequence[Fault], seconds: float, into: Path) -> None:
        try:
            replace(self.soak, faults=faults, seconds=seconds).record(into, self.port)
        except ClusterError:
            if not into.is_dir():
                raise


@dataclass
class _Load:
    """A producer and a reader of all partitions, in the background."""

    client: Client
    partitions: int
    rate: float
    _over: threading.Event = field(default_factory=threading.Event)

    @contextmanager
    def run_clients(self) -> Iterator[None]:
        threads = [
            threading.Thread(target=self._produce, daemon=True),
            threading.Thread(target=self._read, daemon=True),
        ]
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            self._over.set()
            for thread in threads:
                thread.join(60)

    def _produce(self) -> None:
        number = 0
        while not self._over.wait(1 / (self.rate * self.partitions)):
            acks = 1 if number % 5 == 4 else "all"
            self.client.produce(acks=acks, seconds=4, wait=False, partition=number % self.partitions)
            number += 1
        self.client.flush()

    def _read(self) -> None:
        ends = [0] * self.partitions
        while not self._over.wait(10):
            for partition, end in enumerate(ends):
                if self._over.is_set():
                    return
                start = max(0, end - _READ_AGAIN)
                values = self.client.read(seconds=1, partition=partition, start=start)
                ends[partition] = max(values, default=end - 1) + 1


@dataclass
class _Timetable:
    """Begins and ends faults at their time; what cannot be done at that moment is left out, and noted."""

    cluster: Cluster
    client: Client
    say: Callable[[str], object]
    _asked: list[Future[None]] = field(default_factory=list)

    def follow(self, faults: Sequence[Fault], seconds: float) -> None:
        """Run the plan. Requests to the cluster may take long while nodes stand still; nothing waits for them."""
        with ThreadPoolExecutor() as self._asking:
            self._follow(faults, seconds)
        for asked in self._asked:
            asked.result()

    def _follow(self, faults: Sequence[Fault], seconds: float) -> None:
        began = time.monotonic()
        self.cluster.faults.note(what=BEGINS)
        due = [(fault.at, number, fault.kind, fault) for number, fault in enumerate(faults)]
        heapq.heapify(due)
        while due:
            at, number, what, fault = heapq.heappop(due)
            time.sleep(max(0.0, began + at - time.monotonic()))
            self.say(f"{time.monotonic() - began:7.1f} s  {what} {fault.node}")
            self._do(what, fault)
            if fault.lasts and what == fault.kind and what in _END:
                heapq.heappush(due, (at + fault.lasts, number, _END[what], fault))
        time.sleep(max(0.0, began + seconds - time.monotonic()))

    def _do(self, action: str, fault: Fault) -> None:
        node = CONTROLLER if fault.kind == "isolate_controller" else fault.node
        if action == "elect":
            self._ask(self.client.elect)
        elif action == "elect_unclean":
            self._ask(lambda: self.client.elect(kind="unclean"))
        elif action == "min_isr":
            self._ask(lambda: self.client.set_min_isr(fault.value))
        elif action in ("pause", "isolate_controller"):
            self.cluster.pause(node)
        elif action == "stop":
            self.cluster.stop(node, wait=False)
        elif action == "start":
            self._start(node)
        else:
            {"kill": self.cluster.kill, "resume": self.cluster.resume}[action](node)

    def _start(self, node: int) -> None:
        """A clean shutdown that waits for others has had its time."""
        if self.cluster.nodes[node].is_up():
            self.cluster.kill(node)
        self.cluster.start(node, wait=False)

    def _ask(self, of_cluster: Callable[[], object]) -> None:
        self._asked.append(self._asking.submit(self._note_refusal, of_cluster))

    def _note_refusal(self, of_cluster: Callable[[], object]) -> None:
        try:
            of_cluster()
        except (ClusterError, KafkaException) as error:
            self.cluster.faults.note(what="refused", error=str(error))


_END = {"pause": "resume", "isolate_controller": "resume", "kill": "start", "stop": "start"}
