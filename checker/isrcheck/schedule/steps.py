"""The steps of a script as action instances of one model."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from isrcheck.errors import UsageError, nearest
from isrcheck.ir.codec import codec
from isrcheck.ir.frozen import replace
from isrcheck.ir.model import Method, ModelIR
from isrcheck.ir.show import show
from isrcheck.passes.bind import BoundModel, bind
from isrcheck.passes.choices import Ground, ground
from isrcheck.passes.starts import refuse_several
from isrcheck.schedule.script import Script, StepText

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
        return ground(self.model)

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


def compact(value: str) -> str:
    """A value without blanks, by which two ways of writing it are compared."""
    return "".join(value.split())


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
