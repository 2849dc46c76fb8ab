"""Values cross channels that lose messages: after AlternatingBit.tla of Lamport's Specifying Systems."""

from enum import Enum
from typing import Annotated

from isrcheck import (
    Channels,
    Drawing,
    Model,
    Record,
    Sort,
    UpTo,
    action,
    arrow,
    constant,
    constraint,
    initial,
    invariant,
    lane,
    note,
    reachable,
    refines,
    require,
)

Bit = Annotated[int, UpTo("1")]
Place = Annotated[int, UpTo("capacity")]  # of a message on its channel


class Value(Sort, size="values"):
    """What is sent."""


class Link(Enum):
    """A channel; its messages do not overtake each other."""

    DATA = "data"
    ACK = "ack"


class Packet(Record):
    bit: Bit
    value: Value


class Ack(Record):
    bit: Bit


Message = Packet | Ack


class Transfer(Model):
    """What the protocol must do: each value is received once, before the next is sent."""

    values: int = constant(2, "values that may be sent", at_least=1)

    bit: Bit = 0  # of the value that was sent last
    acknowledged: Bit = 0
    expected: Bit = 0  # the bit of the value that was received last
    sent: Value = Value[0]
    received: Value = Value[0]

    @initial
    def any_values(self, bit: Bit, sent: Value, received: Value) -> None:
        self.bit, self.acknowledged, self.expected = bit, bit, bit
        self.sent, self.received = sent, received

    @action
    def send(self, value: Value) -> None:
        require(self.acknowledged == self.bit)
        self.sent, self.bit = value, 1 - self.bit

    @action
    def receive(self) -> None:
        require(self.expected != self.bit)
        self.expected, self.received = self.bit, self.sent

    @action
    def acknowledge(self) -> None:
        require(self.acknowledged != self.expected)
        self.acknowledged = self.expected


class AlternatingBit(Model):
    """The sender repeats a value until its bit is acknowledged; the receiver repeats the bit that it saw last."""

    values: int = constant(2, "values that may be sent", at_least=1)
    capacity: int = constant(2, "messages on a channel", at_least=1)

    channels: Annotated[Channels[Link, Message], UpTo("capacity + 1")] = Channels()
    bit: Bit = 0  # of the value that was sent last
    acknowledged: Bit = 0
    expected: Bit = 0  # the bit of the value that was received last
    sent: Value = Value[0]
    received: Value = Value[0]

    drawing = Drawing(
        lane("sender"),
        lane("receiver"),
        note("bit", "bit", on="sender"),
        note("acknowledged", "acknowledged", on="sender"),
        note("sent", "sent", on="sender"),
        note("expected", "bit", on="receiver"),
        note("received", "received", on="receiver"),
        arrow("send", "sender", "receiver", "{value}", leaves=True),
        arrow("send_again", "sender", "receiver", "again", leaves=True),
        arrow("receive", "sender", "receiver", "{channels[data][0]}", sent="channels[data][0]"),
        arrow("acknowledge", "receiver", "sender", "ack", leaves=True),
        arrow("hear", "receiver", "sender", "{channels[ack][0]}", sent="channels[ack][0]"),
        arrow("lose_packet", "sender", "receiver", "packet", sent="channels[data][place]", lost=True),
        arrow("lose_ack", "receiver", "sender", "ack", sent="channels[ack][place]", lost=True),
    )

    @initial
    def any_values(self, bit: Bit, sent: Value, received: Value) -> None:
        self.bit, self.acknowledged, self.expected = bit, bit, bit
        self.sent, self.received = sent, received

    @action
    def send(self, value: Value) -> None:
        require(self.acknowledged == self.bit)
        self.sent, self.bit = value, 1 - self.bit
        self.channels.send(Link.DATA, Packet(self.bit, value))

    @action
    def send_again(self) -> None:
        require(self.acknowledged != self.bit)
        self.channels.send(Link.DATA, Packet(self.bit, self.sent))

    @action
    def receive(self) -> None:
        packet = self.channels.receive(Link.DATA)
        if isinstance(packet, Packet):
            self.expected, self.received = packet.bit, packet.value

    @action
    def acknowledge(self) -> None:
        self.channels.send(Link.ACK, Ack(self.expected))

    @action
    def hear(self) -> None:
        ack = self.channels.receive(Link.ACK)
        self.acknowledged = ack.bit

    @action
    def lose_packet(self, place: Place) -> None:
        self.channels.drop(Link.DATA, place)

    @action
    def lose_ack(self, place: Place) -> None:
        self.channels.drop(Link.ACK, place)

    @constraint
    def few_messages(self) -> bool:
        return all(len(self.channels[link]) <= self.capacity for link in Link)

    @invariant
    def only_what_was_sent(self) -> bool:
        """Once a bit has crossed, so has its value."""
        return self.expected != self.bit or self.acknowledged == self.bit or self.received == self.sent

    @reachable
    def acknowledged_again(self) -> bool:
        """Of a bit that was acknowledged an older acknowledgement is still on its way."""
        return any(ack.bit != self.acknowledged for ack in self.channels[Link.ACK])

    @refines(Transfer)
    def transfers(self, abstract: Transfer) -> None:
        """Who does not see the channels sees each value cross once: all variables have the same names."""
