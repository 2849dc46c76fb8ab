"""State that a task keeps from one partition to the next: models at their constants, and verdicts on equal runs.

Neither changes a verdict: a step of a model depends on nothing but its state, and runs are the same if they differ in
no more than names, the time at which they begin, and places in files, of which no verdict depends.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import Any

from isrcheck.plugin import ModelIR, replace
from isrcheck.stepping import codec
from isrlogs.conform.event import Event
from isrlogs.conform.judge import judge, make_stepping
from isrlogs.conform.run import NotModelled, Run
from isrlogs.conform.search import Limits
from isrlogs.conform.stepping import Stepping
from isrlogs.conform.verdict import Verdict

_MOST_SCALARS = 8_000_000  # of the states of all models together: some 250 MB, at 30 bytes for each
_MOST_VERDICTS = 100_000
_NAMES = frozenset({"dir", "topic_id", "log_offset"})  # fields that name this partition or place
_LISTS_OF_NAMES = ("directories_before", "directories")
_FIRST_MS = 1000.0  # where canonical runs begin; 0 is the time of what nobody wrote
# Bounds that no run reaches are rounded up, so that runs of about one length share a model.
_ROUNDED = {"max_records": 16, **dict.fromkeys(("fences", "elections", "clean_stops", "kills", "power_losses"), 64)}
_ROUNDED["shrinks"] = 64


class SharedJudge:
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
        """Judge like judge.judge, without the behaviour; `seconds` are 0 for a run that is equal to one before."""
        events = canonical(events)
        key = _digest(events, settings, model, given, limits)
        if (known := self._verdicts.get(key)) is not None:
            return replace(known, partition=partition, seconds=0.0)
        self.searched += 1
        verdict = judge(
            partition, events, settings, model, given, limits, find_steps=self.make_stepping, is_traced=False
        )
        if len(self._verdicts) < _MOST_VERDICTS:
            self._verdicts[key] = verdict
        return verdict

    def make_stepping(self, ir: ModelIR, constants: Mapping[str, Any], run: Run) -> Stepping:
        """The model's steps with bounds that are no smaller. Raises NotModelled if a state would be too large."""
        try:
            return self._share_stepping(ir, {name: _round_up(name, value) for name, value in constants.items()}, run)
        except NotModelled:
            return self._share_stepping(ir, constants, run)

    def _share_stepping(self, ir: ModelIR, constants: Mapping[str, Any], run: Run) -> Stepping:
        known = tuple(sorted((name, str(value)) for name, value in constants.items()))
        key = ir.cls, known, tuple(run.members.items()), run.forgotten
        stepping = self._steppings.pop(key, None) or make_stepping(ir, constants, run)
        while self._steppings and sum(map(_scalars, self._steppings.values())) > _MOST_SCALARS:
            del self._steppings[next(iter(self._steppings))]
        if _scalars(stepping) > _MOST_SCALARS:
            stepping = make_stepping(ir, constants, run)
        self._steppings[key] = stepping
        return stepping


def canonical(events: Sequence[Event]) -> list[Event]:
    """The run of a partition without a name: it begins at one time, and the events of a node are numbered."""
    began = min((event.wall_ms for event in events if event.wall_ms), default=0.0)
    numbers: Counter[tuple[str, str]] = Counter()
    directories: dict[str, str] = {}
    renumbered = []
    for event in sorted(events, key=lambda event: event.order):
        numbers[event.node, event.source] += 1
        fields = {name: value for name, value in event.fields.items() if name not in _NAMES}
        for name in filter(fields.__contains__, _LISTS_OF_NAMES):
            named = fields[name].split(",")
            fields[name] = ",".join(directories.setdefault(each, str(len(directories))) for each in named)
        at = event.wall_ms - began + _FIRST_MS if event.wall_ms else 0.0
        renumbered.append(replace(event, fields=fields, order=numbers[event.node, event.source], wall_ms=at))
    return sorted(renumbered, key=lambda event: (event.node, event.source))


def _digest(events: Sequence[Event], *asked: object) -> bytes:
    """The digest of all that a verdict depends on."""
    contents = [(e.node, e.source, e.kind, e.order, e.wall_ms, sorted(e.fields.items())) for e in events]
    return blake2b(repr((contents, asked)).encode(), digest_size=32).digest()


def _scalars(stepping: Stepping) -> int:
    """The number of scalars in the states that a stepping has met."""
    return stepping.met * sum(codec(domain).width for domain in stepping.model.domains.values())


def _round_up(name: str, value: Any) -> Any:
    """A bound to a power of two; another constant as it is."""
    least = _ROUNDED.get(name)
    return value if least is None or not isinstance(value, int) else max(least, 1 << (value - 1).bit_length())
