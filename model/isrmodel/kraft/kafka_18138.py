"""KAFKA-18138 (4.0): a controller that takes over fences whoever is silent, heard of before or not.

A broker's last heartbeat is in no metadata record. Before the fix, which came before 4.0 did, a new controller knew of
no heartbeats, and fenced only brokers that had sent one to it: whoever had just died stayed the leader for ever.
"""

from typing import Annotated

from isrcheck import UpTo, constant, each
from isrmodel.kraft.state import State
from isrmodel.vocabulary import Replica

Unheard = Annotated[int, UpTo("min(controller_failures, 1)")]  # 1 if so


class Kafka18138(State):
    """The brokers of which the present controller does not expect a heartbeat."""

    controller_failures: int = constant(0, "times that another controller takes over")
    tracks_all: bool = constant(True, "KAFKA-18138: a controller that takes over expects heartbeats of all brokers")

    taken_over_so_far: Annotated[int, UpTo("controller_failures")] = 0
    unheard: dict[Replica, Unheard] = each(Replica, 0)

    def forget_heartbeats(self) -> None:
        """A new controller has heard of nobody."""
        if not self.tracks_all:
            self.unheard = {r: 0 if r in self.fenced else 1 for r in Replica}
