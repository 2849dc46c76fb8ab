"""KAFKA-15583 (Kafka 3.7): the high watermark stands still while the ISR is below min.insync.replicas."""

from isrcheck import Drawing, change, constant
from isrmodel.isr.kafka_8841 import Kafka8841


class StrictMinIsr(Kafka8841):
    """Kafka 3.7: the high watermark stands still while the ISR is below min.insync.replicas.

    And so it is easy to reach: a lagging follower joins, leaves at the next check, and joins. Breaks `no_bad_expand` in
    five steps (KAFKA-19996, flapping). Seen on brokers of 3.9.1 and 4.1.1.
    """

    drawing = Drawing(
        *Kafka8841.drawing.words,
        change("min_isr_missed", "HW stays while the ISR has fewer than {value} members (min.insync.replicas)"),
    )

    min_isr: int = constant(2, "replicas in the ISR, the leader included, that acks=all asks for", at_least=1)

    def may_advance(self) -> bool:
        """The high watermark stays while the ISR, the leader included, is below min.insync.replicas."""
        return len(self.isr) >= self.min_isr

    def min_isr_missed(self) -> int | None:
        """The constant min_isr, where the high watermark stays by it (for the drawing)."""
        return None if self.may_advance() else self.min_isr
