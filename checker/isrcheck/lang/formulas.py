"""The words of temporal formulas, which an author imports. isrcheck reads them.

The reference runs them, too, to ask what the conditions within them are in one state.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Final

from isrcheck.ir.model import TemporalOperator

if TYPE_CHECKING:
    Temporal = bool
else:

    class Temporal:
        """The result of a method marked `@temporal`."""


_asked: ContextVar[list[tuple[bool, ...]] | None] = ContextVar("asked", default=None)


@contextmanager
def answers() -> Iterator[list[tuple[bool, ...]]]:
    """Collect the conditions within formulas in one state, formula by formula, while a method runs."""
    collected: list[tuple[bool, ...]] = []
    token = _asked.set(collected)
    try:
        yield collected
    finally:
        _asked.reset(token)


def _answer(*conditions: bool) -> bool:
    collected = _asked.get()
    if collected is None:
        raise TypeError("a temporal formula is read by isrcheck and has no value of its own")
    collected.append(conditions)
    return True


def eventually(condition: bool) -> Temporal:
    """The condition holds at some time."""
    return _answer(condition)


def always_eventually(condition: bool) -> Temporal:
    """The condition holds again and again, without end."""
    return _answer(condition)


def eventually_always(condition: bool) -> Temporal:
    """The condition holds for ever from some time on."""
    return _answer(condition)


def leads_to(condition: bool, goal: bool) -> Temporal:
    """Whenever the condition holds, the goal holds then or later."""
    return _answer(condition, goal)


FORMULAS: Final = {
    TemporalOperator(formula.__name__): formula
    for formula in (eventually, always_eventually, eventually_always, leads_to)
}
