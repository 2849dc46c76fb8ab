"""A search with its states on disk, at several sizes of memory, beside the search in memory.

usage: python -m tools.bench.disk [--size 3,3,3,3] [--memory 4G 2G 1G] [--workers N] [--directory DIR] [--rounds N]
                                  [--no-memory-run] [--json FILE]

Every search is a process of its own; the sizes of memory take turns, and the medians are shown. kip-320 at (3,3,3,3)
has 64,739,578 states and takes about half a minute a run on disk, and half that and 1.8 GB in memory. Bytes are those
that the process read and wrote, whether or not the system still had them in memory. The digests must be one.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import Any

from tools.bench.spark import CONSTANTS

from isrcheck.api import check
from isrcheck.engines.contract import Limits, Options
from isrcheck.grid.toml_table import parse_size

FIGURES = ("seconds", "cpu", "peak", "read", "written")
IN_MEMORY = "in memory"


def search_once(size: str, memory: str, workers: int, directory: str) -> dict[str, Any]:
    """Search kip-320 of a size once in this process; return states, digest, times and bytes."""
    constants = dict(zip(CONSTANTS, size.split(","), strict=True))
    disk = None if memory == IN_MEMORY else Path(directory)
    limits = Limits(memory=None if memory == IN_MEMORY else parse_size(memory))
    outcome = check("kip-320", limits=limits, options=Options(workers=workers, disk=disk), constants=constants)
    used = resource.getrusage(resource.RUSAGE_SELF)
    counted = dict(line.split(": ") for line in Path("/proc/self/io").read_text().splitlines())
    return {
        "states": outcome.searched.distinct if outcome.searched else 0,
        "digest": outcome.digest,
        "seconds": outcome.seconds,
        "cpu": used.ru_utime + used.ru_stime,
        "peak": used.ru_maxrss * 1024,
        "read": int(counted["rchar"]),
        "written": int(counted["wchar"]),
    }


def in_a_process(chosen: argparse.Namespace, memory: str) -> dict[str, Any]:
    """Run one search in a process of its own, in an empty directory."""
    with tempfile.TemporaryDirectory(prefix="isrcheck-disk-", dir=chosen.directory) as folder:
        options = ["--size", chosen.size, "--workers", str(chosen.workers), "--directory", folder, "--one", memory]
        command = [sys.executable, "-m", "tools.bench.disk", *options]
        said = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    return dict(json.loads(said))


def main() -> None:
    """Prints a table, and writes every run's figures where asked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", default="3,2,2,3", help=f"{', '.join(CONSTANTS)} of kip-320")
    parser.add_argument("--memory", nargs="+", default=["4G", "2G", "1G"])
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--directory", default=None, help="on the disk that is measured")
    parser.add_argument("--no-memory-run", action="store_true", help="where the graph does not fit into memory")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--one", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.one:
        print(json.dumps(search_once(chosen.size, chosen.one, chosen.workers, chosen.directory)))
        return
    ways = [*([] if chosen.no_memory_run else [IN_MEMORY]), *chosen.memory]
    runs = [(memory, in_a_process(chosen, memory)) for _ in range(chosen.rounds) for memory in ways]
    print(
        f"kip-320 at {chosen.size}, {runs[0][1]['states']:,} states, {chosen.workers} worker(s), {os.cpu_count()} cores"
    )
    print(f"{'memory':>10} {'wall ns':>8} {'CPU ns':>8} {'read B':>8} {'written B':>10} {'peak MiB':>9}   (a state)")
    for memory in ways:
        mine = [run for way, run in runs if way == memory]
        wall, cpu, peak, read, written = (median(run[name] for run in mine) for name in FIGURES)
        states = mine[0]["states"]
        nanoseconds = f"{wall / states * 1e9:8.0f} {cpu / states * 1e9:8.0f}"
        print(f"{memory:>10} {nanoseconds} {read / states:8.1f} {written / states:10.1f} {peak / (1 << 20):9.0f}")
    if chosen.json:
        chosen.json.write_text(json.dumps(runs))
    if len({run["digest"] for _, run in runs} - {None}) != 1 or any(run["digest"] is None for _, run in runs):
        raise SystemExit("the digests differ, or a search was not complete")


if __name__ == "__main__":
    main()
