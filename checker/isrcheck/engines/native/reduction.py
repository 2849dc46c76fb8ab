"""What the kernel reads of a dependence: rows of words, and where each instance finds its own."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # few searches put steps off
    from isrcheck.engines.common.dependence import Dependence

_WORD = (1 << 64) - 1


@dataclass(frozen=True, slots=True)
class ReductionTables:
    """Sets of instances as rows of words, the dependents of each instance first."""

    literals: int
    row_words: int
    rows: tuple[int, ...]
    enablers: tuple[int, ...]  # a literal and a row, and so on
    first_enabler: tuple[int, ...]  # by instance

    @property
    def reported(self) -> int:
        """Words of a report: one a literal, and one for what has none."""
        return self.literals + 1


def reduction_tables(dependence: "Dependence") -> ReductionTables:
    literals = {each: place for place, each in enumerate(dependence.literals)}
    width = max(1, -(-len(dependence.dependents) // 64))
    sets = [*dependence.dependents]
    row_of: dict[int, int] = {}
    enablers: list[int] = []
    first: list[int] = []
    for own in dependence.enablers:
        first.append(len(enablers) // 2)
        for each in own:
            if each.instances not in row_of:
                row_of[each.instances] = len(sets)
                sets.append(each.instances)
            place = len(literals) if each.literal is None else literals[each.literal]
            enablers += (place, row_of[each.instances])
    return ReductionTables(len(literals), width, _words(sets, width), tuple(enablers), tuple(first))


def _words(sets: Sequence[int], width: int) -> tuple[int, ...]:
    return tuple(each >> 64 * word & _WORD for each in sets for word in range(width))
