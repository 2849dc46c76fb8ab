"""The reachable states themselves, as the native engine stores them."""

from contextlib import closing
from dataclasses import dataclass

from isrcheck.engines.contract import Limits, Request
from isrcheck.engines.native.machine import machine
from isrcheck.engines.native.search import NativeSearch
from isrcheck.ir.scalar import ScalarSystem


@dataclass(frozen=True)
class Reached:
    """States by level, the initial one's first, each as its canonical packing in little-endian bytes.

    `cut` says, as a phrase, why the levels are not all states; None if they are.
    """

    levels: tuple[frozenset[bytes], ...]
    cut: str | None


def reached_states(system: ScalarSystem, limits: Limits) -> Reached:
    """Every reachable state within the limits, no property asked. Raises FoundFault."""
    with closing(NativeSearch(machine(system, ()), system, Request(limits=limits))) as search:
        found = search.run()
        size = search.store.state_bytes
        with memoryview(search.store.states.map) as kept:
            levels = tuple(
                frozenset(bytes(kept[at * size : (at + 1) * size]) for first, end in level for at in range(first, end))
                for level in search.store.levels
            )
    return Reached(levels, found.cut)
