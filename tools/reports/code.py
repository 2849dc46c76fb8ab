"""Asks Kafka's own classes, release by release: python -m tools.reports.code [RELEASE...].

Each line of reports/code.csv is a run of `isrcheck code`, and the table of reports/code.md is made of them all. What is
in the file is not asked again: remove lines, or the file, for that. Needs Java 17 and Maven.
"""

import csv
import json
import re
import resource
import subprocess
import sys
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

from isrbrokers.classes.broker_steps import broker_settings
from isrbrokers.classes.harness import BROKER, CONTROLLER, Classes
from isrmodel.kraft import constants_of_patch, find_release_model
from isrmodel.kraft.releases import release_number

ROOT = Path(__file__).parents[2]
FILE, PAGE = ROOT / "reports" / "code.csv", ROOT / "reports" / "code.md"
COLUMNS = ("release", "role", "options", "verdict", "steps", "calls", "differing", "wider", "unasked", "cpu_seconds")
# The last patch of each that is on Maven Central.
RELEASES = ("3.3.2", "3.4.1", "3.5.2", "3.6.2", "3.7.2", "3.8.1", "3.9.2", "4.0.2", "4.1.2", "4.2.2", "4.3.1", "4.4.0")
# `risk`'s default budgets, completely searched, and the releases that are asked about them.
BUDGETS = (
    "-c replicas=2 -c min_isr=1 -c fences=1 -c kills=2 -c power_losses=2",
    "-c replicas=2 -c min_isr=2 -c fences=1 -c kills=2 -c power_losses=2",
    "-c replicas=3 -c min_isr=2 -c fences=1 -c kills=1 -c power_losses=1",
)
AT_RISK = ("3.7.2", "3.9.1", "4.1.1", "4.4.0")
HEAD = "| release | controller | brokers |\n|---|--:|--:|\n"
Row = dict[str, str]


class Run(NamedTuple):
    """One run of `isrcheck code`."""

    release: str
    role: str
    options: str = ""

    @property
    def model(self) -> str:
        model = find_release_model(self.release)
        assert model is not None
        return model

    def row(self) -> Row:
        """Ask the classes. Raises CalledProcessError if they cannot be asked."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        answer = self._ask()
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        counts: dict[str, Any] = answer if self.role == CONTROLLER.name else answer["brokers"]
        differing = sum(counts["differing"].values())
        steps = sum(counts["steps"].values()) + (differing if self.role == BROKER.name else 0)
        unasked = sum(counts.get("unasked", {}).values()) + counts.get("behind", 0)
        figures = (counts["verdict"], steps, counts["calls"], differing, counts["wider"], unasked, round(seconds))
        return dict(zip(COLUMNS, (*self, *map(str, figures)), strict=True))

    def _ask(self) -> dict[str, Any]:
        words = [sys.executable, "-m", "isrcheck", "code", self.model, "--release", self.release, "--role", self.role]
        done = subprocess.run(
            [*words, *self.options.split(), "--json", "-"], stdout=subprocess.PIPE, text=True, check=False
        )
        if done.returncode not in (0, 12):
            raise subprocess.CalledProcessError(done.returncode, words)
        answer: dict[str, Any] = json.loads(done.stdout)
        return answer


def runs() -> Iterator[Run]:
    """Every run of the table: of brokers the quick one, and of the newest release those that take minutes, too."""
    for release in RELEASES:
        yield Run(release, CONTROLLER.name)
        if find_release_model(release) == "kraft-4.0":
            yield Run(release, CONTROLLER.name, "-c elr=true -c last_known=true")
    for release in reversed(RELEASES):
        if Classes(release).offers(BROKER):
            yield Run(release, BROKER.name, " ".join(["--quick", *_options_of_patch(release)]))
    for setting in broker_settings({}):
        yield Run(RELEASES[-1], BROKER.name, " ".join(f"-c {name}={value}" for name, value in setting.constants))
    for release in AT_RISK:
        for budget in BUDGETS:
            yield Run(release, BROKER.name, " ".join([budget, *_options_of_patch(release)]))


def _options_of_patch(release: str) -> list[str]:
    return [f"-c {name}={str(value).lower()}" for name, value in constants_of_patch(release).items()]


def read_rows() -> list[Row]:
    """The lines of the file, in the order of the runs."""
    if not FILE.is_file():
        return []
    with FILE.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def write_rows(rows: Sequence[Row]) -> None:
    with FILE.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def table(rows: Sequence[Row]) -> str:
    """The table of the page: releases with the same counts in one line, and one for what else was asked of one."""
    named = dict[str, str]()
    for name in sorted({_line_of(row) for row in rows}, key=lambda name: (release_number(name), name)):
        some = [row for row in rows if _line_of(row) == name]
        named[name] = f"{_cell(some, CONTROLLER.name)} | {_cell(some, BROKER.name)}"
    lines = [f"| {', '.join(names)} | {cells} |\n" for cells, names in groupby(named, named.__getitem__)]
    return HEAD + "".join(lines)


def _line_of(row: Row) -> str:
    if row["role"] == CONTROLLER.name:
        return row["release"] + (", ELR on" if row["options"] else "")
    if row["options"].startswith(BUDGETS):
        return f"{row['release']}, `risk`, {'three' if 'replicas=3' in row['options'] else 'two'} replicas"
    return row["release"] + ("" if "--quick" in row["options"] else ", whole")


def _cell(rows: Sequence[Row], role: str) -> str:
    some = [row for row in rows if row["role"] == role]
    steps, calls, differing = (sum(int(row[name]) for row in some) for name in ("steps", "calls", "differing"))
    return f"{steps:,} ({calls:,})" + (f", {differing:,} differ" if differing else "") if some else "-"


def page() -> str:
    """The page, with its table made again."""
    head, _, rest = PAGE.read_text(encoding="utf-8").partition(HEAD)
    return head + table(read_rows()) + re.sub(r"(\|.*\n)*", "", rest, count=1)


def read_runs() -> dict[Run, Row]:
    return {Run(row["release"], row["role"], row["options"]): row for row in read_rows()}


if __name__ == "__main__":
    for run in runs():
        if run not in read_runs() and run.release in (sys.argv[1:] or RELEASES + AT_RISK):
            row = run.row()
            print(*row.values(), flush=True)
            known = {**read_runs(), run: row}  # another process may have added lines
            write_rows([known[each] for each in runs() if each in known])
    PAGE.write_text(page(), encoding="utf-8")
