"""Reachability properties, so that nothing holds vacuously."""

from isrcheck import applies, reachable
from isrmodel.raft.properties import Safety
from isrmodel.raft.state import Server, State


class Reachable(Safety):
    """Reachable situations, and the constants with which an action is expected to happen."""

    @reachable
    def somebody_leads(self) -> bool:
        return any(self.leads(s) for s in Server)

    @reachable
    def a_record_is_committed(self) -> bool:
        """A client's record is committed, beside the leader's own first record."""
        return self.written > 0 and any(self.hw[s] > self.stood for s in Server if self.leads(s))

    @reachable
    def a_later_leader_commits(self) -> bool:
        return len(self.committed) > 1 and self.committed[-1].epoch > self.committed[0].epoch

    @reachable
    def two_lead(self) -> bool:
        """Two servers lead, in two epochs; the older does not know it yet."""
        return any(self.leads(a) and self.leads(b) for a in Server for b in Server if a != b)

    @reachable
    def a_voter_is_added(self) -> bool:
        return len(self.committed) > 0 and not self.voters_committed() <= self.first_voters

    @reachable
    def a_voter_is_removed(self) -> bool:
        return len(self.committed) > 0 and not self.first_voters <= self.voters_committed()

    @reachable
    def a_removed_leader_leads(self) -> bool:
        """A leader that is removed leads until the record that removes it is committed."""
        return any(self.leads(s) and s not in self.voters(s) and self.is_pending(s) for s in Server)

    @reachable
    def a_cut_off_leader_has_resigned(self) -> bool:
        return any(self.role[s].state == State.RESIGNED for s in self.isolated)

    @applies("a_voter_is_added", "add_voter", "leave_out")
    def has_observers(self) -> bool:
        """All servers are voters from the beginning."""
        return self.kip_853 and self.changes > 0 and self.observers > 0

    @applies("a_voter_is_removed", "a_removed_leader_leads", "leave")
    def removes_voters(self) -> bool:
        """The voters do not change."""
        return self.kip_853 and self.changes > 0

    @applies("a_cut_off_leader_has_resigned")
    def checks_quorum(self) -> bool:
        """Leaders that are cut off do not resign, or none is cut off."""
        return self.check_quorum and self.isolations > 0

    @applies("a_record_is_committed", "write")
    def has_records(self) -> bool:
        """Clients write nothing."""
        return self.records > 0

    @applies("a_later_leader_commits", "two_lead")
    def has_elections(self) -> bool:
        """There is one election."""
        return self.elections > 1

    @applies("restart")
    def has_restarts(self) -> bool:
        """No process restarts."""
        return self.restarts > 0

    @applies("lose_power")
    def has_power_losses(self) -> bool:
        """No power is lost."""
        return self.power_losses > 0
