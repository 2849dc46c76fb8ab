"""Messages in flight, in the vocabulary of a model: bags of which CPython keeps the counts, and queues."""

from collections.abc import Iterable, Iterator
from typing import Any, Generic, TypeVar

from isrcheck.lang.declare import NotEnabled

K = TypeVar("K")
M = TypeVar("M")


class Bag(Generic[M]):
    """Values in no order, each as often as it was added and not removed.

    `held: Annotated[Bag[Permit], UpTo("most")] = Bag()`: a step after which it holds more is pruned. Only its own
    methods change it.
    """

    __slots__ = ("counts",)

    def __init__(self, counts: Any = ()) -> None:
        self.counts: dict[M, int] = counts or {}

    def add(self, value: M) -> None:
        """Add one more copy of a value."""
        self.counts[value] = self.count(value) + 1

    def add_all(self, values: Iterable[M]) -> None:
        """Add one more of each value: of a set, or of what a generator gives before the first is added."""
        for value in tuple(values):
            self.add(value)

    def remove(self, value: M) -> None:
        """Remove one copy of a value. The step can happen only if there is one."""
        if value not in self:
            raise NotEnabled
        self.counts[value] -= 1

    def count(self, value: M) -> int:
        """Return how many copies of a value are there."""
        return self.counts.get(value, 0)

    def __contains__(self, value: object) -> bool:
        return self.counts.get(value, 0) > 0  # type: ignore[arg-type]  # of another type: never there

    def __iter__(self) -> Iterator[M]:
        """Yield each value that is there, once."""
        return (value for value, count in self.counts.items() if count)

    def __len__(self) -> int:
        """Return the number of values, copies counted."""
        return sum(self.counts.values())


class Network(Bag[M]):
    """The messages in flight, in no order, each as often as it was sent and not yet received.

    `network: Annotated[Network[Message], UpTo("in_flight")] = Network()`: a step after which more are in flight is
    pruned. A message is received, dropped or duplicated only if it is in flight.
    """

    __slots__ = ()
    send, send_all, receive, drop = Bag.add, Bag.add_all, Bag.remove, Bag.remove

    def duplicate(self, message: M) -> None:
        """The message arrives again."""
        if message not in self:
            raise NotEnabled
        self.send(message)


class Channels(Generic[K, M]):
    """The messages in flight on each channel, in the order in which they were sent: none overtakes another there.

    `links: Annotated[Channels[Link, Message], UpTo("capacity")] = Channels()`: a step after which a channel holds more
    is pruned. `links[link]` is the sequence of what is in flight on one; only the methods change it.
    """

    __slots__ = ("counts",)

    def __init__(self, counts: Any = ()) -> None:
        self.counts: dict[K, tuple[M, ...]] = counts or {}

    def __getitem__(self, channel: K) -> tuple[M, ...]:
        return self.counts[channel]

    def send(self, channel: K, message: M) -> None:
        """The message is the last of its channel."""
        self.counts[channel] += (message,)

    def send_all(self, channels: Iterable[K], message: M) -> None:
        """Send one message on each channel of a set, or of a generator, which runs before the first is sent."""
        for channel in tuple(channels):
            self.send(channel, message)

    def receive(self, channel: K) -> M:
        """Takes the first message of a channel, and returns it. The step can happen only if there is one."""
        message = self._at(channel, 0)
        self.drop(channel)
        return message

    def drop(self, channel: K, place: int = 0) -> None:
        """The message at this place is lost: the first, or any. The step can happen only if there is one."""
        self._at(channel, place)
        self.counts[channel] = self.counts[channel][:place] + self.counts[channel][place + 1 :]

    def duplicate(self, channel: K, place: int = 0) -> None:
        """The message at this place arrives twice, the copy behind it. The step can happen only if there is one."""
        message = self._at(channel, place)
        self.counts[channel] = (*self.counts[channel][:place], message, *self.counts[channel][place:])

    def clear(self, channel: K) -> None:
        """Drop all that is on a channel: its connection has ended."""
        self.counts[channel] = ()

    def _at(self, channel: K, place: int) -> M:
        if place >= len(self.counts[channel]):
            raise NotEnabled
        return self.counts[channel][place]


class InFlight(dict[Any, int]):
    """The value of a bag in a state: what is there with its counts, 0 for all others."""

    def __missing__(self, message: Any) -> int:
        return 0


KINDS: dict[str, type] = {"Bag": Bag, "Network": Network, "Channels": Channels}
METHODS: dict[str, dict[str, tuple[str, ...]]] = {  # those that change it, with what they take
    "Bag": {"add": ("x",), "add_all": ("...",), "remove": ("x",)},
    "Network": {"send": ("m",), "send_all": ("...",), "receive": ("m",), "drop": ("m",), "duplicate": ("m",)},
    "Channels": {
        "send": ("channel", "m"),
        "send_all": ("...", "m"),
        "receive": ("channel",),
        "drop": ("channel", "place"),
        "duplicate": ("channel", "place"),
        "clear": ("channel",),
    },
}
