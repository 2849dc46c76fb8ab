"""Errors by whose fault they are: one sentence with a place and a remedy."""

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from traceback import extract_tb

from isrcheck.place import NOWHERE, Place, character
from isrcheck.wrap import plain


class IsrcheckError(Exception):
    """Anything that ends a run without a verdict."""

    exit_code = 70

    def _render_traceback_(self) -> list[str]:
        """The lines that IPython shows instead of a traceback: whose fault it was is in the sentence."""
        return [f"{type(self).__name__}: {self}"]


class UsageError(IsrcheckError):
    """Wrong usage or input. What a terminal would act upon is replaced in its sentence."""

    exit_code = 2

    def __init__(self, sentence: str) -> None:
        super().__init__("\n".join(map(plain, sentence.split("\n"))))


class AssumptionFalse(IsrcheckError):
    """The constants given contradict an assumption of the model."""

    exit_code = 10


class ModelError(IsrcheckError):
    """A fault in the user's model."""

    exit_code = 75

    def __init__(self, place: Place, sentence: str, remedy: str = "") -> None:
        super().__init__(place, sentence, remedy)
        self.place = place
        self.sentence = sentence
        self.remedy = remedy

    def __str__(self) -> str:
        head = f"{self.place}: {self.sentence}" if self.place != NOWHERE else self.sentence
        return "\n".join(
            paragraph for paragraph in (head, self.place.picture(), self.remedy and f"  {self.remedy}") if paragraph
        )


TOO_DEEP = "the text is nested too deeply, together with the helpers that it calls."
LESS_DEEP = "Give parts of it names, or call fewer helpers from helpers; docs/limits.md says what is read."


@contextmanager
def refuse_recursion(at: Place) -> Iterator[None]:
    """Turn a RecursionError, of a walk through a model's text, into a ModelError."""
    try:
        yield
    except RecursionError:
        raise ModelError(at, TOO_DEEP, LESS_DEEP) from None


class Disagreement(IsrcheckError):
    """Two engines answered differently. This is a fault of isrcheck, never a verdict."""


def quantity(number: int, noun: str) -> str:
    """A number with its noun: 1 state, 2,000 states."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def nearest(name: str, known: Iterable[str]) -> str:
    """' Did you mean X?' with the closest known word, or ' Known: X, Y.'

    An abbreviation is close, too: hw to highWatermark.
    """
    known = sorted(known)
    initials = "".join(each[0] for each in re.findall(r"[A-Z]?[a-z]+", name)).lower()
    is_short = len(initials) > 1 and initials in known and not get_close_matches(name, known, 1, 0.8)
    close = [initials] if is_short else get_close_matches(name, known, 1)
    return f" Did you mean {close[0]}?" if close else f" Known: {', '.join(known) or 'none'}."


def blame(error: Exception, at: Place, what: str) -> ModelError:
    """Turn what the model's text raised into an error at that line."""
    frames = [f for f in extract_tb(error.__traceback__) if f.filename == at.file and f.lineno]
    if frames:
        frame = frames[-1]
        line, *columns = frame.lineno or 0, frame.colno or 0, frame.end_colno or 0
        at = Place(at.file, line, *(character(at.file, line, column) for column in columns))
    detail = f": {error}" if str(error) else ""
    return ModelError(
        at,
        f"{what} raised {type(error).__name__}{detail}.",
        "Guard it, so that it is asked only where it has an answer.",
    )
