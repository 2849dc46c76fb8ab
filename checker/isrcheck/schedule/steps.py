"""The text of a schedule, and its steps as action instances of one model."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from isrcheck.errors import UsageError, nearest
from isrcheck.files import unreadable
from isrcheck.ir.codec import codec
from isrcheck.ir.frozen import replace
from isrcheck.ir.model import Method, ModelIR
from isrcheck.ir.show import show
from isrcheck.passes.bind import BoundModel, bind, refuse_several
from isrcheck.passes.choices import Ground
from isrcheck.wrap import compact, plain

VERDICTS = ("violated", "kept", "cannot", "reached", "unreached")
_HEADS = ("constants", "expect")
_LONGEST = 10_000  # steps
_OPENING, _CLOSING = "([{", ")]}"


@dataclass(frozen=True)
class StepText:
    action: str
    positional: tuple[str, ...]
    named: tuple[tuple[str, str], ...]
    place: str  # story.schedule:3, or "the script" for one given on the command line

    def __str__(self) -> str:
        return " ".join((self.action, *self.positional, *(f"{n}={v}" for n, v in self.named)))


@dataclass(frozen=True)
class Expectation:
    """The verdict that a script expects of a model: of these properties, or without any of its complete run."""

    model: str
    verdict: str
    properties: tuple[str, ...]
    place: str


@dataclass(frozen=True)
class Script:
    steps: tuple[StepText, ...]
    constants: dict[str, str]
    expectations: tuple[Expectation, ...]


def read_script(file: Path) -> Script:
    """Read a script from a file. Raises UsageError, with the line."""
    try:
        content = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise unreadable(file, "a script", "give a text file of steps, or -e 'STEP; STEP'", error) from None
    return parse_script(content, plain(file.name))


def parse_script(script: str, name: str = "") -> Script:
    """Parse a script; `name` is what messages call it. Raises UsageError."""
    steps: list[StepText] = []
    constants: dict[str, str] = {}
    expectations: list[Expectation] = []
    for number, line in enumerate(script.splitlines(), 1):
        place = f"{name}:{number}" if name else "the script"
        content = line.partition("#")[0].strip()
        head, colon, rest = content.partition(":")
        if colon and re.fullmatch(r"\w+", head):
            _read_head(head, rest, place, constants, expectations)
        else:
            steps += [_step(step, place) for step in content.split(";") if step.strip()]
    if not steps:
        raise UsageError(f"{name or 'the script'} has no steps: write one a line, or several with ; between them.")
    if len(steps) > _LONGEST:
        raise UsageError(f"{name or 'the script'} has {len(steps):,} steps, and {_LONGEST:,} is the most.")
    return Script(tuple(steps), constants, tuple(expectations))


def _read_head(head: str, rest: str, place: str, constants: dict[str, str], expectations: list[Expectation]) -> None:
    if head == "constants":
        for pair in rest.split():
            name, equals, value = pair.partition("=")
            if not (name and equals and value):
                raise UsageError(f"{place}: {pair} is not a valid constant: write constants: replicas=3 log_size=1.")
            if name in constants:
                raise UsageError(f"{place}: the constant {name} is given twice: {constants[name]} and {value}.")
            constants[name] = value
    elif head == "expect":
        expectations.append(_expectation(rest.split(), place))
    else:
        raise UsageError(f"{place}: there is no line {head}: in a script.{nearest(head, _HEADS)}")


def _expectation(words: list[str], place: str) -> Expectation:
    if len(words) < 2:
        raise UsageError(
            f"{place}: an expectation is a model, a verdict and properties: expect: kip-101 violated weak_isr."
        )
    model, verdict, *properties = words
    if verdict not in VERDICTS:
        raise UsageError(f"{place}: {verdict} is not a verdict of a schedule.{nearest(verdict, VERDICTS)}")
    if verdict == "cannot" and properties:
        raise UsageError(f"{place}: cannot is said of a model and not of {properties[0]}: leave that out.")
    if verdict != "cannot" and not properties:
        raise UsageError(f"{place}: {verdict} is said of properties: name them after it.")
    return Expectation(model, verdict, tuple(properties), place)


def _step(step: str, place: str) -> StepText:
    words = list(_words(step, place))
    named = [w.partition("=")[::2] for w in words if "=" in _outside(w)]
    bare = [w for w in words if "=" not in _outside(w)]
    for name, value in named:
        if not name or not value:
            raise UsageError(f"{place}: {step.strip()}: an argument by name is written name=value.")
    if not bare or "=" in _outside(words[0]):
        raise UsageError(f"{place}: {step.strip()} names no action: write the action before its arguments.")
    action, *positional = bare
    if not re.fullmatch(r"\w+", action):
        raise UsageError(f"{place}: {action} is not a name of an action: letters, digits and _ make one.")
    return StepText(action, tuple(positional), tuple(named), place)


def _words(step: str, place: str) -> Iterator[str]:
    """The words of a step, parted by blanks and commas outside of brackets."""
    piece, depth = "", 0
    for letter in step:
        depth += (letter in _OPENING) - (letter in _CLOSING)
        if depth == 0 and (letter.isspace() or letter == ","):
            if piece:
                yield piece
            piece = ""
        elif not letter.isspace():
            piece += letter
        if depth < 0:
            break
    if depth:
        raise UsageError(f"{place}: {step.strip()}: a bracket is opened and not closed, or closed and not opened.")
    if piece:
        yield piece


def _outside(piece: str) -> str:
    return re.split(r"[(\[{]", piece, maxsplit=1)[0]


_MOST_LISTED = 12  # values in a sentence


class UnknownStep(UsageError):
    """A step that a model does not know; `reason` fits several models."""

    def __init__(self, sentence: str, reason: str) -> None:
        super().__init__(sentence)
        self.reason = reason


@dataclass(frozen=True)
class Step:
    """A step of a schedule in one model, with all choices of the arguments not given."""

    line: str
    action: str
    instances: frozenset[int]


@dataclass(frozen=True)
class ScheduleVocabulary:
    model: BoundModel

    @cached_property
    def instances(self) -> Ground:
        return Ground(self.model)

    @property
    def actions(self) -> tuple[Method, ...]:
        return self.model.ir.actions

    @cached_property
    def internal(self) -> frozenset[int]:
        return frozenset(i for i, (action, _) in enumerate(self.instances) if self.actions[action].internal)

    def steps_of(self, script: Script) -> tuple[Step, ...]:
        return tuple(self.step(step) for step in script.steps)

    def step(self, step: StepText) -> Step:
        """One step. Raises UsageError if something in it is unknown, or could be several."""
        method = self._action(step)
        return Step(str(step), method.name, self._where(method.name, self._arguments(step, method)))

    def step_of_label(self, label: "Label") -> Step:
        """The step of a label; without instances where this model does not know it."""
        return Step(str(label), label.action, self._where(label.action, dict(label.arguments)))

    def _where(self, action: str, arguments: Mapping[str, str]) -> frozenset[int]:
        instances = set()
        for i, (a, given) in enumerate(self.instances):
            method = self.actions[a]
            if method.name == action:
                shown = {p.name: compact(show(v)) for p, v in zip(method.parameters, given, strict=True)}
                if all(shown.get(name) == value for name, value in arguments.items()):
                    instances.add(i)
        return frozenset(instances)

    def _action(self, step: StepText) -> Method:
        by_name = {method.name: method for method in self.actions}
        if step.action in by_name:
            return by_name[step.action]
        fitting = [m for m in self.actions if fits(step.action, m.name)]
        outer = [m for m in fitting if not m.internal] or fitting
        possible = [m for m in outer if m.name not in self.model.not_asked] or outer
        if len(possible) == 1:
            return possible[0]
        place, short = step.place, step.action
        if not possible:
            sentence = f"{place}: {self.model.ir.name} has no action {short}.{nearest(step.action, by_name)}"
            raise UnknownStep(sentence, f"no action {short} ({place})")
        names = _or(m.name for m in possible)
        sentence = f"{place}: {short} may be {names} in {self.model.ir.name}: write more of the name."
        raise UnknownStep(sentence, f"{short} may be {names} ({place})")

    def _arguments(self, step: StepText, method: Method) -> dict[str, str]:
        names = [p.name for p in method.parameters]
        if len(step.positional) > len(names):
            takes = f"takes {', '.join(names)}" if names else "takes no argument"
            given = f"{len(step.positional)} are given" if len(step.positional) != 1 else "one is given"
            raise UsageError(f"{step.place}: {step}: {method.name} {takes}, and here {given}.")
        chosen = dict(zip(names, step.positional, strict=False))
        for name, value in step.named:
            if name not in names:
                raise UsageError(f"{step.place}: {method.name} has no parameter {name}.{nearest(name, names)}")
            if name in chosen:
                raise UsageError(f"{step.place}: {step}: {name} is given twice.")
            chosen[name] = value
        domains = dict(self.model.parameters(self.actions.index(method)))
        for name, value in chosen.items():
            shown = [show(v) for v in codec(domains[name]).values()]
            if compact(value) not in map(compact, shown):
                known = f"{name} is {_or(shown)} with these constants"
                raise UsageError(f"{step.place}: {step}: {known}, not {value}.")
        return {name: compact(value) for name, value in chosen.items()}


def fits(short: str, name: str) -> bool:
    """Whether the parts of a short form, such as becomes_lead, begin parts of a name, in order."""
    parts = iter(name.split("_"))
    return (
        all(any(syllable.startswith(prefix) for syllable in parts) for prefix in short.split("_") if prefix)
        and short != "_"
    )


def bind_known(ir: ModelIR, constants: Mapping[str, Any]) -> BoundModel:
    """Bind the constants that the model has, without its constraints: a schedule says itself what happens."""
    known = {name: value for name, value in constants.items() if name in ir.constant_names}
    bound = bind(replace(ir, constraints=()), known)
    refuse_several(ir.name, 1 + len(bound.others), "a schedule begins in one")
    return bound


def _or(words: Iterable[str]) -> str:
    listed = list(words)
    if len(listed) > _MOST_LISTED:
        return ", ".join(listed[:_MOST_LISTED]) + f" or one of {len(listed) - _MOST_LISTED:,} more"
    return " or ".join(filter(None, (", ".join(listed[:-1]), *listed[-1:]))) or "nothing"


@dataclass(frozen=True)
class Label:
    """An action with its arguments, but for those that only one variant has."""

    action: str
    arguments: tuple[tuple[str, str], ...]

    def __str__(self) -> str:
        return " ".join((self.action, *(f"{n}={v}" for n, v in self.arguments)))


def label_of(words: ScheduleVocabulary, instance: int, other: ScheduleVocabulary) -> Label:
    """An instance of one variant in words that another understands."""
    action, given = words.instances[instance]
    method = words.actions[action]
    known = {p.name for m in other.actions if m.name == method.name for p in m.parameters}
    shown = ((p.name, compact(show(v))) for p, v in zip(method.parameters, given, strict=True) if p.name in known)
    return Label(method.name, tuple(shown))


def labels_of_both(
    left: ScheduleVocabulary, right: ScheduleVocabulary, one_sided: bool = False
) -> tuple[tuple[Label, ...], tuple[tuple[int | None, ...], tuple[int | None, ...]]]:
    """The labels in the left's order, and by instance: None if internal, -1 if not shared (but for `one_sided`)."""
    ones = [label_of(left, i, right) for i in range(len(left.instances))]
    twos = [label_of(right, i, left) for i in range(len(right.instances))]
    both = set(ones) & set(twos)
    outer = [one for i, one in enumerate(ones) if i not in left.internal and one in both]
    if one_sided:
        outer += [one for i, one in enumerate(ones) if i not in left.internal]
        outer += [two for i, two in enumerate(twos) if i not in right.internal]
    labels = tuple(dict.fromkeys(outer))
    numbers = {label: number for number, label in enumerate(labels)}
    return labels, (_number_instances(left, ones, numbers), _number_instances(right, twos, numbers))


def _number_instances(
    words: ScheduleVocabulary, labels: list[Label], numbers: dict[Label, int]
) -> tuple[int | None, ...]:
    return tuple(None if i in words.internal else numbers.get(label, -1) for i, label in enumerate(labels))
