"""Systems beside whose model a schedule can be played; installed packages offer them (docs/adr/020)."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol

from isrcheck.errors import UsageError, nearest
from isrcheck.evidence.document import Document
from isrcheck.schedule.steps import ScheduleVocabulary, Step

GROUP = "isrcheck.systems"


class PlayedSchedule(Protocol):
    """The result of a schedule played on a system. `exit`: 0 together to the end, 12 they part, 20 undetermined."""

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
    ) -> PlayedSchedule: ...


def find_system(name: str) -> Play:
    """Find a system by the name before the first hyphen. Raises UsageError."""
    from importlib.metadata import entry_points  # here: it takes 0.05 s to import

    offers = {offer.name: offer for offer in entry_points(group=GROUP)}
    family = name.partition("-")[0]
    if family not in offers:
        listed = " or ".join(f"{each}-RELEASE" for each in sorted(offers)) or "none is installed"
        raise UsageError(f"--on {name}: a schedule is played on {listed}.{nearest(family, offers)}")
    play: Play = offers[family].load()
    return play
