"""Makes docs/risk.md of reports/risk.csv and what the default question answers: python -m tools.reports.risk_page.

The answer in reports/risk.txt is not asked again while it is there.
"""

import csv
import os
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator

from tools.bench.risk import FILE as RINGS
from tools.reports.risk import PAGE, ROOT, SEARCHED, Case, read, read_rows, settings, variations

from isrcheck.files import write_aside
from isrcheck.ir.frozen import replace
from isrrisk.budget import FAULTS, FaultBudget, Vector, by_number
from isrrisk.rings import EXPECTED_AT_MOST
from isrrisk.setting import Setting
from isrrisk.wording import WORDS

COMMAND = "isrcheck risk --kafka 4.1 --replication-factor 3 --min-isr 2 --acks all"
ANSWER = ROOT / "reports" / "risk.txt"
HEAD = """\
# How safe are my topic's settings?

    {command}

{answer}
This is complete: every reachable state of the model with at most these faults and one record, and nothing was pruned.
It says nothing of more faults. A killed broker keeps its log; a power loss takes what was not flushed; a live broker is
fenced when the controller takes it for dead ("fencing"; [what may go wrong](kraft.md#what-may-go-wrong)).

## Other settings

    isrcheck risk --replication-factor 2 --vary elr --vary min-isr=1,2
    isrcheck risk --replication-factor 2 --vary kafka=3.9,4.1,4.4
    isrcheck risk --describe TOPICS.txt
    isrcheck risk --describe TOPICS.txt --against BEFORE.txt --budget kill=1,power=1
    isrcheck risk --replication-factor 5 --min-isr 3 --racks a,a,b,b,c

`--vary` also takes `acks`, `replication-factor`, `unclean-election` and `flush-every-record`; settings that
answer alike as far as searched are one column. `--describe` reads what `kafka-topics.sh --describe` prints (`-`: from a
pipe); `--min-isr` is for topics that have no value of their own. `--racks` has the zone of each replica, and one zone
may be lost besides: of five brokers in three zones, 3 replicas have one in each, `--racks a,b,c`. Without a layout
`--faults rack` is the loss of any two brokers. `--cluster upgraded` is one without eligible leader replicas (ELR), as
after an upgrade. `--against` refuses a topic that survives less ([in CI](ci.md#a-topics-settings)). `steps` is the
length of the shortest story, not severity.

## How far it searches

Small budgets of faults completely, then wider ones, up to one fencing, 2 kills, 2 power losses and a replaced disk.
It ends before a search of which more than {most:,} states are expected, and says what that would take.
`--budget kill=1,power=1` (no other fault happens), limits such as `--max-seconds 600` and [`--engine gpu`](gpu.md) go
on. Ctrl-C, SIGTERM and limits keep every complete search (`complete` in `--json`). The exit code is 12 if something is
lost; 20 if no search is complete, or `--budget` asked for more than is complete; else 0.

With Kafka 4.1, acks=all, an empty cache and two workers a question took {seconds} CPU seconds at {factors} replicas,
compilation included (`reports/benchmarks/risk.csv`, by `python -m tools.bench.risk`).

## The tables

P1: whoever leads has every acknowledged record. P2: some log has it. P3: whoever leads has what a consumer read: with
acks=all P1 and P3 break by the same faults. P4: the partition is not left without a leader. A cell has each least
combination of faults that breaks it, and whatever contains one breaks it, too: {letters}. `f+2l` is one fencing and
2 power losses.

Nothing was pruned. `reports/risk.csv` has the states; `./dev docs` searches what it lacks and writes this page.
`--trace-dir DIR` writes the stories.
"""
VARIATIONS = """\
## Other faults, decisions and settings

acks=all and `min.insync.replicas=2` where the row does not say otherwise; with acks=1 P3 holds. Numbers after a colon
are the steps of the shortest story; what holds, holds in every reachable state of each search.

- ELR without the last leader: where 4.1 would lose the record, the partition stays without a leader.
- KIP-966 part 2 takes as many power losses as `min.insync.replicas`.
- Unclean election: with `min.insync.replicas` equal to the replication factor, fencings alone lose no record.
"""
BEYOND = """\
Rows that look alike agree within these budgets only: at 3 replicas, `min.insync.replicas=1` loses by 2f+l
(`--vary min-isr=1,2 --budget fence=2,power=1`, 2,019,624 and 3,287,551 states), which 2 survives; both lose by 2k+l.
"""
LETTERS = {
    "fences": "f",
    "kills": "k",
    "power_losses": "l",
    "disks": "d",
    "shrinks": "s",
    "elections": "e",
    "clean_stops": "c",
}
NUMBERS = ("P1", "P2", "P4")  # P3 is P1 with acks=all, else a sentence


def page() -> str:
    """The page, of what is in the file; a search that is not there leaves its row out."""
    rows = {(row["case"], row["budget"], row["property"]): row for row in read_rows()}
    blocks = [head()]
    blocks += [
        "## Settings\n",
        f"At most {_budgets()}; a row by\n",
        *map(_command_of, SEARCHED),
        "",
        *_settings(rows),
        "",
        BEYOND,
    ]
    blocks += [VARIATIONS, *_variations(rows), ""]
    return "\n".join(blocks).rstrip() + "\n"


def head() -> str:
    """The default question, its answer as it was printed, and what each search takes."""
    return HEAD.format(
        command=COMMAND,
        answer="".join(f"    {line}".rstrip() + "\n" for line in _excerpt(ANSWER.read_text(encoding="utf-8"))),
        most=EXPECTED_AT_MOST,
        letters=", ".join(f"`{letter}` {FAULTS[kind].noun}" for kind, letter in LETTERS.items()),
        **_costs(),
    )


def _excerpt(answer: str) -> list[str]:
    """Return the lines of an answer without what it advises to do next."""
    table, _, rest = answer.partition("Not searched:")
    story, _, advice = rest[rest.index("\nHow ") :].partition("\nWith --trace-dir")
    heading, steps = story.lstrip().split("\n", 1)
    story = f"\n{heading}\n...\n{steps[steps.index('   5  ') :]}"
    cheapest, _, _ = advice[advice.index("\nThe cheapest") :].partition("Searched with")
    return f"{table}...\n{story}{cheapest}".splitlines()


def _costs() -> dict[str, str]:
    """Return the CPU seconds of each question, and its replicas, as the benchmark wrote them."""
    with RINGS.open(encoding="utf-8", newline="") as file:
        measured = [row for row in csv.DictReader(file) if row["cpu_seconds"]]
    return {
        "seconds": ", ".join(row["cpu_seconds"] for row in measured),
        "factors": ", ".join(row["replicas"] for row in measured),
    }


def _budgets() -> str:
    return ", ".join(f"{_letters(tuple(most.items()))} at {factor} replicas" for factor, most in SEARCHED.items())


def _command_of(factor: int) -> str:
    option = FaultBudget(SEARCHED[factor]).option()
    return f"    isrcheck risk --kafka 4.1 --replication-factor {factor} --min-isr 2 --acks all --budget {option}"


Rows = dict[tuple[str, str, str], dict[str, str]]


def _settings(rows: Rows) -> Iterator[str]:
    """One line for releases that answer alike; acks=1 is a sentence, since a record of it needs one fault only."""
    yield "| replicas | `min.insync.replicas` | Kafka | " + " | ".join(NUMBERS) + " |"
    yield "|--:|--:|" + "---|" * (1 + len(NUMBERS))
    every = [case for factor in SEARCHED for case in settings(factor) if (case.name, case.budget, "leaderless") in rows]
    cells = {case.setting: tuple(_least(rows[case.name, case.budget, loss]) for loss in WORDS) for case in every}
    alike: dict[tuple[int, int], dict[tuple[str, ...], list[str]]] = {}
    for case in (case for case in every if case.setting.acks == "all"):
        answers = alike.setdefault((case.setting.replication_factor, case.setting.min_isr), {})
        answers.setdefault(cells[case.setting], []).append(_release(case))
    for (factor, min_isr), answers in sorted(alike.items()):
        for losses, releases in answers.items():
            named = ", ".join(releases) if len(answers) > 1 else f"all, {releases[-1]} to {releases[0]}"
            yield f"| {factor} | {min_isr} | {named} | " + " | ".join(_without_reads(losses, "all")) + " |"
    yield "\n" + _sentence_on_acks(cells)


def _without_reads(losses: tuple[str, ...], acks: str) -> tuple[str, ...]:
    """Return the cells without P3. Raises ValueError if the page is wrong about it."""
    acked, nowhere, read_back, leaderless = losses
    if read_back != (acked if acks == "all" else "holds"):
        raise ValueError(f"acks={acks}: P1 {acked}, P3 {read_back}")
    return acked, nowhere, leaderless


def _sentence_on_acks(cells: dict[Setting, tuple[str, ...]]) -> str:
    """Return the sentence on acks=1. Raises ValueError if it is not true of a setting."""
    sentence = "With acks=1 one fault (f, k or l) breaks P1 and P2 at every setting; P3 and P4 are as with acks=all."
    for setting, losses in cells.items():
        as_all = cells[replace(setting, acks="all")]
        if setting.acks == "1" and losses != ("f, k, l", "f, k, l", *as_all[2:]):
            raise ValueError(f"{setting.description()}: {losses}, and the page says: {sentence}")
    return sentence


def _release(case: Case) -> str:
    elr = case.setting.elr
    return case.setting.kafka + ("" if elr is None else " with ELR" if elr else " without ELR")


def _least(row: dict[str, str]) -> str:
    least = [_letters(faults) for faults, _ in _losses(row)]
    if row["cut"] or row["pruned"] != "0":
        least.append(f"(cut off {row['cut']})" if row["cut"] else "(within bounds)")
    return ", ".join(least) or "survives"


def _variations(rows: Rows) -> Iterator[str]:
    """One line for a setting, with the least faults of all its searches."""
    yield "| replicas | setting | searched | " + " | ".join(NUMBERS) + " |"
    yield "|--:|" + "---|" * (2 + len(NUMBERS))
    for factor, (name, cases) in ((n, variation) for n in SEARCHED for variation in variations(n)):
        if own := [case for case in cases if (case.name, case.budget, "leaderless") in rows]:
            searched = ", ".join(_budget_and_cut(case, rows) for case in own)
            losses = tuple(_with_steps([rows[case.name, case.budget, loss] for case in own]) for loss in WORDS)
            cells = _without_reads(losses, own[0].setting.acks)
            yield f"| {' | '.join((str(factor), name, searched, *cells))} |"


def _budget_and_cut(case: Case, rows: Rows) -> str:
    row = rows[case.name, case.budget, "leaderless"]
    cut = f" (cut off {row['cut']})" if row["cut"] else ""
    return f"{_letters(tuple(case.most.items()))}{cut}"


def _letters(faults: Vector) -> str:
    """The faults in short: f+2l."""
    return "+".join(f"{n if n > 1 else ''}{LETTERS[kind]}" for kind, n in faults if n)


def _losses(row: dict[str, str]) -> list[tuple[Vector, str]]:
    """Return the losses of a row as (faults, loss), fewest faults first."""
    pairs = [each.rpartition(": ") for each in row["least"].split("; ") if each]
    return sorted(((read(faults), steps) for faults, _, steps in pairs), key=lambda each: by_number(each[0]))


def _with_steps(searches: list[dict[str, str]]) -> str:
    losses = dict(loss for row in searches for loss in _losses(row))
    least = [f"{_letters(each)}: {losses[each]}" for each in sorted(losses, key=by_number) if _is_least(each, losses)]
    return ", ".join(least) or ("undetermined" if any(row["cut"] for row in searches) else "holds")


def _is_least(faults: Vector, others: Iterable[Vector]) -> bool:
    """Whether no other loss needs only some of these faults."""
    most = dict(faults)
    return all(other == faults or any(n > most.get(kind, 0) for kind, n in other) for other in others)


def print_default() -> str:
    """The answer to the default question as it is printed, without seconds."""
    command = [sys.executable, "-m", *COMMAND.split(), "--no-cache"]
    environment = {**os.environ, "COLUMNS": "140"}
    printed = subprocess.run(command, capture_output=True, text=True, check=False, env=environment).stdout
    lines = [line.rstrip() for line in printed.splitlines()]
    steady = re.sub(r", \d+\s+min\s+at\s+the\s+pace\s+so\s+far", "", "\n".join(lines))
    return re.sub(r",\s+\d+(\.\d)?\s+s(\s+at\s+the\s+pace\s+so\s+far)?\.", ".", steady) + "\n"


if __name__ == "__main__":
    if not ANSWER.exists():
        write_aside(ANSWER, print_default())
    write_aside(PAGE, page())
