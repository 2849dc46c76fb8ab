"""Faults of a model's text, and refusals of what the relational view cannot say."""

from collections.abc import Iterator
from contextlib import contextmanager

from isrcheck.errors import UsageError
from isrcheck.ir.frozen import Frozen
from isrcheck.place import Place
from isrcheck.proofs.relational import terms as t
from isrcheck.proofs.relational.terms import Logic
from isrcheck.proofs.relational.values import Unsupported


class TextFault(Frozen):
    """A place at which the text raises an error if `condition` is true."""

    condition: Logic
    place: Place
    sentence: str


class Faults:
    """The faults of one text, each under what is true where it is read."""

    def __init__(self) -> None:
        self.recorded: list[TextFault] = []
        self._around: list[Logic | tuple[Logic, ...]] = []  # conditions, and variables that are bound
        self._is_quiet = False

    def add(self, condition: Logic, place: Place, sentence: str) -> None:
        if self._is_quiet or condition is t.FALSE:
            return
        for outer in reversed(self._around):
            condition = t.and_(outer, condition) if isinstance(outer, Logic) else t.exists(outer, condition)
        if condition is not t.FALSE:
            self.recorded.append(TextFault(condition, place, sentence))

    def assume(self, *around: Logic | tuple[Logic, ...]) -> None:
        """Add conditions and variables to those around, until the end of the block in which this is."""
        self._around.extend(around)

    @contextmanager
    def under(self, *around: Logic | tuple[Logic, ...]) -> Iterator[None]:
        """Read a block under these conditions and variables."""
        outside = len(self._around)
        self.assume(*around)
        try:
            yield
        finally:
            del self._around[outside:]

    @contextmanager
    def quietly(self) -> Iterator[None]:
        """Add no faults in a block that reads again what was read."""
        was_quiet, self._is_quiet = self._is_quiet, True
        try:
            yield
        finally:
            self._is_quiet = was_quiet


@contextmanager
def place_refusals(node: object, what: str = "") -> Iterator[None]:
    """Turn a phrase about what the relational view lacks into a sentence with the place of the node."""
    try:
        yield
    except Unsupported as error:
        raise refusal(node, f"{what} ({error})" if what else str(error)) from None


def refusal(node: object, what: str) -> UsageError:
    """The model's text is outside of what the relational view says."""
    at = getattr(node, "at", None)
    picture = f"\n{at.picture()}" if at is not None and at.picture() else ""
    return UsageError(
        f"{at}: prove cannot read {what}.{picture}\n"
        "Write it with quantifiers, or decide it at given sizes with isrcheck check."
    )
