"""Other model checkers beside isrcheck, into reports/benchmarks/peers.md: ./dev peers [--runs N] [MODEL ...].

Every checker has the model in its own language and decides the same invariants on the whole graph; its counts must be
those of tools/peers/rows.py, or the row says what it counts. What this machine lacks is said and left out.
"""

import argparse
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tools.peers.checkers import CHECKERS, Checker, Isrcheck
from tools.peers.rows import Row, rows

from isrcheck.files import write_aside

PAGE = Path(__file__).parents[2] / "reports" / "benchmarks" / "peers.md"
LONG = 20.0  # seconds of a run, after which it is not repeated


@dataclass(frozen=True)
class Run:
    seconds: float
    peak: int  # bytes of the process that searches
    said: str


@dataclass(frozen=True)
class Result:
    """Seconds by the clock: cold with one core, warm by cores. `remark` says why there are none, or what differs."""

    cold: float | None = None
    warm: dict[int, float] | None = None
    peak: int = 0
    remark: str = ""


class TooLong(Exception):
    """A command did not end within the limit."""


def run(command: Sequence[str], folder: Path, environment: dict[str, str], limit: float) -> Run:
    """Run a command to its end; its peak memory is that of the process itself."""
    began = time.perf_counter()
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(command, cwd=folder, env={**os.environ, **environment}, stdout=output, stderr=output)
        while True:
            pid, _, usage = os.wait4(process.pid, os.WNOHANG)
            if pid:
                break
            if time.perf_counter() - began > limit:
                process.kill()
                process.wait()
                raise TooLong
            time.sleep(0.002)
        process.returncode = 0
        seconds = time.perf_counter() - began
        output.seek(0)
        return Run(seconds, usage.ru_maxrss * 1024, output.read().decode(errors="replace"))


def measure(checker: Checker, row: Row, runs: int, limit: float) -> Result:
    with tempfile.TemporaryDirectory(prefix="isrcheck-peers-") as name:
        folder = Path(name)
        checker.write(row, folder)
        try:
            return _measure(checker, row, folder, runs, limit)
        except TooLong:
            return Result(remark=f"more than {limit:.0f} s")


def _measure(checker: Checker, row: Row, folder: Path, runs: int, limit: float) -> Result:
    environment = checker.environment(folder)
    prepared = sum(run(command, folder, environment, limit).seconds for command in checker.prepare(row, folder))
    first = run(checker.command(row, folder, 1), folder, environment, limit)
    counts = checker.counts(row, first.said)
    warm, peak = {}, 0
    for cores in checker.cores:
        again = [run(checker.command(row, folder, cores), folder, environment, limit)]
        while len(again) < runs and again[-1].seconds < LONG:
            again.append(run(checker.command(row, folder, cores), folder, environment, limit))
        warm[cores] = statistics.median(each.seconds for each in again)
        peak = peak or max(each.peak for each in again)
    remark = "" if counts.distinct == row.distinct else f"{counts.distinct:,} distinct"
    if counts.generated not in (None, row.generated):
        remark = f"{remark} {counts.generated:,} generated".strip()
    return Result(prepared + first.seconds, warm, peak, remark)


def table(results: dict[Row, dict[str, Result]], names: list[str]) -> list[str]:
    """A line for each checker and row: seconds, states a second, bytes a state, place among all."""
    lines = ["| model | distinct | checker | cold | warm, 1 core | warm, 2 cores | states/s | bytes/state | place |"]
    lines.append("|---|--:|---|--:|--:|--:|--:|--:|--:|")
    least = {row.name: {n: r.peak for n, r in of.items()} for row, of in reversed(results.items())}
    for row, of in results.items():
        order = sorted((min(r.warm.values()), n) for n, r in of.items() if r.warm)
        places = {name: str(place) for place, (_, name) in enumerate(order, 1)}
        for name in (n for n in names if n in of):
            begin = f"| {row.title} | {row.distinct:,} |" if name == names[0] else "| | |"
            lines.append(f"{begin} {name} {_cells(row, of[name], least[row.name][name])} {places.get(name, '')} |")
    return lines


def _cells(row: Row, result: Result, least: int) -> str:
    if result.warm is None or result.cold is None:
        return f"| {result.remark} | | | | |"
    rate = row.distinct / min(result.warm.values())
    size = f"{(result.peak - least) / row.distinct:.0f}" if result.peak > 2 * least else ""
    warm = " | ".join(f"{result.warm[cores]:.2f}" if cores in result.warm else "" for cores in (1, 2))
    remark = f" ({result.remark})" if result.remark else ""
    return f"{remark} | {result.cold:.2f} | {warm} | {rate:,.0f} | {size} |"


def summary(results: dict[Row, dict[str, Result]]) -> str:
    """Name who is first in how many rows, warm and cold."""
    of_all = [{n: r for n, r in of.items() if r.warm and r.cold} for of in results.values()]
    warm = [min(of, key=lambda n: min((of[n].warm or {}).values())) for of in of_all]
    cold = [min(of, key=lambda n: of[n].cold or 0.0) for of in of_all]
    names = dict.fromkeys(warm + cold)
    first = [f"{name} is first in {warm.count(name)} warm, in {cold.count(name)} cold" for name in names]
    return f"Of {len(results)} rows: {'; '.join(first)}."


HEAD = """# Beside other checkers

Made by `./dev peers` on an idle machine of two cores. The same graph, the same invariants, all states: counts equal
isrcheck's unless a row says so. Seconds by the clock from command to verdict. Cold: the first run after a change of
the model, with everything that its user runs (`spin -a` and `gcc`, `cargo build`, isrcheck with an empty cache). Warm:
the median of {runs} runs; runs above {long:.0f} s are not repeated, and each ends after {limit:.0f} s. States a
second: of the quickest warm run, start of the program included. For small graphs that start decides: of Python, of
Java, or of compiled code (SPIN, Stateright, tla-rs), which takes next to nothing. Bytes a state: peak memory above
that of the model's smallest row, where it at least doubles; TLC's are Java's heap, which is cleaned late. SPIN
searches depth first, so its traces are not the shortest; it hashes nothing away (no bitstate). TLC and tla-rs read
what `isrcheck export --to tla` writes, the others models written for them.
"""


def list_commands(checker: Checker, row: Row) -> list[str]:
    """The commands of a run with one core, without the folders that files are in."""
    with tempfile.TemporaryDirectory(prefix="isrcheck-peers-") as name:
        checker.write(row, Path(name))
        every = [*checker.prepare(row, Path(name)), checker.command(row, Path(name), 1)]
    jar = os.environ.get("TLC_JAR")

    def shorten(argument: str) -> str:
        return "$TLC_JAR" if argument == jar else re.sub(r"^/\S*/", "", argument)

    return [" ".join(map(shorten, command)) for command in every]


def parse(words: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="./dev peers", description="isrcheck beside other model checkers.")
    parser.add_argument("--runs", type=int, default=5, help="warm runs, of which the median counts")
    parser.add_argument("--limit", type=float, default=100.0, help="seconds after which a run is ended")
    parser.add_argument("models", nargs="*", help="of tools/peers/rows.py; without, all, and the page is written")
    return parser.parse_args(words)


def main(words: list[str]) -> int:
    options = parse(words)
    results: dict[Row, dict[str, Result]] = {}
    with tempfile.TemporaryDirectory(prefix="isrcheck-peers-") as name:
        checkers = [checker(Path(name)) for checker in CHECKERS]
        for checker in checkers:
            if checker.need():
                print(f"{checker.name} is not run: it needs {checker.need()}.")
        ready = [checker for checker in checkers if not checker.need()]
        run([str(c) for c in Isrcheck(Path(name)).command(next(rows()), Path(name), 1)], Path(name), {}, 60.0)
        for row in rows():
            if not options.models or row.name in options.models:
                results[row] = {c.name: measure(c, row, options.runs, options.limit) for c in ready}
                print("\n".join(table({row: results[row]}, [c.name for c in ready])[2:]), flush=True)
        versions = "; ".join(f"{checker.name}: {checker.version()}" for checker in ready)
        last = [*results][-1:]
        every = [f"    {line}" for row in last for checker in ready for line in list_commands(checker, row)]
    if not options.models and results:
        head = HEAD.format(runs=options.runs, long=LONG, limit=options.limit)
        lines = [head, versions + ".", "", f"The commands for {last[0].title}:", "", *every, "", summary(results), ""]
        write_aside(PAGE, "\n".join([*lines, *table(results, [c.name for c in ready]), ""]))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
