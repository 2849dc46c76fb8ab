"""Long cells first: the last task of a sweep should not be its longest.

A cell's cost is what an earlier run of the same model and constants took; else what the nearest of the same model in
size took, scaled; else an estimate from its size alone. A cell never costs more than its limit of seconds.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from math import exp2

from isrcheck.grid.cells import GridCell
from isrcheck.pipeline.folder import KnownRow

# Guesses, for the order alone: a wrong one makes a first sweep somewhat longer, and no later one.
_STARTUP_SECONDS = 0.5
_STATES_A_SECOND = 1e6
_REACHED = 0.5  # of a state's bits, how many the reachable states fill


def longest_first(cells: Mapping[str, GridCell], known: Iterable[KnownRow]) -> list[str]:
    """The keys of these cells in the order in which to compute them; the order given where costs are equal."""
    costs = Costs(known)
    return sorted(cells, key=lambda key: -costs.of(cells[key]))


class Costs:
    """Seconds that cells may take, as far as earlier runs can tell."""

    def __init__(self, known: Iterable[KnownRow]) -> None:
        self._exact: dict[tuple[str, tuple[tuple[str, str], ...]], float] = {}
        self._sizes: dict[str, dict[int, float]] = defaultdict(dict)
        for row in known:
            self._exact[row.model, row.constants] = row.seconds
            if row.bits is not None:
                self._sizes[row.model][row.bits] = row.seconds

    def of(self, cell: GridCell) -> float:
        """The seconds that a cell may take."""
        seconds = self._exact.get((cell.model, tuple(sorted(cell.constants.items()))))
        if seconds is None:
            seconds = self._scaled(cell)
        return min(seconds, cell.limits.seconds or seconds)

    def _scaled(self, cell: GridCell) -> float:
        bits = cell.bits or 0
        sizes = self._sizes.get(cell.model)
        if not sizes:
            return _STARTUP_SECONDS + exp2(min(bits * _REACHED, 64)) / _STATES_A_SECOND
        nearest = min(sizes, key=lambda other: (abs(other - bits), other))
        return sizes[nearest] * exp2(max(-64, min(64, (bits - nearest) * _REACHED)))
