"""Messages of the servers of KRaft.tla. An answer to a fetch carries the fetch (its correlation)."""

from enum import Enum
from typing import Annotated, NamedTuple

from isrcheck import Record, UpTo
from isrmodel.raft.published.words import Server, Value

Epoch = Annotated[int, UpTo("max_elections")]  # 0 before anybody has asked for votes; one less than in KRaft.tla
Offset = Annotated[int, UpTo("values")]  # a position in a log; the first is 0


class State(Enum):
    UNATTACHED = "unattached"
    VOTED = "voted"
    FOLLOWER = "follower"
    CANDIDATE = "candidate"
    LEADER = "leader"
    ILLEGAL = "illegal state"


class Entry(NamedTuple):
    epoch: Epoch
    value: Value


class Role(NamedTuple):
    """A server's state in an epoch, and the server that it knows as the leader."""

    state: State
    epoch: Epoch
    leader: Server | None


class Vote(Record):
    """A candidate asks for a vote, and says where its log ends."""

    source: Server
    to: Server
    epoch: Epoch
    last_epoch: Epoch
    end: Offset


class VoteAnswer(Record):
    source: Server
    to: Server
    epoch: Epoch
    leader: Server | None
    granted: bool
    fenced: bool


class BeginQuorumEpoch(Record):
    """A new leader tells who it is."""

    source: Server
    to: Server
    epoch: Epoch


class BeginQuorumEpochAnswer(Record):
    source: Server
    to: Server
    epoch: Epoch
    fenced: bool


class Fetch(Record):
    """A follower asks for what follows the end of its log."""

    source: Server
    to: Server
    epoch: Epoch
    last_epoch: Epoch
    end: Offset


class Fetched(Record):
    """The leader, in the epoch of the fetch, sends the next entry, if there is one."""

    fetch: Fetch
    entry: Entry | None
    hw: Offset


class Diverged(Record):
    """The leader, in the epoch of the fetch, says where its log has the follower's last epoch or one before it."""

    fetch: Fetch
    end: Offset
    end_epoch: Epoch
    hw: Offset


class Refused(Record):
    """A server that does not lead, or leads in another epoch, says in which, and whom it knows as the leader."""

    fetch: Fetch
    epoch: Epoch
    leader: Server | None
    hw: Offset


Message = Vote | VoteAnswer | BeginQuorumEpoch | BeginQuorumEpochAnswer | Fetch | Fetched | Diverged | Refused
FetchAnswer = Fetched | Diverged | Refused
