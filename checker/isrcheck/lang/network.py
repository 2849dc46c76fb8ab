"""Messages in flight, in the vocabulary of a model: a bag of which CPython keeps the counts."""

from collections.abc import Iterable, Iterator
from typing import Any, Generic, TypeVar

from isrcheck.lang.declare import NotEnabled

M = TypeVar("M")


class Network(Generic[M]):
    """The messages in flight, in no order, each as often as it was sent and not yet received.

    `network: Annotated[Network[Message], UpTo("in_flight")] = Network()`: a step after which more are in flight is
    pruned. Only its own methods change it.
    """

    __slots__ = ("counts",)

    def __init__(self, counts: Any = ()) -> None:
        self.counts: dict[M, int] = counts or {}

    def send(self, message: M) -> None:
        """One more of this message is in flight."""
        self.counts[message] = self.count(message) + 1

    def send_all(self, messages: Iterable[M]) -> None:
        """One more of each: of a set, or of what a generator gives before the first is sent."""
        for message in tuple(messages):
            self.send(message)

    def receive(self, message: M) -> None:
        """One less of it is in flight. The step can happen only if there is one."""
        if message not in self:
            raise NotEnabled
        self.counts[message] -= 1

    def drop(self, message: M) -> None:
        """The message is lost: `receive` under the name of what happens."""
        self.receive(message)

    def duplicate(self, message: M) -> None:
        """The message arrives again. The step can happen only if it is in flight."""
        if message not in self:
            raise NotEnabled
        self.send(message)

    def count(self, message: M) -> int:
        """How often it is in flight."""
        return self.counts.get(message, 0)

    def __contains__(self, message: object) -> bool:
        return self.counts.get(message, 0) > 0  # type: ignore[arg-type]  # of another type: never there

    def __iter__(self) -> Iterator[M]:
        """Each message that is in flight, once."""
        return (message for message, count in self.counts.items() if count)

    def __len__(self) -> int:
        """All that are in flight, copies counted."""
        return sum(self.counts.values())


class InFlight(dict[Any, int]):
    """The value of a network in a state: its messages with their counts, 0 for all others."""

    def __missing__(self, message: Any) -> int:
        return 0


METHODS = ("send", "send_all", "receive", "drop", "duplicate")  # those that change it
