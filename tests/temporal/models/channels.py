"""Senders, receivers and buffers: what is lost, repeated, and served in turn."""

from enum import Enum
from typing import Annotated

from isrcheck import (
    Model,
    Sort,
    Taken,
    Temporal,
    UpTo,
    action,
    always_eventually,
    constant,
    each,
    fairness,
    invariant,
    leads_to,
    require,
    temporal,
)

Bit = Annotated[int, UpTo(1)]


class Handshake(Model):
    """Lamport's AsynchInterface (Specifying Systems, chapter 3): a value waits for its acknowledgement."""

    value: Bit = 0
    ready: Bit = 0
    acknowledged: Bit = 0

    @action
    def send(self, value: Bit) -> None:
        require(self.ready == self.acknowledged)
        self.value = value
        self.ready = 1 - self.ready

    @action(fair="weak")
    def receive(self) -> None:
        require(self.ready != self.acknowledged)
        self.acknowledged = self.ready

    @temporal
    def values_arrive(self) -> Temporal:
        return leads_to(self.ready != self.acknowledged, self.ready == self.acknowledged)

    @temporal
    def values_are_sent(self) -> Temporal:
        return always_eventually(self.ready != self.acknowledged)


class AlternatingBit(Model):
    """Bartlett, Scantlebury, Wilkinson 1969: each message is sent until its bit comes back.

    The channels hold one message each, which may be lost, with weak fairness every time.
    """

    sending: Bit = 0  # the bit of the message that is sent again and again
    received: Bit = 1  # the bit received last
    message: Bit | None = None  # in the channel
    answer: Bit | None = None  # in the channel back

    @action(fair="weak")
    def send(self) -> None:
        require(self.message is None)
        self.message = self.sending

    @action(fair="weak")
    def acknowledge(self) -> None:
        require(self.answer is None)
        self.answer = self.received

    @action
    def lose_message(self) -> None:
        require(self.message is not None)
        self.message = None

    @action
    def lose_answer(self) -> None:
        require(self.answer is not None)
        self.answer = None

    @invariant
    def answers_are_of_what_was_sent(self) -> bool:
        """The receiver is never ahead by more than the message under way."""
        return self.answer is None or self.answer != self.sending or self.received == self.sending

    @temporal
    def message_arrives(self) -> Temporal:
        return all(leads_to(self.sending == b, self.received == b) for b in range(2))

    @temporal
    def sender_goes_on(self) -> Temporal:
        return all(always_eventually(self.sending == b) for b in range(2))

    @fairness(fair="strong")
    def what_is_sent_for_ever_is_received(self, taken: Taken) -> bool:
        return taken.action == "receive_message" or taken.action == "receive_answer"

    @action(fair="weak")
    def receive_message(self) -> None:
        message = self.message
        require(message is not None)
        if message is not None:
            self.received = message
        self.message = None

    @action(fair="weak")
    def receive_answer(self) -> None:
        require(self.answer is not None)
        if self.answer == self.sending:
            self.sending = 1 - self.sending
        self.answer = None


class Consumer(Sort, size="consumers"):
    """Who takes things from the buffer."""


class Buffer(Model):
    """A bounded buffer, a producer, and consumers who take what they find."""

    consumers: int = constant(2, "consumers", at_least=1)
    places: int = constant(2, "things that the buffer holds", at_least=1)

    buffer: Annotated[tuple[Bit, ...], UpTo("places")] = ()
    last: Consumer | None = None  # who took something last

    @action(fair="weak-any")
    def produce(self, thing: Bit) -> None:
        require(len(self.buffer) < self.places)
        self.buffer += (thing,)

    @temporal
    def full_buffer_drains(self) -> Temporal:
        return leads_to(len(self.buffer) == self.places, len(self.buffer) < self.places)

    @temporal
    def everybody_is_served(self) -> Temporal:
        return all(always_eventually(self.last == c) for c in Consumer)

    @fairness(fair="strong")
    def no_consumer_is_overtaken(self, taken: Taken) -> bool:
        return taken.action == "consume"

    @action(fair="weak")
    def consume(self, consumer: Consumer) -> None:
        """One may find the buffer empty each time."""
        require(len(self.buffer) > 0)
        self.buffer = self.buffer[1:]
        self.last = consumer


class Role(Enum):
    IDLE = "idle"
    WAITING = "waiting"
    INSIDE = "inside"


class Reader(Sort, size="readers"):
    """Readers may be inside together."""


class ReadersAndWriter(Model):
    """Courtois, Heymans, Parnas 1971: readers, or the writer. Who begins first is a variant's decision."""

    readers: int = constant(2, "readers", at_least=1)

    reader: dict[Reader, Role] = each(Reader, Role.IDLE)
    writer: Role = Role.IDLE

    @action
    def ask_to_read(self, reader: Reader) -> None:
        require(self.reader[reader] == Role.IDLE)
        self.reader[reader] = Role.WAITING

    @action(fair="weak")
    def end_reading(self, reader: Reader) -> None:
        require(self.reader[reader] == Role.INSIDE)
        self.reader[reader] = Role.IDLE

    @action
    def ask_to_write(self) -> None:
        require(self.writer == Role.IDLE)
        self.writer = Role.WAITING

    @action(fair="weak")
    def end_writing(self) -> None:
        require(self.writer == Role.INSIDE)
        self.writer = Role.IDLE

    @temporal
    def writer_gets_in(self) -> Temporal:
        return leads_to(self.writer == Role.WAITING, self.writer == Role.INSIDE)

    @temporal
    def readers_get_in(self) -> Temporal:
        return all(leads_to(self.reader[r] == Role.WAITING, self.reader[r] == Role.INSIDE) for r in Reader)

    def reads(self, reader: Reader) -> None:
        require(self.reader[reader] == Role.WAITING and self.writer != Role.INSIDE)
        self.reader[reader] = Role.INSIDE

    def writes(self) -> None:
        require(self.writer == Role.WAITING)
        require(not any(self.reader[r] == Role.INSIDE for r in Reader))
        self.writer = Role.INSIDE


class ReadersFirst(ReadersAndWriter):
    """The first problem: the writer waits until no reader is inside."""

    @action(fair="strong")
    def read(self, reader: Reader) -> None:
        self.reads(reader)

    @action(fair="strong")
    def write(self) -> None:
        self.writes()


class WritersFirst(ReadersAndWriter):
    """The second problem: nobody begins to read while the writer waits. With weak fairness it keeps readers out."""

    @action(fair="weak")
    def read(self, reader: Reader) -> None:
        require(self.writer != Role.WAITING)
        self.reads(reader)

    @action(fair="weak")
    def write(self) -> None:
        self.writes()
