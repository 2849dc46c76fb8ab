"""Toys of processes that share something, or send messages.

`Mutex` is Peterson's algorithm. In `Forks` each of two philosophers may end up with one fork: each fork is free or in
one of 2 hands, 9 states, with 12 ways to take a fork and 2 to put both down. `Messages` has a network that loses and
repeats: a set from which nothing is taken out when it is delivered; a third message is pruned.
"""

from enum import Enum
from typing import Annotated, NamedTuple, Self

from isrcheck import Model, Sort, UpTo, action, constant, each, invariant, reachable, require, step


class Process(Sort, size="2", symmetric=True):
    """A process; there are two."""


class Stage(Enum):
    IDLE = "idle"
    ASKING = "asking"
    WAITING = "waiting"
    INSIDE = "inside"


class Mutex(Model):
    """Peterson's lock: a process says that it wants to enter, gives the turn away, and waits for it."""

    place: dict[Process, Stage] = each(Process, Stage.IDLE)
    wants: dict[Process, bool] = each(Process, False)
    turn: Process | None = None

    @action
    def ask(self, process: Process) -> None:
        require(self.place[process] == Stage.IDLE)
        self.wants[process] = True
        self.place[process] = Stage.ASKING

    @action
    def give_way(self, process: Process, other: Process) -> None:
        """A process that has raised its flag gives the turn away."""
        require(process != other)
        require(self.place[process] == Stage.ASKING)
        self.turn = other
        self.place[process] = Stage.WAITING

    @action
    def enter(self, process: Process) -> None:
        """A process that waits enters once it may."""
        require(self.place[process] == Stage.WAITING)
        require(self.turn == process or not any(self.wants[p] for p in Process if p != process))
        self.place[process] = Stage.INSIDE

    @action
    def leave(self, process: Process) -> None:
        require(self.place[process] == Stage.INSIDE)
        self.wants[process] = False
        self.place[process] = Stage.IDLE

    @invariant
    def mutual_exclusion(self) -> bool:
        """At most one process is inside."""
        return sum(1 for p in Process if self.place[p] == Stage.INSIDE) <= 1

    @invariant
    def flags_are_true(self) -> bool:
        """A flag is up unless its process is idle."""
        return all(self.wants[p] == (self.place[p] != Stage.IDLE) for p in Process)

    @reachable
    def someone_waits(self) -> bool:
        """A process waits while the other is inside."""
        return any(self.place[p] == Stage.WAITING for p in Process) and any(
            self.place[p] == Stage.INSIDE for p in Process
        )


class Philosopher(Sort, size="philosophers", symmetric=True):
    """Somebody who thinks, and eats with two forks."""


class Fork(Sort, size="philosophers", symmetric=True, letter="fork"):
    """There are as many as philosophers."""


class Forks(Model):
    """Any free fork will do; nobody puts one down before having eaten with two."""

    philosophers: int = constant(2, "philosophers, and forks", at_least=2)

    holder: dict[Fork, Philosopher | None] = each(Fork, None)

    @action
    def take(self, who: Philosopher, fork: Fork) -> None:
        """A hungry philosopher takes a free fork."""
        require(self.holder[fork] is None)
        require(self.forks_of(who) < 2)
        self.holder[fork] = who

    @action
    def eat(self, who: Philosopher) -> None:
        """A philosopher with two forks eats, and puts them down."""
        require(self.forks_of(who) == 2)
        self.holder = {f: None if self.holder[f] == who else self.holder[f] for f in Fork}

    @invariant
    def two_forks_at_most(self) -> bool:
        """Nobody has more than two forks."""
        return max(self.forks_of(p) for p in Philosopher) <= 2

    @reachable
    def someone_can_eat(self) -> bool:
        """A philosopher has two forks."""
        return any(self.forks_of(p) == 2 for p in Philosopher)

    def forks_of(self, who: Philosopher) -> int:
        return sum(1 for f in Fork if self.holder[f] == who)


Number = Annotated[int, UpTo("messages - 1")]


class Kind(Enum):
    DATA = "data"
    ACK = "ack"


class Message(NamedTuple):
    kind: Kind
    number: Number


class Messages(Model):
    """A sender, a receiver, and what is between them."""

    messages: int = constant(2, "messages that are sent", at_least=1)

    network: frozenset[Message] = frozenset()
    sent: Annotated[int, UpTo("messages")] = 0
    received: frozenset[Number] = frozenset()
    acknowledged: frozenset[Number] = frozenset()

    @action
    def send(self) -> None:
        self.network |= {Message(Kind.DATA, self.sent)}
        self.sent += 1

    @action
    def deliver(self, message: Message) -> None:
        """A message arrives, and may arrive again."""
        require(message in self.network)
        if message.kind == Kind.DATA:
            self.received |= {message.number}
            self.network |= {message._replace(kind=Kind.ACK)}
        else:
            self.acknowledged |= {message.number}

    @action
    def lose(self, message: Message) -> None:
        require(message in self.network)
        self.network -= {message}

    @invariant
    def acknowledged_is_received(self) -> bool:
        """Every acknowledged message was received."""
        return self.acknowledged <= self.received

    @invariant
    def acks_are_true(self) -> bool:
        """An acknowledgement on its way speaks of something that was received."""
        return frozenset(m.number for m in self.network if m.kind == Kind.ACK) - self.received == frozenset()

    @step
    def nothing_is_forgotten(self, before: Self) -> bool:
        """A received message stays received."""
        return before.received <= self.received

    @reachable
    def silence(self) -> bool:
        """Everything is received and nobody will ever know."""
        return len(self.received) == self.messages and len(self.network | self.nothing()) == 0 == len(self.acknowledged)

    def nothing(self) -> frozenset[Message]:
        return frozenset()
