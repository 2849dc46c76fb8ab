"""The figures of both systems of several leaders: read, made again, and written as the tables of their pages.

`python -m tools.reports.partition` makes specs/partition-matrix.csv and specs/original-design.csv anew and prints the
tables.
"""

from collections.abc import Iterable, Iterator
from enum import Enum
from pathlib import Path
from typing import Any

from tools.reports.tables import Row, rows, write_runs

from isrcheck import Outcome, check
from isrcheck.lang.read import read_model
from isrmodel.catalogue import MODELS

ROOT = Path(__file__).parents[2]
MATRIX = "partition-matrix.csv"
SCENARIOS = "original-design.csv"
# What happens, where, the property that is violated, and where it holds, if anywhere
VIOLATIONS = (
    ("a follower joins that is behind the slowest member", "follower-behind", "hw_never_decreases", ""),
    ("the same, and its records get lost", "follower-behind-responses-lost", "committed_survives", "follower-behind"),
    ("the leader of an idle partition removes itself", "no-restart", "leader_in_isr", "follower-behind"),
    ("nobody removes a follower that has stopped", "no-restart", "silent_follower_leaves", ""),
    ("of two replicas, none ever leaves for its silence", "steady-as-sent", "follower_leaves", "three-wide"),
    ("another joins, and so the slowest stays", "three-follower-behind", "removal_stands", "three-join-after"),
    ("part of a fetch, and all of the high watermark", "no-restart", "hw_within_log", "capped"),
    ("an old command overtakes", "steady-reordered", "commands_are_not_outdated", "steady-repeated"),
    ("old commands come back", "steady-repeated-and-reordered", "committed_survives", "steady-reordered"),
    ("the leader is the same again: nothing is cut", "steady-isr", "logs_match", "steady-as-sent"),
    ("a restart, and a cut at the checkpoint", "steady-isr-restarts", "committed_survives", "steady-as-sent"),
    ("a lost response, and a cut", "steady-isr-responses-lost", "committed_survives", ""),
    ("a new leader knows no other log end", "steady-as-sent", "hw_never_decreases", ""),
    ("a replica is moved away, and joins", "moves", "isr_is_present", ""),
)
Case = tuple[str, str]  # a model or a scenario, and the constants that differ from the defaults

ADMISSIONS = ("max-messages", "kip-16-merged", "kafka-4485-v2", "kafka-4485-merged", "kafka-7152", "strict-min-isr")
TRUNCATIONS = ("by-high-watermark", "kip-320")
SHOWN = ("exposed_never_decreases", "committed_survives", "no_bad_expand", "new_leader_spares_isr")


def cases(table: str) -> dict[Case, list[Row]]:
    """The rows of each run, by its name and constants."""
    known: dict[Case, list[Row]] = {}
    for row in rows(table):
        known.setdefault((next(iter(row.values())), row["constants"]), []).append(row)
    return known


def states(group: list[Row]) -> int:
    return next(int(row["distinct"]) for row in group if row["property"] == "none")


def constants(model: str, listed: str) -> dict[str, Any]:
    """Return the model's own values of `name=value;name=value`."""
    defaults = {c.name: c.default for c in read_model(MODELS[model]).constants}
    given = dict(pair.split("=") for pair in listed.split(";") if pair)
    return {name: _value(defaults[name], value) for name, value in given.items()}


def _value(default: object, spelling: str) -> object:
    if isinstance(default, bool):
        return spelling == "true"
    if isinstance(default, Enum):
        return next(m for m in type(default) if m.name.lower() == spelling.replace("-", "_"))
    return int(spelling)


def run(model: str, listed: str, engine: str) -> Outcome:
    return check(model, engine=engine, constants=constants(model, listed))


def figures(outcome: Outcome) -> dict[str, tuple[str, str]]:
    """Each property's verdict and the length of its trace; under `none` the counts of the whole graph."""
    assert outcome.cut is None
    known = {"none": (str(outcome.distinct), str(outcome.depth))}
    for p in outcome.properties:
        known[p.name] = (p.verdict.value, str(p.trace.length) if p.trace else "")
    return known


def figures_of_rows(group: list[Row]) -> dict[str, tuple[str, str]]:
    """Return the same of the rows of a table."""
    return {
        row["property"]: (row["distinct"], row["depth"])
        if row["property"] == "none"
        else (row["verdict"], row["length"])
        for row in group
    }


# The tables of docs/partition.md


def cell(row: Row) -> str:
    return (
        "holds" if row["verdict"] == "holds" else f"**{int(row['length']) - 1}**" if row["length"] else "never reached"
    )


def matrix_table() -> Iterator[str]:
    """Admission by truncation, at the defaults."""
    known = {(row["model"], row["property"]): row for row in rows(MATRIX) if not row["constants"]}
    yield from _write_head(["admission", "truncation", *(f"`{p}`" for p in SHOWN)])
    for admission in ADMISSIONS:
        for truncation in TRUNCATIONS:
            model = f"partition-{admission}-{truncation}"
            assert cell(known[model, "isr_at_least_hw"]) == cell(known[model, "committed_survives"])  # so says the page
            yield _line([admission, truncation, *(cell(known[model, p]) for p in SHOWN)])


def violation_table() -> Iterator[str]:
    """Each violation with its shortest trace, and the change that mends it."""
    known = {(row["scenario"], row["property"]): row for row in rows(SCENARIOS)}
    yield from _write_head(["what happens", "scenario", "property", "verdict", "holds in"])
    for what, scenario, name, mended in VIOLATIONS:
        assert not mended or known[mended, name]["verdict"] == "holds", (name, mended)
        assert known[scenario, name]["verdict"] == "violated", (name, scenario)
        yield _line([what, scenario, f"`{name}`", cell(known[scenario, name]), mended or "-"])


def _write_head(words: list[str]) -> Iterator[str]:
    yield _line(words)
    yield _line(["---"] * len(words))


def _line(words: Iterable[str]) -> str:
    return f"| {' | '.join(words)} |"


def remake(table: str, first: str) -> None:
    """Runs every case that a table has on the native engine, and writes what comes out."""
    write_runs(table, first, ("distinct", "depth"), [list(_remade(first, *case)) for case in cases(table)])


def _remade(first: str, name: str, listed: str) -> Iterator[Row]:
    outcome = run(name if first == "model" else "original-design", listed, "native")
    for p, (one, two) in figures(outcome).items():
        row = {"property": p, "distinct": one, "depth": two} if p == "none" else {"property": p, "verdict": one}
        yield {first: name, "constants": listed, "length": "" if p == "none" else two, **row}


if __name__ == "__main__":
    remake(MATRIX, "model")
    remake(SCENARIOS, "scenario")
    for table in (matrix_table, violation_table):
        print(*table(), "", sep="\n")
