"""Time from the command typed to the verdict printed, beside TLC, into reports/tlc.md: ./dev tlc times [MODEL ...].

On an idle machine; a first run of each tool is thrown away. Needs Java and TLC_JAR; without them the column of TLC is
empty. Models may be named; then the table is only printed.
"""

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tools.reports.tlc import TABLE, TIMES, class_of, configuration_for, ends_tlc, parse_answer

from isrcheck import check
from isrcheck.files import write_aside
from isrcheck.lang.read import read_model
from isrcheck.passes import bind
from isrcheck.tla.export import to_tla, write_folder

MODELS = [
    *("examples/die_hard.py", "examples/two_phase.py:TwoPhase", "examples/voting.py:Voting", "examples/paxos.py"),
    *("examples/readers_writers.py", "examples/chang_roberts.py", "examples/termination.py"),
    "kip-320",
]
COMMAND = Path(sys.executable).with_name("isrcheck")
WARM = 5  # runs, of which the median counts
LONG = 30.0  # seconds of TLC, after which it is not run again with the other number of workers


@dataclass(frozen=True)
class Times:
    """Seconds by the clock, and of CPU of all processes."""

    verdict: float
    prompt: float
    cpu: float


@dataclass(frozen=True)
class Row:
    model: str
    distinct: int
    cold: Times
    warm: Times
    tlc: Times | None  # with one worker or two, whichever was sooner


def measure_command(command: Sequence[str], folder: Path, verdict: str, **environment: str) -> tuple[Times, str]:
    """Run a command; return its times and output. `verdict` is in the line that has it; "" is the last line."""
    before, began = os.times(), time.perf_counter()
    env = {**os.environ, "PYTHONUNBUFFERED": "1", **environment}
    process = subprocess.Popen(
        command, cwd=folder, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    assert process.stdout is not None
    said, at = [], 0.0
    for line in process.stdout:
        said.append(line)
        if verdict and verdict in line:
            at = at or time.perf_counter() - began
    process.wait()
    prompt, after = time.perf_counter() - began, os.times()
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    return Times(at or prompt, prompt, cpu), "".join(said)


def ours(model: str, cache: Path) -> Times:
    file, colon, name = model.partition(":")
    source = f"{Path(file).resolve()}{colon}{name}" if file.endswith(".py") else model
    times, said = measure_command(
        [str(COMMAND), "check", source], cache, " distinct states", ISRCHECK_CACHE_DIR=str(cache)
    )
    if " distinct states" not in said:
        raise RuntimeError(said)
    return times


def tlc(model: str, classes: str) -> Times:
    """The times of TLC for all properties that hold; for those that are violated if none holds."""
    cls = class_of(model)
    bound = bind(read_model(cls), {})
    exported, outcome = to_tla(bound), check(cls)
    asked = [p for p in outcome.properties if not ends_tlc(p)] or list(outcome.properties[:1])
    measured: list[Times] = []
    with tempfile.TemporaryDirectory(prefix="isrcheck-tlc-") as name:
        folder = Path(name)
        write_folder(exported.files, folder)
        (folder / f"{exported.main}.cfg").write_text(configuration_for(exported, bound, asked), encoding="utf-8")
        for workers in ("1", "2"):
            command = ["java", "-XX:+UseParallelGC", "-Xmx2g", "-cp", classes, "tlc2.TLC", "-workers", workers]
            command += ["-noGenerateSpecTE", "-metadir", str(folder / "states"), exported.main]
            times, said = measure_command(command, folder, "")
            parse_answer(said)
            measured.append(times)
            if times.prompt > LONG:
                break
    return min(measured, key=lambda times: times.prompt)


def measure(model: str, classes: str) -> Row:
    with tempfile.TemporaryDirectory(prefix="isrcheck-times-") as name:
        cache = Path(name)
        cold = ours(model, cache)
        runs = [ours(model, cache) for _ in range(WARM)]
    warm = Times(*(statistics.median(getattr(run, field) for run in runs) for field in ("verdict", "prompt", "cpu")))
    distinct = check(class_of(model)).distinct
    assert distinct is not None
    return Row(model, distinct, cold, warm, tlc(model, classes) if classes else None)


def table(rows: list[Row]) -> list[str]:
    lines = ["| model | states | cold | warm | prompt, warm | TLC | TLC / cold | TLC / warm | CPU s cold, warm, TLC |"]
    lines.append("|---|--:|--:|--:|--:|--:|--:|--:|---|")
    lines += map(_line, rows)
    beside = [(row, row.tlc) for row in rows if row.tlc]
    if beside:
        sooner = sum(row.cold.verdict < tlc.verdict for row, tlc in beside)
        times = statistics.median(tlc.verdict / row.warm.verdict for row, tlc in beside)
        lines.append("")
        lines.append(
            f"Cold, sooner than TLC on {sooner} of {len(beside)}; warm, {times:.1f} times sooner at the median."
        )
    return lines


def _line(row: Row) -> str:
    theirs = "| | "
    if row.tlc is not None:
        seconds = row.tlc.verdict
        theirs = f"{seconds:.2f} | {seconds / row.cold.verdict:.1f} | {seconds / row.warm.verdict:.1f}"
    cpu = ", ".join(f"{each.cpu:.1f}" for each in (row.cold, row.warm, row.tlc) if each)
    seconds_here = f"{row.cold.verdict:.2f} | {row.warm.verdict:.2f} | {row.warm.prompt:.2f}"
    return f"| `{row.model}` | {row.distinct:,} | {seconds_here} | {theirs} | {cpu} |"


HEAD = """\
From `isrcheck check MODEL` typed to its verdict printed, in seconds by the clock, all properties asked, one worker.
Cold: with nothing in the user's cache. Warm: the median of five runs after that. TLC: the exported module, from the
command to its end, with one worker or two, whichever was sooner, asked for what holds. Made by `./dev tlc times`.
"""


def main(models: list[str]) -> int:
    classes = os.environ.get("TLC_JAR", "")
    if not shutil.which("java"):
        classes = ""
    if not classes:
        print("TLC is not run: it needs Java, and TLC_JAR as a path to tla2tools.jar or to TLC's classes.")
    first = [str(COMMAND), "check", "toy-counter"]
    measure_command(first, Path.cwd(), "")
    if classes:
        tlc("examples/die_hard.py", classes)
    rows = []
    for model in models or MODELS:
        rows.append(measure(model, classes))
        print(table(rows)[1 + len(rows)], flush=True)
    print("\n".join(table(rows)))
    if not models:
        before = TABLE.read_text(encoding="utf-8").partition(f"\n## {TIMES}\n")[0].rstrip()
        write_aside(TABLE, "\n".join([before, "", f"## {TIMES}", "", HEAD, *table(rows), ""]))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
