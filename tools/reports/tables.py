"""The figures in specs/*.csv: read as one row a property, whether a line of the file is a property or a whole run.

A line of a whole run ends in `figures`: `name=verdict` or `name=verdict:length` of every property.
"""

import csv
import re
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path

SPECS = Path(__file__).parents[2] / "specs"
COUNTS = ("distinct", "generated", "depth")
Row = dict[str, str]


def rows(name: str) -> list[Row]:
    """The rows of a table; of a run first `none`, which has its counts, then `never`, then every property.

    isr-matrix.toml is a table too: an expectation a row, and in its comment whether the verdict was known, and from
    where.
    """
    if name.endswith(".toml"):
        return list(_rows_of_spec((SPECS / name).read_text(encoding="utf-8")))
    with (SPECS / name).open(encoding="utf-8", newline="") as file:
        lines = list(csv.DictReader(file))
    assert lines
    if "figures" not in lines[0]:
        return lines
    length = "steps" if "never" in lines[0] else "length"
    return [row for run in lines for row in _rows_of_run(run, length)]


def _rows_of_run(run: Row, length: str) -> Iterable[Row]:
    identity = {n: v for n, v in run.items() if n not in (*COUNTS, "never", "figures")}
    counts = {n: run[n] for n in COUNTS if n in run}
    empty = {length: "", **dict.fromkeys(counts, "")}
    yield {**identity, "property": "none", "verdict": "complete", **empty, **counts}
    if run.get("never"):
        yield {**identity, "property": "never", "verdict": run["never"], **empty}
    for figure in run["figures"].split():
        name, _, verdict = figure.partition("=")
        verdict_word, _, steps = verdict.partition(":")
        yield {**identity, "property": name, "verdict": verdict_word, **empty, length: steps}


def _rows_of_spec(spec: str) -> Iterator[Row]:
    remarks = iter(re.findall(r"^\w+ = \"[^\"]*\"  # ([^;\n]*); (.*)$", spec, re.MULTILINE))
    for run in tomllib.loads(spec)["run"]:
        constants = " ".join(f"{n}={str(v).lower()}" for n, v in run["constants"].items())
        for name, answer in run["expect"].items():
            verdict_word, _, length = answer.partition(" in ")
            verdict = {"reached": "holds", "never reached": "violated"}.get(verdict_word, verdict_word)
            known, source = next(remarks)
            yield {
                "model": run["model"], "constants": constants, "property": name,
                "verdict": verdict, "steps": length.partition(" ")[0], "known": known, "source": source,
            }  # fmt: skip


def write_runs(name: str, first: str, counts: tuple[str, ...], runs: Iterable[list[Row]]) -> None:
    """Writes the rows of each run as one line; `first` is the column that names a run."""
    has_never = name == "guards.csv"
    length = "steps" if has_never else "length"
    with (SPECS / name).open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([first, "constants", *counts, *(["never"] * has_never), "figures"])
        for run in runs:
            by_name = {row["property"]: row for row in run}
            none, never = by_name.pop("none"), by_name.pop("never", None)
            figures = (f"{p}={row['verdict']}{':' if row[length] else ''}{row[length]}" for p, row in by_name.items())
            cells = [none[n] for n in (first, "constants", *counts)]
            writer.writerow([*cells, *([never["verdict"] if never else ""] * has_never), " ".join(figures)])
