"""KIP-966: whom the controller elects once ISR and ELR are empty, so that every copy may have lost its end.

Part 1 (4.0): the last leader, as soon as it is live (KAFKA-19522: at first even if it was not). Part 2 (balanced
recovery, not shipped): the logs of the last known ELR are compared, and the longest wins.
"""

from isrcheck import constant
from isrmodel.kraft.state import Epoch, State
from isrmodel.vocabulary import Replica


class Kip966Recovery(State):
    """The brokers on record for the time when nobody is eligible, and which of them is elected."""

    last_known: bool = constant(True, "KIP-966 in 4.0: with ISR and ELR empty, the last leader is elected")
    fenced_last: bool = constant(False, "before KAFKA-19522 (4.1): the last leader is elected even if it is not live")
    balanced: bool = constant(False, "KIP-966 part 2: the last known ELR is asked, and its longest log is elected")
    asks_some: bool = constant(False, "KIP-966 part 2: an election does not wait for the answers of all who are asked")

    def recoverable(
        self, isr: frozenset[Replica], elr: frozenset[Replica], unclean: frozenset[Replica]
    ) -> frozenset[Replica]:
        """Whom the controller may elect of those last known (`canElectLastKnownLeader`)."""
        known = self.last_members(unclean) if self.balanced else self.now.last_known
        if isr | elr != frozenset():
            return frozenset()
        elif self.balanced:
            asked = frozenset(r for r in known if self.may_be_asked(r))
            return frozenset(r for r in asked if (self.asks_some or asked == known) and self.is_longest(r, asked))
        else:
            return frozenset(r for r in known if self.last_known and (self.fenced_last or self.is_live(r)))

    def bars_unclean(self) -> bool:
        """Whether a reassignment begins, which elects nobody uncleanly. Asked only where leaders may be fenced."""
        return self.last_known and self.fenced_last and any(c.begun > self.version for c in self.changes)

    def last_known_after(
        self, leader: Replica | None, isr: frozenset[Replica], unclean: frozenset[Replica]
    ) -> frozenset[Replica]:
        """The last known members once a change is on record (`maybeUpdateLastKnownLeader`)."""
        now = self.now
        if self.balanced:
            return frozenset() if len(isr) >= self.enough(self.version) else self.last_members(unclean)
        elif not self.last_known or leader is not None:
            return frozenset()
        elif isr == frozenset() and now.isr != frozenset():
            return frozenset(r for r in Replica if now.leader == r)
        else:
            return now.last_known

    def last_members(self, unclean: frozenset[Replica]) -> frozenset[Replica]:
        """The last known ELR (balanced recovery): all who left ISR or ELR because they may have lost records."""
        return self.now.last_known | (unclean & (self.now.isr | self.now.elr))

    def may_be_asked(self, replica: Replica) -> bool:
        """Whether a broker is there to say how long its log is."""
        return self.is_live(replica) and replica not in self.down

    def is_longest(self, replica: Replica, known: frozenset[Replica]) -> bool:
        """Whether no log is ahead of a replica's, by the epoch of its last record and then by its end."""
        return all(
            self.last_epoch(r) < self.last_epoch(replica)
            or (self.last_epoch(r) == self.last_epoch(replica) and self.end(r) <= self.end(replica))
            for r in known
        )

    def last_epoch(self, replica: Replica) -> Epoch:
        """The epoch of a replica's last record, 0 without one."""
        return max((epoch for epoch in self.log[replica]), default=0)
