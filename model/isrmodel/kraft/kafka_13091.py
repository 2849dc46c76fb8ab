"""KAFKA-13091 (3.0), and what else decides when a leader recomputes its high watermark."""

from isrcheck import constant
from isrmodel.kraft.state import State


class Kafka13091(State):
    """A leader without the fix does not move the high watermark once the last follower has left.

    Kafka recomputes it by an append, by metadata, and by a fetch that moves what is known of a log end
    (`Partition.updateFollowerFetchState`), not when a request is refused (`handleAlterPartitionError`).
    """

    hw_on_learn: bool = constant(True, "KAFKA-13091: a leader that learns of an ISR recomputes its high watermark")
    hw_eager: bool = constant(
        False, "the high watermark is recomputed by every fetch and every refused request, too (in no release)"
    )
