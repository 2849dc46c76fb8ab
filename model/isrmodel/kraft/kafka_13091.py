"""KAFKA-13091 (3.0): a leader that learns of a smaller ISR moves its high watermark at once."""

from isrcheck import constant
from isrmodel.kraft.state import State


class Kafka13091(State):
    """A leader without the fix does not move the high watermark once the last follower has left."""

    hw_on_learn: bool = constant(True, "KAFKA-13091: a leader that learns of an ISR recomputes its high watermark")
