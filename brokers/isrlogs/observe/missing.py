"""Lines that are missing: of brokers that hold a partition and have no log, and of loggers that a rule reads."""

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from isrlogs.observe.event import Event
from isrlogs.observe.rules import KINDS

# The kinds that name who holds a partition.
NAMING = (
    "partition_record", "creates", "leads", "leads_on", "follows", "follows_on", "orders", "isr_settled", "isr_asked",
    "shrinks", "expands",
)  # fmt: skip
_NAMED, _WITH_OTHERS = "(named)", "(leads others)"  # marks beside the kinds of lines
_LEADING = ("leads", "leads_on", "isr_settled", "isr_asked", "shrinks", "expands")
_BROKERS = re.compile(r"(?<![-\w])\d+")  # not -1, which names nobody


@dataclass(frozen=True)
class _Logger:
    """A logger: the kinds of line that it writes for rules, and the kinds or marks by which a broker has need of it."""

    name: str
    kinds: frozenset[str]
    needed_by: frozenset[str]


_LOGGERS = (
    _Logger("UnifiedLog (Log until 2.8) at TRACE", frozenset({"append", "hw_set"}), frozenset({*KINDS, _NAMED})),
    _Logger("kafka.cluster.Partition at TRACE", frozenset({"known", "hw_up", "hw_same"}), frozenset({_WITH_OTHERS})),
    _Logger("state.change.logger at INFO", frozenset({"leads", "leads_on", "follows"}), frozenset({*KINDS, _NAMED})),
)
# Loggers that some brokers of a run may have no use for: silent only if no broker of the run has a line.
_LOGGERS_OF_A_RUN = (
    _Logger("kafka.server.ReplicaFetcherThread at TRACE", frozenset({"fetched"}), frozenset({_WITH_OTHERS})),
    _Logger("LeaderEpochFileCache at DEBUG", frozenset({"epoch_starts"}), frozenset({"loaded", "leads_at"})),
)


def marks_of(event: Event) -> Iterator[tuple[str, str, str]]:
    """(run, node, mark) of each broker that a line names, and of a leader whose ISR has others."""
    fields = event.fields
    listed = fields.get("replicas") or fields.get("isr") or fields.get("from", "")
    named = {f"broker {number}" for names in (listed, fields.get("leader", "")) for number in _BROKERS.findall(names)}
    yield from ((event.run, node, _NAMED) for node in named)
    if event.kind in _LEADING and event.node.startswith("broker") and named - {event.node}:
        yield event.run, event.node, _WITH_OTHERS


@dataclass
class LinesByBroker:
    """The kinds of line that each broker of each run wrote, with marks of what other lines say of it."""

    kinds: dict[tuple[str, str], set[str]] = field(default_factory=lambda: defaultdict(set))

    def add(self, run: str, node: str, kind: str) -> None:
        if node.startswith("broker"):
            self.kinds[run, node].add(kind)

    def without_log(self) -> list[str]:
        """Each broker that holds a partition, as a line says, and of which no log was read."""
        return [f"{node} of {run}" for (run, node), kinds in sorted(self.kinds.items()) if kinds == {_NAMED}]

    def silent_loggers(self) -> dict[str, list[str]]:
        """The loggers that a rule needs and of which no line was read, each with the brokers or runs that it is of."""
        with_log = {key: kinds for key, kinds in sorted(self.kinds.items()) if kinds != {_NAMED}}
        of_runs: dict[str, set[str]] = defaultdict(set)
        for (run, _), kinds in with_log.items():
            of_runs[run] |= kinds
        silent = {
            each.name: [f"{n} of {r}" for (r, n), kinds in with_log.items() if _is_silent(each, kinds)]
            for each in _LOGGERS
        }
        silent |= {
            each.name: [run for run, kinds in of_runs.items() if _is_silent(each, kinds)] for each in _LOGGERS_OF_A_RUN
        }
        return {name: places for name, places in silent.items() if places}


def _is_silent(logger: _Logger, kinds: set[str]) -> bool:
    return kinds.isdisjoint(logger.kinds) and not kinds.isdisjoint(logger.needed_by)
