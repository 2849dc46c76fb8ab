"""Makes reports/risk.csv, the frontiers of docs/kraft.md's table: python -m tests.reports.risk. A search a setting.

At two replicas within risk's own budget, at three within one fencing, one kill and one loss of power.
"""

import csv
import sys
from collections.abc import Iterator
from itertools import product
from pathlib import Path

from isrcheck.engines.contract import Limits
from isrmodel.risk.budget import DEFAULT, FaultBudget, in_words
from isrmodel.risk.frontier import Frontier, frontier
from isrmodel.risk.question import LOSSES
from isrmodel.risk.setting import Setting

FILE = Path(__file__).parents[2] / "reports" / "risk.csv"
RELEASES = ("3.3", "3.5", "3.6", "3.7", "4.0", "4.1")
NARROW = {"fences": 1, "kills": 1, "power_losses": 1}
COLUMNS = ("kafka", "replicas", "min_isr", "acks", "elr", "property", "least", "states", "pruned", "cut")


def settings() -> Iterator[tuple[Setting, FaultBudget]]:
    for release, min_isr, acks in product(RELEASES, (1, 2), ("all", "1")):
        for elr in (False, True) if release == "4.0" else (None,):
            yield Setting(release, 2, min_isr, acks, elr=elr), FaultBudget(DEFAULT)
    for release in RELEASES:
        yield Setting(release, 3, 2), FaultBudget(NARROW)


def lines(found: Frontier) -> Iterator[list[object]]:
    setting = found.setting
    elr = setting.elr if setting.elr is not None else setting.kafka == "4.1"
    head = [setting.kafka, setting.replication_factor, setting.min_isr, setting.acks, elr]
    for loss in LOSSES:
        least = "; ".join(f"{in_words(each.faults)}: {each.steps}" for each in found.losses if each.name == loss)
        yield [*head, loss, least or "survives", found.states, found.pruned, found.cut or ""]


def main() -> None:
    with FILE.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        for setting, budget in settings():
            print(setting.described(), file=sys.stderr)
            writer.writerows(lines(frontier(setting, budget, Limits(seconds=300), workers=2)))


if __name__ == "__main__":
    main()
