"""Two traces that every form is tried on, and traces made up of whatever a test needs."""

from functools import cache
from typing import Any

from isrcheck import Model, check
from isrcheck.ir.frozen import replace
from isrcheck.ir.property_kinds import INVARIANT
from isrcheck.run.trace import Trace, TraceStep

SIZES = {"replicas": 2, "log_size": 1, "max_records": 1, "max_leader_epoch": 1}


@cache
def kip_101() -> Trace:
    """How a committed record was lost before KIP-101."""
    return trace_of("truncate-to-high-watermark", "strong_isr", isr_may_empty=False, **SIZES)


@cache
def async_isr() -> Trace:
    """What goes wrong if a leader stops waiting for a follower that it has only asked to drop."""
    return trace_of("async-isr-proposed-only", "valid_high_watermark", replicas=2, max_offset=1, max_version=1)


@cache
def partition() -> Trace:
    """A record is committed without a member of the ISR, who may be elected next within the bounds."""
    return trace_of("partition-kafka-4485-v2-by-high-watermark", "committed_survives")


STORIES = {"truncate-to-high-watermark": kip_101, "async-isr-proposed-only": async_isr}


def trace_of(model: str | type[Model], name: str, **constants: Any) -> Trace:
    found = check(model, properties=[name], constants=constants, stop_at_first=True).property(name).trace
    assert found is not None
    return replace(found, place="model.py:1:1")


def made_up(states: list[dict[str, Any]], **changes: Any) -> Trace:
    """A trace of these states of a model that says nothing of how it is drawn."""
    steps = tuple(TraceStep("moves" if i else "", {}, state) for i, state in enumerate(states))
    return replace(Trace("m", {}, "p", INVARIANT, "It holds.", "m.py:1:1", steps), **changes)
