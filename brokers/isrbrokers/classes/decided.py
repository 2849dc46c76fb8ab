"""A model whose controller is Kafka's: the decisions of some jars, as a variant that every engine reads.

The controller's steps are asked of the jars, from every state that they lead to. Where the jars decide otherwise than
the model, their decision is a row of a table, and the steps are asked again, until jars and variant agree in all.
"""

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from isrbrokers.classes.harness import Classes, Harness, parse_classes
from isrbrokers.classes.judge import Say, in_batches, parse
from isrbrokers.classes.steps import (
    DECIDED_BY,
    INELIGIBLE,
    REFUSED,
    Answer,
    ControllerSteps,
    OnRecord,
    Outcome,
    Question,
    Setting,
    refuse_other_models,
    subsets,
)
from isrbrokers.classes.tables import KeyPart, PolicyRow, PolicyTable, write_variant
from isrbrokers.classes.words import describe
from isrcheck import UsageError
from isrcheck.engines.reference.stepper import ReferenceStepper
from isrcheck.errors import Disagreement
from isrcheck.passes.bind import bind
from isrcheck.plugin import ModelIR, find_model, member, quantity, read_model, user_cache, write_aside
from isrmodel.kraft.state import Request
from isrmodel.vocabulary import Replica

_MOST_BROKERS = 3  # 7,828 decisions, and 19,923 where a filter is missing: 48 CPU seconds
_ROUNDS = 20  # of asking: a jar's decision leads to states that the model's does not

_ON_RECORD = (
    KeyPart("self.now.leader", optional=True),
    *map(KeyPart, ("self.now.isr", "self.now.elr", "self.now.last_known", "self.fenced", "self.leaving")),
)
_CHOSEN = KeyPart("chosen", optional=True)
_OF_REQUEST = (
    KeyPart("leader"),
    KeyPart("request is not None"),
    KeyPart("request.epoch == self.now.epoch"),
    KeyPart("self.is_current(request)"),
    KeyPart("request.added is None or request.session == self.session[request.added]"),
)
# The keys of the policies of an event: the parameters first, then what is on record.
_KEYS = {
    "decide_fence": (KeyPart("broker"), _CHOSEN, *_ON_RECORD),
    "decide_unfence": (KeyPart("broker"), _CHOSEN, *_ON_RECORD),
    "decide_leave": (KeyPart("broker"), _CHOSEN, *_ON_RECORD),
    "decide_report": (KeyPart("broker"), _CHOSEN, *_ON_RECORD),
    "decide_register": (KeyPart("broker"), KeyPart("broker in self.dirty"), _CHOSEN, *_ON_RECORD),
    "decide_elect": (KeyPart("chosen"), *_ON_RECORD),
    "is_in_time": (*_OF_REQUEST, *_ON_RECORD, KeyPart("request.isr")),
    "is_granted": (*_OF_REQUEST, *_ON_RECORD, KeyPart("request.isr")),
    "decide_grant": (*_OF_REQUEST, _CHOSEN, *_ON_RECORD, KeyPart("request.isr")),
}
_FIRST = dict.fromkeys(
    ("is_in_time", "is_granted", "decide_grant"), ("request = self.request[leader]", "require(request is not None)")
)
# Requests: whether the leader epoch, and whether the partition epoch too, is that on record.
_CURRENT = {"grant": (True, True), "old": (True, False), "late": (True, False), "stale": (False, False)}
_OF_LEADER = ("grant", "old")
_RETURNS = ("clean", "dirty")
_FENCES = ("fence", *_RETURNS)


@dataclass
class Decided:
    """A variant whose controller some jars decide: its text is in a file."""

    model: str
    given: Mapping[str, str]
    jars: "Jars"
    setting: Setting
    source: str  # the name by which it is checked
    lines: int  # that were asked
    differing: int

    def __str__(self) -> str:
        differing = f"{self.differing:,} are not the model's" if self.differing else "all are the model's"
        return (
            f"{self.model}, decided by the controller of {self.jars.classes}: "
            f"{quantity(self.lines, 'decision')} asked, {differing}. The variant is {self.source}"
        )

    def confirm(self, behaviours: Iterable[Sequence[str]]) -> int:
        """Ask the jars again for each decision of some behaviours, and return how many. Raises Disagreement."""
        lines = {line: answer for calls in behaviours for line, answer in self._decisions(calls)}
        for line, words in self.jars.ask_again(self.setting, [*lines]).items():
            if lines[line] not in _parse_answers(line.split()[0], words):
                raise Disagreement(f"{self.jars.classes} answer {' '.join(words)} to {line!r}, and not as before.")
        return len(lines)

    def _decisions(self, calls: Sequence[str]) -> Iterator[tuple[str, Answer]]:
        ir = read_model(find_model(self.source))
        stepper = ReferenceStepper(bind(ir, self.given))
        decisions = _Decisions(ir, self.setting, _switches(ir, self.given))
        state = stepper.initial
        for call in calls:
            steps = ((p, after) for p, after in stepper.steps(state) if after is not None)
            position, after = next((p, after) for p, after in steps if stepper.call(p) == call)
            action = stepper.actions[stepper.action_of[position]]
            if action in DECIDED_BY:
                yield decisions.step(action, stepper.arguments(position), stepper.values(state), stepper.values(after))
            state = after


class _Decisions(ControllerSteps):
    """The controller's steps, with every request that may reach it: those that are late name any replicas."""

    def _requests(self, at: OnRecord) -> Iterator[tuple[str, tuple[Any, ...], dict[str, Any], tuple[Any, ...]]]:
        yield from (each for each in super()._requests(at) if each[0] == "grant")
        for by in self.brokers:
            for isr in (each for each in subsets(self.brokers) if by in each):
                late = Request(0, 1, isr, None, None)
                if by == at.image.leader:
                    yield "old", (by,), self._asks(by, late), (None, isr)
                    for added in sorted(isr - {by}, key=repr):
                        yield "old", (by,), self._asks(by, late._replace(added=added, session=0)), (added, isr)
                else:
                    yield "late", (by,), self._asks(by, late), (by, isr)
                yield "stale", (by,), self._asks(by, late._replace(epoch=0)), (by, isr)

    def step(
        self, action: str, arguments: Mapping[str, Any], before: Mapping[str, Any], after: Mapping[str, Any]
    ) -> tuple[str, Answer]:
        """The line that asks for one step of a behaviour, and what came of it."""
        at = OnRecord(before["now"], before["fenced"], before["leaving"], frozenset(self.brokers), None, None)
        who = arguments["leader" if action == "grant" else "chosen" if action == "elect" else "broker"]
        event, what = {"report_dir": "report"}.get(action, action), None
        if action == "register":
            event = _RETURNS[who in before["dirty"]]
        if action == "grant":
            request = before["request"][who]
            event, what = _event_of_request(request, who, before), request.isr
            if event in _OF_LEADER:
                stale = request.added is not None and request.session != before["session"][request.added]
                who = request.added if stale else None
        outcome = self._outcome(at, after, at)._replace(records=after["version"] - before["version"])
        return self._line(event, at, (who, what)), _comparable(event, outcome)

    def names(self, members: int) -> frozenset[Replica]:
        """The brokers of a mask."""
        return frozenset(broker for number, broker in enumerate(self.brokers) if members >> number & 1)

    def rows(self, question: Question, answers: Iterable[Answer]) -> Iterator[tuple[str, PolicyRow]]:
        """Yield the rows of the policies that decide as the jars do. Raises UsageError where no table can."""
        event, at, who = question.event, question.at, question.call[0]
        leaders: dict[Any, Outcome] = {}
        for each in answers:
            if isinstance(each, str) and each not in (REFUSED, INELIGIBLE):
                raise UsageError(f"Kafka's controller fails with {each}: {describe(question)}.")
            if isinstance(each, Outcome) and leaders.setdefault(self._one(each.leader), each) != each:
                raise UsageError(f"Kafka's decision depends on more than the leader chosen: {describe(question)}.")
        record = (at.image.leader, at.image.isr, at.image.elr, at.image.last_known)
        if event in _CURRENT:
            yield from self._rows_of_request(question, frozenset(answers), record, leaders)
            return
        here = frozenset({who})
        fenced = at.fenced - here if event == "unfence" else at.fenced | here if event in _FENCES else at.fenced
        leaving = at.leaving | here if event == "leave" else at.leaving - here if event in _RETURNS else at.leaving
        more = (event == "dirty",) if event in _RETURNS else ()
        policy = "decide_register" if event in _RETURNS else f"decide_{event}"
        if event == "elect":
            yield "decide_elect", self._row(at, (who, *record, fenced, leaving), leaders, who)
            return
        for chosen in (None, *self.brokers):
            yield policy, self._row(at, (who, *more, chosen, *record, fenced, leaving), leaders, chosen)

    def _rows_of_request(
        self, question: Question, answers: frozenset[Answer], record: tuple[Any, ...], leaders: Mapping[Any, Outcome]
    ) -> Iterator[tuple[str, PolicyRow]]:
        if len(answers - {*leaders.values()}) + bool(leaders) != 1:
            raise UsageError(f"Kafka grants by the order of replicas: {describe(question)}.")
        at, (who, what) = question.at, question.call
        is_leaders = question.event in _OF_LEADER
        leader, same_session = at.image.leader if is_leaders else who, who is None or not is_leaders
        of_request = (leader, True, *_CURRENT[question.event], same_session)
        rest = (*record, at.fenced, at.leaving)
        yield "is_in_time", PolicyRow((*of_request, *rest, what), f"return {REFUSED not in answers}")
        yield "is_granted", PolicyRow((*of_request, *rest, what), f"return {bool(leaders)}")
        for chosen in (None, *self.brokers) if leaders else ():
            yield "decide_grant", self._row(at, (*of_request, chosen, *rest, what), leaders, chosen)

    def _row(
        self, at: OnRecord, key: tuple[Any, ...], leaders: Mapping[Any, Outcome], chosen: Replica | None
    ) -> PolicyRow:
        if chosen not in leaders:
            return PolicyRow(key, "require(False)")
        outcome = leaders[chosen]
        if not outcome.records and (outcome.epochs, chosen) == (0, at.image.leader):
            return PolicyRow(key, "pass")
        if outcome.records > 1:
            raise UsageError("Kafka writes more than one record of the partition at once, which no policy can.")
        epoch = "self.now.epoch" + (f" + {outcome.epochs}" if outcome.epochs else "")
        sets = (self.names(outcome.isr), self.names(outcome.elr), self.names(outcome.last_known))
        return PolicyRow(key, f"self.record(Image({{}}, {epoch}, {{}}, {{}}, {{}}))", (chosen, *sets))

    def _one(self, number: int) -> Replica | None:
        return None if number < 0 else self.brokers[number]


class Jars:
    """Jars and what they have answered, which is cached by what is in them; Java runs when something is new."""

    def __init__(self, classes: Classes) -> None:
        self.classes = classes
        self._name = f"decisions-{classes.digest()}.json"
        kept = user_cache().get(self._name)
        self._known: dict[str, dict[str, list[str]]] = json.loads(kept) if kept else {}
        self._stack, self._new = ExitStack(), 0
        self._harness: Harness | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()
        if self._new:
            user_cache().put(self._name, json.dumps(self._known).encode())
        self._harness, self._new = None, 0

    @property
    def abilities(self) -> frozenset[str]:
        """The abilities of the harness of these classes."""
        if "abilities" not in self._known:
            self._known["abilities"] = {name: [] for name in sorted(self._start().abilities)}
            self._new += 1
        return frozenset(self._known["abilities"])

    def ask(self, setting: Setting, questions: Sequence[Question]) -> list[list[str]]:
        """The answers to some questions. Raises ClusterError."""
        known = self._known.setdefault(setting.line, {})
        new = [line for line in dict.fromkeys(each.line for each in questions) if line not in known]
        if new:
            for line, (_, replies) in zip(new, self._start().ask(setting.line, new), strict=True):
                known[line] = sorted(replies)
            self._new += len(new)
        return [known[each.line] for each in questions]

    def ask_again(self, setting: Setting, lines: Sequence[str]) -> dict[str, list[str]]:
        """The answers of the classes themselves."""
        if not lines:
            return {}
        with Harness(self.classes) as harness:
            replies = harness.ask(setting.line, lines)
        return {line: sorted(each) for line, (_, each) in zip(lines, replies, strict=True)}

    def _start(self) -> Harness:
        if self._harness is None:
            self._harness = self._stack.enter_context(Harness(self.classes))
        return self._harness


def decide(model: str, given: Mapping[str, str], jars: Jars, say: Say = lambda _: None) -> Decided:
    """Return the variant of a model whose controller decides as some jars do. Raises UsageError or ClusterError."""
    ir = read_model(find_model(model))
    refuse_other_models(model, ir)
    constants = bind(ir, given).constants
    with jars:
        _refuse(model, constants, jars)
        inquiry = _Inquiry(model, ir, given, jars, _choose_setting(constants))
        for _ in range(_ROUNDS):
            if inquiry.is_closed(say):
                return inquiry.variant()
    raise UsageError(f"after {_ROUNDS} rounds the jars still decide otherwise than the variant that was made of them.")


@dataclass
class _Inquiry:
    """The lines that some jars were asked, and the rows of the policies that decide as they do."""

    model: str
    ir: ModelIR
    given: Mapping[str, str]
    jars: Jars
    setting: Setting
    lines: set[str] = field(default_factory=set)
    differing: set[str] = field(default_factory=set)
    tables: dict[str, dict[tuple[Any, ...], PolicyRow]] = field(default_factory=lambda: defaultdict(dict))

    def is_closed(self, say: Say) -> bool:
        """Ask about every decision of the variant so far; whether the jars decide alike in all."""
        variant = read_model(find_model(self.variant().source))
        decisions = _Decisions(variant, self.setting, _switches(variant, self.given))
        differing = len(self.differing)
        for questions in in_batches(decisions.questions()):
            able = [each for each in questions if each.event != "report" or "reports" in self.jars.abilities]
            self.lines |= {each.line for each in able}
            for question, replies in zip(able, self.jars.ask(self.setting, able), strict=True):
                self._compare(decisions, question, _parse_answers(question.event, replies))
            say(f"{self.setting}: {len(self.lines):,} decisions asked, {len(self.differing):,} are not the model's")
        return len(self.differing) == differing

    def _compare(self, decisions: _Decisions, question: Question, answers: frozenset[Answer]) -> None:
        if answers != frozenset(_comparable(question.event, each) for each in question.expected):
            self.differing.add(question.line)
            for policy, row in decisions.rows(question, answers):
                self.tables[policy][row.key] = row

    def variant(self) -> Decided:
        """The variant with the rows so far, in a file that is called by what is in it."""
        name = f"{self.ir.cls.__name__}Decided"
        members = {Replica: [member(Replica, number) for number in range(self.setting.replicas)]}
        listed = [
            PolicyTable(policy, _KEYS[policy], [*rows.values()], _FIRST.get(policy, ()))
            for policy, rows in self.tables.items()
        ]
        sentence = f"{self.model}, decided by the controller of {self.jars.classes}: {self.setting}."
        content = write_variant(self.ir.cls, name, sentence, listed, members).encode()
        folder = user_cache().path / "jars" / f"decided-{hashlib.sha256(content).hexdigest()[:16]}"
        file = folder / f"{self.model.replace('-', '_').replace('.', '_')}.py"
        if not file.is_file():
            folder.mkdir(parents=True, exist_ok=True)
            write_aside(file, content)
        counts = len(self.lines), len(self.differing)
        return Decided(self.model, self.given, self.jars, self.setting, f"{file}:{name}", *counts)


def decide_by_jars(
    model: str, constants: Mapping[str, str], *, folder: Path | None, release: str | None, say: Say
) -> Decided:
    """Return the variant of a model whose controller is that of a folder of jars, of a release, or of both."""
    return decide(model, constants, Jars(parse_classes(release, folder)), say)


def _refuse(model: str, constants: Mapping[str, Any], jars: Jars) -> None:
    if ".py" in model:
        raise UsageError(f"{model}: jars decide for a model of `isrcheck list kraft`, not for one of a file.")
    if constants["spares"] or constants["reassignments"]:
        raise UsageError("jars decide for partitions that stay on their brokers: leave out spares and reassignments.")
    if constants["spare_last"]:
        raise UsageError("spare_last is a rule of the model's own decisions, and no class has it: leave it out.")
    if (replicas := constants["replicas"]) > _MOST_BROKERS:
        raise UsageError(f"jars decide for at most {_MOST_BROKERS} replicas: the table of {replicas} is too large.")
    if (constants["disks"] or constants["dir_reports"]) and "reports" not in jars.abilities:
        raise UsageError(f"{jars.classes} know no reports of directories: leave out disks and dir_reports.")
    if constants["elr"] and "elr" not in jars.abilities:
        raise UsageError(f"{jars.classes} know no eligible leader replicas: give -c elr=false.")


def _choose_setting(constants: Mapping[str, Any]) -> Setting:
    return Setting(constants["replicas"], constants["min_isr"], elr=constants["elr"], unclean=constants["unclean"])


def _switches(ir: ModelIR, given: Mapping[str, str]) -> dict[str, str]:
    """The constants given that are not bounds: the controller alone is asked about any fault."""
    bools = {each.name for each in ir.constants if isinstance(each.default, bool)}
    return {name: value for name, value in given.items() if name in bools}


def _event_of_request(request: Request, by: Replica, values: Mapping[str, Any]) -> str:
    if request.epoch != values["now"].epoch:
        return "stale"
    if request.base == values["version"]:
        return "grant"
    return "old" if values["now"].leader == by else "late"


def _parse_answers(event: str, replies: Iterable[str]) -> frozenset[Answer]:
    return frozenset(_comparable(event, parse(each)) for each in replies)


def _comparable(event: str, answer: Answer) -> Answer:
    """An answer of which a report's record counts only if the image changes: a directory is not in the model."""
    return answer if isinstance(answer, str) or event != "report" else answer._replace(records=0)
