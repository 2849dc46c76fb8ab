"""A network that loses and repeats messages: a set from which nothing is taken out when it is delivered.

Known, at the defaults: 111 distinct, 390 generated, depth 11, and 100 pruned, where a third message would be sent. Data
is acknowledged only if it was received; `silence`, all received and no acknowledgement left, takes 9 states.
"""

from enum import Enum
from typing import Annotated, NamedTuple, Self

from isrcheck import Model, UpTo, action, constant, invariant, reachable, require, step

Number = Annotated[int, UpTo("messages - 1")]


class Kind(Enum):
    """What a message is for."""

    DATA = "data"
    ACK = "ack"


class Message(NamedTuple):
    """What is on its way."""

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
        """The sender sends its next message."""
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
        """A message gets lost."""
        require(message in self.network)
        self.network -= {message}

    @invariant
    def acknowledged_is_received(self) -> bool:
        """Whatever is acknowledged was received."""
        return self.acknowledged <= self.received

    @invariant
    def acks_are_true(self) -> bool:
        """An acknowledgement on its way speaks of something that was received."""
        return frozenset(m.number for m in self.network if m.kind == Kind.ACK) - self.received == frozenset()

    @step
    def nothing_is_forgotten(self, before: Self) -> bool:
        """What was received stays received."""
        return before.received <= self.received

    @reachable
    def silence(self) -> bool:
        """Everything is received and nobody will ever know."""
        return len(self.received) == self.messages and len(self.network | self.nothing()) == 0 == len(self.acknowledged)

    def nothing(self) -> frozenset[Message]:
        return frozenset()
