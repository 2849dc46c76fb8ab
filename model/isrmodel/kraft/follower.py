"""A follower fetches, and truncates to what the leader says of its last epoch (KIP-320, `AbstractFetcherThread`).

A fetch is one step from request to response, or one whose response is lost. A late request or response differs from
one that is not late only if the follower restarted or moved to a newer epoch in between.
"""

from isrcheck import action, assume, policy, require
from isrmodel.kraft.kafka_18991 import Kafka18991, LateAnswer
from isrmodel.kraft.late import Late
from isrmodel.kraft.leader import Leader
from isrmodel.kraft.state import Epoch, Heard
from isrmodel.vocabulary import Offset, Replica


class Follower(Leader, Kafka18991):
    """A replica that copies its leader's log, a record at a time."""

    @assume
    def answers_are_of_logs(self) -> bool:
        """A late answer says what a leader's log says: either late_answers or epoch_cache is false."""
        return not (self.epoch_cache and self.late_answers)

    @action(sentence="{follower} fetches from {leader} at offset {log[follower].end}")
    def fetch(self, follower: Replica, leader: Replica) -> None:
        """The leader notes how far the follower is, and answers with the next record and its high watermark."""
        require(self.is_served(follower, leader))
        require(not self.diverges(follower, leader))
        self.hear(leader, follower)
        offset = self.end(follower)
        self.log[follower] += self.log[leader][offset : offset + 1]
        self.add_entry_of_last(follower, offset)
        self.hw[follower] = min(self.hw[leader], self.end(follower))
        self.answer_waiting(follower)

    @action(
        fault=True, sentence="{follower} fetches from {leader} at offset {log[follower].end}, and the response is lost"
    )
    def lose_response(self, follower: Replica, leader: Replica) -> None:
        """The leader serves a fetch, and the follower never hears of it."""
        require(self.is_served(follower, leader))
        require(not self.diverges(follower, leader))
        self.hear(leader, follower)

    @action(sentence="{follower} truncates its log as {leader} says")
    def truncate(self, follower: Replica, leader: Replica) -> None:
        """The leader answers with the end of the follower's last epoch in its log, and takes no note of the fetch."""
        require(self.is_served(follower, leader))
        require(self.diverges(follower, leader))
        end = self.end_of_agreement(follower, leader)
        self.log[follower] = self.log[follower][:end]
        self.drop_entries(follower, end)
        self.hw[follower] = min(self.hw[follower], end)

    @action(sentence="{follower} is out of range, and truncates to the end of {leader}")
    def cut_out_of_range(self, follower: Replica, leader: Replica) -> None:
        """OFFSET_OUT_OF_RANGE: a follower that has more than its leader truncates to its end; epochs are not asked."""
        require(self.epoch_cache and self.is_heard(follower, leader))
        require(not self.is_answerable(follower, leader))
        require(self.end(leader) < self.end(follower))
        self.log[follower] = self.log[follower][: self.end(leader)]
        self.drop_entries(follower, self.end(leader))
        self.hw[follower] = min(self.hw[follower], self.end(leader))

    @action(sentence="{follower} sends a fetch that will arrive late")
    def delay_fetch(self, follower: Replica, leader: Replica) -> None:
        """A follower sends a fetch that will not arrive before the follower restarts or moves to a newer epoch."""
        require(self.late_fetches)
        require(follower != leader and follower not in self.down and self.known[follower].leader == leader)
        require(self.is_assigned(follower, self.seen[follower]))
        last = self.epoch_to_name(follower)
        self.late[follower] = (Late(self.known[follower].epoch, self.end(follower), last, self.session[follower]),)

    @action(sentence="the late fetch of {follower} arrives at {leader}")
    def serve_late(self, follower: Replica, leader: Replica) -> None:
        """A late fetch arrives, and the leader notes how far its follower was. Nobody waits for the response."""
        require(self.late_fetches and self.may_be_served_late(follower, leader))
        request = self.late[follower][0]
        self.late[follower] = ()
        self.note_offset(leader, follower, Heard(request.offset, request.session))

    @action(sentence="{leader} answers a fetch of {follower}, and the answer will arrive late")
    def delay_answer(self, follower: Replica, leader: Replica) -> None:
        """A leader serves a fetch, and its answer will not arrive before the follower is in another leader epoch."""
        require(self.late_answers)
        require(self.is_served(follower, leader))
        self.answers[follower] = (self.compute_answer(follower, leader),)
        if not self.diverges(follower, leader):
            self.hear(leader, follower)

    @action(sentence="a late answer arrives at {follower}")
    def take_late(self, follower: Replica) -> None:
        """A late answer arrives at a follower that fetches from that leader at that offset again (KAFKA-18991)."""
        require(self.late_answers and follower not in self.down)
        require(self.is_assigned(follower, self.seen[follower]))
        require(any(self.is_taken(follower, answer) for answer in self.answers[follower]))
        answer = self.answers[follower][0]
        self.answers[follower] = ()
        if answer.agreed is not None:
            self.log[follower] = self.log[follower][: min(answer.end, self.end_of(follower, answer.agreed))]
            self.hw[follower] = min(self.hw[follower], self.end(follower))
        elif answer.record is not None:
            self.log[follower] += (answer.record,)
            self.hw[follower] = min(answer.hw, self.end(follower))

    def is_served(self, follower: Replica, leader: Replica) -> bool:
        """Whether a fetch is answered with records, or with where the logs part."""
        return self.is_heard(follower, leader) and (not self.epoch_cache or self.is_answerable(follower, leader))

    def is_answerable(self, follower: Replica, leader: Replica) -> bool:
        """Whether a leader's cache says where the epoch that a follower names ends; OFFSET_OUT_OF_RANGE otherwise."""
        last = self.latest_epoch(follower)
        return last == 0 or self.is_end_known(leader, last)

    def is_heard(self, follower: Replica, leader: Replica) -> bool:
        """Whether a fetch finds a leader of the follower's own epoch (FENCED_ and UNKNOWN_LEADER_EPOCH otherwise)."""
        return (
            follower != leader
            and follower not in self.down
            and self.is_assigned(follower, self.seen[follower])
            and self.is_assigned(follower, self.seen[leader])
            and self.fetches(follower)
            and self.known[follower].leader == leader
            and self.leads(leader)
            and self.known[follower].epoch == self.known[leader].epoch
        )

    def may_be_served_late(self, follower: Replica, leader: Replica) -> bool:
        """Whether a late fetch finds the leader of its epoch, and the end of its follower's last epoch there."""
        return (
            follower != leader
            and self.leads(leader)
            and self.is_assigned(follower, self.seen[leader])
            and any(
                request.epoch == self.known[leader].epoch
                and self.has_moved_on(follower, request)
                and not self.is_beyond(leader, request.offset, request.last_epoch)
                for request in self.late[follower]
            )
        )

    def compute_answer(self, follower: Replica, leader: Replica) -> LateAnswer:
        """Compute a leader's answer to a follower's fetch as things stand."""
        offset, last = self.end(follower), self.epoch_to_name(follower)
        epoch, hw = self.known[leader].epoch, self.hw[leader]
        if self.diverges(follower, leader):
            agreed = self.leaders_epoch(leader, last)
            return LateAnswer(leader, epoch, offset, hw, record=None, agreed=agreed, end=self.end_of(leader, last))
        record = self.log[leader][offset] if offset < self.end(leader) else None
        return LateAnswer(leader, epoch, offset, hw, record=record, agreed=None, end=0)

    def diverges(self, follower: Replica, leader: Replica) -> bool:
        """Whether the leader's log has no such end of the follower's last epoch."""
        return self.is_beyond(leader, self.end(follower), self.epoch_to_name(follower))

    def is_beyond(self, leader: Replica, end: Offset, last: Epoch) -> bool:
        """Whether the leader's log has no such end of an epoch."""
        if self.epoch_cache:
            return last > 0 and (self.epoch_up_to(leader, last) < last or self.end_in_cache(leader, last) < end)
        return end > 0 and (self.leaders_epoch(leader, last) < last or self.end_of(leader, last) < end)

    def epoch_to_name(self, follower: Replica) -> Epoch:
        """The last epoch that a follower names as it fetches: of its cache, or of its log."""
        return self.latest_epoch(follower) if self.epoch_cache else self.last_epoch(follower)

    def end_of_agreement(self, follower: Replica, leader: Replica) -> Offset:
        """How much a follower keeps: the leader's end of its last epoch, and no more than its own end of that epoch."""
        last = self.epoch_to_name(follower)
        if self.epoch_cache:
            return self.end_to_keep(follower, self.epoch_up_to(leader, last), self.end_in_cache(leader, last))
        return min(self.end_of(leader, last), self.end_of(follower, self.leaders_epoch(leader, last)))

    def leaders_epoch(self, leader: Replica, epoch: Epoch) -> Epoch:
        """The greatest epoch up to a given one that the leader knows of; the given one if it knows none."""
        if epoch == self.known[leader].epoch:
            return epoch
        return max((e for e in self.log[leader] if e <= epoch), default=epoch)

    def end_of(self, replica: Replica, epoch: Epoch) -> Offset:
        """The end offset of an epoch in a replica's log: how many records are of it or of earlier ones."""
        return sum(1 for e in self.log[replica] if e <= epoch)

    @policy
    def fetches(self, follower: Replica) -> bool:
        """Whether a follower that is up sends fetches."""
        return True

    @policy
    def hear(self, leader: Replica, follower: Replica) -> None:
        """A leader notes a follower's log end offset and broker epoch, and moves its high watermark."""
        self.note_offset(leader, follower, Heard(self.end(follower), self.session[follower]))
