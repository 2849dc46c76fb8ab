"""Messages in flight: lost, duplicated, overtaken, sent to all at once."""

from typing import Annotated, Self

from tests.lang.models.words import Count, Node

from isrcheck import Model, Network, Record, Taken, UpTo, action, constant, each, invariant, reachable, require, step


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
