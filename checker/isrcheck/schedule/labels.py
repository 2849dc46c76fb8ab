"""The steps of the environment that two variants share, each with its instances in both."""

from dataclasses import dataclass

from isrcheck.ir.show import show
from isrcheck.schedule.script import StepText
from isrcheck.schedule.steps import ScheduleVocabulary, Step, compact


@dataclass(frozen=True)
class Label:
    """An action with its arguments as people write them; an argument that only one variant has may have any value."""

    action: str
    arguments: tuple[tuple[str, str], ...]

    def __str__(self) -> str:
        return " ".join((self.action, *(f"{n}={v}" for n, v in self.arguments)))

    def written(self) -> StepText:
        """The label as a step of a script."""
        return StepText(self.action, (), self.arguments, "the schedule")

    def step(self, words: ScheduleVocabulary) -> Step:
        """The label in one variant; without instances where the variant does not know it."""
        return Step(str(self), self.action, words.instance(self.action, dict(self.arguments)))


def label_of(words: ScheduleVocabulary, instance: int, other: ScheduleVocabulary) -> Label:
    """An instance of one variant in words that another understands."""
    action, given = words.instances[instance]
    method = words.actions[action]
    known = {p.name for m in other.actions if m.name == method.name for p in m.parameters}
    shown = ((p.name, compact(show(v))) for p, v in zip(method.parameters, given, strict=True) if p.name in known)
    return Label(method.name, tuple(shown))


def shared_labels(
    left: ScheduleVocabulary, right: ScheduleVocabulary, one_sided: bool = False
) -> tuple[tuple[Label, ...], tuple[tuple[int | None, ...], tuple[int | None, ...]]]:
    """The labels of both, in the order of the left one's actions and arguments, and each side's label by instance.

    An instance of an internal action has None, one that the other variant does not know has -1; unless `one_sided`,
    which also numbers the labels that only one variant has, after the others.
    """
    ones = [label_of(left, i, right) for i in range(len(left.instances))]
    twos = [label_of(right, i, left) for i in range(len(right.instances))]
    both = set(ones) & set(twos)
    outer = [one for i, one in enumerate(ones) if i not in left.internal and one in both]
    if one_sided:
        outer += [one for i, one in enumerate(ones) if i not in left.internal]
        outer += [two for i, two in enumerate(twos) if i not in right.internal]
    labels = tuple(dict.fromkeys(outer))
    numbers = {label: number for number, label in enumerate(labels)}
    return labels, (_numbered(left, ones, numbers), _numbered(right, twos, numbers))


def _numbered(words: ScheduleVocabulary, labels: list[Label], numbers: dict[Label, int]) -> tuple[int | None, ...]:
    internal = words.internal
    return tuple(None if i in internal else numbers.get(label, -1) for i, label in enumerate(labels))
