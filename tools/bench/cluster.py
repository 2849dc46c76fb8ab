"""Spark on five machines that are namespaces of this one: what is lost on the way, and what is found all the same.

usage: python -m tools.bench.cluster SHARE [--size 3,2,2,2] [--report FILE]      (as root; needs ip, unshare and Java)

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
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import pyspark

from isrcheck.files import write_aside

CLASS = Path(pyspark.__file__).parent / "bin" / "spark-class"
BRIDGE, NET = "isrcheck0", "10.123.77"
DRIVER, MASTER, PORT = f"{NET}.1", f"{NET}.2", 7077
WORKERS = 4
SECONDS = 900.0
SIZES = ("replicas", "log_size", "max_records", "max_leader_epoch")
OWN = ("/tmp", "/var/tmp", str(Path.home() / ".cache"))
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


@dataclass(frozen=True)
class End:
    """The end of one experiment."""

    name: str
    seconds: float
    equal: bool
    what: str


@dataclass(frozen=True)
class Search:
    """A search at a size, its checkpoint in the share, and the native engine's answer beside it."""

    share: Path
    size: str

    @property
    def model(self) -> list[str]:
        sizes = zip(SIZES, self.size.split(","), strict=True)
        return ["kip-320", *(argument for name, value in sizes for argument in ("-c", f"{name}={value}"))]

    def native(self) -> dict[str, object]:
        said = subprocess.run(
            isrcheck("check", *self.model, "--workers", "1", "--no-vacuity", "--json", "-", on_cluster=False),
            capture_output=True,
            check=False,
        )
        return counts_of(said.stdout)

    def command(self, folder: Path) -> list[str]:
        again = "--resume" if folder.exists() else "--checkpoint"
        words = ["check", *self.model, "--engine", "spark", again, str(folder), "--no-vacuity", "--json", "-"]
        for option in LOCAL:
            words += ["--spark-conf", option]
        return isrcheck(*words)

    def run(self, name: str, at_level: int, harm: Callable[[subprocess.Popen[bytes]], None] | None) -> End:
        """Search; do harm once a level is committed, and go on if the driver was what it hit."""
        folder, began = self.share / name.replace(" ", "-"), time.perf_counter()
        driver = subprocess.Popen(self.command(folder), stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=INSTALLED)
        if harm is not None:
            level = folder / f"level-{at_level:05}.json"
            await_that(lambda: level.exists() or driver.poll() is not None, f"{level} is not written")
            harm(driver)
        said, complained = driver.communicate(timeout=SECONDS)
        if driver.returncode == -signal.SIGKILL:
            again = subprocess.run(
                self.command(folder), capture_output=True, timeout=SECONDS, check=False, env=INSTALLED
            )
            said, complained = again.stdout, again.stderr
        seconds = time.perf_counter() - began
        if not said:
            return End(name, seconds, False, complained.decode(errors="replace")[-300:].replace("\n", " "))
        counts = counts_of(said)
        what = f"{counts['distinct']:,} states, digest {str(counts['digest'])[:8]}"
        return End(name, seconds, counts == self.native(), what)


def counts_of(said: bytes) -> dict[str, object]:
    states = json.loads(said)["states"]
    return {name: states[name] for name in ("distinct", "generated", "depth", "digest")}


def searches(search: Search, workers: list[Machine], at_level: int) -> Iterator[End]:
    """Search undisturbed, and with a driver, an executor's machine and a network lost under way."""
    yield search.run("nothing is lost", at_level, None)
    yield search.run("the driver is killed and resumed", at_level, lambda driver: driver.kill())
    yield search.run("a worker is killed", at_level, lambda driver: workers[0].kill())
    yield search.run("a worker is cut off the network", at_level, lambda driver: workers[1].cut())


def table(ends: Sequence[End]) -> list[str]:
    lines = ["| experiment | seconds | equal to one machine's | counts |", "|---|--:|---|---|"]
    lines += [f"| {s.name} | {s.seconds:.0f} | {'yes' if s.equal else '**no**'} | {s.what} |" for s in ends]
    return lines


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tools.bench.cluster", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("share", type=Path, help="a directory that all machines can write")
    parser.add_argument("--size", default="3,2,2,2", help="of kip-320")
    parser.add_argument("--at-level", type=int, default=14, help="after which something is lost")
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
    with cluster(share, logs) as workers:
        ends = []
        for each in searches(Search(share, chosen.size), workers, chosen.at_level):
            ends.append(each)
            print(table(ends)[-1], flush=True)
    if chosen.report:
        write_aside(chosen.report, "\n".join([*table(ends), ""]))
    return 0 if all(each.equal for each in ends) else 1


if __name__ == "__main__":
    sys.exit(main())
