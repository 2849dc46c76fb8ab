"""Fetch requests that arrive late: after their follower restarted, or moved to another leader epoch.

Any other late request can only tell its leader less than it knows, since within one session and epoch a follower's log
does not get shorter; fetch sessions (KIP-227) drop most of those. Of each follower one request is late at a time.
"""

from typing import Annotated, NamedTuple

from isrcheck import UpTo, constant, each
from isrmodel.kraft.kafka_15221 import Kafka15221
from isrmodel.kraft.state import Epoch, Session
from isrmodel.vocabulary import Offset, Replica


class Late(NamedTuple):
    """Fields of a fetch request. It is for the leader of its epoch."""

    epoch: Epoch
    offset: Offset
    last_epoch: Epoch  # the epoch of the follower's last record (KIP-595)
    session: Session  # the follower's broker epoch (KIP-903)


class LateFetches(Kafka15221):
    """Requests on their way from a follower that will have restarted, or moved to another epoch, when they arrive."""

    late_fetches: bool = constant(False, "a fetch may arrive after its follower restarted or moved to another epoch")

    late: dict[Replica, Annotated[tuple[Late, ...], UpTo("late_fetches")]] = each(Replica, ())

    def has_moved_on(self, follower: Replica, request: Late) -> bool:
        """Whether a follower restarted since it sent a fetch, or follows in another epoch."""
        return request.epoch != self.known[follower].epoch or request.session != self.session[follower]

    def refuse_stale(self, leader: Replica, follower: Replica, session: Session) -> None:
        """A leader refuses what a follower sent to it before a broker epoch that the leader has read of."""
        if self.stale_refused and any(
            request.epoch == self.known[leader].epoch and request.session < session for request in self.late[follower]
        ):
            self.late[follower] = ()
