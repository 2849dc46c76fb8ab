"""KRaft.tla of Vanlightly/raft-tlaplus: KRaft before pre-vote and reconfiguration, with all its messages."""

from isrmodel.raft.published.fetching import Fetching
from isrmodel.raft.published.messages import Role, State
from isrmodel.raft.published.words import Server


class PublishedKraft(Fetching):
    """KRaft.tla as published: a server that restarts comes back as a follower of nobody."""

    def role_after_restart(self, server: Server) -> Role:
        return Role(State.FOLLOWER, self.role[server].epoch, None)
