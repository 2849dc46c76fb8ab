"""Draws the violated cells of the matrices in specs/ into reports/traces: python -m tools.reports.traces.

Every cell of the published designs; of the larger matrices, for each model and property the cell with the fewest steps;
of the original design, whose scenarios are many, each property at each number of steps that it takes to violate it.
"""

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from tools.reports.tables import rows

from isrcheck import check
from isrcheck.evidence.follow import with_what_follows
from isrcheck.evidence.forms.table import render_trace
from isrcheck.files import write_aside
from isrcheck.run.trace import Trace

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "reports" / "traces"
SIZES = ("replicas", "log_size", "max_records", "max_leader_epoch")

HEAD = """# Counterexamples, drawn

Each drawing is the shortest trace of one violated cell of the matrices in [specs](../../specs): every cell of the
published designs (there the controller never empties the ISR); of the larger matrices, for each model and property, the
cell with the fewest steps; of the original design, each property at each number of steps that some scenario takes.
A reachability property that is never reached has no steps, and no drawing. The stories are told in
[policies](../../docs/policies.md) and [partition](../../docs/partition.md). They are true of the models; none was
reproduced on a broker. `./dev reports` makes this folder; [drawing](../../docs/drawing.md) explains the drawings.
"""


@dataclass(frozen=True)
class Cell:
    """A model that violates a property with these constants, after so many steps."""

    model: str
    constants: dict[str, str]
    violates: str
    steps: int
    file: str

    def trace(self) -> Trace:
        """The shortest trace. Raises AssertionError if there is none, or it has another length."""
        outcome = check(self.model, properties=[self.violates], constants=self.constants, stop_at_first=True)
        trace = outcome.property(self.violates).trace
        assert trace is not None, self
        assert trace.length == self.steps + 1, self
        return trace


def rows_violated(matrix: str) -> Iterator[dict[str, str]]:
    """The rows of a matrix whose property is violated."""
    yield from (row for row in rows(matrix) if row["verdict"] == "violated")


def cells_of_published() -> Iterator[Cell]:
    """All cells of the published designs."""
    for row in rows_violated("smallest-violations.csv"):
        constants = {name: row[name] for name in (*SIZES, "isr_may_empty")}
        file = f"{row['model']}-{row['property']}-{'-'.join(row[name] for name in SIZES)}.svg"
        yield Cell(row["model"], constants, row["property"], int(row["steps"]), file)


def shortest(matrix: str) -> Iterator[Cell]:
    """The first of the cells with the fewest steps, for each model and property of a matrix."""
    cells: dict[str, Cell] = {}
    for row in rows_violated(matrix):
        constants = dict(pair.split("=") for pair in row["constants"].replace(";", " ").split())
        steps = int(row["steps"]) if "steps" in row else int(row["length"]) - 1
        file = f"{row['model']}-{row['property']}.svg"
        if file not in cells or steps < cells[file].steps:
            cells[file] = Cell(row["model"], constants, row["property"], steps, file)
    yield from cells.values()


def original(matrix: str = "original-design.csv") -> Iterator[Cell]:
    """The scenario with the fewest states, for each property and each length of its shortest traces."""
    states = {row["scenario"]: int(row["distinct"]) for row in rows(matrix) if row["distinct"]}
    smallest: dict[tuple[str, int], tuple[int, Cell]] = {}
    for row in rows_violated(matrix):
        if not row["length"]:
            continue
        steps, name = int(row["length"]) - 1, row["property"]
        file = f"original-design-{name}-{steps}.svg"
        constants = dict(pair.split("=") for pair in row["constants"].split(";") if pair)
        size, _ = smallest.get((name, steps), (None, None))
        if size is None or states[row["scenario"]] < size:
            smallest[name, steps] = states[row["scenario"]], Cell("original-design", constants, name, steps, file)
    yield from (cell for _, (_, cell) in sorted(smallest.items(), key=lambda item: item[0]))


def by_request(matrix: str = "guards.csv") -> Iterator[Cell]:
    """The violations if less than the maximal ISR holds the high watermark back."""
    for row in rows_violated(matrix):
        if row["model"].startswith("async-isr"):
            constants = dict(pair.split("=") for pair in row["constants"].split())
            file = f"{row['model']}-{row['property']}.svg"
            yield Cell(row["model"], constants, row["property"], int(row["steps"]), file)


SECTIONS: dict[str, Callable[[], Iterator[Cell]]] = {
    "Published designs": cells_of_published,
    "Changes of the ISR by request": by_request,
    "ISR admission policies": lambda: shortest("isr-matrix.toml"),
    "The original design": original,
    "A partition across changes of leader": lambda: shortest("partition-matrix.csv"),
}


def page() -> str:
    """The page that lists all drawings."""
    lines = [HEAD]
    for title, cells in SECTIONS.items():
        lines += [f"## {title}", "", "| design | property | steps | constants |", "|---|---|---:|---|"]
        for cell in cells():
            constants = " ".join(f"{name}={value}" for name, value in cell.constants.items()) or "the defaults"
            lines.append(f"| `{cell.model}` | [`{cell.violates}`]({cell.file}) | {cell.steps} | {constants} |")
        lines.append("")
    return "\n".join(lines)


def draw(cell: Cell, folder: Path = FOLDER) -> None:
    """Makes the drawing of one cell."""
    write_aside(folder / cell.file, render_trace(with_what_follows(cell.trace()), "svg"))
    sys.stdout.write(f"{cell.file}\n")


def main() -> None:
    """Makes all drawings and the page that lists them."""
    for cells in SECTIONS.values():
        for cell in cells():
            draw(cell)
    write_aside(FOLDER / "README.md", page())


if __name__ == "__main__":
    main()
