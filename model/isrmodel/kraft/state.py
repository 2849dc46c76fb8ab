"""State of one partition under KRaft: what the controller has on record and what each broker holds.

One controller: a metadata record is visible to nobody before it is committed, so its death only delays. The brokers'
metadata is a position in the controller's log of images of the partition. Sources: KIP-497, KIP-631, KIP-841, KIP-966;
`PartitionRegistration`, `ReplicationControlManager` and `Partition` in Kafka.
"""

from enum import Enum
from typing import Annotated, NamedTuple

from isrcheck import Model, UpTo, assume, constant, each, history, members, policy
from isrmodel.vocabulary import Offset, Replica, Version

Epoch = Annotated[int, UpTo("max_epoch")]  # leader epochs; 0 before the first leader
Session = Annotated[int, UpTo("max_session")]  # broker epochs (KIP-631): counts a broker's registrations
Log = Annotated[tuple[Epoch, ...], UpTo("max_records")]  # of each record, the epoch of the leader that wrote it


class Acks(Enum):
    """Setting of a producer: when it hears that its record is safe."""

    ALL = "all"
    ONE = "1"
    NONE = "0"


class Record(NamedTuple):
    """A record's name. An epoch has one leader, which never loses its log within it, so that no two are alike."""

    offset: Annotated[int, UpTo("max_records - 1")]
    epoch: Epoch


class Image(NamedTuple):
    """The partition in the metadata log (PartitionChangeRecord): what the controller decides and brokers learn."""

    leader: Replica | None
    epoch: Epoch
    isr: frozenset[Replica]
    elr: frozenset[Replica]  # eligible leader replicas (KIP-966)
    last_known: frozenset[Replica]  # once the ISR is empty, the last leader; under balanced recovery the last ELR


class Request(NamedTuple):
    """AlterPartition: the ISR that a leader asks for (KIP-497)."""

    base: Version  # the partition epoch on which it is based
    epoch: Epoch  # the leader epoch of who asks
    isr: frozenset[Replica]
    added: Replica | None
    session: Session | None  # the broker epoch of who is added (KIP-903)


class Heard(NamedTuple):
    """A leader's memory of a follower's last fetch."""

    offset: Offset
    session: Session


# A leader's memory of a fetch in an earlier epoch, since when its follower was outside the ISR and has not fetched. Two
# replicas need none: without the other in its ISR a leader has exposed all that it may, whatever a fetch tells.
Remembered = Annotated[tuple[Heard, ...], UpTo("min(replicas // 3, 1)")]


class Change(NamedTuple):
    """A replica that the partition is given, one that it loses, or both: what an operator asks for (KIP-455)."""

    adding: Replica | None
    removing: Replica | None
    begun: Version  # the partition epoch from which on the added replica belongs to the assignment
    done: Version | None  # the one from which on the removed replica does not


class State(Model):
    """One partition: the controller's record of it, its replicas, and what producers and consumers were told."""

    replicas: int = constant(2, "brokers that hold the partition, those included that hold no replica yet", at_least=1)
    spares: int = constant(0, "brokers that hold no replica before a reassignment gives them one")
    reassignments: int = constant(0, "reassignments, each adding one replica, removing one, or both")
    min_isr: int = constant(
        2, "min.insync.replicas, the leader included", at_least=1, setting="min.insync.replicas", measure="value"
    )
    max_records: int = constant(1, "records that a log may hold", at_least=1)
    acks: Acks = constant(Acks.ALL, "when a producer hears that its record is safe: all, 1 or 0")
    initial_isr: int = constant(0, "members of the first ISR: 1, all but one, or 0 for all replicas")
    max_epoch: int = constant(4, "leader epochs that may begin")
    max_version: int = constant(7, "changes of the partition's metadata (partition epochs)")
    max_session: int = constant(2, "registrations of each broker after its first")

    # The controller's metadata log: its last image, and the images that some broker has yet to read.
    version: Version = 0
    now: Image = Image(None, 0, members(Replica), frozenset(), frozenset())
    images: dict[Version, Image | None] = each(Version, None)
    fenced: frozenset[Replica] = frozenset()
    leaving: frozenset[Replica] = frozenset()  # in controlled shutdown
    session: dict[Replica, Session] = each(Replica, 0)
    changes: Annotated[tuple[Change, ...], UpTo("spares + reassignments")] = ()  # of the assignment, the last one last

    # Brokers. The log and the high watermark outlive a stop; what a leader knows of others and of its request does not.
    down: frozenset[Replica] = frozenset()
    dirty: frozenset[Replica] = frozenset()  # stopped without a clean shutdown, and not registered since
    seen: dict[Replica, Version] = each(Replica, 0)  # how far it has read the metadata log
    known: dict[Replica, Image] = each(
        Replica, Image(None, 0, members(Replica), frozenset(), frozenset())
    )  # what it read
    log: dict[Replica, Log] = each(Replica, ())
    hw: dict[Replica, Offset] = each(Replica, 0)
    request: dict[Replica, Request | None] = each(Replica, None)
    heard: dict[Replica, dict[Replica, Heard | None]] = each(Replica, each(Replica, None))
    remembered: dict[Replica, dict[Replica, Remembered]] = each(Replica, each(Replica, ()))

    # What the world was told.
    acked: frozenset[Record] = history(frozenset())  # the producer was told that these are safe
    exposed: Log = history(())  # the most that a consumer could have read

    @assume
    def the_first_isr_is_known(self) -> bool:
        """Replicas are interchangeable, so the first ISR is everybody, all but one, or its leader alone."""
        return self.initial_isr <= 1 or self.initial_isr >= self.replicas - self.spares - 1

    @assume
    def somebody_holds_the_partition(self) -> bool:
        """At least one broker holds a replica at first."""
        return self.spares < self.replicas

    def is_live(self, broker: Replica) -> bool:
        """Whether the controller may elect a broker (`ClusterControlManager.isActive`)."""
        return broker not in self.fenced and broker not in self.leaving

    def leads(self, broker: Replica) -> bool:
        """Whether a broker that is up takes itself for the leader, rightly or as a zombie."""
        return broker not in self.down and self.known[broker].leader == broker

    def rules(self, broker: Replica) -> bool:
        """Whether a broker leads in the epoch that the controller has on record."""
        return self.leads(broker) and self.known[broker].epoch == self.now.epoch and self.now.leader == broker

    def has_begun(self) -> bool:
        """Whether the partition has had its first leader."""
        return self.version > 0

    def end(self, replica: Replica) -> Offset:
        """A replica's log end offset (LEO)."""
        return len(self.log[replica])

    def is_assigned(self, broker: Replica, version: Version) -> bool:
        """Whether a broker holds a replica at a partition epoch: it was added as often as it was removed."""
        added = sum(1 for c in self.changes if c.adding == broker if c.begun <= version)
        removed = sum(1 for c in self.changes if c.removing == broker if c.done is not None and c.done <= version)
        return added >= removed

    def replication_factor(self, version: Version) -> int:
        """How many replicas the assignment has at a partition epoch; with the added and the removed."""
        added = sum(1 for c in self.changes if c.adding is not None if c.begun <= version)
        removed = sum(1 for c in self.changes if c.removing is not None if c.done is not None and c.done <= version)
        return self.replicas + added - removed

    @policy
    def enough(self, version: Version) -> int:
        """min.insync.replicas, or the replication factor at a partition epoch if that is less."""
        return min(self.min_isr, self.replication_factor(version))
