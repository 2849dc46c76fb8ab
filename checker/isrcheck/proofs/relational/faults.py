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
        self._quiet = 0

    def add(self, condition: Logic, place: Place, sentence: str) -> None:
        if self._quiet or condition is t.FALSE:
            return
        for outer in reversed(self._around):
            condition = t.and_(outer, condition) if isinstance(outer, Logic) else t.exists(outer, condition)
        if condition is not t.FALSE:
            self.recorded.append(TextFault(condition, place, sentence))

    def under(self, *around: Logic | tuple[Logic, ...]) -> "_Under":
        return _Under(self, around)

    def quietly(self) -> "_Quiet":
        return _Quiet(self)

    def enter(self, around: tuple[Logic | tuple[Logic, ...], ...]) -> None:
        self._around.extend(around)

    def leave(self, number: int) -> None:
        del self._around[len(self._around) - number :]

    def silence(self, by: int) -> None:
        self._quiet += by


class _Under(Frozen):
    faults: Faults
    around: tuple[Logic | tuple[Logic, ...], ...]

    def __enter__(self) -> None:
        self.faults.enter(self.around)

    def __exit__(self, *_: object) -> None:
        self.faults.leave(len(self.around))


class _Quiet(Frozen):
    """Add no faults in a block that reads again what was read."""

    faults: Faults

    def __enter__(self) -> None:
        self.faults.silence(1)

    def __exit__(self, *_: object) -> None:
        self.faults.silence(-1)


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
