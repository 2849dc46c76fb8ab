"""Makes docs/risk.md of reports/risk.csv and what the default question answers: python -m tools.reports.risk_page.

The answer in reports/risk.txt is not asked again while it is there.
"""

import csv
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from itertools import product

from tools.bench.risk import FILE as RINGS
from tools.reports.risk import PAGE, ROOT, SEARCHED, Case, known, read, settings, theory

from isrcheck.files import write_aside
from isrmodel.risk.budget import FaultBudget, Vector, by_number, in_words
from isrmodel.risk.rings import EXPECTED_AT_MOST
from isrmodel.risk.wording import WORDS

COMMAND = "isrcheck risk --kafka 4.1 --replication-factor 3 --min-isr 2 --acks all"
ANSWER = ROOT / "reports" / "risk.txt"
HEAD = """\
# How safe are my topic's settings?

    {command}

{answer}
This is complete: every reachable state of the model with at most these faults and one record, and nothing was pruned.
It says nothing of more faults. A killed broker keeps its log; a power loss takes what was not flushed; a live broker is
fenced when the controller takes it for dead ("fencing"; [what may go wrong](kraft.md#what-may-go-wrong)).

## How far it searches

It searches small budgets of faults completely, then wider ones: one of each kind at two and three replicas, one in all
beyond, with more kinds and during a rolling restart; then one fault more in all, up to one fencing, 2 kills and 2 power
losses. It ends before a search of which more than {most:,} states are expected, and says what that would take.
`--budget` and limits such as `--max-seconds 600` go on. Ctrl-C, SIGTERM and limits keep every complete search; no
advice follows a search that was cut off. With `--json` they are in `complete`. The exit code is 12 if something is
lost; 20 if no search is complete, or `--budget` asked for more than is complete; else 0.

{rings}
The states and the CPU seconds of plain commands (Kafka 4.1, acks=all) with an empty cache, two workers, compilation
included; `python -m tools.bench.risk` measures them. One fault of each kind at five replicas takes some two billion
states by the growth of smaller searches (33,421 with a kill, 4,605,867 with a power loss, too, 14,409,807 with a
fencing instead), 300 GB and hours: it is not complete here.

## Settings side by side

    isrcheck risk --vary elr --vary min-isr=1,2
    isrcheck risk --vary kafka=3.9,4.1,4.4
    isrcheck risk --describe topics.txt

`--vary` takes `kafka`, `replication-factor`, `min-isr`, `acks`, `elr`, `unclean-election` and `flush-every-record`, and
shows settings that answer alike in one column. `--describe` reads what `kafka-topics.sh --describe` prints; `--min-isr`
gives what topics without a value of their own have.

Eligible leader replicas (ELR, KIP-966) are on in clusters created with 4.1 or later. In an upgraded cluster they are
off until `kafka-features.sh` switches them on: `--cluster upgraded`. The answer says which releases the model does not
tell apart.

## Zones

    isrcheck risk --replication-factor 5 --min-isr 3 --racks a,a,b,b,c

One zone may be lost beside the other faults, which is two brokers at once for `a` and `b`; the answer says which two.
Without a layout, `--faults rack` is the loss of any two brokers.

## The tables

They say the least that must go wrong, for each release and its settings; a cell has every least combination of faults,
and whatever contains one of them loses it, too. Each row is one search of every reachable state; nothing was pruned.
`./dev docs` searches what `reports/risk.csv` lacks and makes this page of it. `isrcheck risk ... --trace-dir DIR`
writes the stories.
"""
THEORY = """\
## What the theory says, and what the search finds

P1: whoever leads has every acknowledged record. P2: some log has it. P3: whoever leads has what a consumer read.
Numbers in brackets are the steps of the shortest story. "Holds" means in every reachable state with at most the
faults searched. Where the two differ, a sentence of the theory was read otherwise:

- acks=1: a kill or a power loss alone does it, too, since whoever else is elected may not have copied the record yet.
- min.insync.replicas=1: the same faults as with 2; the record may be on the leader only, so P2 fails in fewer steps.
- Two power losses count as one copy left behind and one power loss: a broker that lost its log left the ISR, too.
- A leader drops any number of slow followers at once, so at three replicas one drop leaves two copies behind.
- With ELR, too, copies beyond `min.insync.replicas` have to be left behind first: at three replicas by one more fault.
- ELR without the last leader: where 4.1 would lose the record, the partition stays without a leader.
- KIP-966 part 2 takes as many power losses as `min.insync.replicas`, which the theory left to be found out.
- Unclean election: with `min.insync.replicas` equal to the replication factor every replica has an acknowledged
  record, so that fencings alone lose none; with less, whoever is elected may be one that had left the ISR before.
"""


def page() -> str:
    """The page, of what is in the file; a search that is not there leaves its row out."""
    rows = {(row["case"], row["budget"], row["property"]): row for row in known()}
    text = [head()]
    for factor in SEARCHED:
        text += [f"## Replication factor {factor}\n", _searched(factor), *_settings(factor, rows), ""]
    text.append(THEORY)
    for factor in SEARCHED:
        text += [f"### Replication factor {factor}\n", *_theory(factor, rows), ""]
    return "\n".join(text).rstrip() + "\n"


def head() -> str:
    """The default question, its answer as it was printed, and what each search takes."""
    return HEAD.format(
        command=COMMAND,
        answer="".join(f"    {line}".rstrip() + "\n" for line in ANSWER.read_text(encoding="utf-8").splitlines()),
        most=EXPECTED_AT_MOST,
        rings="\n".join(_rings()) + "\n",
    )


def _rings() -> Iterator[str]:
    yield "| replicas | `min.insync.replicas` | searched | states | CPU seconds, all of them |"
    yield "|--:|--:|---|--:|--:|"
    with RINGS.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            searched = row["searched"].replace(" of a live broker", "")
            yield (
                f"| {row['replicas']} | {row['min_isr']} | {searched} | {int(row['states']):,} | {row['cpu_seconds']} |"
            )


def _searched(factor: int) -> str:
    faults = _words(tuple(SEARCHED[factor].items()))
    option = FaultBudget(SEARCHED[factor]).option()
    command = f"isrcheck risk --kafka 4.1 --replication-factor {factor} --min-isr 2 --acks all --budget {option}"
    return f"With at most {faults}, a row by\n\n    {command}\n\nWhat survives all of it is marked so.\n"


Rows = dict[tuple[str, str, str], dict[str, str]]


def _settings(factor: int, rows: Rows) -> Iterator[str]:
    """One line for releases that answer alike."""
    yield "| producer | `min.insync.replicas` | Kafka | " + " | ".join(WORDS.values()) + " |"
    yield "|" + "---|" * (3 + len(WORDS))
    cases = [case for case in settings(factor) if (case.name, case.budget, "leaderless") in rows]
    for acks, min_isr in product(("all", "1"), range(1, factor + 1)):
        alike: dict[tuple[str, ...], list[str]] = {}
        for case in cases:
            if (case.setting.acks, case.setting.min_isr) == (acks, min_isr):
                cells = tuple(_least(rows[case.name, case.budget, loss]) for loss in WORDS)
                alike.setdefault(cells, []).append(_release(case))
        for cells, releases in alike.items():
            yield f"| acks={acks} | {min_isr} | {', '.join(releases)} | " + " | ".join(cells) + " |"


def _release(case: Case) -> str:
    elr = case.setting.elr
    return case.setting.kafka + ("" if elr is None else " with ELR" if elr else " without ELR")


def _least(row: dict[str, str]) -> str:
    words = [_words(faults) for faults, _ in _losses(row)]
    if row["cut"] or row["pruned"] != "0":
        words.append(f"(cut off {row['cut']})" if row["cut"] else "(within bounds)")
    return "; or ".join(words) or "survives"


def _theory(factor: int, rows: Rows) -> Iterator[str]:
    yield "| setting | expected | searched | P1 | P2 | P3 | without a leader |"
    yield "|" + "---|" * 7
    for name, expected, cases in theory(factor):
        for number, case in enumerate(cases):
            if (case.name, case.budget, "leaderless") not in rows:
                continue
            head = (name, expected) if number == 0 else ("", "")
            found = [rows[case.name, case.budget, loss] for loss in WORDS]
            states = f"{int(found[0]['states']):,} states"
            ended = f", cut off {found[0]['cut']}" if found[0]["cut"] else ""
            searched = f"{_words(tuple(case.most.items()))}: {states}{ended}"
            yield f"| {' | '.join((*head, searched, *map(_with_steps, found)))} |"


def _words(faults: Vector) -> str:
    return in_words(faults).replace(" of a live broker", "").replace(" of live brokers", "")


def _losses(row: dict[str, str]) -> list[tuple[Vector, str]]:
    """The fewest faults first."""
    pairs = [each.rpartition(": ") for each in row["least"].split("; ") if each]
    return sorted(((read(faults), steps) for faults, _, steps in pairs), key=lambda each: by_number(each[0]))


def _with_steps(row: dict[str, str]) -> str:
    words = [f"{_words(faults)} ({steps})" for faults, steps in _losses(row)]
    return "; or ".join(words) or ("undetermined" if row["cut"] else "holds")


def asked() -> str:
    """The answer to the default question as it is printed, without seconds."""
    command = [sys.executable, "-m", *COMMAND.split(), "--no-cache"]
    environment = {**os.environ, "COLUMNS": "110"}
    printed = subprocess.run(command, capture_output=True, text=True, check=False, env=environment).stdout
    lines = [line.rstrip() for line in printed.splitlines()]
    return (
        re.sub(
            r",\s+\d+(\.\d)? s( at the pace\s+so far)?\.",
            ".",
            re.sub(r", \d+ min at the pace so far", "", "\n".join(lines)),
        )
        + "\n"
    )


if __name__ == "__main__":
    if not ANSWER.exists():
        write_aside(ANSWER, asked())
    write_aside(PAGE, page())
