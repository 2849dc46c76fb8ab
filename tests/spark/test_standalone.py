"""Spark's own cluster on loopback: a master, two workers with a process each, one of which is killed under way."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import pyspark
import pytest
from tests.spark.runs import bound, everything, native

HOST = "127.0.0.1"
CLASS = Path(pyspark.__file__).parent / "bin" / "spark-class"
SECONDS = 300.0
MODEL = bound("kip-101", replicas=2)

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not shutil.which("java") or not shutil.which("bash"), reason="needs java and bash on the path"),
]


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind((HOST, 0))
        return int(taken.getsockname()[1])


@contextmanager
def part(folder: Path, name: str, *words: str) -> Iterator[subprocess.Popen[bytes]]:
    """A process of Spark's, and all that it starts."""
    own = {"SPARK_HOME": str(CLASS.parents[1]), "SPARK_LOCAL_IP": HOST, "PYSPARK_PYTHON": sys.executable}
    with (folder / f"{name}.log").open("wb") as log:
        command = ["bash", str(CLASS), f"org.apache.spark.deploy.{words[0]}", *words[1:]]
        process = subprocess.Popen(
            command, stdout=log, stderr=log, env={**environment(), **own}, start_new_session=True
        )
    try:
        yield process
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}


@contextmanager
def cluster(folder: Path) -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
    port = free_port()
    address = f"spark://{HOST}:{port}"
    with ExitStack() as stack:
        master = ("master.Master", "--host", HOST, "--port", str(port), "--webui-port", "0")
        stack.enter_context(part(folder, "master", *master))
        waiting(folder / "master.log", "I have been elected leader")
        workers = []
        for number in (1, 2):
            place = ("-d", str(folder / f"worker{number}"), "--webui-port", "0", "--host", HOST)
            words = ("worker.Worker", "--cores", "1", "--memory", "1g", *place, address)
            workers.append(stack.enter_context(part(folder, f"worker{number}", *words)))
            waiting(folder / f"worker{number}.log", "Successfully registered with master")
        yield address, workers


def waiting(log: Path, words: str) -> None:
    deadline = time.monotonic() + SECONDS
    while words not in log.read_text(encoding="utf-8", errors="replace"):
        assert time.monotonic() < deadline, log.read_text(encoding="utf-8", errors="replace")
        time.sleep(0.1)


def executor_of(worker: subprocess.Popen[bytes]) -> int:
    children = Path(f"/proc/{worker.pid}/task/{worker.pid}/children")
    told = [*Path(f"/proc/{worker.pid}/task").glob("*/children")] or [children]
    return next(int(word) for each in told for word in each.read_text(encoding="utf-8").split())


@pytest.mark.parametrize("lost", [False, True])
def test_a_cluster_of_two_workers_finds_the_native_graph(lost: bool, tmp_path: Path) -> None:
    levels = tmp_path / "levels"
    with cluster(tmp_path) as (address, workers):
        command = [
            *(sys.executable, "-m", "isrcheck", "check", "kip-101", "-c", "replicas=2", "--engine", "spark"),
            *("--master", address, "--checkpoint", str(levels), "--json", "-"),
            *("--spark-conf", "spark.isrcheck.localStates=0", "--spark-conf", "spark.isrcheck.partitions=2"),
        ]
        driver = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment())
        if lost:
            deadline = time.monotonic() + SECONDS
            while not (levels / "level-00004.json").exists() and time.monotonic() < deadline:
                time.sleep(0.05)
            os.kill(executor_of(workers[0]), signal.SIGKILL)
        said, complained = driver.communicate(timeout=SECONDS)
    outcome, whole = json.loads(said), native(MODEL, everything(MODEL))
    assert (driver.returncode, complained.count(b"Traceback")) == (0, 0)
    assert [outcome["states"][name] for name in ("distinct", "generated", "depth", "digest")] == [
        *(whole.distinct, whole.generated, whole.depth, whole.digest)
    ]
