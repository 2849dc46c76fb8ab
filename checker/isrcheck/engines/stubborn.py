"""Partial-order reduction in plain Python: which steps are taken of a state, and a search that takes no others.

What the native engine does is compared with it (docs/adr/034).
"""

from collections.abc import Iterable

from isrcheck.engines.common.dependence import Dependence
from isrcheck.engines.common.evaluate import Values


class StubbornSets:
    """Of each set that is closed under what comes before what, the one with the fewest enabled instances."""

    def __init__(self, dependence: Dependence) -> None:
        self._dependence = dependence

    def of(self, values: Values, enabled: Iterable[int]) -> frozenset[int]:
        """The enabled instances of the first of the smallest."""
        can = frozenset(enabled)
        sets = [can & self._closed(seed, can, values) for seed in sorted(can)]
        return min(sets, key=len, default=can)

    def _closed(self, seed: int, can: frozenset[int], values: Values) -> set[int]:
        closed, waiting = {seed}, [seed]
        while waiting:
            new = _members(self._before(waiting.pop(), can, values)) - closed
            closed |= new
            waiting += new
        return closed

    def _before(self, instance: int, can: frozenset[int], values: Values) -> int:
        """What may not be put off where this one is not."""
        if instance in can:
            return self._dependence.dependents[instance]
        for enabler in self._dependence.enablers[instance]:
            literal = enabler.literal
            if literal is None or bool(values.of(literal.node)) is not literal.wanted:
                return enabler.instances
        raise RuntimeError("an instance has no enabler for the rest")


def _members(instances: int) -> set[int]:
    return {i for i in range(instances.bit_length()) if instances >> i & 1}
