"""How many lines were read, and what became of each."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from isrlogs.observe.event import shorten


@dataclass
class Missed:
    """Lines of one logger that could matter and were not understood, with the first of them."""

    lines: int
    example: str


@dataclass
class Account:
    """The lines of some files: read = understood + other + rest + cut + those in `not_understood`."""

    file: str = ""
    total: int = 0
    understood_lines: int = 0
    other: int = 0  # of loggers that do not matter
    rest: int = 0  # without a time: stack traces, settings
    cut: int = 0  # their end is missing
    kinds: Counter[str] = field(default_factory=Counter)
    not_understood: dict[str, Missed] = field(default_factory=dict)
    releases: set[str] = field(default_factory=set)  # that nodes say they are of

    def count_understood(self, kinds: Iterable[str]) -> None:
        self.total += 1
        self.understood_lines += 1
        for kind in kinds:  # Counter.update costs as much as matching a line
            self.kinds[kind] += 1

    def count_missed(self, logger: str, line: str) -> None:
        self.total += 1
        if (known := self.not_understood.get(logger)) is not None:
            known.lines += 1
        else:
            self.not_understood[logger] = Missed(1, shorten(line))

    def cut_off(self) -> None:
        self.total += 1
        self.cut += 1

    def as_json(self) -> dict[str, Any]:
        missed = {name: {"lines": m.lines, "example": m.example} for name, m in sorted(self.not_understood.items())}
        return {
            "file": self.file,
            "read": self.total,
            "understood": self.understood_lines,
            "events": self.kinds.total(),
            "other": self.other,
            "rest": self.rest,
            "cut": self.cut,
            "kinds": dict(sorted(self.kinds.items())),
            "not_understood": missed,
            "releases": sorted(self.releases),
        }


def sum_accounts(accounts: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """The lines of all files together, and which files have lines that were not understood or have no end."""
    counts = dict.fromkeys(("read", "understood", "events", "other", "rest", "cut"), 0)
    kinds: Counter[str] = Counter()
    missed: dict[str, dict[str, Any]] = {}
    cut: Counter[str] = Counter()
    releases: set[str] = set()
    for account in accounts:
        for name in counts:
            counts[name] += account[name]
        kinds.update(account["kinds"])
        releases.update(account["releases"])
        for logger, missed_of_file in account["not_understood"].items():
            known = missed.setdefault(
                logger, {"lines": 0, "example": missed_of_file["example"], "file": account["file"]}
            )
            known["lines"] += missed_of_file["lines"]
        if account["cut"]:
            cut[account["file"]] += account["cut"]
    return {
        "lines": counts,
        "kinds": dict(sorted(kinds.items())),
        "not_understood": missed,
        "cut": dict(cut),
        "releases": sorted(releases),
    }
