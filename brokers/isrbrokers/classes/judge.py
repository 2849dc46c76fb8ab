"""A model's controller against Kafka's classes: all their answers, and where these differ."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice, product
from typing import Any, NamedTuple, Protocol

from isrbrokers.classes.harness import Harness
from isrbrokers.classes.steps import (
    ACTION_OF,
    INELIGIBLE,
    REFUSED,
    Answer,
    ControllerSteps,
    Outcome,
    Question,
    Setting,
    switches,
)
from isrcheck.plugin import ModelIR, OutOfBudget, poll, replace

AGREES, DIFFERS, UNDETERMINED = "agrees", "differs", "undetermined"
EXITS = {AGREES: 0, DIFFERS: 12, UNDETERMINED: 20}
_BATCH = 400  # questions between two looks at the limits
_INELIGIBLE_REPLICA = "E107"
_RECORDS = Outcome._fields.index("records")

Say = Callable[[str], None]


@dataclass(frozen=True)
class Difference:
    """A question that two sides answer differently."""

    setting: Setting
    question: Question
    distance: int
    ours: frozenset[Answer]
    theirs: frozenset[Answer]
    count: int = 1  # differences of this action

    @property
    def size(self) -> tuple[int, int, int]:
        """The order of examples: few brokers first, then few steps."""
        return self.setting.spares, self.setting.replicas, self.distance


@dataclass
class Tally:
    """All that was asked, counted by the model's actions, and the least difference of each action."""

    steps: Counter[str] = field(default_factory=Counter)
    differing: Counter[str] = field(default_factory=Counter)
    calls: int = 0
    wider: int = 0  # steps in which the model may elect whom Kafka's order of replicas never lets win
    unasked: Counter[str] = field(default_factory=Counter)
    least: dict[str, Difference] = field(default_factory=dict)
    cut: str = ""  # why not all was asked

    def note(self, difference: Difference) -> None:
        """Count a difference, and keep it if it is the least of its action."""
        action = ACTION_OF[difference.question.event]
        self.differing[action] += 1
        if action not in self.least or difference.size < self.least[action].size:
            self.least[action] = difference

    @property
    def verdict(self) -> str:
        """The verdict on the controller alone."""
        return DIFFERS if self.differing else UNDETERMINED if self.cut else AGREES

    def examples(self) -> list[Difference]:
        """The least difference of each action, the least of all first."""
        counted = [replace(each, count=self.differing[action]) for action, each in self.least.items()]
        return sorted(counted, key=lambda each: each.size)


def settings(given: Mapping[str, str], *, elr: bool, quick: bool = False) -> list[Setting]:
    """The partitions to ask about: two and three replicas, and two that move among three brokers.

    Constants that are given leave only the settings that they fit; `quick` asks about one min ISR, unless one is
    given.
    """
    sizes = [(2, 0), (3, 0), (3, 1)]
    every = [
        Setting(replicas, min_isr, with_elr, unclean, spares)
        for (replicas, spares), with_elr, unclean in product(sizes, (False, True)[: 1 + elr], (False, True))
        for min_isr in range(1, replicas - spares + 1)
        if not quick or "min_isr" in given or min_isr == 2
    ]
    named = {"replicas": "replicas", "min_isr": "min_isr", "elr": "elr", "unclean": "unclean", "spares": "spares"}
    return [
        each
        for each in every
        if all(str(getattr(each, named[n])).lower() == value for n, value in given.items() if n in named)
    ]


def compare(
    ir: ModelIR,
    asked: Sequence[Setting],
    given: Mapping[str, str],
    harness: Harness,
    say: Say = lambda _: None,
    most: int | None = None,
) -> Tally:
    """Ask the model and Kafka about every step in some settings; at most `most` differences are looked for."""
    tally = Tally()
    for setting in asked:
        with cut_by_limit(tally, f"in the setting {setting}"):
            steps = ControllerSteps(ir, setting, given)
            for questions in in_batches(steps.questions()):
                for question, calls, answers in ask(harness, setting, questions, tally):
                    tally.calls += calls
                    tally.steps[ACTION_OF[question.event]] += 1
                    _judge(tally, setting, question, steps.distance[question.at], answers)
                say(f"{setting}: {tally.steps.total():,} steps asked, {tally.differing.total():,} differ")
                if most is not None and tally.differing.total() >= most:
                    return tally
                poll()
        if tally.cut:
            break
    tally.cut = tally.cut or ("" if tally.steps.total() else "no step was asked")
    return tally


class Cut(Protocol):
    """Counts that a limit may have cut off."""

    cut: str


@contextmanager
def cut_by_limit(tally: Cut, where: str) -> Iterator[None]:
    """A context whose end by a limit is written into a tally, with where that was."""
    try:
        yield
    except OutOfBudget as end:
        tally.cut = f"stopped {end}, {where}"


def ask(
    harness: Harness, setting: Setting, questions: Sequence[Question], tally: Tally
) -> Iterator[tuple[Question, int, frozenset[Answer]]]:
    """Yield each question that Kafka's classes can be asked, the calls that it took, and Kafka's answers."""
    able = [each for each in questions if each.event != "report" or "reports" in harness.abilities]
    tally.unasked["report_dir"] += len(questions) - len(able)
    replies = harness.ask(setting.line, [each.line for each in able])
    for question, (calls, words) in zip(able, replies, strict=True):
        if calls:
            yield question, calls, comparable(question, map(parse, words))
        else:  # who is removed is never the preferred replica
            tally.unasked[ACTION_OF[question.event]] += 1


def parse(reply: str) -> Answer:
    """An answer of the harness."""
    if reply.startswith("E"):
        return INELIGIBLE if reply == _INELIGIBLE_REPLICA else REFUSED
    return reply[1:] if reply.startswith("X") else Outcome(*map(int, reply.split(",")))


def comparable(question: Question, answers: Iterable[Answer]) -> frozenset[Answer]:
    """The answers without the record of a directory, which is not in the model."""
    if question.event != "report":
        return frozenset(answers)
    return frozenset(each if isinstance(each, str) else each._replace(records=0) for each in answers)


def _judge(tally: Tally, setting: Setting, question: Question, distance: int, theirs: frozenset[Answer]) -> None:
    ours = comparable(question, question.expected)
    if ours == theirs:
        return
    if question.at.removing is not None and theirs <= ours:
        tally.wider += 1
    else:
        tally.note(Difference(setting, question, distance, ours, theirs))


def in_batches(questions: Iterator[Question]) -> Iterator[list[Question]]:
    """Yield the questions some at a time."""
    while some := list(islice(questions, _BATCH)):
        yield some


class Switch(NamedTuple):
    """A constant of the model, its value, and whether the classes agree with it and with the other value.

    None: that was not asked, or not to the end.
    """

    name: str
    value: bool
    agrees: bool | None
    agrees_otherwise: bool | None


def fit(ir: ModelIR, given: Mapping[str, str], harness: Harness, say: Say) -> list[Switch]:
    """Return which values of the controller's switches fit the classes, each flipped alone.

    One min ISR is asked about, in the settings in which the model as it is agrees.
    """
    defaults = {each.name: each.default for each in ir.constants}
    elr = bool(defaults["elr"]) and "elr" in harness.abilities
    some = settings(given, elr=elr, quick=True)

    def agrees(asked: Sequence[Setting], more: Mapping[str, str]) -> bool | None:
        tally = compare(ir, asked, {**given, **more}, harness, say, most=1)
        return False if tally.differing else None if tally.cut or not asked else True

    alike = [setting for setting in some if agrees([setting], {})]
    fits = []
    for name in (n for n in switches(ir) if n not in ("elr", "unclean", "replaces") and n not in given):
        say(f"with {name} the other way")
        value = bool(defaults[name])
        flipped = {name: str(not value).lower()}
        fits.append(Switch(name, value, True if alike else None, agrees(alike, flipped)))
    return fits


def as_json(tally: Tally) -> dict[str, Any]:
    """The counts and the examples, as they stand in `isrcheck.code/1`."""
    return {
        "verdict": tally.verdict,
        "steps": dict(sorted(tally.steps.items())),
        "calls": tally.calls,
        "differing": dict(sorted(tally.differing.items())),
        "wider": tally.wider,
        "unasked": {name: number for name, number in sorted(tally.unasked.items()) if number},
        "cut": tally.cut,
        "least": [_difference_as_json(each) for each in tally.examples()],
    }


def _difference_as_json(difference: Difference) -> dict[str, Any]:
    question = difference.question
    return {
        "setting": str(difference.setting),
        "line": question.line,
        "distance": difference.distance,
        "model": sorted(map(_answer_as_json, difference.ours), key=str),
        "code": sorted(map(_answer_as_json, difference.theirs), key=str),
    }


def _answer_as_json(answer: Answer) -> Any:
    return answer if isinstance(answer, str) else answer._asdict()
