"""KAFKA-4485 (0.10.2): the high watermark also waits for a follower that has just caught up outside the ISR.

Otherwise a leader alone in the ISR would run ahead of it for ever. In Kafka this is `shouldWaitForReplicaToJoinIsr` in
`Partition.maybeIncrementLeaderHW`: the follower was at the leader's end within replica.lag.time.max.ms
(`ReplicaState.isCaughtUp`; otherwise the leader may drop it from the ISR), and the leader's metadata has it as live
(`isReplicaIsrEligible`). Neither the clock nor that metadata is in this model, so both are free choices, by steps.
"""

from typing import Annotated

from isrcheck import UpTo, constant, each
from isrmodel.kraft.state import State
from isrmodel.vocabulary import Replica

Waits = Annotated[int, UpTo("hw_waits")]  # 1 if so


class Kafka4485(State):
    """Waiting only delays what is exposed; a leader that stops waiting does not move its high watermark by that."""

    hw_waits: bool = constant(False, "KAFKA-4485: the high watermark may wait for who has caught up outside the ISR")

    waits: dict[Replica, dict[Replica, Waits]] = each(Replica, each(Replica, 0))  # leader, follower

    def followers_to_await(self, leader: Replica) -> frozenset[Replica]:
        """The followers for which a leader's high watermark waits, in the ISR or not."""
        return frozenset(f for f in Replica if self.waits[leader][f] == 1)
