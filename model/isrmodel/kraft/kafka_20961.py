"""KAFKA-20961 (open, apache/kafka PR 23205): a log that moves to another directory loses epochs without records.

The copy has entries of the epochs of which it copied records. A leader that moves so may not know the epoch that its
followers name, answers OFFSET_OUT_OF_RANGE to each of their fetches, and is told the same again.
"""

from typing import Annotated

from isrcheck import UpTo, constant
from isrmodel.kraft.epoch_cache import EpochCache
from isrmodel.vocabulary import Replica


class Kafka20961(EpochCache):
    """Logs that move between directories of their broker, while it runs."""

    swaps: int = constant(0, "logs that move to another directory of their broker, with their leader-epoch cache")
    swap_keeps_epochs: bool = constant(False, "apache/kafka PR 23205: a log that moves keeps epochs without records")

    swapped_so_far: Annotated[int, UpTo("swaps")] = 0

    def swap_log(self, broker: Replica) -> None:
        """The copy takes the log's place, with the epochs of its records."""
        if not self.swap_keeps_epochs:
            self.recover_entries(broker, 0)
