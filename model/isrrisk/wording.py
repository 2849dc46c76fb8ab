"""Words for what a search says."""

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
_PACED = 1_000_000  # states of a search whose pace says something of a larger one


def sentence_of_expectation(wider: Wider, last: Frontier | None) -> str:
    """The cost of a ring at most: states and memory, and time at the pace of the last one; empty if unknown."""
    if wider.expected is None:
        return ""
    memory = wider.expected * _BYTES / 2**30
    size = f"some {wider.expected:,} states or less are expected{f', {memory:.1f} GiB' if memory >= 1 else ''}"
    if last is None or last.states < _PACED:
        return f": {size}"
    return f": {size}, {_duration(wider.expected * last.seconds / last.states)} at the pace so far"


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.0f} h"
