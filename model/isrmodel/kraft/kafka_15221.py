"""KAFKA-15221 (3.7): what a follower's last incarnation sent does not bring its next one into the ISR.

A leader looks at a follower once, so that what it checked is what it asks for (`Partition.prepareIsrExpand`). And it
refuses a fetch of an older broker epoch than its metadata has (`Replica.updateFetchStateOrThrow`). Its metadata has
the broker epoch with which it asks for a follower (KIP-903); before that it may not have read of the restart.
"""

from isrcheck import constant
from isrmodel.kraft.state import State


class Kafka15221(State):
    """Otherwise a fetch of the next incarnation comes between check and request, or one of the last after both."""

    one_look: bool = constant(True, "KAFKA-15221: a leader checks a follower and asks for it in one step")
    stale_refused: bool = constant(True, "KAFKA-15221: a leader refuses a fetch of a broker epoch that is over")
