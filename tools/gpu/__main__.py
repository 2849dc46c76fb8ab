"""./dev gpu: the search on a GPU is checked against the native engine, and timed, in less than five minutes.

Results go to FILE, or to reports/benchmarks under the device's name. `--emulator` rehearses both without a GPU: its
times are those of this processor, and say nothing of a GPU.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tools.gpu.bench import CHECKS, ROWS, Bench

from isrcheck.errors import UsageError

REPORTS = Path("reports/benchmarks")
PLAYED = "played by the processor of this machine: no figure here is a GPU's"


class Results:
    """The results of a run, a JSON object a line: printed as they come, and written in the end."""

    def __init__(self, device: str) -> None:
        self._device, self._lines = device, list[str]()
        self.differs = False

    def add(self, **result: Any) -> None:
        self.differs = self.differs or bool(result.get("differing"))
        self._lines.append(json.dumps({"on": self._device, **result}))
        print(self._lines[-1], flush=True)

    def write(self, target: Path) -> None:
        target.write_text("".join(f"{line}\n" for line in self._lines), encoding="utf-8")


def main(arguments: Sequence[str]) -> int:
    options = parse_options(arguments)
    bench = Bench(options.emulator, options.profile)
    try:
        device = bench.describe_device()
    except UsageError as error:
        print(f"{error} ./dev gpu --emulator rehearses without a GPU.", file=sys.stderr)
        return UsageError.exit_code
    results = Results(device["name"])
    results.add(event="device", **device, **({"note": PLAYED} if options.emulator else {}))
    try:
        run(bench, results, options.row, device["free"])
    finally:  # whatever ended it early, what a device has said is kept
        results.write(options.file or REPORTS / f"gpu-{device['name'].lower().replace(' ', '-')}.jsonl")
    return int(results.differs)


def parse_options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="./dev gpu", description=__doc__)
    parser.add_argument("file", metavar="FILE", nargs="?", type=Path)
    parser.add_argument("--emulator", action="store_true", help="without a GPU: the checks, and the first row")
    parser.add_argument("--profile", action="store_true", help="the seconds of each kernel, in the last run of a row")
    parser.add_argument(
        "--row", action="append", choices=[row.name for row in ROWS], default=[], help="this row alone, no checks"
    )
    return parser.parse_args(arguments)


def run(bench: Bench, results: Results, names: Sequence[str], free: int) -> None:
    """Run the rows of these names, or without names the checks, the rows that the device can take, and commands."""
    if not names:
        for model, constants in CHECKS:
            for result in bench.check(model, constants):
                results.add(event="check", model=model, constants=dict(constants), **result)
    for row in bench.choose_rows(names, free):
        for result in bench.time_row(row):
            results.add(event="row", **result)
    if not names:
        for result in bench.time_commands():
            results.add(event="command", **result)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
