"""Behaviours of kip-320 by the size of its graph, beside TLC, into reports/tlc.md: ./dev tlc temporal [SECONDS].

Three leads-to properties, with weak fairness of every step that a replica takes by itself. SECONDS of CPU are the most
that TLC has for one size (300). Needs Java and TLC_JAR; without them the columns of TLC are empty.
"""

import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tools.reports import kip_320
from tools.reports.kip_320 import ALIVE, NAMES, Kip320Forever
from tools.reports.tlc import SIZES, TABLE, TEMPORAL, parse_answer, write_page
from tools.reports.verdict_times import COMMAND

from isrcheck.files import write_aside
from isrcheck.lang.read import read_model
from isrcheck.liveness.deciding import fairness_conditions
from isrcheck.passes import bind
from isrcheck.passes.bind import BoundModel
from isrcheck.tla.export import to_tla, write_folder

CONFIGURATIONS = [
    *((2, 2, 2, 2), (3, 1, 1, 1), (2, 3, 3, 3), (3, 1, 1, 2), (3, 2, 1, 2), (3, 2, 2, 1)),
    *((3, 2, 2, 2), (3, 2, 2, 3)),
]
MOST = 300  # CPU seconds of TLC for one size


@dataclass(frozen=True)
class Cost:
    """CPU seconds of all processes, and the peak of the largest in bytes."""

    cpu: float
    peak: int

    def __str__(self) -> str:
        return f"{self.cpu:.1f} | {self.peak / 2**30:.2f}"


@dataclass(frozen=True)
class Row:
    sizes: tuple[int, ...]
    choices: int  # weakly fair ones
    distinct: int
    ours: Cost
    tlc: Cost | str  # why there is none


def cost_of(command: Sequence[str], folder: Path, most: float) -> tuple[Cost | None, str]:
    """The cost of a command, None where the time is over; and its output."""
    with tempfile.TemporaryFile("w+", encoding="utf-8") as said:
        process = subprocess.Popen(command, cwd=folder, stdout=said, stderr=subprocess.STDOUT)
        resource.prlimit(process.pid, resource.RLIMIT_CPU, (int(most), int(most) + 5))
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        said.seek(0)
        is_over = used.ru_utime + used.ru_stime >= most
        return None if is_over else Cost(used.ru_utime + used.ru_stime, used.ru_maxrss << 10), said.read()


def ours(sizes: Sequence[int], folder: Path) -> tuple[Cost, int]:
    """Warm: the second of two runs. Raises RuntimeError unless every property holds."""
    file = folder / "outcome.json"
    command = [str(COMMAND), "check", f"{kip_320.__file__}:Kip320Forever", "--json", str(file), "--workers", "1"]
    command += [argument for name, size in zip(SIZES, sizes, strict=True) for argument in ("-c", f"{name}={size}")]
    command += [argument for name in NAMES for argument in ("--property", name)]
    command += [argument for name in ALIVE for argument in ("--fairness", name)]
    for _ in range(2):
        cost, said = cost_of(command, folder, 10 * MOST)
    outcome = json.loads(file.read_text(encoding="utf-8"))
    if cost is None or [each["verdict"] for each in outcome["properties"]] != ["holds"] * len(NAMES):
        raise RuntimeError(said)
    return cost, outcome["states"]["distinct"]


def tlc(model: BoundModel, classes: str, folder: Path, most: float) -> tuple[Cost | None, int | None]:
    """Run TLC; return its cost and number of states. Raises RuntimeError if it ends otherwise than with `holds`."""
    exported = to_tla(model, list(ALIVE))
    write_folder(exported.files, folder)
    head = exported.configuration.split("\nINVARIANTS")[0].removesuffix("CONSTANTS\n")
    asked = (f"PROPERTY {exported.writer.names.methods[name]}" for name in NAMES)
    configuration = "\n".join([head, *asked, "CHECK_DEADLOCK FALSE", ""])
    (folder / f"{exported.main}.cfg").write_text(configuration, encoding="utf-8")
    command = ["java", "-XX:+UseSerialGC", "-Xmx4g", "-cp", classes, "tlc2.TLC", "-workers", "1"]
    command += ["-noGenerateSpecTE", "-metadir", str(folder / "states"), exported.main]
    cost, said = cost_of(command, folder, most)
    return cost, None if cost is None else parse_answer(said).distinct


def measure(sizes: tuple[int, ...], classes: str, most: float, is_late: bool) -> Row:
    constants = dict(zip(SIZES, sizes, strict=True))
    bound = bind(read_model(Kip320Forever), constants)
    choices = len(fairness_conditions(bound, ALIVE))
    theirs: Cost | str = ""
    with tempfile.TemporaryDirectory(prefix="isrcheck-temporal-") as name:
        cost, distinct = ours(sizes, Path(name))
        if classes and is_late:
            theirs = "not asked"
        elif classes:
            measured_cost, states = tlc(bound, classes, Path(name), most)
            theirs = measured_cost or f"not within {most:g} s"
            if states not in (None, distinct):
                raise RuntimeError(f"{sizes}: {distinct} states here, {states} by TLC")
    return Row(sizes, choices, distinct, cost, theirs)


def table(rows: Sequence[Row]) -> list[str]:
    lines = ["| replicas, log, records, epochs | states | fair choices | CPU s | GiB | TLC, CPU s | TLC, GiB |"]
    lines.append("|---|--:|--:|--:|--:|--:|--:|")
    for row in rows:
        theirs = f"{row.tlc} |" if isinstance(row.tlc, str) else str(row.tlc)
        sizes = ", ".join(map(str, row.sizes))
        lines.append(f"| {sizes} | {row.distinct:,} | {row.choices} | {row.ours} | {theirs} |")
    return lines


HEAD = f"""\
What replicas of kip-320 do for ever: {len(NAMES)} leads-to properties, all of which hold, with weak fairness of every
choice of the steps that replicas take by themselves (`tools/reports/kip_320.py`). CPU seconds of the whole command and
the peak of its memory, one worker, warm; of TLC those of the exported module, one worker, a heap of 4 GiB. The counts
of states are equal. Made by `./dev tlc temporal`.
"""


def main(words: list[str]) -> int:
    most = float(words[0]) if words else MOST
    classes = os.environ.get("TLC_JAR", "") if shutil.which("java") else ""
    if not classes:
        print("TLC is not run: it needs Java, and TLC_JAR as a path to tla2tools.jar or to TLC's classes.")
    rows: list[Row] = []
    for sizes in CONFIGURATIONS:
        late = [row for row in rows if isinstance(row.tlc, str)]
        rows.append(measure(sizes, classes, most, any(row.tlc for row in late)))
        print(table(rows)[-1], flush=True)
    if classes:
        write_aside(TABLE, write_page({TEMPORAL: [HEAD, *table(rows)]}))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
