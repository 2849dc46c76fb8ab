"""Models of Kafka's replication, for isrcheck. `MODELS` has them by name.

Read `vocabulary.py`, which all families share, then a family: `published` first, `isr` for admission by time,
`partition` for both together, `async_isr` for changes by request, `original` for the design of 2012; `kraft` and
`raft` for Kafka of today, `fluss` for Apache Fluss, `forever` for temporal properties.
"""

from isrmodel.async_isr import AsyncIsr as AsyncIsr
from isrmodel.async_isr import AsyncIsrCommittedOnly as AsyncIsrCommittedOnly
from isrmodel.async_isr import AsyncIsrProposedOnly as AsyncIsrProposedOnly
from isrmodel.async_isr import IsrByRequest as IsrByRequest
from isrmodel.catalogue import MODELS as MODELS
from isrmodel.original import OriginalDesign as OriginalDesign
from isrmodel.partition import PARTITIONS as PARTITIONS
from isrmodel.partition import Partition as Partition
from isrmodel.published import Kip101 as Kip101
from isrmodel.published import Kip279 as Kip279
from isrmodel.published import Kip320 as Kip320
from isrmodel.published import Kip320FirstTry as Kip320FirstTry
from isrmodel.published import Kip320UnfencedFetch as Kip320UnfencedFetch
from isrmodel.published import Kip320UnfencedHighWatermark as Kip320UnfencedHighWatermark
from isrmodel.published import Kip320UnfencedTruncation as Kip320UnfencedTruncation
from isrmodel.published import Kip320WithoutEpochStart as Kip320WithoutEpochStart
from isrmodel.published import Replication as Replication
from isrmodel.published import TruncateToHighWatermark as TruncateToHighWatermark
from isrmodel.published import Unfenced as Unfenced
