"""State of one bucket of a Fluss table: what ZooKeeper has on record, and what each tablet server holds.

One coordinator works on the record in ZooKeeper and tells servers of it by NotifyLeaderAndIsr, each change a bucket
epoch. Read at apache/fluss 545c55390: `LeaderAndIsr`, `Replica`, `CoordinatorContext`, `LogTablet`.
"""

from typing import Annotated, NamedTuple

from isrcheck import Model, UpTo, constant, each, history, members
from isrmodel.kraft.state import Acks, Epoch, Log, Record
from isrmodel.vocabulary import Offset, Replica, Version

Server = Replica  # a tablet server that holds a replica of the bucket
Session = Annotated[int, UpTo("max_session")]  # counts the times that a server has started


class Leadership(NamedTuple):
    """Leader, leader epoch and ISR of the bucket (`LeaderAndIsr`); a follower does not know the ISR."""

    leader: Server | None
    epoch: Epoch
    isr: frozenset[Server]


class Stored(NamedTuple):
    """A record in ZooKeeper, and its bucket epoch."""

    version: Version
    record: Leadership


class Request(NamedTuple):
    """AdjustIsr: the ISR that a leader asks for, and once that is granted the bucket epoch that answers it."""

    base: Version
    epoch: Epoch
    isr: frozenset[Server]
    added: Server | None
    session: Session
    granted: Version | None


class Progress(NamedTuple):
    """A leader's memory of a follower's last fetch (`FollowerReplica`)."""

    offset: Offset
    session: Session


class Bucket(Model):
    """One bucket: its record in ZooKeeper, its replicas, and what writers and readers were told."""

    replicas: int = constant(3, "tablet servers that hold the bucket", at_least=1)
    min_isr: int = constant(1, "log.replica.min-in-sync-replicas-number, the leader included", at_least=1)
    max_records: int = constant(1, "records that a log may hold", at_least=1)
    acks: Acks = constant(Acks.ALL, "when a writer hears that its record is safe: all, 1 or 0")
    max_epoch: int = constant(2, "leader epochs that may begin", at_least=1)
    max_version: int = constant(4, "changes of the record in ZooKeeper (bucket epochs)", at_least=1)
    max_session: int = constant(1, "starts of a server after its first")

    # ZooKeeper and the coordinator
    now: Leadership = Leadership(None, 0, members(Replica))
    version: Version = 0  # the bucket epoch
    stored: Stored | None = None  # what ZooKeeper has, where the coordinator takes it for something else
    notices: dict[Version, Leadership | None] = each(Version, None)  # those that some server has yet to read
    unread: dict[Server, frozenset[Version]] = each(Server, frozenset())  # the notices on their way to a server
    registered: frozenset[Server] = members(Replica)  # those with a session in ZooKeeper
    leaving: frozenset[Server] = frozenset()  # in controlled shutdown

    # Tablet servers. The log outlives a stop, and of the high watermark what was in its checkpoint.
    down: frozenset[Server] = frozenset()
    session: dict[Server, Session] = each(Server, 0)
    known: dict[Server, Leadership] = each(Server, Leadership(None, 0, frozenset()))
    read_to: dict[Server, Version] = each(Server, 0)  # the bucket epoch that it knows
    log: dict[Server, Log] = each(Server, ())
    hw: dict[Server, Offset] = each(Server, 0)
    start: dict[Server, Offset] = each(Server, 0)  # the log end offset with which it became the leader
    heard: dict[Server, dict[Server, Progress | None]] = each(Server, each(Server, None))
    late: dict[Server, frozenset[Server]] = each(Server, frozenset())  # not caught up within the maximal lag time
    pending: dict[Server, frozenset[Server] | None] = each(Server, None)  # the ISR that it waits for (`IsrState`)
    sent: dict[Server, Request | None] = each(Server, None)  # the request or its answer, on its way
    waiting: dict[Server, frozenset[Record]] = each(Server, frozenset())  # writes with acks=-1 that wait here

    # What the world was told
    acked: frozenset[Record] = history(frozenset())  # the writer was told that these are safe
    exposed: Log = history(())  # the most that a reader could have read

    def end(self, server: Server) -> Offset:
        """A replica's log end offset (LEO)."""
        return len(self.log[server])

    def leads(self, server: Server) -> bool:
        """Whether a server that is up takes itself for the leader, rightly or as a zombie (`Replica.isLeader`)."""
        return server not in self.down and self.known[server].leader == server

    def rules(self, server: Server) -> bool:
        """Whether a server leads in the epoch on record."""
        return self.leads(server) and self.now.leader == server and self.known[server].epoch == self.now.epoch

    def has_begun(self) -> bool:
        """Whether the bucket has had its first leader."""
        return self.version > 0

    def is_live(self, server: Server) -> bool:
        """Whether the coordinator may elect a server or let it into the ISR (`liveTabletServerSet`)."""
        return server in self.registered and server not in self.leaving

    def cut(self, server: Server, end: Offset) -> None:
        """A replica keeps its records below an offset (`LogTablet.truncateTo`)."""
        self.log[server] = self.log[server][:end]
        self.hw[server] = min(self.hw[server], self.end(server))

    def tell(self, servers: frozenset[Server]) -> None:
        """The coordinator sends the record to servers, once: a notice that is lost is not sent again."""
        receivers = frozenset(s for s in servers if s in self.registered if s not in self.down)
        self.unread = {s: self.unread[s] | {self.version} if s in receivers else self.unread[s] for s in Replica}
        self.notices[self.version] = self.now
        self.forget_notices()

    def forget_notices(self) -> None:
        """Notices that are on their way to nobody play no part any more."""
        self.notices = {
            v: self.notices[v] if any(v in self.unread[s] for s in Replica) else None
            for v in range(self.max_version + 1)
        }
