"""A leader: what it learns, writes, exposes and asks of the controller (`Partition`, `ReplicaManager`)."""

from typing import Annotated

from isrcheck import UpTo, action, constant, each, policy, require
from isrmodel.kraft.controller import Controller
from isrmodel.kraft.delayed_produce import DelayedProduce
from isrmodel.kraft.kafka_4485 import Kafka4485
from isrmodel.kraft.kafka_7128 import Kafka7128
from isrmodel.kraft.kafka_13091 import Kafka13091
from isrmodel.kraft.kafka_15583 import Kafka15583
from isrmodel.kraft.kafka_20634 import Kafka20634
from isrmodel.kraft.late import LateFetches
from isrmodel.kraft.re_election import ReElection
from isrmodel.kraft.state import Acks, Heard, Record, Request
from isrmodel.vocabulary import Offset, Replica, Version


class Leader(
    Controller, Kafka4485, Kafka7128, Kafka13091, Kafka15583, LateFetches, ReElection, DelayedProduce, Kafka20634
):
    """A broker that takes itself for the leader, rightly or as a zombie."""

    shrinks: int = constant(0, "times that a leader asks to drop followers from the ISR")

    shrunk_so_far: Annotated[int, UpTo("shrinks")] = 0
    candidate: dict[Replica, Replica | None] = each(Replica, None)  # whom a leader has checked and not yet asked for

    @action(
        internal=True,
        sentence="{broker} reads the metadata (leader {images[version].leader}, leader epoch {images[version].epoch})",
    )
    def learn(self, broker: Replica, version: Version) -> None:
        """A broker reads the metadata log up to a version. Whatever it had asked for is settled."""
        require(broker not in self.down)
        require(self.seen[broker] < version and version <= self.version)
        before, image = self.known[broker], self.images[version]
        after = before if image is None else image
        self.seen[broker] = version
        self.known[broker] = after
        self.drop_replica(broker)
        self.forget_entries_of_removed(broker)
        self.settle_unanswered(broker)
        self.candidate[broker] = None
        if after.epoch != before.epoch:
            self.note_leadership(broker, before, after)
            self.begin_epoch(broker, after)
            self.recall(broker, self.leads_on(broker, before, after))
            self.waits[broker] = {f: 0 for f in Replica}
            self.restart_clocks(broker, self.leads_on(broker, before, after))
        self.forget_removed(broker)
        if self.hw_on_learn and after.leader == broker:
            self.move_high_watermark(broker)
        self.forget_images()

    @action(sentence="{leader} appends a record")
    def write(self, leader: Replica) -> None:
        """A leader takes a producer's record, with acks=all only into an ISR that is large enough."""
        require(self.leads(leader))
        require(self.end(leader) < self.max_records)
        require(self.acks != Acks.ALL or self.accepts(leader, self.known[leader].isr))
        if self.acks == Acks.ONE:
            self.acked |= {Record(self.end(leader), self.known[leader].epoch)}
        self.add_entry(leader, self.known[leader].epoch, self.end(leader))
        self.log[leader] += (self.known[leader].epoch,)
        self.wait(leader)
        self.move_high_watermark(leader)

    @action(
        internal=True,
        sentence="{leader} asks to add {follower} to the ISR (last fetch at offset {heard[leader][follower].offset}, "
        "high watermark {hw[leader]})",
    )
    def ask_add(self, leader: Replica, follower: Replica) -> None:
        """A leader asks to have a follower that has caught up back in the ISR."""
        require(not self.has_clock())
        require(self.leads(leader) and self.request_pending(leader) is None)
        require(follower != leader and follower not in self.known[leader].isr)
        require(self.may_be_added(leader, follower) if self.one_look else self.candidate[leader] == follower)
        self.candidate[leader] = None
        self.ask_for(leader, follower)

    @action(internal=True, sentence="{leader} finds that {follower} has caught up")
    def check_follower(self, leader: Replica, follower: Replica) -> None:
        """A leader finds that a follower has caught up, and asks for it in a later step (before KAFKA-15221)."""
        require(not self.one_look)
        require(self.leads(leader) and self.request_pending(leader) is None and self.candidate[leader] is None)
        require(follower != leader and follower not in self.known[leader].isr)
        require(self.may_be_added(leader, follower))
        self.candidate[leader] = follower

    @action(fault=True, sentence="{leader} asks to drop {follower, also} from the ISR")
    def ask_drop(self, leader: Replica, follower: Replica, also: Replica) -> None:
        """A leader asks to drop one or two followers, which have not caught up within replica.lag.time.max.ms."""
        require(self.leads(leader) and self.request_pending(leader) is None)
        require(follower != leader and follower in self.known[leader].isr)
        require(also != leader and also in self.known[leader].isr)
        require(follower not in self.followers_to_await(leader) and also not in self.followers_to_await(leader))
        require(self.may_drop(leader, follower, also))
        self.shrunk_so_far += 0 if self.has_clock() else 1
        self.limit_faults()
        isr = self.known[leader].isr - {follower} - {also}
        self.overtaken -= {leader}
        self.unsent[leader] = self.unanswered[leader]
        self.request[leader] = Request(self.seen[leader], self.known[leader].epoch, isr, None, None)

    @action(internal=True, sentence="the controller refuses the ISR that {leader} asked for (INELIGIBLE_REPLICA)")
    def refuse_ineligible(self, leader: Replica) -> None:
        """INELIGIBLE_REPLICA: the request was in time and not granted, so the leader goes back to what is on record.

        After any other refusal it waits for newer metadata (`handleAlterPartitionError`).
        """
        require(leader not in self.down)
        require(self.is_considered(leader) and not self.is_granted(leader))
        request = self.request_pending(leader)
        require(request is not None and request.base == self.version)
        self.request[leader] = None
        if self.hw_eager:
            self.move_high_watermark(leader)

    @action(internal=True, sentence="{leader} goes back to the ISR on record (INVALID_UPDATE_VERSION)")
    def roll_back(self, leader: Replica) -> None:
        """INVALID_UPDATE_VERSION: before KAFKA-14144 a leader took this for a refusal of what it had asked for.

        The request may have been granted, and be refused only because it was sent again.
        """
        require(self.rolls_back and leader not in self.down and self.is_sent(leader))
        request = self.request_pending(leader)
        require(request is not None and request.base < self.version)
        self.request[leader] = None
        if self.hw_eager:
            self.move_high_watermark(leader)

    @action(internal=True, sentence="{leader} receives the answer to a request that metadata has settled")
    def answer(self, leader: Replica) -> None:
        """The answer to a request that metadata has settled. A leader ignores it, but forgets what it has not sent."""
        require(self.clears_pending and leader not in self.down)
        require(self.unanswered[leader] == 1)
        self.unanswered[leader] = 0

    @action(internal=True, sentence="{leader} takes {follower} for caught up and waits for it")
    def wait_for(self, leader: Replica, follower: Replica) -> None:
        """A leader takes a follower for caught up in time: even outside the ISR it is waited for (KAFKA-4485)."""
        require(self.hw_waits and self.leads(leader) and follower != leader)
        require(follower in self.known[leader].isr or self.heard[leader][follower] is not None)
        require(self.waits[leader][follower] == 0)
        self.waits[leader][follower] = 1

    @action(internal=True, sentence="{leader} waits for {follower} no more")
    def wait_no_more(self, leader: Replica, follower: Replica) -> None:
        """A leader takes a follower for late or fenced. What waited for it alone is exposed at the next occasion."""
        require(self.hw_waits and self.leads(leader))
        require(self.waits[leader][follower] == 1)
        self.waits[leader][follower] = 0

    @policy
    def has_clock(self) -> bool:
        """Whether time passes, and a leader asks for a follower as it serves its fetch; without, at any later time."""
        return False

    @policy
    def may_drop(self, leader: Replica, follower: Replica, also: Replica) -> bool:
        """Whether a leader asks to drop these. Without a clock anybody may be late, and that is a fault."""
        return self.shrunk_so_far < self.shrinks

    @policy
    def holds_back(self, leader: Replica, follower: Replica) -> bool:
        """Whether the high watermark waits for a follower."""
        return follower in self.maximal_isr(leader) | self.followers_to_await(leader)

    @policy
    def restart_clocks(self, broker: Replica, leads_on: bool) -> None:
        """A broker that has learned of a new epoch sets for each follower the time since it was caught up."""

    def recall(self, broker: Replica, leads_on: bool) -> None:
        """A leader that leads on keeps what it knows of fetches; those of followers outside the ISR no longer count."""
        counting = frozenset(f for f in Replica if leads_on and self.is_remembered(f, self.known[broker]))
        self.heard[broker], self.remembered[broker] = (
            {f: self.last_known_fetch(broker, f) if f in counting else None for f in Replica},
            {f: self.fetches_to_remember(broker, f) if leads_on and f not in counting else () for f in Replica},
        )

    def ask_for(self, leader: Replica, follower: Replica) -> None:
        """AlterPartition for an ISR with one more follower."""
        isr, heard = self.known[leader].isr | {follower}, self.heard[leader][follower]
        session = None if heard is None else heard.session
        if self.kip_903 and heard is not None:
            self.refuse_stale(leader, follower, heard.session)
        self.overtaken -= {leader}
        self.unsent[leader] = self.unanswered[leader]
        self.request[leader] = Request(self.seen[leader], self.known[leader].epoch, isr, follower, session)

    def high_watermark(self, leader: Replica) -> Offset:
        """The offset that the leader and all for whom it waits have reached; never less than before."""
        waits = frozenset(f for f in Replica if f != leader and self.holds_back(leader, f))
        reached = min((self.fetch_offset(leader, f) for f in waits), default=self.end(leader))
        return max(self.hw[leader], min(self.end(leader), reached))

    def fetch_offset(self, leader: Replica, follower: Replica) -> Offset:
        """The offset up to which a leader knows a follower's log to reach."""
        last = self.last_known_fetch(leader, follower)
        return 0 if last is None else last.offset

    def note_offset(self, leader: Replica, follower: Replica, heard: Heard) -> None:
        """A leader notes how far a follower is, and moves its high watermark by what it did not know."""
        last = self.last_known_fetch(leader, follower)
        self.note_heard(leader, follower, heard)
        if last is None or last.offset != heard.offset or self.hw_eager:
            self.move_high_watermark(leader)

    def note_heard(self, leader: Replica, follower: Replica, heard: Heard) -> None:
        """A fetch in the present epoch takes the place of what is remembered."""
        self.heard[leader][follower] = heard
        self.remembered[leader][follower] = ()

    def move_high_watermark(self, leader: Replica) -> None:
        """The high watermark moves as far as it may; producers that wait are answered, and consumers read on."""
        if self.may_expose(leader):
            before, after = self.hw[leader], self.high_watermark(leader)
            self.hw[leader] = after
            if self.acks == Acks.ALL and self.accepts(leader, self.maximal_isr(leader)):
                self.acked |= frozenset(
                    Record(o, self.log[leader][o])
                    for o in range(self.end(leader))
                    if before <= o
                    if o < after
                    if self.still_answers(leader, self.log[leader][o])
                )
            self.forget_answered(leader)
            self.answer_waiting(leader)
            self.exposed = self.log[leader][:after] if after > len(self.exposed) else self.exposed

    @policy
    def forget_images(self) -> None:
        """Forget the metadata that all brokers that are up have read."""
        oldest = min((self.seen[r] for r in Replica if r not in self.down), default=self.version)
        self.images = {v: self.images[v] if v > oldest else None for v in range(self.max_version + 1)}
        self.forget_when_changed(oldest)
