"""Changing the ISR by request (KIP-497): the leader asks, the controller decides, and both may be behind the other.

After the module AsyncIsr of hachikuji/kafka-specification (J. Gustafson), in state and in steps: one leader, one leader
epoch. The leader is in every ISR, so the sets here hold followers only.
"""

from typing import Annotated, NamedTuple, Self

from isrcheck import (
    Model,
    UpTo,
    action,
    constant,
    each,
    invariant,
    members,
    policy,
    reachable,
    require,
    step,
)
from isrmodel.async_isr.drawing import DRAWING
from isrmodel.vocabulary import Follower, Version

Offset = Annotated[int, UpTo("max_offset")]


class Isr(NamedTuple):
    """An ISR and a version: in a request the one that it is based on, in an update the one that it made."""

    isr: frozenset[Follower]
    version: Version


class IsrByRequest(Model):
    """The protocol. A variant fills one policy: who holds the high watermark back while a request is pending."""

    drawing = DRAWING

    replicas: int = constant(2, "brokers that hold the partition, the leader included", at_least=1)
    max_offset: int = constant(2, "records that the leader may write")
    max_version: int = constant(3, "changes of the ISR that the controller may make")

    controller: Isr = Isr(members(Follower), 0)
    requests: frozenset[Isr] = frozenset()  # sent by the leader; none is ever lost for good
    updates: frozenset[Isr] = frozenset()  # sent by the controller, likewise

    # What the leader knows: the ISR last heard of, what it has asked for since, and how far each follower has fetched.
    leader: Isr = Isr(members(Follower), 0)
    pending_isr: frozenset[Follower] = frozenset()  # members of any ISR asked for
    pending_version: Version | None = None  # None: nothing is asked for
    log_end: Offset = 0
    fetched: dict[Follower, Offset] = each(Follower, 0)

    @policy
    def high_watermark_isr(self) -> frozenset[Follower]:
        """The followers that must have a record before the leader exposes it."""
        raise NotImplementedError

    @action(fault=True, sentence="the controller takes {follower} for dead")
    def controller_shrinks_isr(self, follower: Follower) -> None:
        """The controller takes a follower for dead."""
        require(follower in self.controller.isr)
        self.controller_writes(self.controller.isr - {follower})

    @action(sentence="the controller grants the request of version {request.version}")
    def controller_handles_request(self, request: Isr) -> None:
        """The controller grants a request that is based on its latest version; others come too late."""
        require(request in self.requests)
        require(request.version == self.controller.version)
        self.controller_writes(request.isr)

    @action(internal=True, sentence="the leader asks to drop {follower} from the ISR")
    def leader_requests_shrink(self, follower: Follower) -> None:
        """The leader asks for a follower to be dropped."""
        require(follower in self.leader.isr)
        self.leader_requests(self.leader.isr - {follower})

    @action(internal=True, sentence="the leader asks to add {follower} to the ISR")
    def leader_requests_expand(self, follower: Follower) -> None:
        """The leader asks for a follower that has reached the high watermark to be added."""
        require(follower not in self.leader.isr)
        require(self.fetched[follower] >= self.high_watermark())
        self.leader_requests(self.leader.isr | {follower})

    @action(sentence="the leader appends a record")
    def leader_writes(self) -> None:
        """The leader takes a producer's record."""
        self.log_end += 1

    @action(sentence="the leader learns of version {update.version}")
    def leader_handles_update(self, update: Isr) -> None:
        """The leader learns of a newer ISR; whatever it had asked for is settled."""
        require(update in self.updates)
        require(update.version > self.leader.version)
        self.leader = update
        self.pending_isr = frozenset()
        self.pending_version = None

    @action(sentence="{follower} fetches")
    def follower_replicates(self, follower: Follower) -> None:
        """A follower fetches its next record, and the leader sees it."""
        require(self.fetched[follower] < self.log_end)
        self.fetched[follower] += 1

    @invariant
    def valid_high_watermark(self) -> bool:
        """Every member of the ISR that the controller elects from has all that the leader has exposed (KIP-497)."""
        return all(self.fetched[f] >= self.high_watermark() for f in self.controller.isr)

    @step
    def hw_never_decreases(self, before: Self) -> bool:
        """The leader never takes back what it has exposed (KAFKA-4485, guarantee 3)."""
        return self.high_watermark() >= before.high_watermark()

    @invariant
    def followers_within_log(self) -> bool:
        """No follower has more than its leader, in the one epoch that there is."""
        return all(self.fetched[f] <= self.log_end for f in Follower)

    @reachable
    def something_commits(self) -> bool:
        """The leader exposes a record."""
        return self.high_watermark() > 0

    @reachable
    def a_request_comes_too_late(self) -> bool:
        """A request is based on a version that the controller has since replaced."""
        return any(request.version < self.controller.version for request in self.requests)

    @reachable
    def a_follower_rejoins_the_isr(self) -> bool:
        """The controller's ISR has a follower that an earlier one lacked."""
        return any(update.isr < self.controller.isr for update in self.updates)

    def high_watermark(self) -> Offset:
        """The offset that the leader's log and every follower that counts have reached."""
        return min(self.log_end, min((self.fetched[f] for f in self.high_watermark_isr()), default=self.log_end))

    def controller_writes(self, isr: frozenset[Follower]) -> None:
        """The controller puts an ISR on record, as its next version, and tells the leader."""
        self.controller = Isr(isr, self.controller.version + 1)
        self.updates |= {self.controller}

    def leader_requests(self, isr: frozenset[Follower]) -> None:
        """The leader asks for an ISR, and from now on reckons with it."""
        self.requests |= {Isr(isr, self.leader.version)}
        self.pending_isr |= isr
        self.pending_version = self.leader.version
