"""Quick tests that `./dev test` leaves out by their length; `./dev test-all` runs them.

tests/slow.txt has their names: what took more than 0.6 CPU seconds in an idle run, killed no seeded fault of
tests/faults, and belongs to no story of a page. A test that is slow by what it does has the mark itself.
"""

from collections.abc import Iterable
from pathlib import Path

FILE = Path(__file__).with_suffix(".txt")


def names() -> frozenset[str]:
    """Return the node ids of the list."""
    lines = FILE.read_text(encoding="utf-8").splitlines()
    return frozenset(line for line in lines if line and not line.startswith("#"))


def unknown(listed: Iterable[str], collected: Iterable[str]) -> list[str]:
    """Return the listed node ids that are not there, of files of which tests were collected."""
    collected = set(collected)
    files = {node.partition("::")[0] for node in collected}
    return sorted(node for node in listed if node.partition("::")[0] in files and node not in collected)
