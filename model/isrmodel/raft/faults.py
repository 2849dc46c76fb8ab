"""Faults of a controller's process, of its power, and of the network."""

from typing import Annotated

from isrcheck import UpTo, action, constant, require
from isrmodel.raft.kip_853 import Kip853
from isrmodel.raft.state import Offset, Role, Server, State


class Faults(Kip853):
    """Epoch, vote, leader and log come back from disk; the high watermark and what a role knew do not."""

    restarts: int = constant(0, "restarts of a process")
    power_losses: int = constant(0, "losses of power, each with all that is not on disk")
    isolations: int = constant(0, "times that a server is cut off")
    follower_of_nobody: bool = constant(False, "whoever restarts is a follower without a leader, as in KRaft.tla")

    restarted: Annotated[int, UpTo("restarts")] = 0
    unpowered: Annotated[int, UpTo("power_losses")] = 0
    isolated_so_far: Annotated[int, UpTo("isolations")] = 0

    @action(fault=True, sentence="{server} restarts")
    def restart(self, server: Server) -> None:
        require(self.restarted < self.restarts and self.role[server].state != State.ILLEGAL)
        self.restarted += 1
        self.come_back(server, self.vote[server], self.end(server))

    @action(fault=True, sentence="{server} loses power")
    def lose_power(self, server: Server, kept: Offset) -> None:
        """A loss of power may keep any part of what is not on disk."""
        require(self.unpowered < self.power_losses and self.role[server].state != State.ILLEGAL)
        require(self.flushed[server] <= kept <= self.end(server))
        self.unpowered += 1
        self.come_back(server, self.vote_after_power_loss(server), kept)

    @action(fault=True, sentence="{server} is cut off")
    def isolate(self, server: Server) -> None:
        require(self.isolated_so_far < self.isolations and server not in self.isolated)
        self.isolated_so_far += 1
        self.isolated |= {server}

    @action(sentence="{server} is reached again")
    def reconnect(self, server: Server) -> None:
        require(server in self.isolated)
        self.isolated -= {server}

    def come_back(self, server: Server, vote: Server | None, kept: Offset) -> None:
        self.become(server, self.role_from_disk(server, vote))
        self.vote[server] = vote
        if self.role[server].state == State.CANDIDATE:
            self.votes[server] = frozenset({server})
        self.log[server] = self.log[server][:kept]
        self.flushed[server] = kept
        self.hw[server] = 0

    def role_from_disk(self, server: Server, vote: Server | None) -> Role:
        """A leader has resigned, a candidate asks again, a follower knows its leader (`QuorumState.initialize`)."""
        role = self.role[server]
        if self.follower_of_nobody:
            return Role(State.FOLLOWER, role.epoch, None)
        if role.leader == server:
            return Role(State.RESIGNED, role.epoch, server)
        if vote == server and role.leader is None:
            return Role(State.CANDIDATE, role.epoch, None)
        return Role(State.UNATTACHED if role.leader is None else State.FOLLOWER, role.epoch, role.leader)
