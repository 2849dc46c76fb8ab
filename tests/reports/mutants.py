"""Makes reports/mutants: python -m tests.reports.mutants [MODEL ...].

A table of all mutants for a model of each family, at one small choice of constants; and for every guard of every
family its removal, at as many choices as it takes, held against the reasons in specs/mutants/unneeded-guards.toml.
"""

import json
import os
import sys
from pathlib import Path
from typing import Any

from isrcheck.cli import commands
from isrcheck.files import write_aside
from isrcheck.gate.mutants.forms.page import survey_page
from isrcheck.gate.mutants.forms.words import SEEN, constants_of, notice

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "reports" / "mutants"
REASONS = Path("specs/mutants/unneeded-guards.toml")

P2 = "replicas=2 log_size=2 max_records=2 max_leader_epoch=2"
P3 = "replicas=3 log_size=1 max_records=1 max_leader_epoch=2"
_P4 = "replicas=3 log_size=2 max_records=2 max_leader_epoch=2"
_EVERY_TICK, _WINDOW, _TWO_STEPS = "pace=every-tick", "appends=in-read-window", "fetch_steps=two max_records=2"
_AFTER = "leo_taken=after-read"
_SENT = "commands_lost=false commands_repeated=false commands_reordered=false"
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
}
ONLY = {  # actions that the other models of the family do not have, or never take
    "kip-320-first-try": "follower_truncates",
    "partition-kafka-4485-v2-kip-320": "leader_commits_with_time",
}


def table_words(model: str) -> list[str]:
    """The command line that makes a model's table."""
    return ["mutate", model, "--config", TABLES[model], "--all"]


def guard_words(model: str) -> list[str]:
    """The command line that removes a model's guards."""
    chosen = [word for text in GUARDS[model] for word in ("--config", text)]
    only = ["--mutant", ONLY[model]] if model in ONLY else []
    return ["mutate", model, *chosen, *only, "--change", "guard", "--reasons", str(REASONS)]


def run(words: list[str], file: Path, workers: int) -> dict[str, Any]:
    """What `isrcheck` finds, kept in a file."""
    commands.main(
        [*words, "--workers", str(workers), "--json", str(file), "--to", "csv", "-o", os.devnull], standalone_mode=False
    )
    found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return found


def overview(guards: list[dict[str, Any]], tables: list[dict[str, Any]]) -> str:
    """The page that leads to all others, in Markdown."""
    lines = [
        "# Mutants of the Kafka models",
        "",
        "Made by `./dev reports`; how to read it is in [docs/mutants.md](../../docs/mutants.md).",
        "",
        "## All mutants, every property asked",
        "",
        "| model | constants | mutants | noticed | error | ill-formed | asleep | nobody | equal | same | open |",
        "|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|",
        *map(_table_row, tables),
        "",
        "## Guards",
        "",
        "Each guard is removed, at several choices of constants, until a property notices. [Every guard in every model]"
        "(guards.md) tells the same of all variants, and what the gate says of each.",
        "",
        "| model | guards | noticed | listed with a reason |",
        "|---|--:|--:|--:|",
        *(f"| {_link(f)} | {len(f['mutants'])} | {_seen(f)} | {len(f['unneeded_guards'])} |" for f in guards),
    ]
    for facts in guards:
        lines += ["", f"### {facts['model']}", "", *_guard_rows(facts)]
    return "\n".join(lines) + "\n"


def _table_row(facts: dict[str, Any]) -> str:
    fates = facts["fates"]
    counts = [fates[n] for n in ("noticed", "error", "ill-formed", "asleep", "survived", "equal", "same")]
    cells = [len(facts["mutants"]), *counts, fates["undecided"] + fates["lost"]]
    constants = constants_of(facts["configurations"][0])
    return f"| [{facts['model']}]({facts['model']}.html) | {constants} | {' | '.join(map(str, cells))} |"


def _link(facts: dict[str, Any]) -> str:
    return f"[{facts['model']}](#{facts['model']})"


def _seen(facts: dict[str, Any]) -> int:
    return sum(m["fate"] in SEEN for m in facts["mutants"])


def _guard_rows(facts: dict[str, Any]) -> list[str]:
    reasons = {each["guard"]: each for each in facts["unneeded_guards"]}
    lines = [
        f"{number}. {constants_of(each)}: {each['distinct']:,} states"
        for number, each in enumerate(facts["configurations"])
    ]
    lines += ["", "| guard | who notices, at which of these | else why nobody does |", "|---|---|---|"]
    for m in facts["mutants"]:
        why = reasons.get(m["guard"])
        seen = f"{_who(m)}, at {m['configuration']}" if m["fate"] in SEEN else ""
        guard = m["guard"].replace("|", "\\|")
        lines.append(f"| `{guard}` | {seen} | {why['because'] + ': ' + why['reason'] if why else ''} |")
    return lines


def _who(mutant: dict[str, Any]) -> str:
    return ", ".join(map(notice, mutant["noticed_by"])) or mutant["why"] or f"asleep: {', '.join(mutant['asleep'])}"


def main(folder: Path, models: list[str]) -> None:
    """Makes all tables, or those of some models and the overview."""
    workers = min(os.cpu_count() or 1, 8)
    for kind, words, known in (("guards", guard_words, GUARDS), ("table", table_words, TABLES)):
        for model in known:
            if not models or model in models:
                facts = run(words(model), folder / f"{kind}-{model}.json", workers)
                if kind == "table":
                    write_aside(folder / f"{model}.html", survey_page(facts))
                sys.stdout.write(f"{kind} of {model}: {facts['fates']}\n")
    found = [[read(folder, kind, model) for model in known] for kind, known in (("guards", GUARDS), ("table", TABLES))]
    write_aside(folder / "README.md", overview(*found))


def read(folder: Path, kind: str, model: str) -> dict[str, Any]:
    """The facts of a model that were kept."""
    found: dict[str, Any] = json.loads((folder / f"{kind}-{model}.json").read_text(encoding="utf-8"))
    return found


if __name__ == "__main__":
    main(FOLDER, sys.argv[1:])
