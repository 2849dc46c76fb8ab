"""Topics against an earlier description of them: whether one survives less than it did."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from isrcheck import UsageError
from isrcheck.plugin import Document, Paragraph, bad, good, quantity, unsure
from isrrisk.answer import Answer
from isrrisk.budget import in_words, within
from isrrisk.frontier import Survival
from isrrisk.setting import Setting, is_alike
from isrrisk.wording import WORDS

_BEFORE = "{} before"


@dataclass(frozen=True)
class Earlier:
    """The topics of two descriptions: those with another setting, and the names that only one of them has."""

    changed: tuple[str, ...]
    alike: int
    added: tuple[str, ...]
    removed: tuple[str, ...]


def compare_topics(now: Mapping[str, Setting], before: Mapping[str, Setting]) -> tuple[Earlier, dict[str, Setting]]:
    """Return what differs between two descriptions, and the settings to search: each changed topic twice.

    Raises UsageError where they have no topic in common, since nothing is judged then.
    """
    both = [name for name in now if name in before]
    if not both:
        raise UsageError(
            f"no topic of now ({_some(now)}) is in the earlier description ({_some(before)}): "
            "give --against an earlier description of the same topics."
        )
    changed = tuple(name for name in both if not is_alike(now[name], before[name]))
    added = tuple(name for name in now if name not in before)
    removed = tuple(name for name in before if name not in now)
    settings: dict[str, Setting] = {}
    for name in changed:
        settings |= {_BEFORE.format(name): before[name], name: now[name]}
    return Earlier(changed, len(both) - len(changed), added, removed), settings


def _some(names: Mapping[str, Setting]) -> str:
    first = [*names][:3]
    return ", ".join(first) + (", ..." if len(names) > len(first) else "")


def less_survived(now: Answer, before: Answer) -> list[str]:
    """The faults that lose something now and lost nothing before, a phrase each."""
    survivals = before.last.survivals if before.last else []
    return [
        f"{WORDS[loss.name]} after {in_words(loss.faults)}"
        for loss in now.losses
        if any(each.name == loss.name and within(loss.faults, each.faults) for each in survivals)
    ]


def is_decided(now: Answer, before: Answer) -> bool:
    """Whether each number of faults that was decided of one of two settings was decided of the other, too."""
    if now.last is None or before.last is None:
        return False
    return not any(_unknown(now, before.last.survivals)) and all(
        any(loss.name == each.name and within(each.faults, loss.faults) for each in before.losses)
        or any(loss.name == each.name and within(loss.faults, each.faults) for each in before.last.survivals)
        for loss in now.losses
    )


def _unknown(now: Answer, survivals: list[Survival]) -> Iterator[Survival]:
    """Yield what was survived before and has neither been survived nor lost now."""
    survived_now = now.last.survivals if now.last else []
    for each in survivals:
        is_survived = any(each.name == other.name and within(each.faults, other.faults) for other in survived_now)
        is_lost = any(each.name == loss.name and within(loss.faults, each.faults) for loss in now.losses)
        if not (is_survived or is_lost):
            yield each


def judge_topics(earlier: Earlier, answers: Mapping[str, Answer]) -> tuple[Document, int]:
    """A sentence for each topic, and the exit code: 21 if one survives less, 20 if one is undecided, else 0."""
    blocks, codes = [], {0}
    for name in earlier.changed:
        now, before = answers.get(name), answers.get(_BEFORE.format(name))
        less = less_survived(now, before) if now and before else []
        if less:
            codes.add(21)
            blocks.append(Paragraph((bad(f"{name} survives less than before"), f": {'; '.join(less)}.")))
        elif now is None or before is None or not is_decided(now, before):
            codes.add(20)
            blocks.append(Paragraph((unsure(f"{name} is undetermined"), ": not all was searched of both settings.")))
        else:
            blocks.append(Paragraph((good(f"{name} survives no less than before"), ".")))
    return [*blocks, *_others(earlier)], max(codes)


def _others(earlier: Earlier) -> Document:
    if earlier.alike:
        yield Paragraph(f"{quantity(earlier.alike, 'topic')} with the settings that they had.")
    if earlier.added:
        yield Paragraph(f"Not judged, since they were not there before: {', '.join(earlier.added)}.")
    if earlier.removed:
        yield Paragraph(f"No longer there: {', '.join(earlier.removed)}.")
