"""A partition under KRaft for ever: who waits for a leader, a record or an answer that never comes.

Nothing but the environments that a run chooses makes brokers, controller or followers go on.
"""

from isrcheck import Taken, Temporal, fairness, leads_to, temporal
from isrmodel.kraft.releases import Kraft
from isrmodel.vocabulary import Offset, Replica


class KraftForever(Kraft):
    """Today's protocol, every decision of it a constant, asked what never ends (`kraft/stuck.py` asks for states)."""

    @fairness
    def protocol_goes_on(self, taken: Taken) -> bool:
        """Brokers that are up read metadata, and the controller answers."""
        answers = taken.action == "grant" or taken.action == "refuse_ineligible"
        late = taken.action == "answer" and self.clears_pending
        return taken.action == "learn" or answers or late

    @fairness
    def followers_alive(self, taken: Taken) -> bool:
        """Followers that are up fetch again and again, and leaders ask for whoever has caught up."""
        asks = taken.action == "ask_add" or (taken.action == "check_follower" and not self.one_look)
        return asks or taken.action == "fetch" or taken.action == "truncate"

    @fairness
    def brokers_come_back(self, taken: Taken) -> bool:
        """A broker that is down is fenced, registers, and is unfenced. With fences=0, so that no other is fenced."""
        fenced = taken.action == "fence" and self.fences == 0
        return fenced or taken.action == "register" or taken.action == "unfence"

    @temporal
    def leader_comes(self) -> Temporal:
        """A partition without a leader is given one (KIP-966)."""
        return leads_to(self.has_begun() and self.now.leader is None, self.now.leader is not None)

    @temporal
    def eligible_leads(self) -> Temporal:
        """A partition with an eligible replica is given a leader, or nobody is eligible any more (KIP-966)."""
        return leads_to(self.waits_for_election(), not self.waits_for_election())

    @temporal
    def no_stall(self) -> Temporal:
        """A leader exposes all that its rule allows, without a further append or fetch (KAFKA-13091)."""
        return all(leads_to(self.is_stalled(r), not self.is_stalled(r)) for r in Replica)

    @temporal
    def requests_end(self) -> Temporal:
        """No leader waits for ever for an answer of the controller (KAFKA-12751, KAFKA-12686)."""
        return all(leads_to(self.waits_for_answer(r), not self.waits_for_answer(r)) for r in Replica)

    @temporal
    def writes_end(self) -> Temporal:
        """A record of the leader on record is exposed, or the ISR is below min.insync.replicas, or another leads."""
        return all(leads_to(self.is_unexposed(o), not self.is_unexposed(o)) for o in range(self.max_records))

    @temporal
    def isr_grows_again(self) -> Temporal:
        """A replica outside the ISR comes back, unless it goes down."""
        return all(leads_to(self.is_outside(r), not self.is_outside(r)) for r in Replica)

    def waits_for_election(self) -> bool:
        """Whether there is no leader, though somebody may be elected once it is live."""
        return self.has_begun() and self.now.leader is None and self.electable() != frozenset()

    def is_stalled(self, leader: Replica) -> bool:
        """Whether a leader has not exposed what its rule allows."""
        return self.rules(leader) and self.may_expose(leader) and self.hw[leader] < self.high_watermark(leader)

    def waits_for_answer(self, leader: Replica) -> bool:
        """Whether a leader that is up has a request pending."""
        return self.leads(leader) and self.request_pending(leader) is not None

    def is_unexposed(self, offset: Offset) -> bool:
        """Whether the leader on record has a record that it may expose and has not."""
        return any(
            self.rules(r) and self.may_expose(r) and self.hw[r] <= offset and offset < self.end(r) for r in Replica
        )

    def is_outside(self, replica: Replica) -> bool:
        """Whether a broker that is up and live is not in the ISR, though there is a leader."""
        begun = self.has_begun() and self.now.leader is not None
        return begun and replica not in self.down and self.is_live(replica) and replica not in self.now.isr
