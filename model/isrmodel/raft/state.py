"""State of a controller of KRaft's Raft, on disk and in memory, and what is computed from it."""

from enum import Enum
from typing import Annotated, NamedTuple

from isrcheck import Model, Sort, UpTo, constant, each, history, members


class Server(Sort, size="servers", symmetric=True):
    """A controller: a voter, or one that may become one."""


class State(Enum):
    UNATTACHED = "unattached"
    PROSPECTIVE = "prospective"
    CANDIDATE = "candidate"
    LEADER = "leader"
    FOLLOWER = "follower"
    RESIGNED = "resigned"
    ILLEGAL = "illegal state"


Epoch = Annotated[int, UpTo("elections")]  # 0 before anybody has asked for votes
Offset = Annotated[
    int, UpTo("elections + records + changes")
]  # a position in a log; its end offset (LEO) is its length


class Entry(NamedTuple):
    """One record of the metadata log. Offset and epoch name it; the voters are those in force from it on."""

    epoch: Epoch
    voters: frozenset[Server]


class Role(NamedTuple):
    """A server's state in its epoch, and the server that it knows as the leader."""

    state: State
    epoch: Epoch
    leader: Server | None


Log = Annotated[tuple[Entry, ...], UpTo("elections + records + changes")]


class Raft(Model):
    """A request and its answer are one step; an answer to a fetch may be lost."""

    servers: int = constant(3, "controllers", at_least=1)
    observers: int = constant(0, "of them, how many are not voters at first")
    elections: int = constant(2, "times that a server may stand for election")
    records: int = constant(1, "records that clients write")
    changes: int = constant(0, "voters added or removed")

    role: dict[Server, Role] = each(Server, Role(State.UNATTACHED, 0, None))
    vote: dict[Server, Server | None] = each(Server, None)  # for whom, in its epoch
    votes: dict[Server, frozenset[Server]] = each(Server, frozenset())  # for a candidate
    pre_votes: dict[Server, frozenset[Server]] = each(Server, frozenset())  # for a prospective candidate
    log: dict[Server, Log] = each(Server, ())
    flushed: dict[Server, Offset] = each(Server, 0)  # what of the log a loss of power leaves
    hw: dict[Server, Offset] = each(Server, 0)
    ends: dict[Server, dict[Server, Offset]] = each(Server, each(Server, 0))  # the LEOs that a leader has heard
    first_voters: frozenset[Server] = members(Server)  # those in force at the beginning of every log
    isolated: frozenset[Server] = frozenset()  # who reaches nobody
    silent: frozenset[Server] = frozenset()  # leaders that no majority has fetched from for a whole timeout
    stood: Annotated[int, UpTo("elections")] = 0
    written: Annotated[int, UpTo("records")] = 0
    changed: Annotated[int, UpTo("changes")] = 0
    committed: Log = history(())  # the longest beginning of a log that was below a leader's high watermark

    def end(self, server: Server) -> Offset:
        """The log end offset."""
        return len(self.log[server])

    def epoch_at(self, server: Server, end: Offset) -> Epoch:
        """The epoch of the last record before an offset; 0 if there is none."""
        return self.log[server][:end][-1].epoch if end > 0 else 0

    def voters(self, server: Server) -> frozenset[Server]:
        """The voters by a server's log: a change is in force once it is appended, and no more once it is cut."""
        return self.log[server][-1].voters if len(self.log[server]) > 0 else self.first_voters

    def is_majority(self, servers: frozenset[Server], voters: frozenset[Server]) -> bool:
        return 2 * len(servers & voters) > len(voters)

    def reaches(self, one: Server, other: Server) -> bool:
        return one != other and one not in self.isolated and other not in self.isolated

    def leads(self, server: Server) -> bool:
        """Whether a server leads, also if another leads in a later epoch."""
        return self.role[server].state == State.LEADER

    def newest_leads(self, server: Server) -> bool:
        """Whether a server leads, and no server is in a later epoch."""
        return self.leads(server) and not any(self.role[s].epoch > self.role[server].epoch for s in Server)

    def become(self, server: Server, role: Role) -> None:
        """A server forgets what it knew in its last role; a later epoch begins without a vote."""
        if role.epoch > self.role[server].epoch:
            self.vote[server] = None
        self.role[server] = role
        self.votes[server] = frozenset()
        self.pre_votes[server] = frozenset()
        self.ends[server] = {s: 0 for s in Server}
        self.silent -= {server}
