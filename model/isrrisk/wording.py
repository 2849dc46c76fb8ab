"""Words for what a search says."""

import os

from isrrisk.answer import Wider
from isrrisk.frontier import Frontier

WORDS = {
    "acked_in_leader": "an acknowledged record is missing in the leader",
    "acked_somewhere": "an acknowledged record is in no log",
    "exposed_in_leader": "what a consumer read is undone",
    "leaderless": "the partition is left without a leader",
}


def within(pruned: int) -> str:
    """The words that follow a survival where steps were pruned."""
    return f" within bounds ({pruned:,} steps pruned)" if pruned else ""


def sentence_of_search(frontier: Frontier) -> str:
    """The budget of a complete search, and what it took."""
    budget, states = frontier.budget.description(), f"{frontier.states:,} states{within(frontier.pruned)}"
    if frontier.from_cache:
        return f"{budget}: {states}, kept from an earlier search that took {frontier.seconds:.1f} s."
    return f"{budget}: every reachable state, {states}, {frontier.seconds:.1f} s."


_BYTES = 160  # of memory for a state: 2.06 GB for 12.9 million at three replicas, 1.39 GB for 14.4 million at five
_WEEK = 7 * 24 * 3600.0
_PACED = 1_000_000  # states of a search whose pace says something of a larger one


def sentence_of_expectation(wider: Wider, last: Frontier | None) -> str:
    """The cost of a ring at most: states and memory, and time at the pace of the last one; empty if unknown."""
    if wider.expected is None:
        return ""
    if is_out_of_reach(wider, last):
        return f": some {wider.expected:,} states or less are expected, which is out of reach here"
    memory = wider.expected * _BYTES / 2**30
    size = f"some {wider.expected:,} states or less are expected{f', {memory:.1f} GiB' if memory >= 1 else ''}"
    if last is None or last.states < _PACED:
        return f": {size}"
    return f": {size}, {_duration(wider.expected * last.seconds / last.states)} at the pace so far"


def is_out_of_reach(wider: Wider, last: Frontier | None) -> bool:
    """Whether a ring may take more than a week, or more memory than this machine has."""
    expected = wider.expected or 0
    is_long = last is not None and last.states >= _PACED and expected * last.seconds / last.states > _WEEK
    return is_long or expected * _BYTES > memory_of_machine()


def memory_of_machine() -> int:
    """The bytes of memory that this machine has."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.0f} h"
