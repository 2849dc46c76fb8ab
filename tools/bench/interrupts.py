"""How soon each command ends in each of its phases: by SIGINT, by SIGTERM, and because its --max-seconds are over.

usage: python -m tools.bench.interrupts [--load N] [--only TEXT ...] [--ways INT TERM LIMIT] [--dry]

Each figure is the time from the signal, or from the end of the time limit, until no process of the command is left.
Meanwhile N processes (8) do nothing but count. The phase begins with a call of the function that the table names; what
is over sooner than a signal comes is done several times. A time limit of ten seconds ends by a clock that stood still
until then. Without --only everything is measured, which takes some 15 minutes, and the table is written into
reports/benchmarks/interrupts.md; with it only those rows of the table are new.
"""

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tools.bench._phases import PHASES, Phase
from tools.bench.interrupted import begin, end_time, kill_all, output_of, processes_in, wait_until, write_models

TABLE = Path(__file__).parents[2] / "reports" / "benchmarks" / "interrupts.md"
SIGNALS = {"INT": signal.SIGINT, "TERM": signal.SIGTERM}
WAYS = (*SIGNALS, "LIMIT")


@dataclass(frozen=True)
class End:
    """How a command ended: seconds, exit code, and what it said."""

    seconds: float
    exit: int
    says: str

    def cell(self) -> str:
        return f"{self.seconds:.2f}"


class Load:
    """Processes that keep all cores busy while a command is to end, and are stopped otherwise."""

    def __init__(self, number: int) -> None:
        command = [sys.executable, "-c", "while True: pass"]
        self._processes = [subprocess.Popen(command) for _ in range(number)]
        self._signal(signal.SIGSTOP)

    @contextmanager
    def busy(self) -> Iterator[None]:
        self._signal(signal.SIGCONT)
        try:
            yield
        finally:
            self._signal(signal.SIGSTOP)

    def close(self) -> None:
        for process in self._processes:
            process.kill()
            process.wait()

    def _signal(self, number: int) -> None:
        for process in self._processes:
            process.send_signal(number)


def end_in(phase: Phase, way: str, load: Load, folder: Path) -> End:
    """Run a command until the phase begins, end it in this way beside the load, and measure."""
    write_models(folder)
    environment = {**os.environ, "ISRCHECK_CACHE_DIR": str(folder / "cache")}
    if phase.before:
        isrcheck = [sys.executable, "-m", "isrcheck", *phase.before.split()]
        subprocess.run(isrcheck, cwd=folder, env=environment, capture_output=True, check=False)
    words = phase.words.split() + (phase.limit.split() if way == "LIMIT" else [])
    running = begin(folder, phase.begins, *words, limit=phase.limit_seconds if way == "LIMIT" else 0.0)
    time.sleep(phase.after)
    with load.busy():
        began = time.monotonic()
        if way in SIGNALS:
            running.send_signal(SIGNALS[way])
        else:
            end_time(folder)
        try:
            wait_until(lambda: running.poll() is not None and not processes_in(folder), 60, 0.01)
        except AssertionError:
            kill_all(folder)
        seconds = time.monotonic() - began
    with running:  # whose standard input is a pipe
        return End(seconds, running.wait(), output_of(folder))


def measure(phase: Phase, way: str, load: Load) -> End:
    with tempfile.TemporaryDirectory(prefix="isrcheck-ends-") as name:
        return end_in(phase, way, load, Path(name).resolve())


def rows_of(table: Path) -> dict[str, str]:
    """The rows of a table that was written before, by their first two cells."""
    lines = table.read_text(encoding="utf-8").splitlines() if table.exists() else []
    rows = [line for line in lines if line.startswith("| ")]
    return {": ".join(cell.strip() for cell in line.split("|")[1:3]): line for line in rows}


def write_table(rows: dict[str, str], load: int) -> None:
    """Write the rows in the order of the phases."""
    head = (
        "# Seconds until a command has ended, by phase\n\n"
        f"Beside {load} busy processes on {os.cpu_count()} cores: from the signal, or the end of --max-seconds (of the "
        "gate: --budget), until\nno process of the command is left, and its exit codes. A dash: it has no such limit.\n"
        "`python -m tools.bench.interrupts` writes this page.\n\n"
        "| command | phase | SIGINT | SIGTERM | limit | exit |\n|---|---|--:|--:|--:|--:|\n"
    )
    body = [rows[phase.title] for phase in PHASES if phase.title in rows]
    TABLE.write_text(head + "\n".join(body) + "\n", encoding="utf-8")


def main() -> None:
    """Measure, print each figure as it is known, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--load", type=int, default=8)
    parser.add_argument("--only", nargs="+", default=[""], help="what the titles of the phases contain")
    parser.add_argument("--ways", nargs="+", default=list(WAYS), choices=WAYS)
    parser.add_argument("--dry", action="store_true", help="write no table")
    chosen = parser.parse_args()
    load, rows = Load(chosen.load), rows_of(TABLE)
    try:
        for phase in PHASES:
            if not any(title in phase.title for title in chosen.only):
                continue
            try:
                ends = {way: measure(phase, way, load) for way in chosen.ways if way != "LIMIT" or phase.limit}
            except AssertionError as error:
                print(f"{phase.title:40} {str(error)[:400]}", flush=True)
                continue
            for way, end in ends.items():
                last = end.says.strip().splitlines()[-1:] or [""]
                print(f"{phase.title:40} {way:5} {end.seconds:7.2f} s, exit {end.exit}: {last[0][:150]}", flush=True)
            cells = [ends[way].cell() if way in ends else "-" for way in WAYS]
            codes = {str(end.exit): None for end in ends.values()}
            rows[phase.title] = f"| {phase.command} | {phase.name} | {' | '.join(cells)} | {', '.join(codes)} |"
            if not chosen.dry:
                write_table(rows, chosen.load)
    finally:
        load.close()


if __name__ == "__main__":
    main()
