"""The models by the names under which `isrcheck` knows them; a design's mutants follow it."""

from isrcheck import Model
from isrmodel.async_isr import AsyncIsr, AsyncIsrCommittedOnly, AsyncIsrProposedOnly
from isrmodel.fluss import BUCKETS
from isrmodel.forever import PARTITIONS_FOREVER, POLICIES, KraftForever
from isrmodel.isr import (
    DesignV3,
    Kafka4485FirstPatch,
    Kafka4485Merged,
    Kafka4485V1,
    Kafka4485V2,
    Kafka7152,
    Kafka19996Fix,
    Kip16Merged,
    Kip16Text,
    Kip501,
    MaxMessages,
    StrictMinIsr,
)
from isrmodel.kraft import RELEASES, KraftTimed
from isrmodel.original import OriginalDesign
from isrmodel.partition import PARTITIONS
from isrmodel.published import (
    Kip101,
    Kip279,
    Kip320,
    Kip320FirstTry,
    Kip320UnfencedFetch,
    Kip320UnfencedHighWatermark,
    Kip320UnfencedTruncation,
    Kip320WithoutEpochStart,
    TruncateToHighWatermark,
)
from isrmodel.raft import RAFTS

MODELS: dict[str, type[Model]] = {
    "truncate-to-high-watermark": TruncateToHighWatermark,
    "kip-101": Kip101,
    "kip-279": Kip279,
    "kip-320-first-try": Kip320FirstTry,
    "kip-320": Kip320,
    "kip-320-without-epoch-start": Kip320WithoutEpochStart,
    "kip-320-unfenced-high-watermark": Kip320UnfencedHighWatermark,
    "kip-320-unfenced-truncation": Kip320UnfencedTruncation,
    "kip-320-unfenced-fetch": Kip320UnfencedFetch,
    "async-isr": AsyncIsr,
    "async-isr-committed-only": AsyncIsrCommittedOnly,
    "async-isr-proposed-only": AsyncIsrProposedOnly,
    "isr-original-design": DesignV3,
    "isr-max-messages": MaxMessages,
    "isr-kip-16-text": Kip16Text,
    "isr-kip-16-merged": Kip16Merged,
    "isr-kafka-4485-v1": Kafka4485V1,
    "isr-kafka-4485-v2": Kafka4485V2,
    "isr-kafka-4485-merged": Kafka4485Merged,
    "isr-kafka-4485-first-patch": Kafka4485FirstPatch,
    "isr-kafka-7152": Kafka7152,
    "isr-strict-min-isr": StrictMinIsr,
    "isr-kafka-19996-fix": Kafka19996Fix,
    "isr-kip-501": Kip501,
    **POLICIES,
    "original-design": OriginalDesign,
    **PARTITIONS,
    **PARTITIONS_FOREVER,
    **RELEASES,
    "kraft-timed": KraftTimed,
    "forever-kraft": KraftForever,
    **RAFTS,
    **BUCKETS,
}
