"""Models over a sort without members: its members by number, its maps, bags, unions and sequences."""

from typing import Annotated, NamedTuple

from isrcheck import Bag, Channels, Model, Network, Record, Sort, UpTo, action, constant, each, invariant, require


class Node(Sort, size="nodes"):
    """May have no members."""


class Message(NamedTuple):
    to: Node
    n: Annotated[int, UpTo(1)]


class Base(Model):
    nodes: int = constant(0, "members", at_least=0)
    b: bool = False

    @invariant
    def calm(self) -> bool:
        return not self.b


class MapKey(Base):
    up: dict[Node, bool] = each(Node, False)

    @action
    def go(self) -> None:
        require(self.up[Node[5]])
        self.b = True


class Beside(Base):
    """No property depends on what goes wrong."""

    up: dict[Node, bool] = each(Node, False)

    @action
    def go(self) -> None:
        self.up[Node[0]] = True


class MapOfMaps(Base):
    up: dict[Node, dict[Node, Annotated[int, UpTo(2)]]] = each(Node, each(Node, 0))

    @action
    def go(self) -> None:
        self.up[Node[0]][Node[1]] += 1
        self.b = True

    @invariant
    def still(self) -> bool:
        return all(self.up[p][q] < 1 for p in Node for q in Node)


class InProperty(Base):
    up: dict[Node, bool] = each(Node, False)

    @action
    def go(self) -> None:
        self.b = True

    @invariant
    def still(self) -> bool:
        return not self.b or self.up[Node[0]]


class Sent(Base):
    net: Annotated[Network[Message], UpTo(2)] = Network()

    @action
    def go(self) -> None:
        self.net.send(Message(Node[0], 1))
        self.b = True

    @invariant
    def still(self) -> bool:
        return len(self.net) == 0


class Received(Base):
    links: Annotated[Channels[Node, Message], UpTo(2)] = Channels()

    @action
    def go(self) -> None:
        m = self.links.receive(Node[0])
        self.b = m.n == 0


class RecordKey(Base):
    at: dict[Message, bool] = each(Message, False)

    @action
    def go(self) -> None:
        require(not self.at[Message(Node[0], 1)])
        self.b = True


class EmptyBag(Base):
    held: Annotated[Bag[Node], UpTo(2)] = Bag()

    @action
    def go(self) -> None:
        require(len(self.held) == 0)
        self.b = True


class OptionalMember(Base):
    lead: Node | None = None
    log: Annotated[tuple[Node | None, ...], UpTo(2)] = ()

    @action
    def go(self) -> None:
        self.log += (self.lead,)
        self.b = self.lead is None

    @invariant
    def still(self) -> bool:
        return not self.b or len(self.log) < 2

    @invariant
    def some(self) -> bool:
        return all(x is not None for x in self.log)


class FirstOfLog(Base):
    log: Annotated[tuple[Message, ...], UpTo(2)] = ()

    @action
    def go(self) -> None:
        require(len(self.log) == 0 or self.log[0].to == Node[0])
        self.b = True


class InBag(Base):
    held: Annotated[Bag[Node], UpTo(2)] = Bag()

    @action
    def go(self) -> None:
        require(Node[0] in self.held)
        self.b = True


class EqualLogs(Base):
    p: Annotated[tuple[Message, ...], UpTo(2)] = ()
    q: Annotated[tuple[Message, ...], UpTo(2)] = ()

    @action
    def write(self, message: Message) -> None:
        self.p += (message,)

    @action
    def agree(self) -> None:
        require(self.p == self.q)
        self.b = True

    @invariant
    def differ(self) -> bool:
        return self.p != self.q


class Bound(Record):
    by: Node


class Free(Record):
    since: Annotated[int, UpTo(3)]


class Union(Base):
    log: Annotated[tuple[Bound | Free, ...], UpTo(2)] = ()

    @action
    def free(self, since: Annotated[int, UpTo(3)]) -> None:
        self.log += ((self.log[0] if len(self.log) > 0 else Free(since)),)
        self.b = True

    @invariant
    def nothing_logged(self) -> bool:
        return len(self.log) == 0
