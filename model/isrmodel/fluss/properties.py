"""Properties of a bucket: what was acknowledged or read is never lost, and the record always allows to go on."""

from typing import Self

from isrcheck import applies, invariant, step
from isrmodel.fluss.faults import ServerFaults
from isrmodel.fluss.state import Request, Server
from isrmodel.kraft.state import Record
from isrmodel.vocabulary import Replica


class BucketSafety(ServerFaults):
    """The properties that Fluss' replication should have, whatever it truncates and whoever is in the ISR."""

    @invariant
    def acked_in_leader(self) -> bool:
        """A leader of the epoch on record has every record that a writer was told is safe."""
        return all(self.has(s, record) for s in Replica if self.rules(s) for record in self.acked)

    @invariant
    def acked_somewhere(self) -> bool:
        """Some replica has each record that a writer was told is safe."""
        return all(any(self.has(s, record) for s in Replica) for record in self.acked)

    @invariant
    def exposed_in_leader(self) -> bool:
        """A leader of the epoch on record has all that a reader may have read, unchanged."""
        return all(self.has_exposed(s) for s in Replica if self.rules(s))

    @invariant
    def candidates_complete(self) -> bool:
        """Every server that is up and may be elected as it stands has all that a reader may have read, unchanged."""
        return all(self.has_exposed(s) for s in self.electable() if s not in self.down)

    @invariant
    def isr_agrees(self) -> bool:
        """A live member of the ISR that is as long as its leader has the same log (#4269)."""
        return all(
            self.log[leader] == self.log[s]
            for leader in Replica
            if self.rules(leader)
            for s in self.electable()
            if self.is_connected(s, leader) and self.end(s) == self.end(leader)
        )

    @invariant
    def log_matching(self) -> bool:
        """Two replicas agree below the lesser of their high watermarks (KIP-101)."""
        return all(self.agree(one, other) for one in Replica for other in Replica)

    @invariant
    def no_gap(self) -> bool:
        """A log has no record of an earlier leader epoch after one of a later epoch."""
        return all(self.log[s][offset] <= self.log[s][offset + 1] for s in Replica for offset in range(self.end(s) - 1))

    @invariant
    def leader_in_isr(self) -> bool:
        """The leader on record is in the ISR (#769, #3927)."""
        return self.now.leader is None or self.now.leader in self.now.isr

    @invariant
    def isr_never_empty(self) -> bool:
        """The ISR on record has a member, so that somebody can be elected."""
        return self.now.isr != frozenset()

    @invariant
    def leaderless(self) -> bool:
        """A bucket that has begun has a leader on record once all servers are registered and none leaves."""
        return not self.has_begun() or self.now.leader is not None or any(not self.is_live(s) for s in Replica)

    @invariant
    def request_not_stuck(self) -> bool:
        """No leader on record waits for an answer that will never come, and so changes the ISR no more."""
        return all(
            self.pending[s] is None or self.sent[s] is not None or self.unread[s] != frozenset()
            for s in Replica
            if self.rules(s)
        )

    @invariant
    def leader_knows_isr(self) -> bool:
        """All members of the ISR on record are in the maximal ISR of the leader on record, unless a notice is due."""
        return all(
            self.zookeeper_isr() <= self.maximal_isr(s)
            for s in Replica
            if self.rules(s) and self.unread[s] == frozenset()
        )

    @invariant
    def no_bad_shrink(self) -> bool:
        """Nobody asks to drop a follower while every follower has caught up in time (#3698)."""
        return all(self.adds_or_nothing(self.sent[s]) for s in Replica)

    @applies("no_bad_shrink")
    def nobody_lags(self) -> bool:
        """A follower may be late (lags above 0)."""
        return self.lags == 0

    @invariant
    def one_leader_an_epoch(self) -> bool:
        """No two servers take themselves for the leader in the same epoch."""
        return all(
            len(frozenset(s for s in Replica if self.leads(s) if self.known[s].epoch == epoch)) <= 1
            for epoch in range(1, self.max_epoch + 1)
        )

    @invariant
    def epochs_name_records(self) -> bool:
        """A leader has all records of its own epoch that any replica has, so that offset and epoch name a record."""
        return all(
            self.log[s][offset] != self.known[leader].epoch or self.has(leader, Record(offset, self.log[s][offset]))
            for leader in Replica
            if self.leads(leader)
            for s in Replica
            for offset in range(self.end(s))
        )

    @invariant
    def who_is_down_knows_nothing(self) -> bool:
        """A server that is down knows nothing, and nothing is on its way to it."""
        return all(
            self.known[s].epoch == 0 and self.unread[s] == frozenset() and self.pending[s] is None for s in self.down
        )

    @step
    def epochs_never_fall(self, before: Self) -> bool:
        """Epochs on record never fall, nor does the high watermark of a leader within its epoch."""
        return (
            self.version >= before.version
            and self.now.epoch >= before.now.epoch
            and all(
                self.hw[s] >= before.hw[s]
                for s in Replica
                if before.leads(s)
                if self.leads(s)
                if self.known[s].epoch == before.known[s].epoch
            )
        )

    def agree(self, one: Server, other: Server) -> bool:
        """Whether two replicas have the same records below the high watermarks of both."""
        end = min(self.hw[one], self.hw[other])
        return self.log[one][:end] == self.log[other][:end]

    def adds_or_nothing(self, request: Request | None) -> bool:
        """Whether a request, if there is one, adds a follower."""
        return request is None or request.added is not None

    def has(self, server: Server, record: Record) -> bool:
        """Whether a replica's log has a record, down or up."""
        return record.offset < self.end(server) and self.log[server][record.offset] == record.epoch

    def has_exposed(self, server: Server) -> bool:
        """Whether a replica's log begins with all that was exposed."""
        return self.log[server][: len(self.exposed)] == self.exposed
