"""KAFKA-18991 (3.9.1, 4.0.1, 4.1.0): answers to fetches that arrive late, and whom they find.

A fetcher took the answer of its leader if the offset was the one from which it would fetch next. A follower that led
in between, and follows the same leader again, may be there once more: it truncates by what its leader knew long ago
(`AbstractFetcherThread.processFetchRequest`). Within one leader epoch a late answer equals one applied at once, since a
follower has one fetch on its way. A restart loses it. Of each follower one answer is late at a time.
"""

from typing import Annotated, NamedTuple

from isrcheck import UpTo, constant, each
from isrmodel.kraft.state import Epoch, State
from isrmodel.vocabulary import Offset, Replica


class LateAnswer(NamedTuple):
    """A leader's answer: the next record, or the end of the last epoch that both may have."""

    leader: Replica
    epoch: Epoch  # the leader epoch of both
    offset: Offset  # from which the follower fetched
    hw: Offset  # the leader's high watermark
    record: Epoch | None  # the epoch of the record at the offset, if there is one and the logs agree before it
    agreed: Epoch | None  # if they diverge, the leader's greatest epoch up to the follower's last
    end: Offset  # and its end in the leader's log


class Kafka18991(State):
    """Answers on their way to a follower that will be in another leader epoch when they arrive."""

    late_answers: bool = constant(False, "an answer to a fetch may arrive once its follower is in another leader epoch")
    response_epoch_checked: bool = constant(True, "KAFKA-18991: an answer of an older leader epoch is dropped")

    answers: dict[Replica, Annotated[tuple[LateAnswer, ...], UpTo("late_answers")]] = each(Replica, ())

    def is_taken(self, follower: Replica, answer: LateAnswer) -> bool:
        """Whether a follower takes an answer of an older epoch: it fetches from the same leader at the same offset."""
        return (
            not self.response_epoch_checked
            and self.known[follower].leader == answer.leader
            and self.known[follower].epoch != answer.epoch
            and self.end(follower) == answer.offset
        )
