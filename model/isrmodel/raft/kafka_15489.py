"""KAFKA-15489 (3.7): a leader that no majority fetches from resigns ("check quorum")."""

from isrcheck import action, constant, require
from isrmodel.raft.kip_996 import Kip996
from isrmodel.raft.state import Role, Server, State


class Kafka15489(Kip996):
    """A leader that is cut off led on before it, and whoever still reaches it never heard of the next one."""

    check_quorum: bool = constant(True, "KAFKA-15489: a leader without fetches from a majority resigns")

    @action(sentence="{leader} has waited for a whole fetch timeout")
    def time_out(self, leader: Server) -> None:
        """A leader that is cut off from a majority waits for a whole fetch timeout."""
        require(self.leads(leader) and leader not in self.silent)
        heard = frozenset(s for s in Server if s == leader or self.reaches(leader, s))
        require(not self.is_majority(heard, self.voters(leader)))
        if self.check_quorum:
            self.resign(leader)
        else:
            self.silent |= {leader}

    def resign(self, leader: Server) -> None:
        """A leader that resigns keeps its epoch, in which nobody else can lead."""
        self.become(leader, Role(State.RESIGNED, self.role[leader].epoch, leader))
