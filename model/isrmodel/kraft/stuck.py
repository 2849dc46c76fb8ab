"""States in which something waits for ever, since no step is left that would heal it."""

from isrcheck import applies, invariant
from isrmodel.kraft.properties import Safety
from isrmodel.vocabulary import Replica


class Stuck(Safety):
    """Invariants that forbid to wait for a step that never comes."""

    @invariant
    def hw_not_stuck(self) -> bool:
        """The leader has exposed all that its rule allows: nobody waits for a step that never comes (KAFKA-13091)."""
        return all(
            self.hw[leader] >= self.high_watermark(leader)
            for leader in Replica
            if self.rules(leader)
            if self.may_expose(leader)
        )

    @invariant
    def request_not_stuck(self) -> bool:
        """No request is pending for ever at a leader that has read all metadata (KAFKA-12751, KAFKA-12686)."""
        return all(not self.waits_for_nothing(r) for r in Replica)

    @invariant
    def leader_not_stuck(self) -> bool:
        """There is a leader wherever somebody live is eligible, once nothing heals any more (KAFKA-19522)."""
        nobody = all(not self.is_live(r) for r in self.electable())
        return not self.has_stuck() or self.now.leader is not None or nobody

    @invariant
    def leaderless(self) -> bool:
        """The partition is not without a leader once all brokers are up and nothing heals any more."""
        return self.has_a_leader()

    @invariant
    def fetches_answered(self) -> bool:
        """Nobody is told OFFSET_OUT_OF_RANGE for ever once all brokers are up and nothing heals (KAFKA-20961)."""
        return not self.has_stuck() or all(
            not self.is_heard(f, leader) or self.is_answerable(f, leader) for f in Replica for leader in Replica
        )

    @applies("fetches_answered")
    def leaders_ask_their_caches(self) -> bool:
        """A leader that asks its log instead of a leader-epoch cache knows where each epoch ends."""
        return self.epoch_cache

    @invariant
    def dead_are_fenced(self) -> bool:
        """The controller fences whoever is down (KAFKA-18138)."""
        return all(r in self.fenced or self.unheard[r] == 0 for r in self.down)

    def has_a_leader(self) -> bool:
        """Whether there is a leader, or there may yet be one."""
        return not self.has_stuck() or self.now.leader is not None

    def waits_for_nothing(self, leader: Replica) -> bool:
        """Whether a leader that has read all metadata waits for a request that can no longer be granted."""
        request = self.request_pending(leader)
        return (
            self.leads(leader)
            and self.seen[leader] == self.version
            and request is not None
            and (request.base < self.version or self.is_lost(leader))
        )

    def may_heal(self) -> bool:
        """Whether a step that needs no fault would still change something."""
        return self.may_come_back() or any(
            self.may_learn(r)
            or self.request_pending(r) is not None
            or self.may_copy(r)
            or (self.epoch_cache and self.may_be_cut(r))
            or self.may_be_told(r)
            or self.may_report(r)
            for r in Replica
            if r not in self.down
        )

    def has_stuck(self) -> bool:
        """Whether all brokers are up and nothing will change any more unless something fails."""
        return self.has_begun() and not self.may_heal()

    def may_come_back(self) -> bool:
        """Whether a broker can be registered, fenced or unfenced, or will be, once its planned stop is over."""
        return self.down | self.fenced | self.leaving != frozenset()

    def may_learn(self, broker: Replica) -> bool:
        """Whether a broker has metadata to read."""
        return self.seen[broker] < self.version

    def may_copy(self, follower: Replica) -> bool:
        """Whether a fetch would tell a follower's leader, or the follower, something new."""
        return any(
            self.is_served(follower, leader)
            and (
                self.diverges(follower, leader)
                or self.end(follower) < self.end(leader)
                or self.hw[follower] != min(self.hw[leader], self.end(follower))
                or self.is_news(leader, follower)
                or (follower not in self.known[leader].isr and self.may_be_added(leader, follower))
            )
            for leader in Replica
        )

    def may_be_cut(self, follower: Replica) -> bool:
        """Whether a follower has more than a leader that cannot answer it."""
        return any(
            self.is_heard(follower, leader)
            and not self.is_answerable(follower, leader)
            and self.end(leader) < self.end(follower)
            for leader in Replica
        )

    def may_be_told(self, leader: Replica) -> bool:
        """Whether an answer, a late fetch or the clock would tell a broker something."""
        return (
            self.unanswered[leader] == 1
            or self.followers_to_await(leader) != frozenset()
            or any(self.may_be_served_late(f, leader) for f in Replica)
            or any(self.is_taken(leader, answer) for answer in self.answers[leader])
        )

    def is_news(self, leader: Replica, follower: Replica) -> bool:
        """Whether the next fetch of a follower says what its leader did not know."""
        heard = self.heard[leader][follower]
        return heard is None or heard.offset != self.end(follower) or heard.session != self.session[follower]
