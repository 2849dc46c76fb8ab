"""The native engine against the yardstick, a C program written for one model, on this machine and in one run.

usage: python -m tools.bench.yardstick_ratio [--rounds N] [--sizes 3,2,2,2 ...] [--json FILE]

Yardstick, one worker and two workers take turns, each in a process of its own; the medians are compared. Compilation is
left out on both sides. Needs a C compiler for the yardstick, and for nothing else.
"""

import argparse
import json
import re
import resource
import statistics
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from isrcheck.engines.contract import Request
from isrcheck.engines.native.engine import explore
from isrcheck.lang.read import read_model
from isrcheck.passes import bind, lower
from isrmodel import Kip320

YARDSTICK = Path(__file__).with_name("yardstick") / "run.sh"
TABLE_BITS = {"3,2,2,2": 21, "3,3,3,3": 27, "4,2,2,2": 28}
PROPERTIES = ("weak_isr", "strong_isr")
REPORTS = Path(__file__).parents[2] / "reports" / "benchmarks"


@dataclass(frozen=True, slots=True)
class Result:
    """The medians for one size."""

    size: str
    distinct: int
    yardstick: float  # distinct states a second, and so on
    one_worker: float
    two_workers: float
    bytes_a_state: float  # the largest resident size of a whole process with one worker

    @property
    def to_yardstick(self) -> float:
        """One worker's speed as a multiple of the yardstick's."""
        return self.one_worker / self.yardstick

    @property
    def to_one(self) -> float:
        """Two workers' speed as a multiple of one worker's."""
        return self.two_workers / self.one_worker


def yardstick(size: str) -> float:
    """Distinct states a second of the C program."""
    command = [str(YARDSTICK), *size.split(","), str(TABLE_BITS[size])]
    said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    match = re.search(r"distinct (\d+) .*? ([\d.]+)s ", said)
    if match is None:
        raise SystemExit(f"the yardstick said {said!r}")
    return int(match[1]) / float(match[2])


def native(size: str, workers: int) -> dict[str, float]:
    """Search once in a process of its own; return its figures."""
    command = [sys.executable, "-m", "tools.bench.yardstick_ratio", "--one", size, "--workers", str(workers)]
    answer: dict[str, float] = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return answer


def search_once(size: str, workers: int) -> None:
    """Search, and print what it took as JSON."""
    replicas, log_size, records, epochs = map(int, size.split(","))
    names = ("replicas", "log_size", "max_records", "max_leader_epoch")
    model = bind(read_model(Kip320), dict(zip(names, (replicas, log_size, records, epochs), strict=True)))
    search = explore(lower(model), Request(properties=PROPERTIES, workers=workers))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    print(json.dumps({"distinct": search.distinct, "rate": search.distinct / search.seconds, "peak": peak}))


def measure(size: str, rounds: int) -> Result:
    """The medians of so many rounds."""
    native(size, 1)  # compiles
    rows = [(yardstick(size), native(size, 1), native(size, 2)) for _ in range(rounds)]
    return Result(
        size=size,
        distinct=int(rows[0][1]["distinct"]),
        yardstick=statistics.median(row[0] for row in rows),
        one_worker=statistics.median(row[1]["rate"] for row in rows),
        two_workers=statistics.median(row[2]["rate"] for row in rows),
        bytes_a_state=statistics.median(row[1]["peak"] for row in rows) / rows[0][1]["distinct"],
    )


def show(result: Result) -> None:
    """Print one size as lines of text."""
    million = 1e6
    print(f"kip-320 at {result.size}: {result.distinct:,} states")
    print(f"  yardstick    {result.yardstick / million:6.2f} million distinct states a second")
    print(f"  one worker   {result.one_worker / million:6.2f}, {result.to_yardstick:.2f} of the yardstick")
    print(f"  two workers  {result.two_workers / million:6.2f}, {result.to_one:.2f} of one worker")
    print(f"  memory       {result.bytes_a_state:6.1f} bytes a state")


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--sizes", nargs="+", default=["3,2,2,2", "3,3,3,3"], choices=list(TABLE_BITS))
    parser.add_argument("--json", type=Path, default=REPORTS / "yardstick-ratio.json")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    parser.add_argument("--workers", type=int, default=1, help=argparse.SUPPRESS)
    chosen = parser.parse_args(arguments)
    if chosen.one:
        search_once(chosen.one, chosen.workers)
        return
    results = [measure(size, chosen.rounds) for size in chosen.sizes]
    for result in results:
        show(result)
    if chosen.json:
        chosen.json.parent.mkdir(parents=True, exist_ok=True)
        chosen.json.write_text(json.dumps([asdict(each) for each in results], indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
