"""The specs of this project's own gate, made from the published figures: `./dev specs` writes them.

The CSV files in specs/ are the figures, each beside where it comes from; tests/gate/test_own_gate.py holds that the
specs say what they say. With `guards` as its word this module first makes specs/guards.csv again: every property of
every model whose guards are removed, at the choices of constants of tools/reports/mutants.py.
"""

import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from itertools import groupby

from tools.reports.mutants import GUARDS, P2, SINCE_KRAFT
from tools.reports.tables import SPECS, Row, rows, write_runs

from isrcheck import check
from isrcheck.commands.options import parse_constants
from isrcheck.lang.read import read_model
from isrmodel import MODELS

MODULES = {
    "KafkaTruncateToHighWatermark": "truncate-to-high-watermark",
    "Kip101": "kip-101",
    "Kip279": "kip-279",
    "Kip320FirstTry": "kip-320-first-try",
    "Kip320": "kip-320",
}
PROPERTIES = {"WeakIsr": "weak_isr", "StrongIsr": "strong_isr"}
QUICK = 20_000  # distinct states; larger runs of guards.csv are in long/
NUMBERS = ("replicas", "log_size", "max_records", "max_leader_epoch")


@dataclass
class Run:
    """One [[run]] table: what is written in it."""

    model: str
    constants: dict[str, str]
    expect: dict[str, str] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    never: tuple[str, ...] = ()
    comment: str = ""

    def as_toml(self) -> str:
        lines = [*([f"# {self.comment}"] if self.comment else []), "[[run]]", f'model = "{self.model}"']
        lines += [f"constants = {_inline(self.constants)}"] * bool(self.constants)
        never = ", ".join(f'"{name}"' for name in self.never)
        lines += [f"never = [{never}]"] * bool(self.never)
        lines += [f"counts = {{ {', '.join(f'{n} = {v}' for n, v in self.counts.items())} }}"] * bool(self.counts)
        if self.expect:
            lines.append("[run.expect]")
            for name, answer in self.expect.items():
                lines.append(f'{name} = "{answer}"')
        return "\n".join(lines) + "\n"


def _inline(constants: dict[str, str]) -> str:
    return f"{{ {', '.join(f'{n} = {_value(v)}' for n, v in constants.items())} }}"


def _value(value: str) -> str:
    return value if value.isdigit() or value in ("true", "false") else f'"{value}"'


@cache
def reachability(model: str) -> set[str]:
    return {p.name for p in read_model(MODELS[model]).properties if p.kind.holds_by_target}


def answer(model: str, name: str, verdict: str, steps: str) -> str:
    """A verdict and the steps of its trace, as a spec says it."""
    words = {"holds": "reached", "violated": "never reached"} if name in reachability(model) else {}
    verdict = words.get(verdict, verdict)
    return f"{verdict} in {steps} step{'' if steps == '1' else 's'}" if steps else verdict


# The figures


def tlc_runs() -> Iterator[Run]:
    """TLC's figures of the published modules: its depth of a violation counts states, a spec counts steps.

    They are not those that TLC generates: it counts a step once for each way in which a formula allows it.
    """

    def key(row: Row) -> tuple[str, ...]:
        return (row["module"], *(row[c] for c in NUMBERS))

    for (module, *numbers), group in groupby(sorted(rows("published-specs.csv"), key=key), key):
        run = Run(MODULES[module], dict(zip(NUMBERS, numbers, strict=True)))
        for row in group:
            if row["verdict"] != "violated":
                run.counts = {c: int(row[c]) for c in ("distinct", "depth")}
            if row["property"] in PROPERTIES:
                steps = str(int(row["depth"]) - 1) if row["verdict"] == "violated" else ""
                name = PROPERTIES[row["property"]]
                run.expect[name] = answer(run.model, name, row["verdict"], steps)
        yield run


def smallest() -> Iterator[Run]:
    def key(row: Row) -> tuple[str, ...]:
        return (row["model"], row["isr_may_empty"], *(row[c] for c in NUMBERS))

    for (model, may_empty, *numbers), group in groupby(sorted(rows("smallest-violations.csv"), key=key), key):
        run = Run(model, {**dict(zip(NUMBERS, numbers, strict=True)), "isr_may_empty": may_empty})
        run.expect = {r["property"]: answer(model, r["property"], r["verdict"], r["steps"]) for r in group}
        yield run


def isr_sweep() -> Iterator[Run]:
    for row in rows("isr-sweep.csv"):
        model = row["model"]
        run = Run(model, dict(pair.split("=") for pair in row["constants"].split()))
        run.counts = {c: int(row[c]) for c in ("distinct", "depth")}
        broken = dict(pair.split("=") for pair in row["broken"].split())
        run.expect = {name: answer(model, name, "violated", steps) for name, steps in broken.items()}
        yield run


def several_leaders(name: str) -> Iterator[Run]:
    """Cases of partition-matrix.csv, by model, or of original-design.csv, by scenario; their lengths count states."""

    def key(row: Row) -> tuple[str, str]:
        return next(iter(row.values())), row["constants"]

    for (first, constants), group in groupby(rows(name), key):
        model = first if first in MODELS else "original-design"
        run = Run(model, dict(pair.split("=") for pair in constants.split(";") if pair))
        run.comment = first if first != model else ""
        if model.startswith("partition-") and "kafka-4485-v2" not in model:
            run.never = (
                "leader_commits_with_time",
            )  # only the pseudo ISR of KAFKA-4485 v2 makes commits wait for time
        for row in group:
            if row["property"] == "none":
                run.counts = {"distinct": int(row["distinct"]), "depth": int(row["depth"])}
            else:
                steps = str(int(row["length"]) - 1) if row["length"] else ""
                run.expect[row["property"]] = answer(model, row["property"], row["verdict"], steps)
        yield run


def guards(least: int, most: int) -> Iterator[Run]:
    """Runs of guards.csv, which detect that a guard is gone, from so many states to so many."""

    def key(row: Row) -> tuple[str, str]:
        return row["model"], row["constants"]

    for (model, constants), group in groupby(rows("guards.csv"), key):
        run = Run(model, dict(pair.split("=") for pair in constants.split()))
        for row in group:
            if row["property"] == "none":
                run.counts = {c: int(row[c]) for c in ("distinct", "generated", "depth")}
            elif row["property"] == "never":
                run.never = tuple(row["verdict"].split())
            else:
                run.expect[row["property"]] = answer(model, row["property"], row["verdict"], row["steps"])
        if least <= run.counts["distinct"] <= most:
            yield run


def specs() -> Iterator[tuple[str, str]]:
    """The name and the text of each spec; those in long/ take minutes, and run where the slow tests do."""
    note = "# Made from {} by `python -m tools.reports.specs`."

    def spec_of(title: str, source: str, runs: Iterator[Run], defaults: str = "") -> str:
        head = [note.format(source), f'title = "{title}"', *([f"\n[defaults]\n{defaults}"] * bool(defaults))]
        return "\n".join(head) + "\n\n" + "\n".join(run.as_toml() for run in runs)

    source = "specs/published-specs.csv and specs/smallest-violations.csv"
    both = iter([*tlc_runs(), *smallest()])
    yield "published.toml", spec_of("Published designs, against TLC", source, both)
    small, large = guards(0, QUICK), guards(QUICK + 1, sys.maxsize)
    title = "Properties that kill the mutant without a guard"
    yield "guards.toml", spec_of(title, "specs/guards.csv", small)
    yield "long/guards.toml", spec_of(f"{title}, larger runs", "specs/guards.csv", large)
    yield (
        "long/isr-sweep.toml",
        spec_of(
            "ISR admission policies, other lag times and three replicas",
            "specs/isr-sweep.csv",
            isr_sweep(),
            'symmetry = true\nrest = "holds"',
        ),
    )
    several = "Admission and truncation across changes of leader"
    yield "long/partition.toml", spec_of(several, "specs/partition-matrix.csv", several_leaders("partition-matrix.csv"))
    title = "The original replication design"
    yield (
        "long/original-design.toml",
        spec_of(title, "specs/original-design.csv", several_leaders("original-design.csv")),
    )


def write_specs() -> None:
    """Writes every spec; git keeps those that are not in long/."""
    for file, content in specs():
        (SPECS / file).parent.mkdir(exist_ok=True)
        (SPECS / file).write_text(content, encoding="utf-8")


COLUMNS = ("model", "constants", "property", "verdict", "steps", "distinct", "generated", "depth")
OTHERS: dict[str, list[str]] = {
    # KIP-497's mutants are in no other table
    "async-isr-committed-only": GUARDS["async-isr"],
    "async-isr-proposed-only": GUARDS["async-isr"],
    # Guards that KIP-320's own rules imply are missed in designs without them
    "kip-279": [P2],
    "kip-320-first-try": ["replicas=2 isr_may_empty=false"],
    "partition-kafka-7152-by-high-watermark": ["max_records=1"],
}
Figures = dict[str, tuple[str, ...]]


def guard_runs() -> Iterator[tuple[str, str]]:
    """A model and its constants, as the table has them; kraft's guards are removed by `mutate` alone."""
    for model, configurations in (*GUARDS.items(), *OTHERS.items()):
        if model not in SINCE_KRAFT:
            yield from ((model, constants) for constants in configurations)


def figures(model: str, constants: str, engine: str) -> Figures:
    """The verdict and the steps of the trace of each property.

    Under `none` the counts of the whole graph; under `never` the actions that never happen in it.
    """
    outcome = check(model, engine=engine, constants=parse_constants(tuple(constants.split())))
    assert outcome.cut is None
    counts = (str(outcome.distinct), str(outcome.generated), str(outcome.depth))
    by_name: Figures = {"none": ("complete", "", *counts)}
    if outcome.dead_actions:
        by_name["never"] = (" ".join(outcome.dead_actions), "", "", "", "")
    for p in outcome.properties:
        by_name[p.name] = (p.verdict.value, str(p.trace.length - 1) if p.trace else "", "", "", "")
    return by_name


def write_guards() -> None:
    """Write specs/guards.csv from runs on the native engine."""
    tables = (
        [dict(zip(COLUMNS, (model, constants, name, *cells), strict=True)) for name, cells in by_name.items()]
        for model, constants in guard_runs()
        for by_name in [figures(model, constants, "native")]
    )
    write_runs("guards.csv", "model", COLUMNS[5:], tables)


if __name__ == "__main__":
    if sys.argv[1:] == ["guards"]:
        write_guards()
    write_specs()
