"""The Spark engine on one machine beside one native thread, and beside an earlier revision of itself.

usage: python -m tools.bench.spark [--sizes 3,2,2,2 3,2,2,3 3,3,3,3] [--threads 1 2] [--local N] [--partitions N]
                                   [--before CLONE] [--repeat N] [--seconds N] [--report FILE]

Every search is a process of its own, by turns. Seconds are those of the whole process: importing, lowering, starting
Java, searching. `--before` names a clone of the earlier revision, which runs in this environment. `--local` is
`spark.isrcheck.localStates`. No search begins after `--seconds`; rows without one are left out.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import defaultdict
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from isrcheck.engines.contract import Cluster, Request
from isrcheck.engines.native.engine import explore as native_explore
from isrcheck.engines.spark.cluster import settings_of
from isrcheck.engines.spark.engine import explore
from isrcheck.engines.spark.storage import Storage, url_of
from isrcheck.ir.scalar import ScalarSystem
from isrcheck.lang.read import read_model
from isrcheck.passes import bind, lower
from isrmodel import Kip320

CONSTANTS = ("replicas", "log_size", "max_records", "max_leader_epoch")
PROPERTIES = ("weak_isr", "strong_isr")
_SAMPLE_SECONDS = 0.1
_TICKS = os.sysconf("SC_CLK_TCK")
HERE = Path(__file__).parents[2]


def system_of(size: str) -> ScalarSystem:
    """kip-320 at four numbers such as 3,2,2,2."""
    return lower(bind(read_model(Kip320), dict(zip(CONSTANTS, size.split(","), strict=True))))


def native(size: str) -> dict[str, Any]:
    """The native engine's search with one thread."""
    search = native_explore(system_of(size), Request(properties=PROPERTIES, workers=1))
    return {"distinct": search.distinct, "seconds": search.seconds, "digest": search.digest}


def on_spark(size: str, chosen: argparse.Namespace) -> dict[str, Any]:
    """The search on Spark, its levels in a temporary directory."""
    conf = {"partitions": chosen.partitions, "localStates": chosen.local}
    given = tuple((f"spark.isrcheck.{name}", str(number)) for name, number in conf.items() if number is not None)
    settings = settings_of(Cluster(chosen.master, given), 2)
    with tempfile.TemporaryDirectory(prefix="isrcheck-bench-") as folder:
        search = explore(system_of(size), Request(properties=PROPERTIES), settings, Storage(url_of(folder)))
    return {"distinct": search.distinct, "seconds": search.seconds, "digest": search.digest}


class Sampler:
    """Costs of a process and all that it starts: processor seconds by kind, and the largest memory together."""

    def __init__(self, process: int) -> None:
        self._process, self._over = process, threading.Event()
        self._cpu: dict[tuple[str, int], float] = {}
        self.peak_bytes = 0
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self) -> None:
        while not self._over.wait(_SAMPLE_SECONDS):
            self._sample()

    def _sample(self) -> None:
        children, stats = defaultdict(list), {}
        for name in (each.name for each in Path("/proc").iterdir() if each.name.isdecimal()):
            with suppress(OSError):
                command, _, rest = Path(f"/proc/{name}/stat").read_text(encoding="utf-8").partition(") ")
                fields = rest.split()
                stats[int(name)] = command.partition("(")[2], fields
                children[int(fields[1])].append(int(name))
        below, resident = [self._process], 0
        while below:
            process = below.pop()
            below += children[process]
            if process in stats:
                command, fields = stats[process]
                kind = "driver" if process == self._process else "java" if command == "java" else "tasks"
                self._cpu[kind, process] = (int(fields[11]) + int(fields[12])) / _TICKS
                resident += int(fields[21]) * os.sysconf("SC_PAGE_SIZE")
        self.peak_bytes = max(self.peak_bytes, resident)

    def end(self) -> dict[str, float]:
        """Stop sampling; return seconds by kind."""
        self._over.set()
        self._thread.join()
        by_kind: dict[str, float] = defaultdict(float)
        for (kind, _), seconds in self._cpu.items():
            by_kind[kind] += seconds
        return dict(by_kind)


@dataclass(frozen=True)
class Way:
    """One way to search."""

    name: str
    arguments: tuple[str, ...]
    clone: Path = HERE


def measure(way: Way, size: str) -> dict[str, Any]:
    """Search once in a process of its own; return its figures."""
    command = [sys.executable, "-m", "tools.bench.spark", "--sizes", size, *way.arguments]
    path = os.pathsep.join(str(way.clone / folder) for folder in ("checker", "model", "."))
    began = time.perf_counter()
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=way.clone,
        text=True,
        env={**os.environ, "PYTHONPATH": path},
    )
    sampler = Sampler(process.pid)
    said, _ = process.communicate()
    cpu = sampler.end()
    if process.returncode:
        raise SystemExit(f"{way.name} at {size} ended with {process.returncode}")
    figures: dict[str, Any] = json.loads(said)
    return {**figures, "wall": time.perf_counter() - began, "cpu": cpu, "peak": sampler.peak_bytes}


def ways(chosen: argparse.Namespace) -> list[Way]:
    """One native thread, then Spark before and after, with each number of threads."""
    rest = [
        f"--{name}={value}" for name, value in (("local", chosen.local), ("partitions", chosen.partitions)) if value
    ]
    listed = [Way("one native thread", ("--one", "native"))]
    for threads in chosen.threads:
        arguments = ("--one", "spark", "--master", f"local[{threads}]", *rest)
        if chosen.before:
            listed.append(Way(f"Spark before, local[{threads}]", arguments, chosen.before.resolve()))
        listed.append(Way(f"Spark, local[{threads}]", arguments))
    return listed


def rows_of(size: str, results: dict[str, list[dict[str, Any]]]) -> list[str]:
    """The table's rows for one size: medians."""
    base = statistics.median(each["wall"] for each in results["one native thread"])
    rows = []
    for name, runs in results.items():
        wall = statistics.median(each["wall"] for each in runs)
        cpu = {
            kind: statistics.median(each["cpu"].get(kind, 0) for each in runs) for kind in ("driver", "java", "tasks")
        }
        peak = statistics.median(each["peak"] for each in runs) / (1 << 20)
        seconds = (f"{cpu[kind]:.1f}" for kind in cpu)
        first = (size, f"{runs[0]['distinct']:,}", name, str(len(runs)), f"{wall:.1f}", f"{wall / base:.2f}")
        rows.append(f"| {' | '.join((*first, *seconds, f'{peak:,.0f}'))} |")
    return rows


HEAD = """\
| size | states | searched by | runs | wall, s | times one native thread | driver, CPU s | Java | tasks | peak, MiB |
|---|--:|---|--:|--:|--:|--:|--:|--:|--:|"""


def compare(chosen: argparse.Namespace) -> None:
    """Measure all ways by turns, and print the table."""
    until = time.perf_counter() + chosen.seconds
    lines = [HEAD]
    print(HEAD, flush=True)
    for size in chosen.sizes:
        results: dict[str, list[dict[str, Any]]] = {}
        for _ in range(chosen.repeat):
            for way in ways(chosen):
                if time.perf_counter() < until:
                    results.setdefault(way.name, []).append(measure(way, size))
        answers = {(each["distinct"], each["digest"]) for runs in results.values() for each in runs}
        if len(answers) > 1:
            raise SystemExit(f"{size}: the answers differ: {answers}")
        if results:
            lines += rows_of(size, results)
            print("\n".join(lines[-len(results) :]), flush=True)
    if chosen.report:
        chosen.report.write_text("\n".join(lines) + "\n", encoding="utf-8")


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", nargs="+", default=["3,2,2,2", "3,2,2,3", "3,3,3,3"])
    parser.add_argument("--threads", nargs="+", type=int, default=[1, 2])
    parser.add_argument("--local", type=int)
    parser.add_argument("--partitions", type=int)
    parser.add_argument("--before", type=Path)
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=700.0)
    parser.add_argument("--report", type=Path)
    parser.add_argument("--master", default="local[2]", help=argparse.SUPPRESS)
    parser.add_argument("--one", choices=["native", "spark"], help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.one:
        [size] = chosen.sizes
        print(json.dumps(native(size) if chosen.one == "native" else on_spark(size, chosen)))
    else:
        compare(chosen)


if __name__ == "__main__":
    main()
