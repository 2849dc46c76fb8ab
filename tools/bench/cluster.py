"""Spark on five machines that are namespaces of this one: what is lost on the way, and what is found all the same.

usage: python -m tools.bench.cluster SHARE [--only search] [--report FILE]      (as root; needs ip, unshare and Java)

A search, a sweep, observe of 100 partitions and conform of the table that observe wrote, each on a cluster of its own:
undisturbed, with a worker killed, a worker cut off and the driver killed; its answer beside that of one machine.

A master and four workers, each with a network of its own (an address on a bridge) and mounts of its own: its root is
read only, /tmp, /var/tmp and the home directory are its own and empty, and SHARE, a directory, is the one place that
all can write, as a mounted share would be. The driver has the bridge's address. A link that is cut and a process that
is killed are real; disks, clocks and the kernel are this machine's.
"""

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow.parquet as pq
import pyspark
from tests.observe.runs import recorded
from tools.bench.broker_logs import partitions, write

from isrcheck.files import write_aside

CLASS = Path(pyspark.__file__).parent / "bin" / "spark-class"
BRIDGE, NET = "isrcheck0", "10.123.77"
DRIVER, MASTER, PORT = f"{NET}.1", f"{NET}.2", 7077
WORKERS = 4
SECONDS = 900.0
SIZES = ("replicas", "log_size", "max_records", "max_leader_epoch")
OWN = ("/tmp", "/var/tmp", str(Path.home() / ".cache"))
SWEEP = "specs/sweeps/small.toml"
PARTITIONS = 100
MODEL = ("--model", "kraft-4.1")
COLUMNS = ["key", "status", "verdict", "properties", "levels", "distinct", "generated", "depth", "digest"]
LOCAL = ("spark.isrcheck.localStates=2000", "spark.isrcheck.partitions=8")
REACHABLE = (f"spark.driver.host={DRIVER}", f"spark.driver.bindAddress={DRIVER}")
INSTALLED = {**os.environ, "PYSPARK_PYTHON": sys.executable}
QUICK_TO_NOTICE = (
    "spark.network.timeout=20s",
    "spark.network.timeoutInterval=5s",
    "spark.executor.heartbeatInterval=5s",
)


def call(command: str) -> None:
    subprocess.run(command.split(), check=True, capture_output=True)


@dataclass(frozen=True)
class Machine:
    """A namespace with one process of Spark's in it, and all that it started."""

    name: str
    process: subprocess.Popen[bytes]

    def cut(self) -> None:
        """Take its cable out."""
        call(f"ip link set v{self.name} down")

    def kill(self) -> None:
        """Take its power: the process and its executors are gone at once."""
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


@contextmanager
def bridge() -> Iterator[None]:
    call(f"ip link add {BRIDGE} type bridge")
    try:
        call(f"ip address add {DRIVER}/24 dev {BRIDGE}")
        call(f"ip link set {BRIDGE} up")
        yield
    finally:
        call(f"ip link delete {BRIDGE}")


@contextmanager
def network(name: str, address: str) -> Iterator[None]:
    """A network namespace on the bridge."""
    call(f"ip netns add {name}")
    try:
        call(f"ip link add v{name} type veth peer name eth0 netns {name}")
        call(f"ip link set v{name} master {BRIDGE} up")
        call(f"ip -n {name} address add {address}/24 dev eth0")
        call(f"ip -n {name} link set eth0 up")
        call(f"ip -n {name} link set lo up")
        yield
    finally:
        call(f"ip link delete v{name}")
        call(f"ip netns delete {name}")


def mounts(share: Path) -> str:
    """A shell's words that leave one directory to write beside what is the machine's own."""
    own = "".join(f"mkdir -p {place}; mount -t tmpfs tmpfs {place}; " for place in OWN)
    return (
        f'set -e; mkdir -p {share}; mount --bind {share} {share}; mount -o remount,ro,bind /; {own}cd /tmp; exec "$@"'
    )


@contextmanager
def machine(name: str, address: str, share: Path, log: Path, words: Sequence[str]) -> Iterator[Machine]:
    home = {"SPARK_HOME": str(CLASS.parents[1]), "SPARK_LOCAL_IP": address, "PYSPARK_PYTHON": sys.executable}
    command = ["ip", "netns", "exec", name, "unshare", "--mount", "--propagation", "private"]
    command += ["bash", "-c", mounts(share), name, "bash", str(CLASS), *words]
    with network(name, address), log.open("wb") as output:
        process = subprocess.Popen(
            command, stdout=output, stderr=output, env={**os.environ, **home}, start_new_session=True
        )
        started = Machine(name, process)
        try:
            yield started
        finally:
            started.kill()


@contextmanager
def cluster(share: Path, logs: Path) -> Iterator[list[Machine]]:
    """A master and its workers, all registered."""
    with bridge(), ExitStack() as stack:
        words = ["org.apache.spark.deploy.master.Master", "--host", MASTER, "--port", str(PORT), "--webui-port", "0"]
        stack.enter_context(machine("isrm", MASTER, share, logs / "master.log", words))
        await_words(logs / "master.log", "I have been elected leader")
        workers = []
        for number in range(1, WORKERS + 1):
            address, log = f"{NET}.{10 + number}", logs / f"worker{number}.log"
            words = ["org.apache.spark.deploy.worker.Worker", "--cores", "1", "--memory", "2g", "--host", address]
            words += ["-d", "/tmp/work", "--webui-port", "0", f"spark://{MASTER}:{PORT}"]
            workers.append(stack.enter_context(machine(f"isrw{number}", address, share, log, words)))
            await_words(log, "Successfully registered with master")
        yield workers


def await_words(log: Path, words: str) -> None:
    await_that(lambda: words in log.read_text(encoding="utf-8", errors="replace"), f"{log} does not say {words!r}")


def await_that(is_so: Callable[[], bool], otherwise: str) -> None:
    deadline = time.monotonic() + SECONDS
    while not is_so():
        if time.monotonic() > deadline:
            raise SystemExit(otherwise)
        time.sleep(0.05)


def isrcheck(*words: str, on_cluster: bool = True) -> list[str]:
    """A command, on the cluster unless said otherwise."""
    options = ["--master", f"spark://{MASTER}:{PORT}"] if on_cluster else []
    for option in (*REACHABLE, *QUICK_TO_NOTICE) if on_cluster else ():
        options += ["--spark-conf", option]
    return [sys.executable, "-m", "isrcheck", *words, *options]


class Command(NamedTuple):
    """A command of isrcheck, which writes to a place of each run's own, and its answer without times."""

    words: Callable[[Path], list[str]]
    answer: Callable[[Path], tuple[object, str]]
    one_machine: list[str]  # the words for the same on one machine
    await_middle: Callable[[Path, Sequence[Machine]], Machine]  # the machine to be lost


Harm = Callable[[subprocess.Popen[bytes], Machine], None]
HARMS: dict[str, Harm | None] = {
    "nothing": None,
    "the driver, killed and run again": lambda driver, _: driver.kill(),
    "a worker, killed": lambda _, worker: worker.kill(),
    "a worker, cut off the network": lambda _, worker: worker.cut(),
}


class End(NamedTuple):
    """The end of one experiment."""

    command: str
    lost: str
    seconds: float
    equal: bool
    what: str


def search(share: Path, size: str, at_level: int) -> Command:
    sizes = zip(SIZES, size.split(","), strict=True)
    model = ["kip-320", *(argument for name, value in sizes for argument in ("-c", f"{name}={value}")), "--no-vacuity"]
    options = [argument for option in LOCAL for argument in ("--spark-conf", option)]

    def arguments(out: Path) -> list[str]:
        again = "--resume" if out.exists() else "--checkpoint"
        return ["check", *model, "--json", f"{out}.json", "--engine", "spark", again, str(out), *options]

    def await_level(out: Path, workers: Sequence[Machine]) -> Machine:
        await_that((out / f"level-{at_level:05}.json").exists, f"{out} has no level {at_level}")
        return workers[0]

    native = ["check", *model, "--json", f"{share / 'search-local'}.json", "--workers", "1"]
    return Command(arguments, counts_of, native, await_level)


def counts_of(out: Path) -> tuple[object, str]:
    states = document(out)["states"]
    counts = {name: states[name] for name in ("distinct", "generated", "depth", "digest")}
    return counts, f"{counts['distinct']:,} states, digest {counts['digest'][:8]}"


def document(out: Path) -> Any:
    return json.loads(Path(f"{out}.json").read_bytes())


def on_tables(words: Callable[[Path], list[str]], answer: Callable[[Path], tuple[object, str]], share: Path) -> Command:
    name = words(share)[0]
    local = [*words(share / f"{name}-local"), "--master", "local[1]"]
    return Command(words, answer, local, lambda _, workers: await_task(workers))


def cells_of(out: Path) -> tuple[object, str]:
    cells = pq.read_table(out / "cells.parquet", columns=COLUMNS).to_pylist()
    files = [(out / f"{name}.csv").read_bytes() for name in ("matrix", "frontier")]
    here = f"{Path.cwd()}/"  # a worker, in a folder of its own, names a model's file by its whole path
    states = sum(each["distinct"] or 0 for each in cells)
    return (str(cells).replace(here, ""), files), f"{len(cells)} cells, {states:,} states"


def events_of(out: Path) -> tuple[object, str]:
    events = sorted(map(str, pq.read_table(out).to_pylist()))
    return (events, {**document(out), "command": ""}), f"{len(events):,} events"


def verdicts_of(out: Path) -> tuple[object, str]:
    verdicts = [{**each, "seconds": 0} for each in document(out)]
    counts = Counter(each["verdict"] for each in verdicts)
    return verdicts, ", ".join(f"{count} {verdict}" for verdict, count in sorted(counts.items()))


def commands(share: Path, size: str, at_level: int) -> dict[str, Command]:
    logs, table = str(share / "cluster"), str(share / "observe-local")
    return {
        "search": search(share, size, at_level),
        "sweep": on_tables(lambda out: ["sweep", SWEEP, "--out", str(out)], cells_of, share),
        "observe": on_tables(
            lambda out: ["observe", logs, "--out", str(out), "--json", f"{out}.json"], events_of, share
        ),
        "conform": on_tables(lambda out: ["conform", table, *MODEL, "--json", f"{out}.json"], verdicts_of, share),
    }


def tasks_of(worker: Machine) -> int:
    """How many tasks its executors have begun, as their own logs say."""
    logs = Path(f"/proc/{worker.process.pid}/root/tmp/work").glob("app-*/*/stderr")
    return sum(log.read_text(encoding="utf-8", errors="replace").count(": Running task ") for log in logs)


def await_task(workers: Sequence[Machine]) -> Machine:
    """The first machine that begins another task."""
    begun = {worker.name: tasks_of(worker) for worker in workers}
    busy: list[Machine] = []

    def is_busy() -> bool:
        busy.extend(worker for worker in workers if tasks_of(worker) > begun[worker.name])
        return bool(busy)

    await_that(is_busy, "no worker begins a task")
    return busy[0]


def experiments(name: str, command: Command, share: Path, workers: list[Machine]) -> Iterator[End]:
    """Run a command undisturbed, and with a driver, a worker's machine and a network lost under way."""
    if not (share / f"{name}-local.json").exists():
        subprocess.run(isrcheck(*command.one_machine, on_cluster=False), check=False, capture_output=True)
    expected, _ = command.answer(share / f"{name}-local")
    for lost, harm in HARMS.items():
        out, began = share / f"{name}-{list(HARMS).index(lost)}", time.perf_counter()
        complained = run(command, out, workers, harm)
        seconds = time.perf_counter() - began
        try:
            answer, what = command.answer(out)
        except OSError:
            answer, what = None, complained[-300:].replace("\n", " ")
        yield End(name, lost, seconds, answer == expected, what)


def run(command: Command, out: Path, workers: list[Machine], harm: Harm | None) -> str:
    """Run a command on the cluster, do harm in its middle, and run it again if its driver was killed."""
    driver = subprocess.Popen(
        isrcheck(*command.words(out)), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=INSTALLED
    )
    if harm is not None:
        worker = command.await_middle(out, workers)
        harm(driver, worker)
        workers.remove(worker)
    complained = driver.communicate(timeout=SECONDS)[1].decode(errors="replace")
    return run(command, out, workers, None) if driver.returncode == -signal.SIGKILL else complained


def table(ends: Sequence[End]) -> list[str]:
    lines = ["| command | lost under way | seconds | equal to one machine's | answer |", "|---|---|--:|---|---|"]
    lines += [
        f"| {e.command} | {e.lost} | {e.seconds:.0f} | {'yes' if e.equal else '**no**'} | {e.what} |" for e in ends
    ]
    return lines


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tools.bench.cluster", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("share", type=Path, help="a new directory, which all machines can write")
    parser.add_argument("--size", default="3,2,2,2", help="of kip-320")
    parser.add_argument("--at-level", type=int, default=14, help="of the search, after which something is lost")
    parser.add_argument("--only", nargs="+", choices=("search", "sweep", "observe", "conform"), help="commands")
    parser.add_argument("--report", type=Path, help="a file for the table")
    return parser.parse_args()


def main() -> int:
    chosen = parse()
    if os.geteuid() or not all(map(shutil.which, ("ip", "unshare", "java", "bash"))):
        print("Namespaces were not made: this needs root, ip, unshare, bash and Java.")
        return 0
    share = chosen.share.resolve()
    logs = share / "logs"
    logs.mkdir(parents=True, exist_ok=True)
    runs = [recorded("stall2-4.1.1"), recorded("zombie-3.9.1")]
    write(share / "cluster", partitions(runs, PARTITIONS, 1, hours=0.1, corrupt=0, seed=1), 1 << 30)
    ends: list[End] = []
    for name, command in commands(share, chosen.size, chosen.at_level).items():
        if name in (chosen.only or [name]):
            with cluster(share, logs) as workers:
                for end in experiments(name, command, share, workers):
                    ends.append(end)
                    print(table(ends)[-1], flush=True)
    if chosen.report:
        write_aside(chosen.report, "\n".join([*table(ends), ""]))
    return 0 if all(each.equal for each in ends) else 1


if __name__ == "__main__":
    sys.exit(main())
