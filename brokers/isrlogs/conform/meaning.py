"""The meaning of an event in a model: the steps that it may be, and the checks of the state after it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from isrcheck.plugin import show
from isrlogs.conform.event import Event

Value = Any
Telling = Callable[[Event], Value]  # a value that an event tells; None where it does not


class View:
    """A state of the model, asked by the numbers of brokers."""

    def __init__(
        self,
        read: Callable[[str], Value],
        constants: Mapping[str, Value],
        members: Mapping[int, Value],
        ask: Callable[..., Value],
    ) -> None:
        self._read = read  # a variable by its name
        self._known: dict[str, Value] = {}
        self._constants = constants
        self.members = members
        self.ask = ask  # a method of the model by name, with its arguments
        self.brokers = {member: broker for broker, member in members.items()}

    def __getattr__(self, name: str) -> Value:
        try:
            return self.value(name)
        except KeyError:
            raise AttributeError(name) from None

    def value(self, name: str) -> Value:
        """The value of a variable or a constant. Raises KeyError."""
        if name not in self._known:
            self._known[name] = self._constants[name] if name in self._constants else self._read(name)
        return self._known[name]

    def of(self, name: str, broker: int | None) -> Value:
        """The value of a variable for one broker."""
        member = None if broker is None else self.members.get(broker)
        return None if member is None else self.value(name)[member]

    def ids(self, members: Value) -> Value:
        """Brokers by their numbers: one, several, or None."""
        if isinstance(members, frozenset):
            return frozenset(self.brokers[member] for member in members)
        return self.brokers.get(members)


@dataclass(frozen=True)
class Step:
    """An action of the model, and which of its arguments the event tells."""

    action: str
    arguments: Mapping[str, Telling] = field(default_factory=dict)


@dataclass(frozen=True)
class Check:
    """Something that an event tells of a state. `what` is filled with the event's broker."""

    what: str
    modelled: Callable[[View, Event], Value]
    observed: Telling
    agrees: Callable[[Value, Value], bool] = lambda modelled, observed: modelled == observed
    subject: Telling = lambda event: event.broker  # whose the value is
    falls_by: frozenset[str] | None = None  # events of the subject by which it falls; None: it may fall unseen
    grows_by: frozenset[str] | None = None  # the same of growing

    def is_above(self, view: View, event: Event) -> bool | None:
        """Whether the state's value is too great, or too small; None if it agrees, or may fall unseen."""
        observed = None if self.falls_by is None else self.observed(event)
        if observed is None:
            return None
        modelled = self.modelled(view, event)
        return None if self.agrees(modelled, observed) else bool(modelled > observed)

    def difference(self, view: View, event: Event) -> str | None:
        """One sentence, or None if the state agrees or the event does not tell."""
        observed = self.observed(event)
        if observed is None:
            return None
        modelled = self.modelled(view, event)
        if self.agrees(modelled, observed):
            return None
        return f"{self.what.format(broker=event.broker)}: {_show(observed)} observed, {_show(modelled)} in the model"


@dataclass(frozen=True)
class Meaning:
    """An event is one of the steps or, where `may_be_nothing`, no step; before and after it the checks pass."""

    steps: tuple[Step, ...] = ()
    after: tuple[Check, ...] = ()
    before: tuple[Check, ...] = ()
    helped: tuple[Step, ...] = ()  # steps that nobody saw and that would make the event possible
    may_be_nothing: bool = False  # and then it is: the steps would change what it tells
    or_nothing: bool = False  # no step is as good as one of the steps: both are tried
    eager: bool = False  # nothing but a history changes by it: it is taken as soon as it can be

    @property
    def is_check(self) -> bool:
        """Whether it may only be looked at."""
        return not self.steps


def _show(value: Value) -> str:
    if isinstance(value, frozenset):
        return "{" + ", ".join(map(str, sorted(value))) + "}"
    return "none" if value is None else show(value)


def difference(checks: tuple[Check, ...], view: View, event: Event) -> str | None:
    """The first check that does not pass."""
    return next((fault for check in checks if (fault := check.difference(view, event))), None)
