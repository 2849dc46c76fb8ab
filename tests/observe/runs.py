"""Recorded runs: in tests/fixtures/brokers, the archives beside it, and the folder ISRCHECK_BROKER_RUNS.

The folder has the runs that pages show, brokers.tar.xz the others that are whole. brokers-more.tar.xz holds logs,
journals and the metadata log of each run, without agents and disks, and of the lines in a log that are no events the
first of each form. The runs of broker-bugs.tar.xz and broker-soaks.tar.xz have only the lines that are events.
In a folder of runs `tar --sort=name -cf - * | xz -9e >NAME.tar.xz` writes an archive.
"""

import gzip
import json
import os
import re
import shutil
import tarfile
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from isrlogs.observe.account import sum_accounts
from isrlogs.observe.event import Event
from isrlogs.observe.facts import Broken
from isrlogs.observe.rules import judge
from isrlogs.observe.run import read_run

FIXTURES = Path(__file__).parents[1] / "fixtures"
PINNED = Path(__file__).parent / "recorded.json"


@cache
def _unpacked(name: str = "brokers-more") -> "TemporaryDirectory[str]":
    folder = TemporaryDirectory(prefix="isrcheck-runs-")
    with tarfile.open(FIXTURES / f"{name}.tar.xz") as archive:
        if hasattr(tarfile, "data_filter"):  # from Python 3.11.4
            archive.extraction_filter = staticmethod(tarfile.data_filter)
        archive.extractall(folder.name)
    return folder


def _recorded() -> Path:
    """Return a folder of the runs that pages show and of those of brokers.tar.xz."""
    folder = Path(_unpacked("brokers").name)
    shutil.copytree(FIXTURES / "brokers", folder, dirs_exist_ok=True)
    return folder


RECORDED = _recorded()


def recorded(name: str) -> Path:
    return next(root / name for root in (RECORDED, Path(_unpacked().name)) if (root / name).is_dir())


def of_archive(archive: str, name: str) -> Path:
    """A run's folder: of broker-bugs, with a bug in its brokers or its control; of broker-soaks, cut to a minute."""
    return Path(_unpacked(archive).name) / name


def folders() -> list[Path]:
    roots = [Path(root) for root in (os.environ.get("ISRCHECK_BROKER_RUNS"), _unpacked().name, RECORDED) if root]
    found = {folder.name: folder for root in roots for folder in sorted(root.iterdir()) if folder.is_dir()}
    return [found[name] for name in sorted(found)]


def pinned() -> dict[str, Any]:
    known: dict[str, Any] = json.loads(PINNED.read_text(encoding="utf-8"))
    return known


def by_partition(events: Iterable[Event]) -> list[Event]:
    return sorted(events, key=_place)


def _place(event: Event) -> tuple[str, str, int, str, str, int]:
    partition = -1 if event.partition is None else event.partition
    return event.run, event.topic or "", partition, event.node, event.source, event.order


def broken(events: Iterable[Event]) -> list[Broken]:
    return list(judge(by_partition(events)))


def described(folder: Path) -> dict[str, Any]:
    """What is pinned of a run: its events, lines that were not understood or have no end, and rules that are broken."""
    events, accounts = read_run(folder)
    about = sum_accounts(account.as_json() for account in accounts)
    missing = {"not_understood": about["not_understood"], "cut": about["lines"]["cut"]}
    kept = (RECORDED / folder.name).is_dir()  # of the other runs the numbers by source are enough
    return {
        "events": dict(sorted(Counter(f"{e.source} {e.kind}" if kept else e.source for e in events).items())),
        **{name: found for name, found in missing.items() if found},
        **({"broken": rules} if (rules := dict(sorted(Counter(each.rule for each in broken(events)).items()))) else {}),
    }


def log_lines(file: Path) -> list[str]:
    with gzip.open(file, "rt", encoding="utf-8") as stream:
        return stream.read().splitlines()


_RECORDED_LAYOUT = re.compile(r"(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)\.(\d{3})\d*(?: \d+)? (\w+) +\[[^\]]*\] (\S+) - (.*)")


def in_plain_layout(lines: Iterable[str]) -> Iterator[str]:
    """Lines of a recorded run in the layout that Kafka comes with: [%d] %p %m (%c)."""
    for line in lines:
        match = _RECORDED_LAYOUT.fullmatch(line)
        yield f"[{match[1]},{match[2]}] {match[3]} {match[5]} ({match[4]})" if match else line


if __name__ == "__main__":
    rows = (f"{json.dumps(folder.name)}: {json.dumps(described(folder))}" for folder in folders())
    PINNED.write_text("{\n" + ",\n".join(rows) + "\n}\n", encoding="utf-8")
