"""KAFKA-19975 (4.3): a reassignment that adds as many replicas as it removes waits for the added ones alone again."""

from isrcheck import constant
from isrmodel.kraft.kafka_15665 import Kafka15665
from isrmodel.kraft.state import Change


class Kafka19975(Kafka15665):
    """A replica that is down and stays no longer blocks a reassignment; but what is left may be below min ISR."""

    kafka_19975: bool = constant(True, "KAFKA-19975: only a smaller assignment waits for all who stay in it")

    def waits_for_all_who_stay(self, change: Change) -> bool:
        """Whether a change ends only once all who stay are in the ISR; each change adds and removes one at most."""
        return self.all_who_stay and (not self.kafka_19975 or change.adding is None)
