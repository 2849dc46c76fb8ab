"""Draws the violated cells of the published designs and of the ISR policies into reports/traces.

usage: python -m tests.reports.traces
"""

import csv
import sys
from pathlib import Path

from isrcheck import check
from isrcheck.evidence.forms import rendered
from isrcheck.evidence.save import write_aside
from isrcheck.evidence.trace import Trace

ROOT = Path(__file__).parents[2]
CELLS = ROOT / "specs" / "smallest-violations.csv"
FOLDER = ROOT / "reports" / "traces"
SIZES = ("replicas", "log_size", "max_records", "max_leader_epoch")

ISR_CELLS = ROOT / "specs" / "isr-matrix.csv"
ISR_HEAD = """
## The ISR admission policies

The shortest violation of each promise by each policy in [specs/isr-matrix.csv](../../specs/isr-matrix.csv);
[docs/policies.md](../../docs/policies.md) tells the stories. True of the models; not reproduced on a broker.

| policy | promise | steps | constants |
|---|---|---:|---|
"""

HEAD = """# Counterexamples, drawn

Every violated cell of [specs/smallest-violations.csv](../../specs/smallest-violations.csv), at its shortest trace; the
controller never empties the ISR. `./dev reports` makes this folder again.

| design | promise | steps | replicas, log, records, last epoch |
|---|---|---:|---|
"""


def violated() -> list[dict[str, str]]:
    """The rows whose promise breaks."""
    with CELLS.open(encoding="utf-8") as lines:
        return [row for row in csv.DictReader(lines) if row["verdict"] == "violated"]


def trace_of(row: dict[str, str]) -> Trace:
    """The shortest trace of a cell. Raises AssertionError if there is none, or it has another length."""
    constants = {name: row[name] for name in (*SIZES, "isr_may_empty")}
    outcome = check(row["model"], properties=[row["property"]], constants=constants, stop_at_first=True)
    trace = outcome.property(row["property"]).trace
    assert trace is not None, row
    assert trace.length == int(row["steps"]) + 1, row
    return trace


def picture(row: dict[str, str]) -> Path:
    """Where the drawing of a cell is."""
    return FOLDER / f"{row['model']}-{row['property']}-{'-'.join(row[name] for name in SIZES)}.svg"


def isr_violated() -> list[dict[str, str]]:
    """For each policy and promise that breaks, the row with the fewest steps."""
    with ISR_CELLS.open(encoding="utf-8") as lines:
        rows = [row for row in csv.DictReader(lines) if row["verdict"] == "violated" and row["steps"]]
    least: dict[tuple[str, str], dict[str, str]] = {}
    for row in rows:
        known = least.get((row["model"], row["property"]))
        if known is None or int(row["steps"]) < int(known["steps"]):
            least[row["model"], row["property"]] = row
    return list(least.values())


def isr_trace_of(row: dict[str, str]) -> Trace:
    """The shortest trace of a policy's cell. Raises AssertionError if there is none, or it has another length."""
    constants = dict(word.split("=") for word in row["constants"].split())
    outcome = check(row["model"], properties=[row["property"]], constants=constants, stop_at_first=True)
    trace = outcome.property(row["property"]).trace
    assert trace is not None, row
    assert trace.length == int(row["steps"]) + 1, row
    return trace


def draw_isr_cells() -> str:
    """Draws them, and returns their part of the page."""
    page = ISR_HEAD
    for row in isr_violated():
        file = FOLDER / f"{row['model']}-{row['property']}.svg"
        write_aside(file, rendered(isr_trace_of(row), "svg"))
        page += f"| `{row['model']}` | [`{row['property']}`]({file.name}) | {row['steps']} | {row['constants']} |\n"
        sys.stdout.write(f"{file.relative_to(ROOT)}\n")
    return page


def main() -> None:
    """Makes all drawings and the page that lists them."""
    page = HEAD
    for row in violated():
        file = picture(row)
        write_aside(file, rendered(trace_of(row), "svg"))
        sizes = ", ".join(row[name] for name in SIZES)
        page += f"| `{row['model']}` | [`{row['property']}`]({file.name}) | {row['steps']} | {sizes} |\n"
        sys.stdout.write(f"{file.relative_to(ROOT)}\n")
    write_aside(FOLDER / "README.md", page + draw_isr_cells())


if __name__ == "__main__":
    main()
