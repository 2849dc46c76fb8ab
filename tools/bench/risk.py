"""Measures `isrcheck risk` until its last default ring, with an empty cache: python -m tools.bench.risk [REPLICAS ...].

Writes reports/benchmarks/risk.csv, which docs/risk.md shows. Seconds by the clock are printed only.
"""

import csv
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from isrrisk.budget import FaultBudget

FILE = Path(__file__).parents[2] / "reports" / "benchmarks" / "risk.csv"
COLUMNS = ("replicas", "min_isr", "searched", "states", "cpu_seconds")
MIN_ISR = {2: 2, 3: 2, 5: 3}


def measure(replicas: int) -> list[dict[str, Any]]:
    """The complete rings of a plain command, the CPU seconds of all of them in the last row."""
    options = ["--replication-factor", str(replicas), "--min-isr", str(MIN_ISR[replicas]), "--no-advice", "--json", "-"]
    command = [sys.executable, "-m", "isrcheck", "risk", *options]
    with tempfile.TemporaryDirectory() as cache:
        before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
        printed = subprocess.run(
            command, capture_output=True, text=True, check=False, env={**os.environ, "ISRCHECK_CACHE_DIR": cache}
        ).stdout
        after, ended = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    cpu = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    print(f"{replicas} replicas: {cpu:.1f} s of CPU, {ended - began:.1f} s by the clock", flush=True)
    rings = json.loads(printed)["complete"]
    rows = [
        {
            "replicas": replicas,
            "min_isr": MIN_ISR[replicas],
            "searched": FaultBudget(ring["budget"], in_all=ring["in_all"]).description(),
            "states": ring["states"],
            "cpu_seconds": "",
        }
        for ring in rings
    ]
    rows[-1]["cpu_seconds"] = round(cpu)
    return rows


def main(sizes: list[int]) -> None:
    rows = [row for replicas in sizes for row in measure(replicas)]
    if sizes == list(MIN_ISR):
        with FILE.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)


if __name__ == "__main__":
    main([int(each) for each in sys.argv[1:]] or list(MIN_ISR))
