"""Answers that a spec expects of a property, in a run's words."""

import re
from dataclasses import dataclass

from isrcheck.ir.property_kinds import Verdict
from isrcheck.run.outcome import PropertyOutcome

HOLDS, VIOLATED, REACHED = "holds", "violated", "reached"
NEVER_REACHED, DOES_NOT_APPLY, UNDETERMINED = "never reached", "does not apply", "undetermined"

_WRITTEN = re.compile(
    rf"({HOLDS}|{NEVER_REACHED}|{DOES_NOT_APPLY})"
    rf"|({VIOLATED}|{REACHED})(?: in (?:(\d{{1,9}}) steps?|the initial state))?"
)
# What the model and its bounds decide, and no limit of a run.
_OF_BOUNDS = re.compile(
    r"(?:the bound on \S.*|a bound|the constraint \S.*) stops it"
    r"|the bounds stop every fair behaviour|the search for cycles ended at a constraint"
)
STOPPED = f"{UNDETERMINED}: the bound on max_records stops it"
KNOWN = (HOLDS, "violated in 9 steps", VIOLATED, "reached in 3 steps", REACHED, NEVER_REACHED, DOES_NOT_APPLY, STOPPED)


@dataclass(frozen=True)
class Answer:
    """An expected or actual answer of a property. `steps` are those of the shortest trace."""

    verdict: str
    steps: int | None = None  # None: any
    bound: str = ""  # why it stays undetermined however long one searches: a sentence without its end

    def __str__(self) -> str:
        if self.bound:
            return f"{self.verdict}: {self.bound}"
        if self.steps is None:
            return self.verdict
        return f"{self.verdict} in {self.steps} step{'' if self.steps == 1 else 's'}"

    def is_met_by(self, actual: "Answer") -> bool:
        return (self.verdict, self.bound) == (actual.verdict, actual.bound) and self.steps in (None, actual.steps)

    @property
    def is_of_reachability(self) -> bool:
        return self.verdict in (REACHED, NEVER_REACHED)


def parse_answer(sentence: str) -> Answer | None:
    """Parse an answer as a spec has it; None if it is not understood."""
    words = " ".join(sentence.split())
    if words.startswith(f"{UNDETERMINED}: "):
        return _answer_of_bounds(words.removeprefix(f"{UNDETERMINED}: "))
    match = _WRITTEN.fullmatch(words)
    if not match:
        return None
    if match[1]:
        return Answer(match[1])
    if match[0].endswith("the initial state"):
        return Answer(match[2], 0)
    return Answer(match[2], int(match[3]) if match[3] else None)


def answer_of(outcome: PropertyOutcome) -> Answer:
    if outcome.verdict is Verdict.UNDETERMINED:
        return _answer_of_bounds(outcome.reason.partition(", at ")[0]) or Answer(UNDETERMINED)
    steps = outcome.trace.length - 1 if outcome.trace else None
    if outcome.kind.holds_by_target:
        return Answer(REACHED, steps) if outcome.verdict is Verdict.HOLDS else Answer(NEVER_REACHED)
    return Answer(VIOLATED, steps) if outcome.verdict is Verdict.VIOLATED else Answer(HOLDS)


def _answer_of_bounds(reason: str) -> Answer | None:
    """The undetermined answer for a reason that is a bound's, else None."""
    return Answer(UNDETERMINED, bound=reason) if _OF_BOUNDS.fullmatch(reason) else None
