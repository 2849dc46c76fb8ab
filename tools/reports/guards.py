"""Makes reports/mutants/guards.csv and violated.csv: python -m tools.reports.guards.

Every guard, removed in every model that has it.

guards.md (tools/reports/guards_page.py) tells the same by guard, with what the gate says (tools/reports/red.py).
"""

import csv
import io
import sys
from dataclasses import dataclass
from pathlib import Path

from tools.reports.mutants import FOLDER, GUARDS, ONLY, P2, P3

from isrcheck.catalogue import find_model
from isrcheck.commands.options import parse_constants
from isrcheck.engines.contract import Limits
from isrcheck.files import write_aside
from isrcheck.gate.mutants.judge import JudgeOptions
from isrcheck.gate.mutants.make import Fate, Mutant, Mutation
from isrcheck.gate.mutants.survey import Survey, SurveyedMutant, survey
from isrcheck.ir.model import ModelIR
from isrcheck.lang.read import read_model
from isrcheck.user_cache import CacheFolder, user_cache
from isrmodel.catalogue import MODELS
from isrmodel.fluss import BUCKETS
from isrmodel.forever.admission import AdmissionForever
from isrmodel.forever.partitions import PartitionForever
from isrmodel.kraft import Kraft
from isrmodel.raft import RAFTS

_PACE, _WINDOW = "pace=every-tick", "appends=in-read-window"
MOST = 5_000_000  # states of a mutant
FAMILIES: dict[str, tuple[str, list[str]]] = {  # by the start of a model's name: the family, and where it is asked
    "truncate": ("published", ["replicas=2 isr_may_empty=false", P2, P3]),
    "kip-": ("published", ["replicas=2 isr_may_empty=false", P2, P3]),
    "async-isr": ("isr-by-request", ["replicas=2"]),
    "isr-": ("isr-admission", ["", _PACE, _WINDOW, f"{_PACE} {_WINDOW}", "fetch_steps=two max_records=2"]),
    "partition": ("partition", ["max_records=1", ""]),
    "original-design": ("original-design", GUARDS["original-design"]),
}


@dataclass(frozen=True, order=True)
class Row:
    """A guard removed in a model: its fate, and where that was settled."""

    family: str
    owner: str  # the class that the guard is written in
    guard: str
    model: str
    fate: str
    killed_by: str  # properties as `name:steps`, the step count empty where something is not reached any more
    why: str  # of an error in the model's text
    constants: str
    broken_already: str  # properties that are violated, or not met, at some choice asked, and cannot kill there


def family_and_constants(model: str) -> tuple[str, list[str]]:
    """The family of a model, and the choices of constants at which its guards are removed."""
    family, chosen = next(pair for start, pair in FAMILIES.items() if model.startswith(start))
    own = GUARDS.get(model, [])
    return family, [*chosen, *(c for c in own if c not in chosen)] if model in ONLY else own or chosen


# The guards of the models under KRaft are removed once, in `kraft` (tools/reports/mutants.py); of Raft and Fluss in
# tests/raft and tests/fluss. Those of what a policy does for ever are the policy's own.
_ELSEWHERE = (Kraft, AdmissionForever, PartitionForever)
JUDGED = {n: cls for n, cls in MODELS.items() if not issubclass(cls, _ELSEWHERE) and n not in {**RAFTS, **BUCKETS}}


def models() -> list[str]:
    """Every model of the catalogue once: `partition` is another name."""
    return [name for name, cls in JUDGED.items() if name == next(n for n, c in JUDGED.items() if c is cls)]


def remove_guards(model: str, workers: int, cache: CacheFolder) -> list[Row]:
    """Every guard of a model removed, until a property kills."""
    family, chosen = family_and_constants(model)
    surveyed = survey(
        model,
        text_of(model),
        [parse_constants(tuple(constants.split())) for constants in chosen],
        wanted=is_guard,
        options=JudgeOptions(Limits(states=MOST)),
        cache=cache,
        workers=workers,
    )
    return [_row(family, surveyed, result) for result in surveyed.results]


def text_of(model: str) -> ModelIR:
    return read_model(find_model(model))


def is_guard(mutant: Mutant) -> bool:
    return mutant.change is Mutation.GUARD


def _row(family: str, surveyed: Survey, result: SurveyedMutant) -> Row:
    mutant, outcome = result.mutant, result.outcome
    base = surveyed.baselines[result.position]
    killers = " ".join(f"{kill.name}:{'' if kill.length is None else kill.length - 1}" for kill in outcome.kills)
    why = outcome.why if outcome.fate is Fate.BROKEN else ""
    constants = " ".join(f"{n}={v}" for n, v in base.constants.items())
    broken = [p.name for p in surveyed.ir.properties if any(p.name in each.failing for each in surveyed.baselines)]
    return Row(
        family,
        mutant.owner,
        mutant.guard,
        model=surveyed.model,
        fate=outcome.fate.value,
        killed_by=killers,
        why=why,
        constants=constants,
        broken_already=" ".join(broken),
    )


LINE = ("owner", "guard", "fate", "killed_by", "why", "constants")  # what models share a line by


def write_rows(folder: Path, rows: list[Row]) -> None:
    """The tables: guards.csv, a line for each guard and each fate, with its models; violated.csv, a line a model."""
    lines: dict[tuple[str, ...], list[str]] = {}
    for row in rows:
        lines.setdefault(tuple(getattr(row, name) for name in LINE), []).append(row.model)
    _write(folder / "guards.csv", [*LINE, "models"], [[*line, " ".join(names)] for line, names in lines.items()])
    violated = {row.model: row.broken_already for row in rows}
    _write(folder / "violated.csv", ["model", "broken_already"], [list(line) for line in violated.items()])


def _write(file: Path, head: list[str], lines: list[list[str]]) -> None:
    table = io.StringIO()
    writer = csv.writer(table, lineterminator="\n")
    writer.writerow(head)
    writer.writerows(lines)
    write_aside(file, table.getvalue())


def read_rows() -> list[Row]:
    """The tables as they were kept, a row for each guard of each model, in the order of the models."""
    violated = {line["model"]: line["broken_already"] for line in _read("violated.csv")}
    rows = [
        Row(family_and_constants(model)[0], model=model, broken_already=violated[model], **{n: line[n] for n in LINE})
        for line in _read("guards.csv")
        for model in line["models"].split()
    ]
    order = models()
    return sorted(rows, key=lambda row: order.index(row.model))


def _read(name: str) -> list[dict[str, str]]:
    with (FOLDER / name).open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def main(workers: int = 1) -> None:
    """Makes the tables."""
    cache, rows = user_cache(), list[Row]()
    for model in models():
        own = remove_guards(model, workers, cache)
        rows += own
        sys.stdout.write(f"{model}: {len(own)} guards, {sum(r.fate == 'killed' for r in own)} killed\n")
        sys.stdout.flush()
    write_rows(FOLDER, rows)


if __name__ == "__main__":
    main()
