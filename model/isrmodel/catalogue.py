"""The models by the names under which `isrcheck` knows them; a design's mutants follow it."""

from isrcheck import Model
from isrmodel.async_isr import AsyncIsr, AsyncIsrCommittedOnly, AsyncIsrProposedOnly
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
    "original-design": OriginalDesign,
    **PARTITIONS,
}
