"""The table of seeded faults: changes of the source that make an answer wrong, each with the test that must kill it.

One file a room in tests/faults/table. An entry says `name`, `wrong` (what goes wrong, in words), `file`, the text that
is replaced (`old`, which stands there exactly once), what replaces it (`new`), the node id of the `test` that kills it,
and `slow = true` where that test is marked slow, so that ./dev test alone would not kill it.
"""

import tomllib
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TABLE = ROOT / "tests" / "faults" / "table"


class NoLongerApplies(Exception):
    """The text that a fault replaces is not in its file exactly once; the argument says so as a sentence."""


@dataclass(frozen=True)
class SeededFault:
    """One entry of the table."""

    room: str
    name: str
    wrong: str
    file: str
    old: str
    new: str
    test: str
    slow: bool = False

    def apply(self, root: Path = ROOT) -> str:
        """The file's text with the fault in it. Raises NoLongerApplies."""
        try:
            source = (root / self.file).read_text(encoding="utf-8")
        except FileNotFoundError:
            raise NoLongerApplies(f"there is no {self.file}.") from None
        if (times := source.count(self.old)) != 1:
            raise NoLongerApplies(f"its old text stands {times} times in {self.file}, and must stand there once.")
        return source.replace(self.old, self.new)


def faults() -> tuple[SeededFault, ...]:
    """The whole table, room by room."""
    return tuple(
        SeededFault(room=file.stem, **fields)
        for file in sorted(TABLE.glob("*.toml"))
        for fields in tomllib.loads(file.read_text(encoding="utf-8"))["fault"]
    )
