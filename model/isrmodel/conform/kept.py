"""What a task keeps from one partition to the next: models at their constants, and verdicts on runs that are the same.

Neither changes a verdict: a step of a model depends on nothing but its state, and runs are the same if they differ in
no more than names, the time at which they begin, and places in files, of which no verdict depends.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import Any

from isrcheck.ir.codec import codec
from isrcheck.ir.frozen import replace
from isrcheck.ir.model import ModelIR
from isrmodel.conform.event import Event
from isrmodel.conform.judge import judge, stepping_of
from isrmodel.conform.run import NotModelled, Run
from isrmodel.conform.search import Limits
from isrmodel.conform.stepping import Stepping
from isrmodel.conform.verdict import Verdict

_MOST_SCALARS = 8_000_000  # of the states of all models together: some 250 MB, at 30 bytes for each
_MOST_VERDICTS = 100_000
_NAMES = frozenset({"dir", "directories", "topic_id", "log_offset"})  # fields that name this partition or place
_FIRST_MS = 1000.0  # where canonical runs begin; 0 is the time of what nobody wrote
# Bounds that no run reaches are rounded up, so that runs of about one length share a model.
_ROUNDED = {"max_records": 16, **dict.fromkeys(("fences", "elections", "clean_stops", "kills", "power_losses"), 64)}
_ROUNDED["shrinks"] = 64


class Kept:
    """Judges runs against one model after another."""

    def __init__(self) -> None:
        self.searched = 0
        self._steppings: dict[object, Stepping] = {}
        self._verdicts: dict[bytes, Verdict] = {}

    def judge(
        self,
        partition: str,
        events: Sequence[Event],
        settings: Mapping[str, str],
        model: str,
        given: Mapping[str, str],
        limits: Limits,
    ) -> Verdict:
        """As judge.judge, without the behaviour; `seconds` are 0 for a run that is the same as one before."""
        events = canonical(events)
        key = _digest(events, settings, model, given, limits)
        if (known := self._verdicts.get(key)) is not None:
            return replace(known, partition=partition, seconds=0.0)
        self.searched += 1
        found = judge(partition, events, settings, model, given, limits, self.stepping, is_traced=False)
        if len(self._verdicts) < _MOST_VERDICTS:
            self._verdicts[key] = found
        return found

    def stepping(self, ir: ModelIR, constants: Mapping[str, Any], run: Run) -> Stepping:
        """The model's steps with bounds that are no smaller. Raises NotModelled if a state would be too large."""
        try:
            return self._shared(ir, {name: _round_up(name, value) for name, value in constants.items()}, run)
        except NotModelled:
            return self._shared(ir, constants, run)

    def _shared(self, ir: ModelIR, constants: Mapping[str, Any], run: Run) -> Stepping:
        known = tuple(sorted((name, str(value)) for name, value in constants.items()))
        key = ir.cls, known, tuple(run.members.items()), run.forgotten
        found = self._steppings.pop(key, None) or stepping_of(ir, constants, run)
        while self._steppings and sum(map(_scalars, self._steppings.values())) > _MOST_SCALARS:
            del self._steppings[next(iter(self._steppings))]
        if _scalars(found) > _MOST_SCALARS:
            found = stepping_of(ir, constants, run)
        self._steppings[key] = found
        return found


def canonical(events: Sequence[Event]) -> list[Event]:
    """The same run of a partition without a name: it begins at one time, and the events of a node are numbered."""
    began = min((event.wall_ms for event in events if event.wall_ms), default=0.0)
    numbers: Counter[tuple[str, str]] = Counter()
    found = []
    for event in sorted(events, key=lambda event: event.order):
        numbers[event.node, event.source] += 1
        fields = {name: text for name, text in event.fields.items() if name not in _NAMES}
        at = event.wall_ms - began + _FIRST_MS if event.wall_ms else 0.0
        found.append(replace(event, fields=fields, order=numbers[event.node, event.source], wall_ms=at))
    return sorted(found, key=lambda event: (event.node, event.source))


def _digest(events: Sequence[Event], *asked: object) -> bytes:
    """Of all that a verdict depends on."""
    told = [(e.node, e.source, e.kind, e.order, e.wall_ms, sorted(e.fields.items())) for e in events]
    return blake2b(repr((told, asked)).encode(), digest_size=32).digest()


def _scalars(stepping: Stepping) -> int:
    """What the states that it has met hold."""
    return stepping.met * sum(codec(domain).width for domain in stepping.model.domains.values())


def _round_up(name: str, value: Any) -> Any:
    """A bound to a power of two; another constant as it is."""
    least = _ROUNDED.get(name)
    return value if least is None or not isinstance(value, int) else max(least, 1 << (value - 1).bit_length())
