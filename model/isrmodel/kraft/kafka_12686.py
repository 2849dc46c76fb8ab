"""KAFKA-12686 (3.0) and KAFKA-14144 (3.3): what a leader does with a request once the controller has gone on."""

from isrcheck import constant
from isrmodel.kraft.state import Image, Request, State


class Kafka12686(State):
    """A request that is settled is not pending; one that is refused as stale may have been granted before."""

    settles_on_learn: bool = constant(True, "KAFKA-12686: newer metadata settles a pending request, whatever it says")
    rolls_back: bool = constant(False, "before KAFKA-14144: a leader takes back a request that is refused as stale")

    def is_settled(self, request: Request | None, learned: Image) -> bool:
        """Whether a request is no longer pending once its leader has learned of an image."""
        return request is None or self.settles_on_learn or request.isr == learned.isr
