"""What came of a cell: an outcome, an error, a lost worker, or that it was left out."""

from dataclasses import dataclass

from isrcheck.run.outcome import Outcome


@dataclass(frozen=True)
class Ended:
    """An error instead of a verdict; `exit` is the code that `check` would end with, 20 for a worker that was lost."""

    exit: int
    sentence: str


@dataclass(frozen=True)
class Ran:
    """An outcome; `whole` is the one that saw every state, where that needs a run of its own.

    `partly` is what such a run saw that was cut off.
    """

    outcome: Outcome
    whole: Outcome | None
    partly: Outcome | None = None

    @property
    def seen(self) -> tuple[Outcome, ...]:
        """Every run that was made."""
        return tuple(each for each in (self.outcome, self.whole, self.partly) if each is not None)


@dataclass(frozen=True)
class LeftOut:
    """Not run, or not to its end; `why` is a phrase."""

    why: str


Result = Ran | Ended | LeftOut
