"""The Spark engine on one machine: its speed beside the native engine's.

usage: python -m tests.bench.spark [--master local[2]] [--sizes 3,2,2,2 ...] [--local N] [--partitions N]
                                   [--checkpoint DIR] [--json FILE]

Every search is a process of its own. Processor seconds are of everything that Spark ran, Java included;
they say more than the clock where a machine is shared.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from isrcheck.engines.contract import Cluster, Request
from isrcheck.engines.native.engine import explore as native_explore
from isrcheck.engines.spark import cluster as spark_cluster
from isrcheck.engines.spark.cluster import settings_of
from isrcheck.engines.spark.engine import explore
from isrcheck.engines.spark.storage import Storage, url_of
from isrcheck.ir.scalar import ScalarSystem
from isrcheck.lang.read import read_model
from isrcheck.passes import bind, lower
from isrmodel import Kip320

CONSTANTS = ("replicas", "log_size", "max_records", "max_leader_epoch")
PROPERTIES = ("weak_isr", "strong_isr")


def system_of(size: str) -> ScalarSystem:
    """kip-320 at four numbers such as 3,2,2,2."""
    return lower(bind(read_model(Kip320), dict(zip(CONSTANTS, size.split(","), strict=True))))


def peak(who: int) -> int:
    """The largest resident bytes of a process."""
    return resource.getrusage(who).ru_maxrss * 1024


def native(size: str, workers: int) -> dict[str, Any]:
    """The native engine's search."""
    seen = native_explore(system_of(size), Request(properties=PROPERTIES, workers=workers))
    return {"distinct": seen.distinct, "seconds": seen.seconds, "digest": seen.digest}


class Watched:
    """Adds up what the tasks of a search say of themselves."""

    def __init__(self) -> None:
        self.stored_bytes = 0
        self.levels: list[tuple[int, int, float]] = []
        self._next_level = spark_cluster.Spark.next_level

    def next_level(self, spark: spark_cluster.Spark, level: int, *rest: Any) -> list[str]:
        """A level, noted."""
        began = time.perf_counter()
        said = self._next_level(spark, level, *rest)
        reports = [json.loads(text) for text in said]
        for each in reports:
            self.stored_bytes += each["part"]["file"]["bytes"]
        states = sum(each["part"]["states"] for each in reports)
        self.levels.append((level, states, round(time.perf_counter() - began, 2)))
        print(*self.levels[-1], file=sys.stderr, flush=True)
        return said

    def method(self) -> Callable[..., list[str]]:
        """What stands in for the search's own method."""
        return lambda spark, level, *rest: self.next_level(spark, level, *rest)


def on_spark(size: str, chosen: argparse.Namespace) -> dict[str, Any]:
    """The search on Spark, its levels kept where asked."""
    watched = Watched()
    setattr(spark_cluster.Spark, "next_level", watched.method())  # noqa: B010 # a method replaced, which mypy forbids
    conf = {"partitions": chosen.partitions, "localStates": chosen.local}
    given = tuple((f"spark.isrcheck.{name}", str(number)) for name, number in conf.items() if number is not None)
    settings = settings_of(Cluster(chosen.master, given), 2)
    with tempfile.TemporaryDirectory(prefix="isrcheck-bench-") as folder:
        place = chosen.checkpoint or folder
        seen = explore(system_of(size), Request(properties=PROPERTIES), settings, Storage(url_of(place)))
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return {
        "distinct": seen.distinct,
        "seconds": seen.seconds,
        "digest": seen.digest,
        "depth": seen.depth,
        "buckets": settings.buckets,
        "local_states": settings.local_states,
        "on_cluster": sum(states for _, states, _ in watched.levels),
        "levels": watched.levels,
        "all_cpu": used.ru_utime + used.ru_stime,
        "stored_bytes": watched.stored_bytes,
        "driver_peak": peak(resource.RUSAGE_SELF),
        "largest_child_peak": peak(resource.RUSAGE_CHILDREN),
    }


def apart(arguments: list[str]) -> dict[str, Any]:
    """One search in a process of its own."""
    command = [sys.executable, "-m", "tests.bench.spark", *arguments]
    said = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    found: dict[str, Any] = json.loads(said)
    return found


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--master", default="local[2]")
    parser.add_argument("--sizes", nargs="+", default=["3,2,2,2"])
    parser.add_argument("--local", type=int)
    parser.add_argument("--partitions", type=int)
    parser.add_argument("--checkpoint")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--one", choices=["native", "spark"], help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.one:
        [size] = chosen.sizes
        print(json.dumps(native(size, 2) if chosen.one == "native" else on_spark(size, chosen)))
        return
    rest = [word for word in sys.argv[1:] if word not in chosen.sizes and word != "--sizes"]
    results = []
    for size in chosen.sizes:
        ours, other = (apart([*rest, "--sizes", size, "--one", one]) for one in ("spark", "native"))
        if (ours["distinct"], ours["digest"]) != (other["distinct"], other["digest"]):
            raise SystemExit(f"{size}: Spark says {ours}, native {other}")
        results.append({"size": size, "master": chosen.master, "spark": ours, "native_seconds": other["seconds"]})
        print(line(results[-1]), flush=True)
        if chosen.json:
            chosen.json.write_text(json.dumps(results, indent=1), encoding="utf-8")


def line(result: dict[str, Any]) -> str:
    """A result in words."""
    ours = result["spark"]
    states = ours["distinct"]
    return (
        f"{result['size']} at {result['master']}: {states:,} states in {ours['seconds']:.1f} s, "
        f"{states / ours['seconds']:,.0f} a second; native with two workers {states / result['native_seconds']:,.0f}, "
        f"{ours['seconds'] / result['native_seconds']:.1f} times as fast; "
        f"processor seconds: {ours['all_cpu']:.1f}; "
        f"{ours['stored_bytes'] / max(1, ours['on_cluster']):.1f} bytes stored a state; "
        f"driver {ours['driver_peak'] / (1 << 20):.0f} MiB"
    )


if __name__ == "__main__":
    main()
