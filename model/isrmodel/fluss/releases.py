"""Fluss' release, its main branch, and the designs that are proposed for it."""

from isrcheck import constant
from isrmodel.fluss.drawing import DRAWING
from isrmodel.fluss.memory import Memory
from isrmodel.fluss.reachable import ReachableBucket
from isrmodel.fluss.truncation import FollowerHw, Truncation


class Fluss(ReachableBucket):
    """The main branch (545c55390, 2026-11), every decision of it a constant."""

    drawing = DRAWING


class Fluss09(Fluss):
    """0.9.1: each notice replaces what a leader knew of its followers, and an ISR may be asked for by an older one."""

    memory: Memory = constant(Memory.NONE, "what of a leader's memory of its followers outlives a notice")
    leader_in_request: bool = constant(False, "#3920: an ISR without the leader is refused")
    shrink_locked: bool = constant(False, "#3920: who asks to drop followers reads the ISR under the lock")


class FlussKip101(Fluss):
    """#673 as KIP-101: a follower truncates to the end of its last epoch, and has its leader's high watermark."""

    truncation: Truncation = constant(Truncation.KIP_101, "what a replica keeps when it begins to follow")
    follower_hw: FollowerHw = constant(FollowerHw.LEADER, "the high watermark of a follower after a fetch")


class FlussKip279(FlussKip101):
    """KIP-279: a follower truncates to the last epoch that both logs have."""

    truncation: Truncation = constant(Truncation.KIP_279, "what a replica keeps when it begins to follow")


class FlussKip320(FlussKip279):
    """KIP-320: in addition leaders answer only followers of their own leader epoch."""

    fences_fetch: bool = constant(True, "KIP-320: a leader answers followers of its own leader epoch only")


BUCKETS: dict[str, type[Fluss]] = {
    "fluss-0.9": Fluss09,
    "fluss": Fluss,
    "fluss-kip-101": FlussKip101,
    "fluss-kip-279": FlussKip279,
    "fluss-kip-320": FlussKip320,
}
