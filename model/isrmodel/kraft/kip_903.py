"""KIP-903 (3.5, KAFKA-14139): a broker that restarted since it fetched does not enter the ISR by that fetch."""

from isrcheck import constant
from isrmodel.kraft.state import Request, State


class Kip903(State):
    """Whether the controller compares broker epochs before it grants an ISR."""

    kip_903: bool = constant(True, "KIP-903: whoever is added must still have the broker epoch with which it fetched")

    def is_same_incarnation(self, request: Request) -> bool:
        """Whether the broker that a request adds has not registered again since the leader heard of it."""
        added = request.added
        return not self.kip_903 or added is None or request.session == self.session[added]
