"""A partition under KRaft as events show it: a fetch arrives, and is answered later; records come in batches.

Both are shortcuts of the model's own steps: a late answer equals one applied at once, as nobody but the follower's own
next fetch looks at its log meanwhile; and a batch is its records one by one, of which the leader hears only the end.
An answer that was made before its leader moved on, or died, arrives after that all the same. So does a fetch that its
follower sent before it moved on. A broker that comes back starts from its own copy of the metadata log, and may fetch
by that before the controller registers it.
"""

from typing import Annotated, NamedTuple

from isrcheck import Drawing, UpTo, action, arrow, constant, each, require
from isrmodel.kraft.drawing import DRAWING
from isrmodel.kraft.faults import Faults
from isrmodel.kraft.kafka_18991 import LateAnswer
from isrmodel.kraft.late import Late
from isrmodel.kraft.state import Acks, Epoch, Heard, Image, Log, Record
from isrmodel.vocabulary import Offset, Replica, Version


class Sent(NamedTuple):
    """The last fetch of a follower that a leader has accounted for; no other fetch is in flight."""

    leader: Replica
    epoch: Epoch  # the leader's
    offset: Offset
    hw: Offset  # the leader's high watermark when it read for this fetch


class Answer(NamedTuple):
    """An answer that a leader may have given before it moved on: its records from the fetch offset on."""

    records: Log
    hw: Offset


MinIsr = Annotated[int, UpTo("largest_min_isr")]
Changes = Annotated[int, UpTo("min_isr_changes")]


class Setting(NamedTuple):
    """min.insync.replicas, changed after the partition was created."""

    value: MinIsr
    version: Version  # the partition epoch that was on record before


class OnTheWire(Faults):
    """Steps of which each is one operation of one broker."""

    drawing = Drawing(
        *DRAWING.words,
        arrow("fetch_arrives", "follower", "leader", "fetch"),
        arrow("late_fetch_arrives", "follower", "leader", "late fetch"),
        arrow("answer_arrives", "leader", "follower", "fetch answered"),
        arrow("late_answer_arrives", "leader", "follower", "late answer"),
    )

    min_isr_changes: int = constant(0, "times that min.insync.replicas is changed after the partition's creation")
    largest_min_isr: int = constant(0, "the largest value that it is given")

    sent: dict[Replica, Sent | None] = each(Replica, None)
    answered: dict[Replica, Answer | None] = each(Replica, None)  # to `sent`, once its leader has moved on
    unregistered: frozenset[Replica] = frozenset()  # who has started, and is not registered yet
    settings: Annotated[tuple[Setting, ...], UpTo("min_isr_changes")] = ()  # on record, the last one last
    applied: dict[Replica, Changes] = each(Replica, 0)  # how many of them count at a broker
    read_before: dict[Replica, Version] = each(Replica, 0)  # how far it had read when metadata last reached a broker

    @action(sentence="an operator sets min.insync.replicas to {value}")
    def set_min_isr(self, value: MinIsr) -> None:
        """An operator changes min.insync.replicas; with that the ELR is cleared (KAFKA-16540, `ClearElrRecord`)."""
        require(self.has_begun())
        self.settings += (Setting(value, self.version),)
        now = self.now
        if self.elr and now.elr | now.last_known != frozenset():
            self.record(Image(now.leader, now.epoch, now.isr, frozenset(), frozenset()))

    @action(sentence="{broker} applies the new min.insync.replicas")
    def apply_min_isr(self, broker: Replica) -> None:
        """A broker has read of a change, and its log takes the value (`DynamicConfigPublisher`, after the topics)."""
        require(broker not in self.down and self.applied[broker] < len(self.settings))
        require(self.settings[self.applied[broker]].version <= self.seen[broker])
        self.applied[broker] += 1

    @action(sentence="{leader} appends a batch of records")
    def append_until(self, leader: Replica, end: Offset) -> None:
        """A leader takes a batch of a producer's records."""
        require(self.leads(leader))
        require(self.end(leader) < end)
        self.log[leader] += tuple(self.known[leader].epoch for _ in range(end - self.end(leader)))
        self.move_high_watermark(leader)

    @action(sentence="a fetch of {follower} arrives at {leader}")
    def fetch_arrives(self, leader: Replica, follower: Replica) -> None:
        """The leader takes note of a fetch, which is answered later or never."""
        require(self.is_served(follower, leader))
        require(not self.diverges(follower, leader))
        self.sent[follower] = Sent(leader, self.known[leader].epoch, self.end(follower), self.hw[leader])
        self.answered[follower] = None
        self.hear(leader, follower)

    @action(sentence="{follower} fetches all that {leader} has")
    def catch_up(self, leader: Replica, follower: Replica) -> None:
        """A follower fetches all that its leader has, and once more: what nobody tells whose log has ended."""
        require(self.is_served(follower, leader))
        require(not self.diverges(follower, leader))
        self.log[follower] += self.log[leader][self.end(follower) :]
        self.hear(leader, follower)

    @action(sentence="a late fetch of {follower} arrives at {leader}")
    def late_fetch_arrives(self, leader: Replica, follower: Replica) -> None:
        """The leader takes note of a fetch whose follower has moved on since."""
        require(self.may_be_served_late(follower, leader))
        request = self.late[follower][0]
        self.late[follower] = ()
        self.note_offset(leader, follower, Heard(request.offset, request.session))

    @action(sentence="the answer of {leader} arrives at {follower}")
    def answer_arrives(self, follower: Replica, leader: Replica, end: Offset, at_once: bool) -> None:
        """The answer to a fetch: records up to an offset, and the leader's high watermark when it read them.

        It reads before it takes note of the fetch, and again when a fetch has waited for records.
        """
        require(self.is_served(follower, leader))
        require(not self.diverges(follower, leader))
        require(self.awaits_answer(follower, leader))
        require(self.end(follower) <= end and end <= self.end(leader))
        self.log[follower] += self.log[leader][self.end(follower) : end]
        self.hw[follower] = min(self.hw_when_sent(follower) if at_once else self.hw[leader], self.end(follower))

    @action(sentence="a late answer of {leader} arrives at {follower}")
    def late_answer_arrives(self, follower: Replica, leader: Replica, end: Offset, at_once: bool) -> None:
        """The answer to a fetch, made before its leader moved on or died, reaches a follower that follows it still."""
        require(follower not in self.down and self.known[follower].leader == leader)
        require(self.awaits_answer(follower, leader))
        require(self.is_of_present_epoch(follower) or not self.response_epoch_checked)
        answer = self.answered[follower]
        require(answer is not None and self.end(follower) <= end)
        if answer is not None:
            require(end <= self.end(follower) + len(answer.records))
            self.log[follower] += answer.records[: end - self.end(follower)]
            self.hw[follower] = min(self.hw_when_sent(follower) if at_once else answer.hw, self.end(follower))

    @action(sentence="{broker} loses power, and what it had not flushed")
    def cut_power(self, broker: Replica, kept: Offset) -> None:
        """A broker's machine loses power; what the broker has answered may arrive yet."""
        require(broker not in self.down and self.has_begun())
        require(self.may_keep(broker, kept))
        self.keep_answers(broker)
        self.lose_end(broker, kept)

    @action(sentence="the disk of {broker} is replaced; its log is gone")
    def lose_disk(self, broker: Replica) -> None:
        """A broker goes down and gets a new disk (`replace_disk`); what the broker has answered may arrive yet."""
        require(broker not in self.down and self.has_begun())
        self.keep_answers(broker)
        self.unreported[broker] = 1
        self.lose_end(broker, 0)

    @action(sentence="the controller records the directory of {broker}")
    def record_dir(self, broker: Replica, chosen: Replica | None) -> None:
        """The directory of a replica is put on record (`report_dir`), which is a partition epoch of its own."""
        require(self.has_begun() and broker not in self.down and self.is_assigned(broker, self.version))
        self.unreported[broker] = 0
        before = self.version
        if self.elr and not self.report_keeps_elr:
            self.settle_without_elr(chosen)
        else:
            self.settle(self.now.isr, frozenset(), chosen)
        if self.version == before:
            self.record(self.now)

    @action(sentence="{broker} starts again")
    def start(self, broker: Replica, version: Version) -> None:
        """A broker comes back, and has read so much of its own copy of the metadata log; it registers later."""
        require(broker in self.down and version <= self.version)
        image = self.images[version]
        require(image is not None)
        self.down -= {broker}
        self.unregistered |= {broker}
        self.seen[broker] = version
        if image is not None:
            self.known[broker] = image
        self.drop_replica(broker)
        self.applied[broker] = self.surely_applied(broker, version)

    @action(sentence="{broker} registers")
    def register_started(self, broker: Replica, chosen: Replica | None) -> None:
        """The controller registers a broker that has started before; its session may have ended just now."""
        require(broker in self.unregistered)
        self.fenced |= {broker}
        self.session[broker] += 1
        self.leaving -= {broker}
        self.settle_without(broker, frozenset({broker}) if broker in self.dirty else frozenset(), chosen)
        self.dirty -= {broker}
        self.unregistered -= {broker}

    @action(sentence="an operator has {chosen} elected")
    def elect_unclean(self, chosen: Replica) -> None:
        """An operator has a replica elected from outside ISR and ELR (`kafka-leader-election.sh`)."""
        require(self.now.leader is None and self.is_live(chosen))
        require(self.is_assigned(chosen, self.version))
        self.record(self.image_after(self.now.isr, self.now.elr, frozenset(), chosen))

    @action(sentence="{broker} reads the high watermark that it last wrote down")
    def start_from_checkpoint(self, broker: Replica, hw: Offset) -> None:
        """A broker that comes back knows the high watermark that it last wrote down."""
        require(broker not in self.down)
        require(hw < self.hw[broker])
        self.hw[broker] = hw

    @action(sentence="the producer is answered by {leader} (acks={acks})")
    def acknowledge(self, leader: Replica, offset: Offset, acks: Acks) -> None:
        """A producer is told that its record is safe, as it asked for with this record."""
        require(self.leads(leader))
        require(offset < (self.hw[leader] if acks == Acks.ALL else self.end(leader)))
        require(acks != Acks.ALL or self.accepts(leader, self.maximal_isr(leader)))
        record = Record(offset, self.log[leader][offset])
        require(record not in self.acked)
        self.acked |= {record}

    def restart_clocks(self, broker: Replica, leads_on: bool) -> None:
        """A broker has learned of a new leader epoch: what it answered before may arrive yet, and what it sent."""
        self.keep_answers(broker)
        self.move_on(broker, self.known[broker])

    def stop_clocks(self, broker: Replica) -> None:
        """A broker goes down."""
        self.keep_answers(broker)
        self.move_on(broker, self.known[broker])

    def keep_answers(self, leader: Replica) -> None:
        """Keep what a leader may have answered to fetches of the epoch that it leaves."""
        self.keep_truncations(leader)
        self.answered = {
            f: Answer(self.log[leader][self.last_fetch_offset(f) :], self.hw[leader])
            if self.awaits_answer(f, leader) and self.answered[f] is None
            else self.answered[f]
            for f in Replica
        }

    def keep_truncations(self, broker: Replica) -> None:
        """Keep the answers by which followers would truncate, of the epoch that a broker leaves (KAFKA-18991)."""
        left = self.images[self.read_before[broker]]
        if left is not None and left.leader is not None:
            self.answers = {f: self.late_truncation(f, left.leader, left.epoch, broker) for f in Replica}

    def late_truncation(
        self, follower: Replica, leader: Replica, epoch: Epoch, broker: Replica
    ) -> Annotated[tuple[LateAnswer, ...], UpTo("late_answers")]:
        """The answer that is late from now on, as one of them leaves an epoch of both in which the logs diverge."""
        other = follower if broker == leader else leader
        is_left = (
            follower != leader
            and broker in frozenset({follower, leader})
            and other not in self.down
            and self.known[other].leader == leader
            and self.known[other].epoch == epoch
            and all(answer.epoch != epoch for answer in self.answers[follower])
        )
        if not is_left or not self.diverges(follower, leader):
            return self.answers[follower]
        last, end = self.last_epoch(follower), self.end(follower)
        agreed = self.leaders_epoch(leader, last)
        return (
            LateAnswer(
                leader=leader,
                epoch=epoch,
                offset=end,
                hw=self.hw[leader],
                record=None,
                agreed=agreed,
                end=self.end_of(leader, last),
            ),
        )

    def move_on(self, follower: Replica, image: Image) -> None:
        """A follower waits for no answer of another leader than the one it knows; what it sent is late by now."""
        sent = self.sent[follower]
        if sent is not None:
            last = self.last_epoch(follower)
            self.late[follower] = (Late(sent.epoch, self.end(follower), last, self.session[follower]),)
            if sent.leader != image.leader:
                self.sent[follower] = None
                self.answered[follower] = None

    def forget_images(self) -> None:
        """Keep all metadata: whoever comes back has read some of it before.

        To whom metadata came again, for that all changes count which came with metadata before.
        """
        self.applied = {
            r: self.applied[r] if self.seen[r] == self.read_before[r] else self.surely_applied(r, self.read_before[r])
            for r in Replica
        }
        self.read_before = {r: self.seen[r] for r in Replica}

    def surely_applied(self, broker: Replica, version: Version) -> int:
        """How many changes count at a broker once it has dealt with all metadata up to a partition epoch."""
        return max(self.applied[broker], sum(1 for setting in self.settings if setting.version < version))

    def enough(self, version: Version) -> int:
        """min.insync.replicas as the controller has it on record, or the replication factor if that is less."""
        value = self.settings[len(self.settings) - 1].value if len(self.settings) > 0 else self.min_isr
        return min(value, self.replication_factor(version))

    def min_isr_at(self, broker: Replica) -> int:
        """min.insync.replicas as a broker's log has it."""
        return self.settings[self.applied[broker] - 1].value if self.applied[broker] > 0 else self.min_isr

    def may_expose(self, leader: Replica) -> bool:
        """Whether the ISR that a leader knows to be on record is large enough by the value that its log has."""
        return not self.strict or self.accepts(leader, self.known[leader].isr)

    def accepts(self, leader: Replica, isr: frozenset[Replica]) -> bool:
        """Whether a producer with acks=all is served while an ISR is as it is, by the value that the log has."""
        value = self.min_isr_at(leader)
        return len(isr) >= (min(value, self.replication_factor(self.seen[leader])) if self.strict else value)

    def last_fetch_offset(self, follower: Replica) -> Offset:
        """The offset of a follower's last fetch."""
        sent = self.sent[follower]
        return 0 if sent is None else sent.offset

    def is_of_present_epoch(self, follower: Replica) -> bool:
        """Whether a follower sent its last fetch in the leader epoch in which it is."""
        sent = self.sent[follower]
        return sent is not None and sent.epoch == self.known[follower].epoch

    def awaits_answer(self, follower: Replica, leader: Replica) -> bool:
        """Whether a follower still is where it was when it sent its last fetch to a leader."""
        sent = self.sent[follower]
        return sent is not None and sent.leader == leader and sent.offset == self.end(follower)

    def hw_when_sent(self, follower: Replica) -> Offset:
        """The leader's high watermark in the answer to a fetch that did not wait."""
        sent = self.sent[follower]
        return 0 if sent is None else sent.hw
