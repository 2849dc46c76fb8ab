"""The brokers of a model against Kafka's own classes."""

import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from isrbrokers.classes.broker_steps import BrokerSetting, BrokerSteps, Step
from isrbrokers.classes.harness import Harness
from isrbrokers.classes.judge import AGREES, DIFFERS, UNDETERMINED, cut_by_limit
from isrbrokers.classes.side_by_side import SideBySide
from isrcheck.plugin import ModelIR, poll, quantity, replace

_WALKS = 100  # that are asked at once
_WORTH_ANOTHER = 50_000  # steps; another harness takes some 10 CPU seconds until it is as fast as the first
WIDER, AGAIN, REFUSED = "wider", "again", "refused"  # remarks of the harness
FIELDS = ("log", "high watermark", "leads, epochs", "ISR, maximal ISR", "asks for", "heard", "may add")


@dataclass(frozen=True)
class BrokerDifference:
    """A step after which brokers and model hold something else."""

    setting: BrokerSetting
    action: str
    calls: tuple[str, ...]  # of the way, this step last
    ours: str
    theirs: str
    count: int = 1

    def fields(self) -> list[tuple[str, str, str]]:
        """The fields that differ: name, the model's value, Kafka's. An exception is one field."""
        if self.theirs.startswith("X"):
            return [("exception", "none", self.theirs[1:])]
        *ours, acked = self.ours.split("|")
        *theirs, acked_there = self.theirs.split("|")
        named = [
            (f"r{number} {name}", mine, other)
            for number, (left, right) in enumerate(zip(ours, theirs, strict=True))
            for name, mine, other in zip(FIELDS, left.split(";"), right.split(";"), strict=False)
        ]
        if self.action.startswith(REFUSED) and self.ours == self.theirs:
            return [("the request", "refused", "accepted")]
        return [each for each in (*named, ("acknowledged", acked, acked_there)) if each[1] != each[2]]


@dataclass
class BrokerTally:
    """All that was asked of brokers, counted by the model's actions, and the least difference of each kind."""

    steps: Counter[str] = field(default_factory=Counter)
    differing: Counter[str] = field(default_factory=Counter)
    remarks: Counter[str] = field(default_factory=Counter)  # of steps that agree
    calls: int = 0
    behind: int = 0  # steps that are reached by none but differing ones
    states: int = 0
    least: dict[tuple[str, ...], BrokerDifference] = field(default_factory=dict)
    cut: str = ""

    @property
    def total(self) -> int:
        """The steps that were asked about."""
        return self.steps.total() + self.differing.total()

    @property
    def verdict(self) -> str:
        """The verdict on the brokers."""
        return DIFFERS if self.differing else UNDETERMINED if self.cut else AGREES

    def sentences(self) -> list[str]:
        """Sentences of what a reader has to know besides the counts."""
        said = {
            WIDER: "the model drops a follower at the leader's log end, which Kafka never does",
            AGAIN: "a follower first forgot an epoch in which it led and wrote nothing",
        }
        remarks = [
            f"In {quantity(self.remarks[name], 'step')} {what}." for name, what in said.items() if self.remarks[name]
        ]
        if self.behind:
            remarks.append(
                f"{quantity(self.behind, 'step')} can be reached by differing steps alone, and are not asked."
            )
        return remarks + ([f"Not all was asked: {self.cut}."] if self.cut and self.differing else [])

    def as_json(self) -> dict[str, Any]:
        """The counts and the examples, as they stand in `isrcheck.code/1`."""
        return {
            "verdict": self.verdict,
            "steps": dict(sorted(self.steps.items())),
            "calls": self.calls,
            "states": self.states,
            "differing": dict(sorted(self.differing.items())),
            "wider": self.remarks[WIDER],
            "behind": self.behind,
            "cut": self.cut,
            "least": [
                {
                    "setting": each.setting.value,
                    "steps": [*each.calls],
                    "count": each.count,
                    "fields": [{"held": name, "model": ours, "code": theirs} for name, ours, theirs in each.fields()],
                }
                for each in self.examples()
            ],
        }

    def note(self, difference: BrokerDifference) -> None:
        """Count a difference, and keep it if it is the least of its kind."""
        self.differing[difference.action] += 1
        kind = (difference.action, *(name.partition(" ")[2] for name, _, _ in difference.fields()))
        known = self.least.get(kind)
        count = 1 if known is None else known.count + 1
        least = difference if known is None or len(difference.calls) < len(known.calls) else known
        self.least[kind] = replace(least, count=count)

    def examples(self) -> list[BrokerDifference]:
        """The least difference of each kind, the shortest first."""
        return sorted(self.least.values(), key=lambda each: len(each.calls))


def compare_brokers(
    ir: ModelIR,
    asked: Sequence[BrokerSetting],
    harness: Harness,
    say: Callable[[str], None] = lambda _: None,
    most: int | None = None,
) -> BrokerTally:
    """Walk every setting's graph with Kafka's classes; at most `most` differences are looked for."""
    tally = BrokerTally()
    for setting in asked:
        say(f"{setting}: exploring")
        with cut_by_limit(tally, f"in the setting {setting}"):
            _Comparison(BrokerSteps(ir, setting), harness, tally, say, most).run()
        if tally.cut or (most is not None and tally.differing.total() >= most):
            break
    tally.cut = tally.cut or ("" if tally.total else "no step was asked")
    return tally


class _Comparison:
    def __init__(
        self,
        steps: BrokerSteps,
        harness: Harness,
        tally: BrokerTally,
        say: Callable[[str], None],
        most: int | None,
    ) -> None:
        self._steps, self._harness, self._tally, self._say = steps, harness, tally, say
        self._most = most
        self._agreed: set[int] = set()
        self._agreeing = 0  # of the model's own steps
        self._differing: set[int] = set()
        self._covered: set[int] = set()

    def run(self) -> None:
        """Walk until every step agreed, differs, or is reached by none but differing ones."""
        self._tally.states += self._steps.states
        with ExitStack() as stack:
            harnesses = [self._harness]
            if self._steps.total > _WORTH_ANOTHER and (os.cpu_count() or 1) > 1:
                harnesses.append(stack.enter_context(Harness(self._harness.classes)))
            self._walk(harnesses)
        behind = self._steps.total - sum(key >= 0 for key in self._agreed | self._differing)
        self._tally.behind += behind
        if behind and not self._differing:
            self._tally.cut = f"no walk leads to {quantity(behind, 'step')}, in the setting {self._steps.setting}"

    def _walk(self, harnesses: Sequence[Harness]) -> None:
        while not self._is_over():
            known = len(self._agreed | self._differing)
            self._covered = {*self._agreed, *self._differing}
            walks = self._steps.walks(self._covered)
            self._ask(walks, harnesses)
            if not self._differing or len(self._agreed | self._differing) == known:
                break
            self._steps.block(self._differing)

    def _is_over(self) -> bool:
        poll()
        return self._most is not None and self._tally.differing.total() >= self._most

    def _ask(self, walks: Iterator[Sequence[Step]], harnesses: Sequence[Harness]) -> None:
        batches = iter(lambda: list(islice(walks, _WALKS)), [])
        with SideBySide(harnesses, self._steps.line) as side_by_side:
            for batch, replies in side_by_side.ask((batch, _lines(batch)) for batch in batches):
                left = iter(replies)
                for walk in batch:
                    next(left)
                    self._compare(walk, [(step, next(left)) for step in walk if step.line])
                self._say(f"{self._steps.setting}: {self._agreeing:,} of {self._steps.total:,} steps agree")
                if self._is_over():
                    return

    def _compare(self, walk: Sequence[Step], replies: Sequence[tuple[Step, str]]) -> None:
        for place, (step, reply) in enumerate(replies):
            self._tally.calls += 1
            remark, theirs = _split(reply)
            ours = self._steps.write(step.after)
            if theirs == ours and (remark == REFUSED) == step.action.startswith(REFUSED):
                self._count(step, remark)
                continue
            if step.key not in self._differing:
                self._note(step, walk, ours, theirs)
            self._covered -= {each.key for each, _ in replies[place + 1 :]} - self._agreed - self._differing
            return

    def _note(self, step: Step, walk: Sequence[Step], ours: str, theirs: str) -> None:
        self._differing.add(step.key)
        self._agreed.discard(step.key)
        way = [each.edge for each in walk[: walk.index(step)] if not each.action.startswith(REFUSED)]
        last = (
            f"{step.line}, which the model refuses" if step.action.startswith(REFUSED) else self._steps.call(step.edge)
        )
        calls = (*map(self._steps.call, way), last)
        self._tally.note(BrokerDifference(self._steps.setting, step.action, calls, ours, theirs))

    def _count(self, step: Step, remark: str) -> None:
        if step.key not in self._agreed and step.key not in self._differing:
            self._agreed.add(step.key)
            self._agreeing += step.key >= 0
            self._tally.steps[step.action] += 1
            self._tally.remarks[remark] += 1


def _lines(walks: Sequence[Sequence[Step]]) -> list[str]:
    return [line for walk in walks for line in ("reset", *(step.line for step in walk if step.line))]


def _split(reply: str) -> tuple[str, str]:
    """A remark, which may be empty, and what is held."""
    remark, _, rest = reply.partition("|")
    return (remark, rest) if remark in (WIDER, AGAIN, REFUSED) else ("", reply)
