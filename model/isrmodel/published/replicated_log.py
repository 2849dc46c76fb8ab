"""One log that only grows: what consumers may rely on, whatever the brokers do (KIP-320's aim, from outside).

KIP-320 refines it. Of the others, two consumers read two records at one offset after so many steps (one record a log,
two records written): truncation to the high watermark 16, with two replicas and three epochs; KIP-101 19, and KIP-320
without KAFKA-7128 19, with three replicas and three epochs; with unfenced high watermarks 19, with four epochs.
"""

from isrcheck import Model, Sort, action, constant, each, reachable, refines, require
from isrmodel.published.kip_101 import Kip101
from isrmodel.published.kip_279 import Kip279
from isrmodel.published.kip_320 import Kip320
from isrmodel.published.kip_320_mutants import Kip320UnfencedHighWatermark, Kip320WithoutEpochStart
from isrmodel.published.replication import Log, Record, Replication
from isrmodel.published.truncate_to_high_watermark import TruncateToHighWatermark
from isrmodel.vocabulary import Replica


class Consumer(Sort, size="consumers", symmetric=True):
    """Reads the partition from its first offset on."""


class ReplicatedLog(Model):
    """A log that only grows. Whoever reads an offset first finds what all others find there."""

    consumers: int = constant(2, "consumers of the partition", at_least=1)
    log_size: int = constant(1, "records that a log may hold", at_least=1)
    max_records: int = constant(1, "records that producers may write, over all leaders", at_least=1)
    max_leader_epoch: int = constant(1, "the last leader epoch that may begin, counted from 0")

    read: dict[Consumer, Log] = each(Consumer, ())

    @action(sentence="{consumer} reads a record")
    def consumer_reads(self, consumer: Consumer, record: Record) -> None:
        """A consumer reads the next offset; where another has been before, it finds the same record."""
        end = len(self.read[consumer])
        require(all(self.read[c][end] == record for c in Consumer if end < len(self.read[c])))
        self.read[consumer] += (record,)


class ReplicationWithConsumers(Replication):
    """The protocol with its consumers, who read what a presumed leader exposes."""

    consumers: int = constant(2, "consumers of the partition", at_least=1)

    read: dict[Consumer, Log] = each(Consumer, ())

    @action(sentence="{consumer} reads a record from {leader}")
    def consumer_reads(self, consumer: Consumer, leader: Replica) -> None:
        """A consumer reads its next record from whoever presumes to lead, below the high watermark."""
        end = len(self.read[consumer])
        require(self.presumes_leadership(leader) and end < self.hw[leader])
        self.read[consumer] += (self.log[leader][end],)

    @refines(ReplicatedLog)
    def is_a_replicated_log(self, abstract: ReplicatedLog) -> None:
        """All consumers read one log that only grows."""
        abstract.read = self.read

    @reachable
    def everybody_reads(self) -> bool:
        """Every consumer has read a record."""
        return all(len(self.read[c]) > 0 for c in Consumer)


class ConsumedTruncateToHighWatermark(ReplicationWithConsumers, TruncateToHighWatermark):
    """Consumers of brokers before KIP-101."""


class ConsumedKip101(ReplicationWithConsumers, Kip101):
    """Consumers of brokers with KIP-101."""


class ConsumedKip279(ReplicationWithConsumers, Kip279):
    """Consumers of brokers with KIP-279."""


class ConsumedKip320(ReplicationWithConsumers, Kip320):
    """Consumers of brokers with KIP-320."""


class ConsumedKip320WithoutEpochStart(ReplicationWithConsumers, Kip320WithoutEpochStart):
    """Consumers of brokers with KIP-320 but for KAFKA-7128: a mutant."""


class ConsumedKip320UnfencedHighWatermark(ReplicationWithConsumers, Kip320UnfencedHighWatermark):
    """Consumers of brokers whose leaders count followers of any epoch: a mutant."""
