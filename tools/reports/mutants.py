"""Makes reports/mutants: python -m tools.reports.mutants [MODEL ...].

A table of all mutants for a model of each family, at one small choice of constants; and for every guard of every
family its removal, at as many choices as it takes, checked against the reasons in specs/mutants/unneeded-guards.toml.
What became of each mutant is in fates.csv, which is kept and compared; the pages and the JSON are not.
"""

import csv
import io
import json
import os
import sys
from collections.abc import Iterable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from isrcheck.cli import commands
from isrcheck.evidence.writers.html import page_of
from isrcheck.files import write_aside
from isrcheck.gate.mutants.report import DETECTED, constants_of, kill, survey_document

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "reports" / "mutants"
REASONS = Path("specs/mutants/unneeded-guards.toml")

P2 = "replicas=2 log_size=2 max_records=2 max_leader_epoch=2"
P3 = "replicas=3 log_size=1 max_records=1 max_leader_epoch=2"
_P4 = "replicas=3 log_size=2 max_records=2 max_leader_epoch=2"
_EVERY_TICK, _WINDOW, _TWO_STEPS = "pace=every-tick", "appends=in-read-window", "fetch_steps=two max_records=2"
_AFTER = "leo_taken=after-read"
_SENT = "commands_lost=false commands_repeated=false commands_reordered=false"
_BEFORE_ELR = "elr=false strict=false last_known=false power_losses=1 max_version=7 max_epoch=6 max_session=1"
_LEADER_ALONE = "min_isr=1 initial_isr=1 max_session=0 max_epoch=4"
_DISK = "fences=0 disks=1"
_LATE_ANSWERS = "fences=0 late_answers=true response_epoch_checked=false max_epoch=4 max_session=0"
_EPOCHS = "fences=0 epoch_cache=true elections=1"
_KINDER = f"{_SENT} dropped=follower-behind follower_hw_is_capped=true"

TABLES: dict[str, str] = {
    "kip-320": P2,
    "async-isr": "replicas=2",
    "isr-kafka-19996-fix": "",
    "isr-original-design": "",
    "partition": "",
    "original-design": "max_records=1 commands_repeated=false",
}
GUARDS: dict[str, list[str]] = {
    "kip-320": ["replicas=2", "replicas=2 isr_may_empty=false", P2, P3, _P4],
    "kip-320-first-try": [P2, P3.replace("epoch=2", "epoch=1"), _P4.replace("epoch=2", "epoch=1")],
    "async-isr": ["replicas=2"],
    "isr-kafka-19996-fix": ["", _EVERY_TICK, _WINDOW, f"{_EVERY_TICK} {_WINDOW}", _TWO_STEPS, _AFTER],
    "isr-kip-501": [
        "",
        "relinquish=true",
        f"fetch_steps=one {_EVERY_TICK} max_records=3",
        f"fetch_steps=one {_AFTER}",
        "relinquish=true replicas=3 max_records=1",
    ],
    "isr-original-design": ["", _EVERY_TICK, f"{_EVERY_TICK} {_WINDOW}", "fetch_steps=two max_records=1"],
    "partition": ["max_records=1", "", "replicas=3 max_records=1 leader_epochs=2 max_version=3 lag_time_max=1"],
    "partition-kafka-4485-v2-kip-320": ["max_records=1"],
    "original-design": [
        "max_records=1 commands_repeated=false",
        "max_records=1 commands_reordered=false replicas_move=true",
        f"{_SENT} brokers_restart=false replicas_move=true max_changes=4 max_version=4 max_records=1",
        f"{_SENT} responses_lost=true max_records=1",
        f"{_KINDER} max_records=1",
        f"{_KINDER} brokers_restart=false joining_undoes_removal=false",
    ],
    "kraft": [
        "replicas=3 initial_isr=2 fences=0 max_version=4 max_epoch=4 max_session=0",
        "fences=0 rack_losses=1 flushed=true rolls_back=true max_version=7 max_epoch=5 max_session=1",
        "fences=0 kills=1 rack_losses=1 max_version=4 max_epoch=4 max_session=0",
        "fences=0 clean_stops=2 rolling=true max_version=9 max_epoch=7 max_session=2",
        f"{_LEADER_ALONE} one_look=false max_version=5",
        f"{_LEADER_ALONE} kills=1 strict=false max_version=4",
        f"{_BEFORE_ELR} spare_last=true",
        f"{_BEFORE_ELR} flushed=true",
        "late_fetches=true kills=1 min_isr=1 max_version=5 max_epoch=4 max_session=1",
        "fences=0 rolls_back=true clears_pending=true shrinks=1 max_version=5 max_epoch=4 max_session=0",
        "fences=0 hw_waits=true kills=1 shrinks=1 max_version=5 max_epoch=4 max_session=1",
        "fences=0 late_fetches=true spares=1 reassignments=1 min_isr=1 max_version=4 max_epoch=4 max_session=0",
        "replicas=3 spares=2 kills=1 min_isr=1 max_version=5 max_epoch=4 max_session=0",
        "fences=0 kills=1 spares=1 reassignments=2 min_isr=1 max_version=6 max_epoch=5 max_session=1",
        "kills=1 clean_stops=1 shrinks=1 elections=1 max_version=5 max_epoch=5 max_session=1",
        f"{_DISK} dir_reports=1 max_version=6 max_epoch=5 max_session=1",
        f"{_DISK} spare_last=true max_version=5 max_epoch=4 max_session=1",
        "dir_reports=1 report_keeps_elr=false max_version=5 max_epoch=4 max_session=0",
        "fences=0 kills=1 unclean_settles=false max_version=5 max_epoch=4 max_session=1",
        "fences=0 kills=1 registers_early=true max_version=4 max_epoch=4 max_session=1",
        "fences=0 recreations=1 max_version=4 max_epoch=4 max_session=0",
        f"{_LATE_ANSWERS} elections=2 max_version=4",
        f"{_LATE_ANSWERS} min_isr=1 reassignments=2 max_version=5",
        f"{_EPOCHS} swaps=1 max_version=4 max_epoch=3 max_session=0",
        f"{_EPOCHS} epoch_file=written flushed=true power_losses=1 max_version=5 max_epoch=4 max_session=1",
        f"{_EPOCHS} kills=1 max_version=5 max_epoch=4 max_session=1",
        "fences=0 controller_failures=1 kills=1 max_version=4 max_epoch=4 max_session=1",
    ],
    "kraft-timed": ["kafka_19996=true max_version=5 max_epoch=1"],
}
SINCE_KRAFT = ("kraft", "kraft-timed")  # the releases of kraft are the same text with other constants
ONLY = {  # what the other models of the family do not have, or never take
    "kip-320-first-try": "follower_truncates",
    "partition-kafka-4485-v2-kip-320": "leader_commits_with_time",
    "kraft-timed": "ask_add/guard-1",
}


def table_words(model: str) -> list[str]:
    """The command line that makes a model's table."""
    return ["mutate", model, "--config", TABLES[model], "--all"]


def guard_words(model: str) -> list[str]:
    """The command line that removes a model's guards."""
    chosen = [argument for config in GUARDS[model] for argument in ("--config", config)]
    only = ["--mutant", ONLY[model]] if model in ONLY else []
    return ["mutate", model, *chosen, *only, "--change", "guard", "--reasons", str(REASONS)]


def run(words: list[str], file: Path, workers: int) -> dict[str, Any]:
    """Run `isrcheck` and keep its facts in a file."""
    commands.main(
        [*words, "--workers", str(workers), "--json", str(file), "--to", "md", "-o", os.devnull], standalone_mode=False
    )
    facts: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return facts


@dataclass(frozen=True)
class FateRow:
    """The fate of one mutant in one survey."""

    survey: str  # `guards`: every guard removed; `table`: every mutant
    model: str
    mutant: str
    owner: str  # the class that the guard is written in; empty in tables
    guard: str
    constants: str  # at which its fate was decided; empty in tables
    fate: str
    killed_by: str  # properties as `name:steps`, the step count empty for one that is not reached any more


def fate_rows(survey: str, facts: dict[str, Any]) -> list[FateRow]:
    """The fate of each mutant of a survey, without places in the models' source."""
    return sorted((_fate_row(survey, facts, m) for m in facts["mutants"]), key=lambda row: row.mutant)


def _fate_row(survey: str, facts: dict[str, Any], mutant: dict[str, Any]) -> FateRow:
    killers = " ".join(f"{n['name']}:{'' if n['length'] is None else n['length'] - 1}" for n in mutant["killed_by"])
    where = ("", "", "")
    if survey == "guards":
        constants = facts["configurations"][mutant["configuration"]]["constants"]
        where = (mutant["owner"], mutant["guard"], " ".join(f"{n}={v}" for n, v in constants.items()))
    return FateRow(survey, facts["model"], mutant["name"], *where, mutant["fate"], killers)


FIELDS = [f.name for f in fields(FateRow) if f.name != "mutant"]  # what mutants share a line by


def read_fates(survey: str, model: str) -> list[FateRow]:
    """The rows that are kept of one survey, by the mutant's name."""
    with (FOLDER / "fates.csv").open(encoding="utf-8", newline="") as lines:
        matching = [line for line in csv.DictReader(lines) if (line["survey"], line["model"]) == (survey, model)]
    rows = (
        FateRow(mutant=name, **{n: line[n] for n in FIELDS}) for line in matching for name in line["mutants"].split()
    )
    return sorted(rows, key=lambda row: row.mutant)


def write_fates(file: Path, rows: list[FateRow]) -> None:
    """The table, a line for each fate and what killed it, with the mutants."""
    lines: dict[tuple[str, ...], list[str]] = {}
    for row in rows:
        lines.setdefault(tuple(getattr(row, name) for name in FIELDS), []).append(row.mutant)
    table = io.StringIO()
    writer = csv.writer(table, lineterminator="\n")
    writer.writerow([*FIELDS, "mutants"])
    writer.writerows([*line, " ".join(mutants)] for line, mutants in lines.items())
    write_aside(file, table.getvalue())


def overview(guards: list[dict[str, Any]], tables: list[dict[str, Any]]) -> str:
    """The page that leads to all others, in Markdown."""
    lines = [
        "# Mutants of the Kafka models",
        "",
        "Made by `./dev reports`; how to read it is in [docs/mutants.md](../../docs/mutants.md).",
        "",
        "## All mutants, every property asked",
        "",
        "| model | constants | mutants | killed | error | invalid | dead action | survived | equivalent | "
        "trivially equivalent | undecided |",
        "|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|",
        *map(_table_row, tables),
        "",
        "## Guards",
        "",
        "Each guard is removed, at several choices of constants, until a property kills. [Every guard in every model]"
        "(guards.md) tells the same of all variants, and what the gate says of each.",
        "",
        "| model | guards | killed | listed with a reason |",
        "|---|--:|--:|--:|",
        *(f"| {_link(f)} | {len(f['mutants'])} | {_count_detected(f)} | {len(f['unneeded_guards'])} |" for f in guards),
    ]
    for facts in guards:
        lines += ["", f"### {facts['model']}", "", *_guard_rows(facts)]
    return "\n".join(lines) + "\n"


def _table_row(facts: dict[str, Any]) -> str:
    fates = facts["fates"]
    counts = [
        fates[n]
        for n in ("killed", "error", "invalid", "dead-action", "survived", "equivalent", "trivially-equivalent")
    ]
    cells = [len(facts["mutants"]), *counts, fates["undecided"] + fates["lost"]]
    constants = constants_of(facts["configurations"][0])
    return f"| [{facts['model']}]({facts['model']}.html) | {constants} | {' | '.join(map(str, cells))} |"


def _link(facts: dict[str, Any]) -> str:
    return f"[{facts['model']}](#{facts['model']})"


def _count_detected(facts: dict[str, Any]) -> int:
    return sum(m["fate"] in DETECTED for m in facts["mutants"])


def _guard_rows(facts: dict[str, Any]) -> list[str]:
    reasons = {each["guard"]: each for each in facts["unneeded_guards"]}
    lines = [
        f"{number}. {constants_of(each)}: {each['distinct']:,} states"
        for number, each in enumerate(facts["configurations"])
    ]
    lines += ["", "| guard | what kills the mutant, at which of these | else why nothing does |", "|---|---|---|"]
    for m in facts["mutants"]:
        why = reasons.get(m["guard"])
        killers = f"{_who(m)}, at {m['configuration']}" if m["fate"] in DETECTED else ""
        guard = m["guard"].replace("|", "\\|")
        lines.append(f"| `{guard}` | {killers} | {why['because'] + ': ' + why['reason'] if why else ''} |")
    return lines


def _who(mutant: dict[str, Any]) -> str:
    return (
        ", ".join(map(kill, mutant["killed_by"]))
        or mutant["why"]
        or f"never happens: {', '.join(mutant['dead_actions'])}"
    )


SURVEYS: dict[str, Iterable[str]] = {"guards": GUARDS, "table": TABLES}


def words_of(survey: str, model: str) -> list[str]:
    """The command line that makes a survey of a model."""
    return guard_words(model) if survey == "guards" else table_words(model)


def main(folder: Path, models: list[str]) -> None:
    """Makes the surveys of all models, or of some, and fates.csv; the overview once all are there."""
    workers = min(os.cpu_count() or 1, 8)
    names = [(survey, model) for survey, known in SURVEYS.items() for model in known]
    for survey, model in names:
        if not models or model in models:
            facts = run(words_of(survey, model), folder / f"{survey}-{model}.json", workers)
            if survey == "table":
                write_aside(folder / f"{model}.html", page_of(survey_document(facts, by_property=True)))
            sys.stdout.write(f"{survey} of {model}: {facts['fates']}\n")
    write_fates(folder / "fates.csv", [row for name in names for row in _read_survey(folder, *name)])
    if all((folder / f"{survey}-{model}.json").exists() for survey, model in names):
        facts_of = {name: read(folder, *name) for name in names}
        guards, tables = ([facts_of[name] for name in names if name[0] == survey] for survey in SURVEYS)
        write_aside(folder / "README.md", overview(guards, tables))


def _read_survey(folder: Path, survey: str, model: str) -> list[FateRow]:
    """The rows of a survey that was made in this checkout, or else those that are kept."""
    if (folder / f"{survey}-{model}.json").exists():
        return fate_rows(survey, read(folder, survey, model))
    return read_fates(survey, model)


def read(folder: Path, survey: str, model: str) -> dict[str, Any]:
    """The facts of a survey that was made in this checkout."""
    facts: dict[str, Any] = json.loads((folder / f"{survey}-{model}.json").read_text(encoding="utf-8"))
    return facts


if __name__ == "__main__":
    main(FOLDER, sys.argv[1:])
