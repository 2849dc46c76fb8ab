"""Every ISR admission policy, asked what it does for ever."""

from isrmodel.forever.admission import AdmissionForever
from isrmodel.isr import (
    DesignV3,
    Kafka4485FirstPatch,
    Kafka4485Merged,
    Kafka4485V1,
    Kafka4485V2,
    Kafka7152,
    Kafka8841,
    Kafka19996Fix,
    Kip16Merged,
    Kip16Text,
    Kip501,
    MaxMessages,
    StrictMinIsr,
)


class DesignV3Forever(DesignV3, AdmissionForever):
    """The replication design V3 (2012), for ever."""


class MaxMessagesForever(MaxMessages, AdmissionForever):
    """Kafka 0.8, for ever."""


class Kip16TextForever(Kip16Text, AdmissionForever):
    """KIP-16 as written, for ever."""


class Kip16MergedForever(Kip16Merged, AdmissionForever):
    """Kafka 0.9 to 0.10.1, for ever."""


class Kafka4485V1Forever(Kafka4485V1, AdmissionForever):
    """KAFKA-4485, first text, for ever."""


class Kafka4485V2Forever(Kafka4485V2, AdmissionForever):
    """KAFKA-4485, second text, for ever."""


class Kafka4485MergedForever(Kafka4485Merged, AdmissionForever):
    """Kafka 0.10.2, for ever."""


class Kafka4485FirstPatchForever(Kafka4485FirstPatch, AdmissionForever):
    """KAFKA-4485, an earlier patch, for ever."""


class Kafka7152Forever(Kafka7152, AdmissionForever):
    """Kafka 2.1, for ever."""


class Kafka8841Forever(Kafka8841, AdmissionForever):
    """Kafka 2.4 to 3.6, for ever."""


class StrictMinIsrForever(StrictMinIsr, AdmissionForever):
    """Kafka 3.7, for ever."""


class Kafka19996FixForever(Kafka19996Fix, AdmissionForever):
    """The fix proposed for KAFKA-19996, for ever."""


class Kip501Forever(Kip501, AdmissionForever):
    """KIP-501, for ever."""


POLICIES: dict[str, type[AdmissionForever]] = {
    "forever-original-design": DesignV3Forever,
    "forever-max-messages": MaxMessagesForever,
    "forever-kip-16-text": Kip16TextForever,
    "forever-kip-16-merged": Kip16MergedForever,
    "forever-kafka-4485-v1": Kafka4485V1Forever,
    "forever-kafka-4485-v2": Kafka4485V2Forever,
    "forever-kafka-4485-merged": Kafka4485MergedForever,
    "forever-kafka-4485-first-patch": Kafka4485FirstPatchForever,
    "forever-kafka-7152": Kafka7152Forever,
    "forever-kafka-8841": Kafka8841Forever,
    "forever-strict-min-isr": StrictMinIsrForever,
    "forever-kafka-19996-fix": Kafka19996FixForever,
    "forever-kip-501": Kip501Forever,
}
