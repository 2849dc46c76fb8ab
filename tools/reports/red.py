"""Makes reports/mutants/red.csv: python -m tools.reports.red. Each guard taken out of the source, and the gate run.

The models are copied, one `require` is made to require nothing, and `isrcheck gate` is run over the rows of
specs/guards.toml in which that could be seen. What differs turns the gate red: a property, a count of states, or an
action that happens.
"""

import ast
import csv
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import astuple, dataclass, fields
from functools import cache
from pathlib import Path
from typing import Any

from tools.reports.guards import JUDGED, read_rows
from tools.reports.mutants import FOLDER, GUARDS, ROOT, read_fates
from tools.reports.specs import Run, guards

from isrcheck.files import write_aside
from isrcheck.gate.mutants.make import mutants_of
from isrcheck.gate.mutants.report import DETECTED
from isrcheck.lang.read import read_model
from isrcheck.place import Place

UNSEEABLE = ("equivalent", "trivially-equivalent")


@dataclass(frozen=True)
class Red:
    """The gate's answer on the models without a guard: its exit code, and what differed, `model: what` each."""

    owner: str
    guard: str
    exit: int
    promises: str
    counts: str
    actions: str
    errors: str


@cache
def places() -> dict[tuple[str, str], Place]:
    """The place of each guard, by its class and its text."""
    return {(m.owner, m.guard): m.at for cls in JUDGED.values() for m in mutants_of(read_model(cls)) if m.guard}


def runs_of(owner: str, guard: str) -> list[Run]:
    """The runs of specs/guards.csv that tell.

    Of each model of tools/reports/mutants.py the one at which its fate was settled; if all of these have the same steps
    without the guard, one of another model in which it is missed, if there is any.
    """
    known = {(run.model, _key(run.constants)): run for run in guards(0, sys.maxsize)}
    own, others = [], []
    for model in GUARDS:
        fates = [row for row in read_fates("guards", model) if (row.owner, row.guard) == (owner, guard)]
        own += [(row.fate, known[model, _constants(row.constants)]) for row in fates]
    for row in read_rows():
        at = row.model, _constants(row.constants)
        if (row.owner, row.guard) == (owner, guard) and at in known:
            others.append((row.fate, known[at]))
    if any(fate not in UNSEEABLE for fate, _ in own):
        return [run for _, run in own]
    others.sort(key=lambda pair: pair[0] not in DETECTED)
    return next(([run] for fate, run in others if fate not in UNSEEABLE), [run for _, run in own])


def _constants(written: str) -> tuple[tuple[str, str], ...]:
    return _key(dict(pair.split("=") for pair in written.split()))


def _key(constants: dict[str, Any]) -> tuple[tuple[str, str], ...]:
    return tuple(sorted((name, str(value)) for name, value in constants.items()))


def without(place: Place, folder: Path) -> None:
    """Copies the models there, and makes the guard at a place always true. Raises AssertionError if that is no guard.

    It is never evaluated then; without its text a helper that nothing else calls would be refused.
    """
    shutil.copytree(ROOT / "model", folder / "model", ignore=shutil.ignore_patterns("__pycache__"))
    file = folder / Path(place.file).relative_to(ROOT)
    source = file.read_text(encoding="utf-8")
    (statement,) = [n for n in ast.walk(ast.parse(source)) if isinstance(n, ast.Expr) and n.lineno == place.line]
    assert isinstance(statement.value, ast.Call)
    assert ast.unparse(statement.value.func) == "require", place
    lines = source.splitlines(keepends=True)
    condition = ast.unparse(statement.value.args[0])
    lines[statement.lineno - 1 : statement.end_lineno] = [
        f"{' ' * statement.col_offset}require(True or ({condition}))\n"
    ]
    file.write_text("".join(lines), encoding="utf-8")


def gate(folder: Path, runs: list[Run]) -> dict[str, Any]:
    """The gate's own words, as JSON, on some runs with the models in a folder."""
    spec = "\n".join(["[defaults]\nstrict = false\n", *(run.as_toml() for run in runs)])
    (folder / "guards.toml").write_text(spec, encoding="utf-8")
    words = [sys.executable, "-m", "isrcheck", "gate", "guards.toml", "--workers", "1", "--no-github", "--json", "-"]
    paths = os.pathsep.join((str(ROOT / "checker"), str(folder / "model")))
    done = subprocess.run(
        words, cwd=folder, env={**os.environ, "PYTHONPATH": paths}, capture_output=True, text=True, check=False
    )
    assert done.stdout, done.stderr
    verdict: dict[str, Any] = json.loads(done.stdout)
    assert verdict["exit"] == done.returncode
    return verdict


def remove_guard(owner: str, guard: str, place: Place) -> Red:
    """Takes one guard out and runs the gate."""
    with tempfile.TemporaryDirectory(prefix="isrcheck-guard-") as name:
        folder = Path(name)
        without(place, folder)
        said = gate(folder, runs_of(owner, guard))
    apart = [(cell["model"], f) for cell in said["cells"] for f in cell["findings"] if f["status"] != "met"]

    def of(kind: str) -> str:
        return "; ".join(f"{model}: {f['what']} {f['found']}" for model, f in apart if f["kind"] == kind)

    errors = "; ".join(f"{model}: {f['found'].partition(':')[0]}" for model, f in apart if f["kind"] == "run")
    return Red(owner, guard, said["exit"], of("property"), of("count"), actions=of("action"), errors=errors)


def as_csv(results: list[Red]) -> str:
    """The table, a line for each guard."""
    table = io.StringIO()
    writer = csv.writer(table, lineterminator="\n")
    writer.writerow([f.name for f in fields(Red)])
    writer.writerows(map(astuple, results))
    return table.getvalue()


def read_red() -> list[Red]:
    """The table as it was kept."""
    with (FOLDER / "red.csv").open(encoding="utf-8", newline="") as lines:
        return [Red(row.pop("owner"), row.pop("guard"), int(row.pop("exit")), **row) for row in csv.DictReader(lines)]


def main() -> None:
    """Makes the table."""
    results = []
    for (owner, guard), place in places().items():
        results.append(remove_guard(owner, guard, place))
        sys.stdout.write(f"{results[-1].exit} {owner} {guard}\n")
        sys.stdout.flush()
    write_aside(FOLDER / "red.csv", as_csv(results))


if __name__ == "__main__":
    main()
