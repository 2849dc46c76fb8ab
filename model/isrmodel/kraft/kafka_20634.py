"""KAFKA-20634 (backported to 4.0 to 4.3): writes that wait at a broker which no longer leads.

A group coordinator keeps the offset for which a write waits until it learns that it lost the partition. By then its
replica may have truncated the write and copied the new leader's records: the high watermark passes the offset, and the
write is answered as a success. No check of offsets can tell; whether the broker leads can.
"""

from typing import Annotated

from isrcheck import UpTo, constant, each
from isrmodel.kraft.state import Acks, Record, State
from isrmodel.vocabulary import Replica


class Kafka20634(State):
    """A broker answers a write once the high watermark has passed it, whoever leads by then."""

    late_waits: bool = constant(
        False, "before KAFKA-20634: who waits for a write hears of it though its broker follows"
    )

    waiting: dict[Replica, Annotated[tuple[Record, ...], UpTo("late_waits")]] = each(Replica, ())

    def wait(self, leader: Replica) -> None:
        """A write with acks=all waits; of each broker one at a time."""
        if self.late_waits and self.acks == Acks.ALL:
            last = self.end(leader) - 1
            self.waiting[leader] = (Record(last, self.log[leader][last]),)

    def answer_waiting(self, broker: Replica) -> None:
        """Tell the producer of a write below the broker's own high watermark that it is safe."""
        if any(record.offset < self.hw[broker] for record in self.waiting[broker]):
            self.acked |= frozenset({self.waiting[broker][0]})
            self.waiting[broker] = ()
