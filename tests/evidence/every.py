"""Traces of every kind there is: all toys', and one of each family of the models."""

from collections.abc import Iterator
from functools import cache

from isrcheck import check
from isrcheck.run.trace import Trace
from isrtoys import KNOWN, TOYS

FAMILIES = {
    "truncate-to-high-watermark": "strong_isr",
    "async-isr-proposed-only": "valid_high_watermark",
    "isr-kafka-4485-v1": "caught_up_rejoins",
    "isr-kip-16-merged": "lagging_leaves",
    "original-design": "hw_never_decreases",
    "partition-kafka-7152-by-high-watermark": "committed_survives",
}


@cache
def traces() -> tuple[Trace, ...]:
    """The traces, the toys' first."""
    return tuple(_all())


def _all() -> Iterator[Trace]:
    for name, toy in TOYS.items():
        yield from (p.trace for p in check(toy, constants=KNOWN[name].constants).properties if p.trace)
    for name, promise in FAMILIES.items():
        found = check(name, properties=[promise], stop_at_first=True).property(promise).trace
        assert found is not None, name
        yield found
