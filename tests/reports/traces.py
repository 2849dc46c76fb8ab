"""Draws the violated cells of the matrices in specs/ into reports/traces: python -m tests.reports.traces.

Every cell of the published designs; of the larger matrices, for each model and promise the cell with the fewest steps;
of the original design, whose scenarios are many, each promise at each number of steps that it takes to break.
"""

import csv
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from isrcheck import check
from isrcheck.evidence.follow import with_what_follows
from isrcheck.evidence.forms.table import rendered
from isrcheck.files import write_aside
from isrcheck.run.trace import Trace

ROOT = Path(__file__).parents[2]
SPECS = ROOT / "specs"
FOLDER = ROOT / "reports" / "traces"
SIZES = ("replicas", "log_size", "max_records", "max_leader_epoch")

HEAD = """# Counterexamples, drawn

Violated cells of the matrices in [specs](../../specs), each at its shortest trace: all of the published designs (there
the controller never empties the ISR), of the larger matrices for each model and promise the one with the fewest
steps, and of the original design each promise at each number of steps that it takes in some scenario. A claim that
nothing ever meets has no steps, and no drawing. [Policies](../../docs/policies.md),
[original design](../../docs/original-design.md) and [partition](../../docs/partition.md) tell their stories. True of
the models; not reproduced on a broker. `./dev reports` makes this folder again; [drawing](../../docs/drawing.md)
tells how.
"""


@dataclass(frozen=True)
class Cell:
    """A model that breaks a promise with these constants, after so many steps."""

    model: str
    constants: dict[str, str]
    promise: str
    steps: int
    file: str

    def trace(self) -> Trace:
        """The shortest trace. Raises AssertionError if there is none, or it has another length."""
        outcome = check(self.model, properties=[self.promise], constants=self.constants, stop_at_first=True)
        trace = outcome.property(self.promise).trace
        assert trace is not None, self
        assert trace.length == self.steps + 1, self
        return trace


def violated(matrix: str) -> Iterator[dict[str, str]]:
    """The rows of a matrix whose promise breaks."""
    with (SPECS / matrix).open(encoding="utf-8") as lines:
        yield from (row for row in csv.DictReader(lines) if row["verdict"] == "violated")


def published() -> Iterator[Cell]:
    """All cells of the published designs."""
    for row in violated("smallest-violations.csv"):
        constants = {name: row[name] for name in (*SIZES, "isr_may_empty")}
        file = f"{row['model']}-{row['property']}-{'-'.join(row[name] for name in SIZES)}.svg"
        yield Cell(row["model"], constants, row["property"], int(row["steps"]), file)


def shortest(matrix: str) -> Iterator[Cell]:
    """For each model and promise of a matrix the first of the cells with the fewest steps."""
    found: dict[str, Cell] = {}
    for row in violated(matrix):
        constants = dict(pair.split("=") for pair in row["constants"].replace(";", " ").split())
        steps = int(row["steps"]) if "steps" in row else int(row["length"]) - 1
        file = f"{row['model']}-{row['property']}.svg"
        if file not in found or steps < found[file].steps:
            found[file] = Cell(row["model"], constants, row["property"], steps, file)
    yield from found.values()


def original(matrix: str = "original-design.csv") -> Iterator[Cell]:
    """For each promise and each length of its shortest traces the scenario with the fewest states."""
    with (SPECS / matrix).open(encoding="utf-8") as lines:
        states = {row["scenario"]: int(row["distinct"]) for row in csv.DictReader(lines) if row["distinct"]}
    found: dict[tuple[str, int], tuple[int, Cell]] = {}
    for row in violated(matrix):
        if not row["length"]:
            continue
        steps, promise = int(row["length"]) - 1, row["property"]
        file = f"original-design-{promise}-{steps}.svg"
        constants = dict(pair.split("=") for pair in row["constants"].split(";") if pair)
        size, _ = found.get((promise, steps), (None, None))
        if size is None or states[row["scenario"]] < size:
            found[promise, steps] = states[row["scenario"]], Cell("original-design", constants, promise, steps, file)
    yield from (cell for _, (_, cell) in sorted(found.items(), key=lambda item: item[0]))


def by_request(matrix: str = "guards.csv") -> Iterator[Cell]:
    """What breaks if less than the maximal ISR holds the high watermark back; the other rows are in other matrices."""
    for row in violated(matrix):
        if row["model"].startswith("async-isr"):
            constants = dict(pair.split("=") for pair in row["constants"].split())
            file = f"{row['model']}-{row['property']}.svg"
            yield Cell(row["model"], constants, row["property"], int(row["steps"]), file)


SECTIONS: dict[str, Callable[[], Iterator[Cell]]] = {
    "Published designs": published,
    "Changes of the ISR by request": by_request,
    "ISR admission policies": lambda: shortest("isr-matrix.csv"),
    "The original design": original,
    "A partition across changes of leader": lambda: shortest("partition-matrix.csv"),
}


def main() -> None:
    """Makes all drawings and the page that lists them."""
    page = HEAD
    for title, cells in SECTIONS.items():
        page += f"\n## {title}\n\n| design | promise | steps | constants |\n|---|---|---:|---|\n"
        for cell in cells():
            write_aside(FOLDER / cell.file, rendered(with_what_follows(cell.trace()), "svg"))
            constants = " ".join(f"{name}={value}" for name, value in cell.constants.items())
            page += (
                f"| `{cell.model}` | [`{cell.promise}`]({cell.file}) | {cell.steps} | {constants or 'the defaults'} |\n"
            )
            sys.stdout.write(f"{cell.file}\n")
    write_aside(FOLDER / "README.md", page)


if __name__ == "__main__":
    main()
