"""Every admission policy with every truncation rule."""

from isrmodel.partition.admission import (
    Kafka4485Merged,
    Kafka4485Text,
    Kafka7152,
    Kip16Merged,
    MaxMessages,
    StrictMinIsr,
)
from isrmodel.partition.partition import Partition
from isrmodel.partition.truncation import ByHighWatermark, ByLeaderEpoch


class MaxMessagesByHighWatermark(MaxMessages, ByHighWatermark):
    """Kafka 0.8: admission by lag in records or by silence, truncation to the high watermark."""


class MaxMessagesByLeaderEpoch(MaxMessages, ByLeaderEpoch):
    """Admission as in Kafka 0.8, truncation as in KIP-320; no version had both."""


class Kip16ByHighWatermark(Kip16Merged, ByHighWatermark):
    """Kafka 0.9 to 0.10.1: admission as KIP-16 was merged, truncation to the high watermark."""


class Kip16ByLeaderEpoch(Kip16Merged, ByLeaderEpoch):
    """Admission as in Kafka 0.9, truncation as in KIP-320; no version had both."""


class Kafka4485TextByHighWatermark(Kafka4485Text, ByHighWatermark):
    """Admission by the definitions of KAFKA-4485, truncation to the high watermark; no version had this admission."""


class Kafka4485TextByLeaderEpoch(Kafka4485Text, ByLeaderEpoch):
    """Admission by the definitions of KAFKA-4485, truncation as in KIP-320; no version had this admission."""


class Kafka4485MergedByHighWatermark(Kafka4485Merged, ByHighWatermark):
    """Kafka 0.10.2: admission as KAFKA-4485 was merged, truncation to the high watermark."""


class Kafka4485MergedByLeaderEpoch(Kafka4485Merged, ByLeaderEpoch):
    """Admission as in Kafka 0.10.2, truncation as in KIP-320; no version had both."""


class Kafka7152ByHighWatermark(Kafka7152, ByHighWatermark):
    """Admission as in Kafka 2.1, truncation to the high watermark; no version had both."""


class Kafka7152ByLeaderEpoch(Kafka7152, ByLeaderEpoch):
    """Kafka 2.1: admission after KAFKA-7152 and KAFKA-7128, truncation by KIP-320.

    No violation of a property about records is known; a late fetch may still bring back a follower that must leave at
    once.
    """


class StrictMinIsrByHighWatermark(StrictMinIsr, ByHighWatermark):
    """Admission as in Kafka 3.7, truncation to the high watermark; no version had both."""


class StrictMinIsrByLeaderEpoch(StrictMinIsr, ByLeaderEpoch):
    """Kafka 3.7's strict minimum ISR with truncation by KIP-320, and the ISR still written by the leader itself."""


PARTITIONS: dict[str, type[Partition]] = {
    "partition": Kafka7152ByLeaderEpoch,
    "partition-max-messages-by-high-watermark": MaxMessagesByHighWatermark,
    "partition-max-messages-kip-320": MaxMessagesByLeaderEpoch,
    "partition-kip-16-merged-by-high-watermark": Kip16ByHighWatermark,
    "partition-kip-16-merged-kip-320": Kip16ByLeaderEpoch,
    "partition-kafka-4485-v2-by-high-watermark": Kafka4485TextByHighWatermark,
    "partition-kafka-4485-v2-kip-320": Kafka4485TextByLeaderEpoch,
    "partition-kafka-4485-merged-by-high-watermark": Kafka4485MergedByHighWatermark,
    "partition-kafka-4485-merged-kip-320": Kafka4485MergedByLeaderEpoch,
    "partition-kafka-7152-by-high-watermark": Kafka7152ByHighWatermark,
    "partition-kafka-7152-kip-320": Kafka7152ByLeaderEpoch,
    "partition-strict-min-isr-by-high-watermark": StrictMinIsrByHighWatermark,
    "partition-strict-min-isr-kip-320": StrictMinIsrByLeaderEpoch,
}
