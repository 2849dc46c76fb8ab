"""Makes docs/risk.md of reports/risk.csv: python -m tests.reports.risk_page."""

from collections.abc import Iterator
from itertools import product

from tests.reports.risk import PAGE, SEARCHED, Case, known, read, settings, theory

from isrcheck.files import write_aside
from isrmodel.risk.budget import Vector, by_number, in_words
from isrmodel.risk.wording import WORDS

HEAD = """\
# How safe are my topic's settings?

    isrcheck risk --kafka 4.1 --replication-factor 3 --min-isr 2 --acks all

The tables say the least that must go wrong before a partition under KRaft loses something, for each release and its
settings; a cell has every least combination of faults, and whatever contains one of them loses it, too. A killed broker
keeps its log; a power loss takes what was not flushed; a live broker is fenced when the controller takes it for dead
("fencing"; [what may go wrong](kraft.md#what-may-go-wrong)).

Each row is one search of every reachable state of the model, with one record; nothing was pruned.
`python -m tests.reports.risk` writes `reports/risk.csv`, which has the steps of each shortest story, and
`python -m tests.reports.risk_page` makes this page of it. `isrcheck risk ... --trace-dir DIR` writes the stories.
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
    text = [HEAD]
    for factor in SEARCHED:
        text += [f"## Replication factor {factor}\n", _searched(factor), *_settings(factor, rows), ""]
    text.append(THEORY)
    for factor in SEARCHED:
        text += [f"### Replication factor {factor}\n", *_theory(factor, rows), ""]
    return "\n".join(text).rstrip() + "\n"


def _searched(factor: int) -> str:
    faults = _words(tuple(SEARCHED[factor].items()))
    return f"With at most {faults}. What survives all of it is marked so.\n"


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


if __name__ == "__main__":
    write_aside(PAGE, page())
