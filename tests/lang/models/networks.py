"""Messages in flight: lost, duplicated, overtaken, sent to all at once."""

from typing import Annotated, Self

from tests.lang.models.words import Count, Node

from isrcheck import (
    Drawing,
    Model,
    Network,
    Record,
    Taken,
    UpTo,
    action,
    arrow,
    constant,
    each,
    invariant,
    lane,
    note,
    reachable,
    require,
    step,
)


class Ask(Record):
    to: Node
    number: Count


class Reply(Record):
    to: Node
    number: Count


class Over(Record):
    """Ends it."""


Message = Ask | Reply | Over


class Asking(Model):
    """Every node asks its neighbours, who answer; messages are lost, repeated and overtake each other."""

    nodes: int = constant(2, "how many", at_least=1)
    most: int = constant(1, "the largest number")
    in_flight: int = constant(2, "messages on the way")

    network: Annotated[Network[Message], UpTo("in_flight")] = Network()
    heard: dict[Node, Count] = each(Node, 0)
    losses: Count = 0

    @action
    def ask(self, number: Count) -> None:
        require(len(self.network) == 0 and not self.is_over())
        self.network.send_all(Ask(n, number) for n in Node if self.heard[n] <= number)

    @action
    def answer(self, m: Ask) -> None:
        self.network.receive(m)
        self.network.send(Reply(m.to, m.number + 1))

    @action
    def hear(self, m: Reply) -> None:
        self.network.receive(m)
        self.heard[m.to] = m.number

    @action
    def lose(self, m: Message) -> None:
        require(not isinstance(m, Over))
        self.network.drop(m)
        self.losses += 1

    @action
    def repeat(self, m: Message) -> None:
        self.network.duplicate(m)

    @action
    def end(self) -> None:
        require(len(self.network) < 2 and not self.is_over())
        self.network.send_all(frozenset({Over()}))

    @action
    def forget(self) -> None:
        require(self.network.count(Over()) == 2)
        self.network.receive(Over())
        self.network.send_all(m for m in self.network if m == Over())

    @invariant
    def few(self) -> bool:
        return len(self.network) <= self.in_flight and all(self.network.count(m) > 0 for m in self.network)

    @step
    def only_known_messages(self, before: Self, taken: Taken) -> bool:
        return taken.action != "repeat" or taken.m in before.network

    @reachable
    def over_twice(self) -> bool:
        return self.network.count(Over()) == 2 and Over() in self.network

    def is_over(self) -> bool:
        return any(isinstance(m, Over) for m in self.network)


class Put(Record):
    source: Node
    target: Node
    value: Count


class Putting(Model):
    """A node keeps what was put last, and messages overtake each other."""

    nodes: int = constant(2, "how many", at_least=1)
    most: int = constant(2, "the largest number")

    network: Annotated[Network[Put], UpTo("2")] = Network()
    value: dict[Node, Count] = each(Node, 0)
    sent: dict[Node, Count] = each(Node, 0)

    drawing = Drawing(
        lane(each="value"),
        note("value", "value"),
        arrow("put", "source", "target", "put {value}", leaves=True),
        arrow("keep", "m.source", "m.target", "put {m.value}", sent="network[m]"),
        arrow("lose", "m.source", "m.target", "put {m.value}", sent="network[m]", lost=True),
    )

    @action
    def put(self, source: Node, target: Node, value: Count) -> None:
        require(source != target and value == self.sent[source] + 1)
        self.sent[source] += 1
        self.network.send(Put(source, target, value))

    @action
    def keep(self, m: Put) -> None:
        self.network.receive(m)
        self.value[m.target] = m.value

    @action
    def lose(self, m: Put) -> None:
        self.network.drop(m)

    @step
    def never_back(self, before: Self) -> bool:
        return all(self.value[n] >= before.value[n] for n in Node)

    @reachable
    def both_lost(self) -> bool:
        return any(self.sent[n] == 2 for n in Node) and len(self.network) == 0 and all(self.value[n] == 0 for n in Node)


class Offer(Record):
    source: Node
    target: Node
    value: Count
    other: Count


class Accept(Record):
    source: Node
    target: Node
    value: Count
    ok: bool


class Stop(Record):
    """To all."""


Letter = Offer | Accept | Stop


class Many(Model):
    """So many possible messages that what is in flight stands in slots."""

    nodes: int = constant(2, "nodes", at_least=1)
    most: int = constant(9, "the largest number")
    in_flight: int = constant(2, "in flight")
    network: Annotated[Network[Letter], UpTo("in_flight")] = Network()
    value: dict[Node, Annotated[int, UpTo("2")]] = each(Node, 0)
    acked: frozenset[Letter] = frozenset()

    @action
    def put(self, s: Node) -> None:
        require(not any(isinstance(m, Offer) for m in self.network))
        self.network.send_all(Offer(s, t, self.value[s] + 1, 3) for t in Node if t != s)
        self.value[s] += 1

    @action
    def ack(self, m: Offer) -> None:
        self.network.receive(m)
        self.network.send(Accept(m.target, m.source, m.value, m.value > 1))

    @action
    def take(self, m: Letter) -> None:
        require(not isinstance(m, Offer))
        self.network.receive(m)
        match m:
            case Accept(value=v) if v > 1:
                self.acked = frozenset({m})
            case _:
                self.acked = frozenset()

    @action
    def lose(self, m: Letter) -> None:
        self.network.drop(m)

    @action
    def again(self, m: Letter) -> None:
        self.network.duplicate(m)

    @action
    def stop(self) -> None:
        require(Stop() not in self.network)
        self.network.send(Stop())

    @invariant
    def few(self) -> bool:
        return len(self.network) <= self.in_flight and all(self.network.count(m) > 0 for m in self.network)

    @reachable
    def two_acked(self) -> bool:
        return any(isinstance(m, Accept) and m.ok for m in self.acked)
