"""A model's controller against Kafka's classes: all their answers, and where these differ."""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice, product
from typing import Any, NamedTuple

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
    methods_called,
    switches,
)
from isrcheck import UsageError
from isrcheck.ir.model import Method
from isrcheck.ir.nodes import ReadField, ReadVariable, walk
from isrcheck.plugin import ModelIR, find_model, read_model, replace
from isrmodel.kraft import find_release_model

AGREES, DIFFERS, UNDETERMINED = "agrees", "differs", "undetermined"
EXITS = {AGREES: 0, DIFFERS: 12, UNDETERMINED: 20}
_BATCH = 400  # questions between two looks at the clock
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

    Constants that are given leave only the settings that they fit; `quick` asks about one min ISR.
    """
    sizes = [(2, 0), (3, 0), (3, 1)]
    every = [
        Setting(replicas, min_isr, with_elr, unclean, spares)
        for (replicas, spares), with_elr, unclean in product(sizes, (False, True)[: 1 + elr], (False, True))
        for min_isr in range(1, replicas - spares + 1)
        if not quick or min_isr == 2
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
    until: float | None = None,
    most: int | None = None,
) -> Tally:
    """Ask the model and Kafka about every step in some settings; at most `most` differences are looked for."""
    tally = Tally()
    for setting in asked:
        steps = ControllerSteps(ir, setting, given)
        for questions in in_batches(steps.questions()):
            for question, calls, answers in ask(harness, setting, questions, tally):
                tally.calls += calls
                tally.steps[ACTION_OF[question.event]] += 1
                _judge(tally, setting, question, steps.distance[question.at], answers)
            say(f"{setting}: {tally.steps.total():,} steps asked, {tally.differing.total():,} differ")
            if until is not None and time.monotonic() > until:
                tally.cut = f"stopped after the time given, in the setting {setting}"
            if tally.cut or (most is not None and tally.differing.total() >= most):
                return tally
    return tally


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


def fit(ir: ModelIR, given: Mapping[str, str], harness: Harness, say: Say, until: float | None) -> list[Switch]:
    """Return which values of the controller's switches fit the classes, each flipped alone.

    One min ISR is asked about, in the settings in which the model as it is agrees.
    """
    defaults = {each.name: each.default for each in ir.constants}
    elr = bool(defaults["elr"]) and "elr" in harness.abilities
    some = settings(given, elr=elr, quick=True)

    def agrees(asked: Sequence[Setting], more: Mapping[str, str]) -> bool | None:
        tally = compare(ir, asked, {**given, **more}, harness, say, until, most=1)
        return False if tally.differing else None if tally.cut or not asked else True

    alike = [setting for setting in some if agrees([setting], {})]
    fits = []
    for name in (n for n in switches(ir) if n not in ("elr", "unclean", "replaces") and n not in given):
        say(f"with {name} the other way")
        value = bool(defaults[name])
        flipped = {name: str(not value).lower()}
        fits.append(Switch(name, value, True if alike else None, agrees(alike, flipped)))
    return fits


@dataclass(frozen=True)
class Change:
    """The steps in which the classes of two releases differ; `ours` of a difference are those of the first."""

    first: str
    second: str
    models: tuple[str, str]
    tally: Tally
    registering: str  # the method that is called when a broker registers
    properties: tuple[str, ...]  # those whose text reads what differs
    constants: tuple[str, ...]  # of the controller, in which the models of the two releases differ

    def as_json(self) -> dict[str, Any]:
        """The change, as it stands in `isrcheck.code/1`; of a difference `model` is the first release."""
        listed = {"properties": [*self.properties], "constants": [*self.constants]}
        counted = {**as_json(self.tally), "verdict": None}
        return {"changes": [self.first, self.second], "models": [*self.models], **counted, **listed}


def changes_between(first: Harness, second: Harness, given: Mapping[str, str], say: Say, until: float | None) -> Change:
    """Ask two releases about every step that the model of either has. Raises UsageError."""
    names = [find_release_model(str(each.classes.release)) for each in (first, second)]
    irs = [read_model(find_model(name)) for name in names if name is not None]
    if len(irs) != 2:
        raise UsageError("there is no model of so early a release: the first is of 2.7.")
    tally, differing = Tally(), set[frozenset[str]]()
    elr = all("elr" in each.abilities for each in (first, second))
    for setting in settings(given, elr=elr):
        known: set[str] = set()
        for ir in irs[: 1 + (irs[0].cls is not irs[1].cls)]:
            steps = ControllerSteps(ir, setting, given)
            for questions in in_batches(steps.questions()):
                new = [each for each in questions if each.line not in known]
                known |= {each.line for each in new}
                differing |= _compare_two(first, second, setting, steps, new, tally)
                say(f"{setting}: {tally.steps.total():,} steps asked, {tally.differing.total():,} differ")
                if until is not None and time.monotonic() > until:
                    tally.cut = f"stopped after the time given, in the setting {setting}"
                    return _change(first, second, irs, tally, differing)
    return _change(first, second, irs, tally, differing)


def _compare_two(
    first: Harness, second: Harness, setting: Setting, steps: ControllerSteps, new: list[Question], tally: Tally
) -> set[frozenset[str]]:
    """Count what differs, and return of each difference the fields of the record in which it does."""
    fields: set[frozenset[str]] = set()
    able = [q for q in new if q.event != "report" or all("reports" in h.abilities for h in (first, second))]
    tally.unasked["report_dir"] += len(new) - len(able)
    of_second = {q.line: (calls, answers) for q, calls, answers in ask(second, setting, able, Tally())}
    for question, calls, ours in ask(first, setting, able, tally):
        if question.line not in of_second:
            tally.unasked[ACTION_OF[question.event]] += 1
            continue
        more_calls, theirs = of_second[question.line]
        tally.calls += calls + more_calls
        tally.steps[ACTION_OF[question.event]] += 1
        if ours != theirs:
            tally.note(Difference(setting, question, steps.distance[question.at], ours, theirs))
            fields.add(fields_that_differ(ours, theirs))
    return fields


def fields_that_differ(ours: frozenset[Answer], theirs: frozenset[Answer]) -> frozenset[str]:
    """The fields of a record whose values differ between two sets of answers."""
    sides = [[each for each in side if isinstance(each, Outcome)] for side in (ours, theirs)]
    return frozenset(
        name for name in Outcome._fields if len({frozenset(getattr(each, name) for each in side) for side in sides}) > 1
    )


def _change(
    first: Harness, second: Harness, irs: Sequence[ModelIR], tally: Tally, differing: set[frozenset[str]]
) -> Change:
    # The cause is where least differs: an ELR that is not the same makes other leaders only later.
    least = [fields for fields in differing if not any(fewer < fields for fewer in differing)]
    defaults = [{each.name: each.default for each in ir.constants} for ir in irs]
    return Change(
        first=str(first.classes.release),
        second=str(second.classes.release),
        models=(
            str(find_release_model(str(first.classes.release))),
            str(find_release_model(str(second.classes.release))),
        ),
        tally=tally,
        registering=second.registering,
        properties=tuple(properties_that_read(irs[1], frozenset[str]().union(*least))),
        constants=tuple(name for name in switches(irs[1]) if defaults[0].get(name) != defaults[1][name]),
    )


def properties_that_read(ir: ModelIR, fields: Iterable[str]) -> list[str]:
    """The properties whose own text, or what it calls, reads one of these fields of the record."""
    wanted = set(fields)
    names = {"epoch" if each == "epochs" else each for each in wanted}
    variables = {"changes"} if wanted & {"assigned", "adding", "removing"} else set()
    return [each.name for each in ir.properties if _reads(methods_called(ir, [each.name]), names, variables)]


def _reads(methods: Iterable[Method], fields: set[str], variables: set[str]) -> bool:
    nodes = (node for method in methods for node in walk(method.body))
    return any(
        (isinstance(node, ReadField) and node.name in fields)
        or (isinstance(node, ReadVariable) and node.name in variables)
        for node in nodes
    )


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
