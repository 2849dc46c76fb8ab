"""Makes reports/risk.csv by one search a row of docs/risk.md: python -m tools.reports.risk [SECONDS].

What is in the file is not searched again: remove lines, or the file, for that. tools.reports.risk_page makes the page.
"""

import csv
import math
import sys
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path

from isrcheck.engines.contract import Limits
from isrcheck.ir.frozen import replace
from isrrisk.budget import FaultBudget, Vector
from isrrisk.frontier import Frontier
from isrrisk.question import LOSSES
from isrrisk.search import frontier
from isrrisk.setting import Setting

ROOT = Path(__file__).parents[2]
FILE, PAGE = ROOT / "reports" / "risk.csv", ROOT / "docs" / "risk.md"
COLUMNS = ("case", "budget", "property", "least", "survives", "states", "pruned", "cut")
LIMITS = Limits(seconds=300, memory=3 << 30)

# By replication factor, what is searched in the tables of settings.
SEARCHED = {
    2: {"fences": 1, "kills": 2, "power_losses": 2},
    3: {"fences": 1, "kills": 1, "power_losses": 1},
}
RELEASES = ("2.7", "3.3", "3.5", "3.6", "3.7", "4.0", "4.1", "4.3")


@dataclass(frozen=True)
class Case:
    """One search: a setting, what may go wrong, and decisions of the model that no setting of Kafka's has."""

    setting: Setting
    most: Mapping[str, int]
    switches: Mapping[str, bool] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """How the file names it: the setting, and what was switched."""
        return ", ".join([self.setting.description(), *(f"{name}={value}" for name, value in self.switches.items())])

    @property
    def budget(self) -> str:
        return write_vector(tuple((name, n) for name, n in self.most.items()))

    def search(self) -> Frontier:
        return frontier(self.setting, FaultBudget(self.most), LIMITS, workers=2, switches=self.switches)


def settings(factor: int) -> Iterator[Case]:
    """The table of settings of one replication factor."""
    for release in reversed(RELEASES):
        for elr in (True, False) if release == "4.0" else (None,):
            for acks, min_isr in product(("all", "1"), range(1, factor + 1)):
                yield Case(Setting(release, factor, min_isr, acks, elr=elr), SEARCHED[factor])


def variations(factor: int) -> Iterator[tuple[str, list[Case]]]:
    """Rows of the table of other budgets, decisions and settings: what it is, and its searches."""
    newest, before = Setting("4.1", factor, 2), Setting("3.7", factor, 2)
    beyond = [{"fences": 1, "power_losses": 2}, {"kills": 1, "power_losses": 2}] if factor == 3 else []
    wide = [SEARCHED[factor], *beyond]
    planned = {"shrinks": 1, "clean_stops": 1, "power_losses": 1}
    replaced = [{"fences": 1, other: 1, "disks": 1} for other in ("clean_stops", "kills")]

    def cases(setting: Setting, budgets: list[dict[str, int]], **switches: bool) -> list[Case]:
        return [Case(setting, most, switches) for most in budgets]

    yield "acks=1", cases(replace(newest, acks="1"), [{"fences": 1, "elections": 1}])
    yield "no ELR", cases(before, [planned])
    yield "ELR as in 4.1", cases(newest, beyond)
    for release, name in (("4.1", "4.0 to 4.2"), ("4.3", "4.3 and 4.4")):
        yield f"ELR, a replaced disk, {name}", cases(replace(newest, kafka=release), replaced)
    yield "ELR, the last leader is not elected", cases(newest, wide, last_known=False)
    yield "ELR with KIP-966 part 2 (no release)", cases(newest, wide, balanced=True)
    heeding = replace(before, kafka="3.9")  # unclean.leader.election.enable
    for name, setting in (
        ("min.insync.replicas=1, no ELR", replace(heeding, min_isr=1)),
        ("no ELR", heeding),
        ("ELR as in 4.1", newest),
    ):
        unclean = cases(replace(setting, unclean_election=True), [{"fences": factor}, SEARCHED[factor]])
        yield f"unclean election, {name}", unclean


def every_case() -> list[Case]:
    """Every case once; the tables of settings first."""
    every = [case for factor in SEARCHED for case in settings(factor)]
    every += [case for factor in SEARCHED for _, cases in variations(factor) for case in cases]
    return list({(case.name, case.budget): case for case in every}.values())


def write_vector(vector: Vector) -> str:
    return " ".join(f"{name}={n}" for name, n in vector if n) or "nothing"


def read(source: str) -> Vector:
    """Parse what `write_vector` wrote; "nothing" has no faults."""
    pairs = (pair.partition("=") for pair in source.split() if "=" in pair)
    return tuple((name, int(n)) for name, _, n in pairs)


def lines(case: Case, frontier: Frontier) -> Iterator[dict[str, str]]:
    for loss in LOSSES:
        yield {
            "case": case.name,
            "budget": case.budget,
            "property": loss,
            "least": "; ".join(f"{write_vector(e.faults)}: {e.steps}" for e in frontier.losses if e.name == loss),
            "survives": "; ".join(write_vector(each.faults) for each in frontier.survivals if each.name == loss),
            "states": str(frontier.states),
            "pruned": str(frontier.pruned),
            "cut": frontier.cut or "",
        }


def read_rows() -> list[dict[str, str]]:
    if not FILE.exists():
        return []
    with FILE.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def keep(rows: list[dict[str, str]]) -> None:
    order = [(case.name, case.budget) for case in every_case()]
    rows = sorted(rows, key=lambda row: order.index((row["case"], row["budget"])))
    with FILE.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def main(seconds: float, cases: Iterable[Case]) -> None:
    """Search for what is not in the file; no search begins after so many seconds."""
    end = time.monotonic() + seconds
    rows = read_rows()
    done = {(row["case"], row["budget"]) for row in rows}
    for case in cases:
        if (case.name, case.budget) not in done and time.monotonic() < end:
            print(case.name, case.budget, file=sys.stderr, flush=True)
            rows += lines(case, case.search())
            keep(rows)


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else math.inf, every_case())
