"""One worker and two at one search, and two searches side by side, which say what the machine gives.

usage: python -m tools.bench.workers [--rounds N] [--one MODEL ARGUMENTS]

The searches take turns, each in a process of its own; medians go into reports/benchmarks/workers.md. "Waited" is the
share of the workers' time in which one waited for the other, by the workers' own counters. Compilation is left out.
"""

import json
import subprocess
import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from statistics import median
from typing import Any

from isrcheck.catalogue import find_model
from isrcheck.engines.contract import Request
from isrcheck.engines.native.lowered import Lowered
from isrcheck.engines.native.search import NativeSearch
from isrcheck.lang.read import read_model
from isrcheck.passes import bind, lower

PAGE = Path(__file__).parents[2] / "reports" / "benchmarks" / "workers.md"
_KIP_320 = ("replicas", "log_size", "max_records", "max_leader_epoch")
SEARCHES: dict[str, tuple[str, dict[str, int]]] = {
    **{
        f"kip-320 ({size})": ("kip-320", dict(zip(_KIP_320, map(int, size.split(",")), strict=True)))
        for size in ("3,2,2,1", "3,2,2,2", "3,3,3,3")
    },
    "kraft-4.3, RF 3": ("kraft-4.3", {"replicas": 3, "max_records": 1, "elections": 1, "kills": 1}),
    "kraft-4.3, RF 3, two records": ("kraft-4.3", {"replicas": 3, "max_records": 2, "elections": 0, "kills": 1}),
}
HEAD = """# One worker and two

Made by `python -m tools.bench.workers` on two idle cores: medians of {rounds} rounds, in which one worker, two workers,
and two searches of one worker each, side by side, took turns. The last says what the machine gives: one search cannot
use two cores better than two that know nothing of each other. Seconds are of the search alone, compiled before, with
all properties. Waited: the share of two workers' time in which one waited for the other.

| search | states | 1 worker, s | 2 workers, s | ratio | waited | two searches side by side |
|---|--:|--:|--:|--:|--:|--:|
"""


def search_once(name: str, workers: int) -> dict[str, Any]:
    """Search in this process; return states, seconds, and the seconds waited by the workers together."""
    model_name, constants = SEARCHES[name]
    model = bind(read_model(find_model(model_name)), constants)
    system = lower(model)
    names = tuple(each.name for each in system.properties)
    asked = Request(properties=names, workers=workers)
    lowered = Lowered.of(system, names)
    with closing(NativeSearch(lowered.machine(), system, asked, lowered.system is system)) as search:
        answer = search.run()
        return {"states": answer.distinct, "seconds": answer.seconds, "waited": sum(search.pool.waited)}


def in_processes(name: str, workers: int, count: int) -> list[dict[str, Any]]:
    """Run so many searches at the same time, each in a process of its own."""
    command = [sys.executable, "-m", "tools.bench.workers", "--one", name, "--workers", str(workers)]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(count)]
    said = [process.communicate()[0] for process in running]
    return [json.loads(each) for each in said]


def row_of(name: str, rounds: int) -> str:
    """The row of one search."""
    runs = [[in_processes(name, *how) for how in ((1, 1), (2, 1), (1, 2))] for _ in range(rounds)]
    one = median(run[0][0]["seconds"] for run in runs)
    two = median(run[1][0]["seconds"] for run in runs)
    beside = median(max(each["seconds"] for each in run[2]) for run in runs)
    waited = median(run[1][0]["waited"] / (2 * run[1][0]["seconds"]) for run in runs)
    states = {each["states"] for run in runs for way in run for each in way}
    if len(states) != 1:
        raise SystemExit(f"{name}: the counts differ: {states}")
    cells = (f"{states.pop():,}", f"{one:.2f}", f"{two:.2f}", f"{one / two:.2f}", f"{waited:.1%}")
    return f"| {name} | {' | '.join(cells)} | {2 * one / beside:.2f} |"


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure every search, and write the page."""
    parser = ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--one", choices=SEARCHES)
    parser.add_argument("--workers", type=int, default=1)
    chosen = parser.parse_args(arguments)
    if chosen.one:
        print(json.dumps(search_once(chosen.one, chosen.workers)))
        return
    lines = HEAD.format(rounds=chosen.rounds)
    for name in SEARCHES:
        lines += row_of(name, chosen.rounds) + "\n"
        print(lines.splitlines()[-1], flush=True)
    PAGE.write_text(lines, encoding="utf-8")


if __name__ == "__main__":
    main()
