"""Kafka's releases: what each changed in its Raft. One that is not here equals the last before it (3.6 is 3.3)."""

from isrcheck import constant
from isrmodel.raft.drawing import DRAWING
from isrmodel.raft.reachable import Reachable


class KafkaRaft(Reachable):
    """Today's protocol, every decision of it a constant; by default as in 4.0."""

    drawing = DRAWING


class Raft33(KafkaRaft):
    """3.3, the first for production: voters by configuration, elections without pre-vote."""

    check_quorum: bool = constant(False, "KAFKA-15489: a leader without fetches from a majority resigns")
    kip_853: bool = constant(False, "KIP-853: the voters are those of the log, and may change")
    pre_vote: bool = constant(False, "KIP-996: a candidate has a majority of pre-votes before it begins an epoch")


class Raft37(Raft33):
    """3.7: a leader that is cut off resigns (KAFKA-15489)."""

    check_quorum: bool = constant(True, "KAFKA-15489: a leader without fetches from a majority resigns")


class Raft39(Raft37):
    """3.9: voters are added and removed (KIP-853)."""

    kip_853: bool = constant(True, "KIP-853: the voters are those of the log, and may change")


class Raft40(Raft39):
    """4.0: pre-vote (KIP-996)."""

    pre_vote: bool = constant(True, "KIP-996: a candidate has a majority of pre-votes before it begins an epoch")


RELEASES: dict[str, type[KafkaRaft]] = {
    "raft-3.3": Raft33,
    "raft-3.7": Raft37,
    "raft-3.9": Raft39,
    "raft-4.0": Raft40,
    "raft": KafkaRaft,
}
