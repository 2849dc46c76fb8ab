"""KIP-853 (3.9): voters are added and removed by records of the log, one at a time."""

from isrcheck import action, constant, require
from isrmodel.raft.kafka_15489 import Kafka15489
from isrmodel.raft.state import Entry, Role, Server, State


class Kip853(Kafka15489):
    """A change is in force once appended; two changes of one set of voters may have majorities that do not meet."""

    kip_853: bool = constant(True, "KIP-853: the voters are those of the log, and may change")
    one_change: bool = constant(True, "KIP-853: no change while another is not committed")
    own_epoch_first: bool = constant(True, "a change waits for a committed record of the leader's own epoch")

    @action(sentence="{leader} adds the voter {server}")
    def add_voter(self, leader: Server, server: Server) -> None:
        """AddRaftVoter: the new voter has fetched to the end of the leader's log."""
        require(server not in self.voters(leader) and self.ends[leader][server] == self.end(leader))
        self.change(leader, self.voters(leader) | {server})

    @action(sentence="{leader} removes the voter {server}")
    def remove_voter(self, leader: Server, server: Server) -> None:
        """RemoveRaftVoter: a leader that removes itself leads until the record is committed, and does not count."""
        require(server in self.voters(leader) and len(self.voters(leader)) > 1)
        self.change(leader, self.voters(leader) - {server})

    @action(sentence="{leader} has been removed and leads no more")
    def leave(self, leader: Server) -> None:
        """A leader whose removal is committed leads no more."""
        require(self.leads(leader) and leader not in self.voters(leader) and not self.is_pending(leader))
        self.become(leader, Role(State.UNATTACHED, self.role[leader].epoch, None))

    @action(sentence="{server} is not a voter at first")
    def leave_out(self, server: Server) -> None:
        """Servers that are not voters at first are chosen before anything else."""
        require(self.kip_853 and self.stood == 0 and server in self.first_voters)
        require(self.servers - len(self.first_voters) < self.observers)
        self.first_voters -= {server}

    def change(self, leader: Server, voters: frozenset[Server]) -> None:
        require(self.kip_853 and self.leads(leader) and self.changed < self.changes)
        require(not self.one_change or not self.is_pending(leader))
        require(not self.own_epoch_first or self.has_committed(leader))
        self.changed += 1
        self.append(leader, Entry(self.role[leader].epoch, voters))

    def has_committed(self, leader: Server) -> bool:
        """A leader has committed a record of its own epoch: what earlier leaders may have appended no longer can be."""
        return self.epoch_at(leader, self.hw[leader]) == self.role[leader].epoch

    def is_pending(self, leader: Server) -> bool:
        """The voters in force are not those at the high watermark."""
        hw = self.hw[leader]
        committed = self.log[leader][:hw][-1].voters if hw > 0 else self.first_voters
        return committed != self.voters(leader)
