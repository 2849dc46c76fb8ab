"""Quick tests that `./dev test` leaves out by their length; `./dev test-all` runs them.

tests/slow.txt has their names: what took more than 0.5 CPU seconds in an idle run, killed no seeded fault of
tests/faults, and belongs to no story of a page; of a test with many cases also those above 0.1, if others stay.
A test that is slow by what it does has the mark itself.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

FILE = Path(__file__).with_suffix(".txt")
UNKNOWN = pytest.StashKey[list[str]]()
QUICK = pytest.StashKey[dict[str, bool]]()  # of every test that was collected, also of those that -m leaves out


def names() -> frozenset[str]:
    """Return the node ids of the list."""
    lines = FILE.read_text(encoding="utf-8").splitlines()
    return frozenset(line for line in lines if line and not line.startswith("#"))


def unknown(listed: Iterable[str], collected: Iterable[str]) -> list[str]:
    """Return the listed node ids that are not there, of files of which tests were collected, or that are gone."""
    collected = set(collected)
    files = {*map(file_of, collected)}
    return sorted(
        node for node in listed if node not in collected and (is_gone(file := file_of(node)) or file in files)
    )


def file_of(node: str) -> str:
    return node.partition("::")[0]


def is_gone(file: str) -> bool:
    return not (FILE.parents[1] / file).exists()


def quick_sample(values: Iterable[Any], every: int = 4, besides: Iterable[Any] = ()) -> list[Any]:
    """Mark as slow all values but every nth (none, if that is 0), and those of `besides`."""
    chosen = list(besides)
    return [
        value if (every and number % every == 0) or value in chosen else pytest.param(value, marks=pytest.mark.slow)
        for number, value in enumerate(values)
    ]
