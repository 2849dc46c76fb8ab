"""Properties of KRaft's Raft."""

from typing import Self

from isrcheck import Taken, applies, invariant, step
from isrmodel.raft.faults import Faults
from isrmodel.raft.state import Role, Server, State


class Safety(Faults):
    """Invariants of every state; the histories steer nothing."""

    @invariant
    def no_illegal_state(self) -> bool:
        """No server is told what its role does not allow; Kafka throws IllegalStateException."""
        return all(self.role[s].state != State.ILLEGAL for s in Server)

    @invariant
    def one_leader_an_epoch(self) -> bool:
        """No two servers that know a leader of one epoch know different ones."""
        return all(not self.contradict(self.role[a], self.role[b]) for a in Server for b in Server)

    @invariant
    def committed_in_leader(self) -> bool:
        """The newest leader has every record that was ever committed, where it was committed."""
        return all(self.has_what_is_committed(s) for s in Server if self.newest_leads(s))

    @invariant
    def leader_complete(self) -> bool:
        """A server that would get a majority of its voters' votes has every record that was ever committed."""
        return all(self.has_what_is_committed(s) for s in Server if self.would_be_elected(s))

    @invariant
    def committed_somewhere(self) -> bool:
        """Every committed record is in some log."""
        return any(self.has_what_is_committed(s) for s in Server)

    @invariant
    def logs_agree(self) -> bool:
        """Two logs are the same below the lesser of their high watermarks."""
        return all(
            self.log[a][n] == self.log[b][n] for a in Server for b in Server for n in range(min(self.hw[a], self.hw[b]))
        )

    @invariant
    def hw_within_log(self) -> bool:
        """No high watermark is beyond its log."""
        return all(self.hw[s] <= self.end(s) for s in Server)

    @invariant
    def majorities_meet(self) -> bool:
        """Every majority of the newest leader's voters meets every majority of the voters that are committed."""
        return all(self.meet(self.voters(s), self.voters_committed()) for s in Server if self.newest_leads(s))

    @invariant
    def cut_off_leader_resigns(self) -> bool:
        """No leader that a majority has not reached for a whole fetch timeout leads on (KAFKA-15489)."""
        return self.silent == frozenset()

    @invariant
    def epoch_rises_once(self) -> bool:
        """A server that is cut off is at most one epoch ahead, or it deposes their leader (KIP-996)."""
        return all(
            self.role[s].epoch <= 1 + max((self.role[o].epoch for o in Server if o not in self.isolated), default=0)
            for s in self.isolated
        )

    @step
    def followers_stay_with_their_leader(self, before: Self, taken: Taken) -> bool:
        """A server that follows a leader, or leads, gives no pre-vote: one server alone deposes nobody (KIP-996)."""
        return all(
            before.role[v].state not in (State.FOLLOWER, State.LEADER)
            for s in Server
            for v in self.pre_votes[s]
            if v != s
            if v not in before.pre_votes[s]
        )

    @applies("followers_stay_with_their_leader", "ask_first", "give_pre_vote")
    def asks_first(self) -> bool:
        """There is no pre-vote."""
        return self.pre_vote

    @applies("cut_off_leader_resigns", "epoch_rises_once", "isolate", "reconnect", "time_out")
    def isolates(self) -> bool:
        """No server is cut off."""
        return self.isolations > 0

    @applies("majorities_meet", "add_voter", "remove_voter", "leave")
    def changes_voters(self) -> bool:
        """The voters do not change."""
        return self.kip_853 and self.changes > 0

    def contradict(self, one: Role, other: Role) -> bool:
        both_know = one.leader is not None and other.leader is not None
        return one.epoch == other.epoch and both_know and one.leader != other.leader

    def has_what_is_committed(self, server: Server) -> bool:
        return self.log[server][: len(self.committed)] == self.committed

    def would_be_elected(self, server: Server) -> bool:
        voters = self.voters(server)
        for_it = frozenset(s for s in Server if s == server or self.is_up_to_date(server, s))
        return server in voters and self.is_majority(for_it, voters)

    def voters_committed(self) -> frozenset[Server]:
        return self.committed[-1].voters if len(self.committed) > 0 else self.first_voters

    def meet(self, a: frozenset[Server], b: frozenset[Server]) -> bool:
        """Members of both are needed, since there are too few of one alone, and too many for two majorities apart."""
        needed_of_a = max(0, len(a) // 2 + 1 - len(a - b))
        needed_of_b = max(0, len(b) // 2 + 1 - len(b - a))
        return needed_of_a + needed_of_b > len(a & b)
