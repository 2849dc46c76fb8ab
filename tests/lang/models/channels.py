"""Messages in order, on channels of their own; and values in a bag."""

from typing import Annotated, NamedTuple, Self

from tests.lang.models.words import Colour, Count, Node

from isrcheck import (
    Bag,
    Channels,
    Model,
    Record,
    Taken,
    UpTo,
    action,
    constant,
    each,
    history,
    invariant,
    reachable,
    require,
    step,
)


class Link(NamedTuple):
    source: Node
    target: Node


class Put(Record):
    number: Count


class Done(Record):
    """What was put has arrived."""


Message = Put | Done


class Ordered(Model):
    """Every node tells the others its numbers, in order; a connection may break."""

    nodes: int = constant(2, "how many", at_least=1)
    most: int = constant(2, "the largest number")
    capacity: int = constant(2, "messages on a channel")

    links: Annotated[Channels[Link, Message], UpTo("capacity")] = Channels()
    told: dict[Node, Count] = each(Node, 0)
    heard: dict[Node, Count] = each(Node, 0)
    broken: bool = False

    @action
    def tell(self, node: Node) -> None:
        self.told[node] += 1
        self.links.send_all((Link(node, n) for n in Node if n != node), Put(self.told[node]))

    @action
    def hear(self, link: Link) -> None:
        m = self.links.receive(link)
        match m:
            case Put(number):
                require(link.target != link.source)
                self.heard[link.target] = number
                self.links.send(Link(link.target, link.source), Done())
            case Done():
                require(self.told[link.target] > 0)

    @action
    def cut(self, link: Link) -> None:
        require(not self.broken and self.links[link] != ())
        self.links.clear(link)
        self.broken = True

    @invariant
    def no_gap(self) -> bool:
        """Nobody hears a number before the one in front of it."""
        return self.broken or all(
            m.number > self.heard[b] for a in Node for b in Node for m in self.links[Link(a, b)] if isinstance(m, Put)
        )

    @step
    def never_back(self, before: Self, taken: Taken) -> bool:
        heard = all(self.heard[n] >= before.heard[n] for n in Node)
        return heard and (taken.action != "hear" or len(before.links[taken.link]) > 0)

    @reachable
    def full(self) -> bool:
        return any(len(self.links[Link(a, b)]) == self.capacity for a in Node for b in Node)

    @reachable
    def heard_twice(self) -> bool:
        return any(self.heard[n] == 2 for n in Node)


class Lossy(Model):
    """What waits is lost, or comes twice, at any place."""

    most: int = constant(1, "the largest number")
    colours: Annotated[Channels[Colour, Count], UpTo("3")] = Channels()
    last: Count | None = None
    gone: Count = history(0)

    @action
    def put(self, colour: Colour, number: Count) -> None:
        require(colour != Colour.BLUE)
        self.colours.send(colour, number)

    @action
    def take(self, colour: Colour) -> None:
        self.last = None
        number: Count = self.colours.receive(colour)
        self.last = number

    @action
    def skip(self, colour: Colour) -> None:
        require(self.last is None)
        self.colours.receive(colour)

    @action
    def lose(self, colour: Colour, place: Annotated[int, UpTo("2")]) -> None:
        self.colours.drop(colour, place)
        self.gone += 1

    @action
    def lose_first(self) -> None:
        require(self.last == 1)
        self.colours.drop(Colour.RED)

    @action
    def repeat(self, place: Annotated[int, UpTo("2")]) -> None:
        self.colours.duplicate(Colour.RED, place)

    @action
    def repeat_first(self) -> None:
        self.colours.duplicate(Colour.GREEN)

    @action
    def move(self) -> None:
        self.colours.send_all(frozenset({Colour.RED, Colour.GREEN}), 0)

    @invariant
    def blue_is_empty(self) -> bool:
        return self.colours[Colour.BLUE] == () and 1 not in self.colours[Colour.BLUE]

    @reachable
    def one_between_zeros(self) -> bool:
        return self.colours[Colour.RED] == (0, 1, 0) and self.colours[Colour.GREEN][:1] == (1,)


class Permits(Model):
    """A bag: how many of each colour are held."""

    most: int = constant(2, "permits")
    held: Annotated[Bag[Colour], UpTo("most")] = Bag()

    @action
    def take(self, colour: Colour) -> None:
        self.held.add(colour)

    @action
    def take_all(self) -> None:
        self.held.add_all(c for c in Colour if c not in self.held and c != Colour.BLUE)

    @action
    def put_back(self, colour: Colour) -> None:
        self.held.remove(colour)

    @invariant
    def few(self) -> bool:
        return len(self.held) <= self.most and all(self.held.count(c) > 0 for c in self.held)

    @reachable
    def both_red(self) -> bool:
        return self.held.count(Colour.RED) == 2
