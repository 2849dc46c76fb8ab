"""docs/policies.md: its table is that of specs/isr-sweep.csv, and every command on it says what stands beside it."""

import csv
import os
import re
import sys
from collections.abc import Sequence
from functools import cache
from itertools import groupby
from pathlib import Path

import pytest
from tools.reports.tables import Row, rows

from isrcheck import Outcome, check
from isrcheck.lang.read import read_model
from isrcheck.passes import bind
from isrmodel import MODELS

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "policies.md"
TEXT = PAGE.read_text(encoding="utf-8")
COMMAND = re.compile(r"^    isrcheck check (\S+) (.*?)\s+# (holds|violated in (\d+) steps?)$", re.MULTILINE)
TABLE = re.compile(r"(?<=<!-- table -->\n).*?(?=<!-- end of table -->)", re.DOTALL)

HEADS = {
    "isr-original-design": "V3",
    "isr-max-messages": "0.8",
    "isr-kip-16-text": "KIP-16",
    "isr-kip-16-merged": "0.9",
    "isr-kafka-4485-v1": "4485 v1",
    "isr-kafka-4485-v2": "4485 v2",
    "isr-kafka-4485-merged": "0.10.2",
    "isr-kafka-4485-first-patch": "patch",
    "isr-kafka-7152": "2.1",
    "isr-strict-min-isr": "3.7",
    "isr-kafka-19996-fix": "fix",
    "isr-kip-501": "KIP-501",
}
DRAFTS = {"V3", "KIP-16", "4485 v1", "4485 v2"}  # the page shows what was released or may be
SHOWN = [model for model, head in HEADS.items() if head not in DRAFTS]
MEANINGS = {
    "hw_never_decreases": "the high watermark never goes back",
    "isr_at_least_hw": "the ISR has what is below it",
    "hw_not_stalled": "what the whole ISR has is committed",
    "keep_up_stays": "who fetches in time and receives everything is in",
    "reading_to_end_stays": "who read to the end within T is not removed",
    "dead_evicted": "who is behind and silent for T is removed",
    "lagging_leaves": "no member has a true lag above T",
    "keeping_up_belongs": "a true lag up to T, at the high watermark: in",
    "keeping_up_in_fact_belongs": "the same of what followers have",
    "no_bad_expand": "nobody joins who would be removed at once",
    "joins_at_high_watermark": "nobody joins below the high watermark",
    "joins_at_log_end": "nobody joins before it has everything",
    "caught_up_rejoins": "a fetch at the log end lets in",
    "measured_lag_is_safe": "no lag is above what the leader measures",
    "caught_up_fetch_counts": "a fetch at the log end counts as caught up",
    "no_eviction_while_reading": "nobody is removed while the leader reads for it",
    "candidate_remains": "somebody could lead next",
    "acks_all_accepted": "the ISR is not below min.insync.replicas",
    "read_does_not_pin": "nobody stays by a read longer than T",
}
AT_A_PACE = ("keep_up_stays", "candidate_remains", "acks_all_accepted")


@cache
def sweep(model: str, replicas: int, pace: str) -> dict[str, str]:
    with (ROOT / "specs" / "isr-sweep.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            constants = dict(pair.split("=") for pair in row["constants"].split())
            wanted = {"replicas": str(replicas), "lag_time_max": "2", "pace": pace}
            if row["model"] == model and wanted.items() <= constants.items():
                return {**row, **constants}
    raise AssertionError(f"no run of {model}")


def cell(model: str, name: str) -> str:
    """Steps with 2 replicas and with 3."""
    found = []
    for replicas in (2, 3):
        row = sweep(model, replicas, "every-tick" if name in AT_A_PACE else "free")
        constants = dict(pair.split("=") for pair in row["constants"].split())
        if name in bind(read_model(MODELS[model]), constants).not_asked:
            return "·"
        found.append(dict(pair.split("=") for pair in row["broken"].split()).get(name, "ok"))
    return found[0] if found[0] == found[1] else ", ".join(found)


def table() -> str:
    names = [p.name for p in read_model(MODELS["isr-kafka-7152"]).properties if p.kind.is_violation]
    lines = ["| | |" + "".join(f" {HEADS[model]} |" for model in SHOWN), "|---|---|" + "---|" * len(SHOWN)]
    cells = {name: [cell(model, name) for model in SHOWN] for name in names}
    alike = [name for name, row in cells.items() if "ok" in row[:-1] and {*row} <= {"ok", "·"}]
    alone = {name: row for name, row in cells.items() if {*row[:-1]} == {"·"}}
    shown = {name: row for name, row in cells.items() if name not in (*alike, *alone)}
    lines += [f"| `{name}` | {MEANINGS[name]} |" + "".join(f" {each} |" for each in row) for name, row in shown.items()]
    lines += ["", f"`ok` wherever asked: {'; '.join(f'`{name}` ({MEANINGS[name]})' for name in alike)}.", ""]
    only = "; ".join(f"`{name}` ({MEANINGS[name]}): {row[-1]}" for name, row in alone.items())
    return "\n".join([*lines, f"Asked of KIP-501 only: {only}."]) + "\n"


def test_the_table_is_that_of_the_runs() -> None:
    made = table()
    if os.environ.get("ISRCHECK_ACCEPT"):
        PAGE.write_text(TABLE.sub(lambda _: made, TEXT), encoding="utf-8")
    else:
        found = TABLE.search(TEXT)
        assert found
        assert found[0] == made


def commands() -> list[tuple[str, ...]]:
    return COMMAND.findall(TEXT)


@pytest.mark.parametrize(("model", "words", "told", "steps"), commands())
def test_every_command_says_what_stands_beside_it(
    model: str, words: str, told: str, steps: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if model.startswith("./"):
        file, _, name = model[2:].partition(":")
        (code,) = [c for c in re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL) if f"class {name}(" in c]
        (tmp_path / file).write_text(code, encoding="utf-8")
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(sys, "dont_write_bytecode", True)
    constants = dict(pair.split("=") for pair in re.findall(r"-c (\S+)", words))
    fairness, asked = re.findall(r"--fairness (\S+)", words), re.findall(r"--property (\S+)", words)
    found = check(model, properties=asked, constants=constants, fairness=fairness).properties
    assert len(found) == 1
    assert found[0].verdict.value == told.split()[0]
    assert str(found[0].trace.length - 1 if found[0].trace else "") == steps


def test_every_indented_command_is_checked() -> None:
    assert len(commands()) == len(re.findall(r"^    isrcheck check ", TEXT, re.MULTILINE)) > 10


def test_every_column_has_its_model() -> None:
    _, _, versions = TEXT.partition("## The versions")
    assert [model for model in SHOWN if f"`{model}`" not in versions] == []
    assert set(HEADS) == {name for name in MODELS if name.startswith("isr-")}


SMALL = (
    "max_records=0 lag_time_max=2 ",
    "max_records=1 lag_time_max=2 ",
)  # what is in the constants of runs that the reference can make


def constants(row: Row) -> dict[str, str]:
    return dict(pair.split("=") for pair in row["constants"].split())


def runs() -> Sequence[object]:
    """One small run for each model and configuration, with all the rows it answers."""

    def key(row: Row) -> tuple[str, str]:
        return row["model"], row["constants"]

    return [
        pytest.param(list(group), id=f"{model}-{chosen}".replace(" ", "-"))
        for (model, chosen), group in groupby(sorted(rows("isr-matrix.toml"), key=key), key)
        if any(part in chosen for part in SMALL)
    ]


def compare(outcome: Outcome, group: list[Row]) -> None:
    assert outcome.cut is None
    for row in group:
        found = outcome.property(row["property"])
        steps = str(found.trace.length - 1) if found.trace else ""
        assert (found.verdict.value, steps) == (row["verdict"], row["steps"]), row


@pytest.mark.parametrize("group", runs())
def test_the_reference_agrees(group: list[Row]) -> None:
    compare(check(group[0]["model"], engine="reference", constants=constants(group[0])), group)


@pytest.mark.parametrize("pace", ["free", "every-tick"])
@pytest.mark.parametrize("model", sorted(name for name in MODELS if name.startswith("isr-")))
def test_the_reference_sees_the_same_graph(model: str, pace: str) -> None:
    constants = {"max_records": 1, "lag_time_max": 1, "expiration_period": 1, "pace": pace}
    slow, fast = (check(model, engine=engine, constants=constants) for engine in ("reference", "native"))
    assert (slow.distinct, slow.generated, slow.depth, slow.pruned) == (
        fast.distinct,
        fast.generated,
        fast.depth,
        fast.pruned,
    )
    assert slow.digest == fast.digest
    assert [p.verdict for p in slow.properties] == [p.verdict for p in fast.properties]


def test_every_policy_is_in_the_matrix() -> None:
    policies = {name for name in MODELS if name.startswith("isr-")}
    assert {row["model"] for row in rows("isr-matrix.toml")} == policies
    assert {row["model"] for row in rows("isr-sweep.csv")} == policies
