"""ISR admission, version by version: who may stay, who may join, and what the high watermark waits for.

Read `vocabulary.py`, `timed.py`, the protocol with its policies, and `admission.py`, which adds fetches; then a version
a file, from `original_design.py` and `max_messages.py` to `strict_min_isr.py` and `kip_501.py`. `properties.py` says
what is asked of all of them. `lemmas.py` is for proofs only.
"""

from isrmodel.isr.admission import Admission as Admission
from isrmodel.isr.kafka_4485_first_patch import Kafka4485FirstPatch as Kafka4485FirstPatch
from isrmodel.isr.kafka_4485_merged import Kafka4485Merged as Kafka4485Merged
from isrmodel.isr.kafka_4485_v1 import Kafka4485V1 as Kafka4485V1
from isrmodel.isr.kafka_4485_v2 import Kafka4485V2 as Kafka4485V2
from isrmodel.isr.kafka_7152 import Kafka7152 as Kafka7152
from isrmodel.isr.kafka_8841 import Kafka8841 as Kafka8841
from isrmodel.isr.kafka_19996_fix import Kafka19996Fix as Kafka19996Fix
from isrmodel.isr.kip_16_merged import Kip16Merged as Kip16Merged
from isrmodel.isr.kip_16_text import Kip16Text as Kip16Text
from isrmodel.isr.kip_501 import Kip501 as Kip501
from isrmodel.isr.max_messages import MaxMessages as MaxMessages
from isrmodel.isr.original_design import DesignV3 as DesignV3
from isrmodel.isr.strict_min_isr import StrictMinIsr as StrictMinIsr
