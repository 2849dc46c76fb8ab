"""Where a schedule can be played beside its model: systems that installed packages offer (docs/adr/020)."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol

from isrcheck.errors import UsageError, nearest
from isrcheck.evidence.document import Document
from isrcheck.schedule.steps import ScheduleVocabulary, Step

GROUP = "isrcheck.systems"


class Played(Protocol):
    """What was played, to be shown. `exit`: 0 together to the end, 12 they part, 20 undetermined."""

    @property
    def exit(self) -> int: ...

    def document(self) -> Document: ...

    def to_dict(self, version: str) -> dict[str, Any]: ...


class Play(Protocol):
    """Plays the steps of a model; `system` is as the user wrote it, such as kafka-4.1.1."""

    def __call__(
        self,
        system: str,
        model: str,
        words: ScheduleVocabulary,
        steps: Sequence[Step],
        expected: Sequence[str],
        folder: Path | None,
        say: Callable[[str], None],
    ) -> Played: ...


def find_system(name: str) -> Play:
    """By what stands before the first -. Raises UsageError."""
    from importlib.metadata import entry_points  # here: it takes 0.05 s to import

    offers = {offer.name: offer for offer in entry_points(group=GROUP)}
    family = name.partition("-")[0]
    if family not in offers:
        listed = " or ".join(f"{each}-RELEASE" for each in sorted(offers)) or "none is installed"
        raise UsageError(f"--on {name}: a schedule is played on {listed}.{nearest(family, offers)}")
    found: Play = offers[family].load()
    return found
