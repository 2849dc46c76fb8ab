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
        """What a method marked `@temporal` returns."""


_asked: ContextVar[list[tuple[bool, ...]] | None] = ContextVar("asked", default=None)


@contextmanager
def answers() -> Iterator[list[tuple[bool, ...]]]:
    """What the conditions within formulas are in one state, formula by formula, once a method has run here."""
    found: list[tuple[bool, ...]] = []
    token = _asked.set(found)
    try:
        yield found
    finally:
        _asked.reset(token)


def _answer(*conditions: bool) -> bool:
    found = _asked.get()
    if found is None:
        raise TypeError("a temporal formula is read by isrcheck and has no value of its own")
    found.append(conditions)
    return True


def eventually(condition: bool) -> Temporal:
    """At some time the condition holds."""
    return _answer(condition)


def always_eventually(condition: bool) -> Temporal:
    """The condition holds again and again, without end."""
    return _answer(condition)


def eventually_always(condition: bool) -> Temporal:
    """From some time on the condition holds for ever."""
    return _answer(condition)


def leads_to(condition: bool, goal: bool) -> Temporal:
    """Whenever the condition holds, the goal holds then or later."""
    return _answer(condition, goal)


FORMULAS: Final = {
    TemporalOperator(word.__name__): word for word in (eventually, always_eventually, eventually_always, leads_to)
}
