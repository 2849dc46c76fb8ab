"""Kafka's published replication designs, from truncation to the high watermark up to KIP-320.

Read `replication.py`, the protocol with its properties; then a design a file, oldest first:
`truncate_to_high_watermark.py`, `kip_101.py`, `kip_279.py`, `kip_320_first_try.py`, `kip_320.py`; then the mutants.
`replicated_log.py` is what consumers may rely on, and which designs give it. `lemmas.py` is for proofs only.
"""

from isrmodel.published.kip_101 import Kip101 as Kip101
from isrmodel.published.kip_279 import Kip279 as Kip279
from isrmodel.published.kip_320 import Kip320 as Kip320
from isrmodel.published.kip_320_first_try import Kip320FirstTry as Kip320FirstTry
from isrmodel.published.kip_320_mutants import Kip320UnfencedFetch as Kip320UnfencedFetch
from isrmodel.published.kip_320_mutants import Kip320UnfencedHighWatermark as Kip320UnfencedHighWatermark
from isrmodel.published.kip_320_mutants import Kip320UnfencedTruncation as Kip320UnfencedTruncation
from isrmodel.published.kip_320_mutants import Kip320WithoutEpochStart as Kip320WithoutEpochStart
from isrmodel.published.replication import Replication as Replication
from isrmodel.published.truncate_to_high_watermark import TruncateToHighWatermark as TruncateToHighWatermark
from isrmodel.published.unfenced import Unfenced as Unfenced
