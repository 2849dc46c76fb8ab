"""Reachability properties, so that no property holds vacuously, and the constants with which an action may happen.

The reachability property of an action is its guard in some state, as no state remembers how it was reached.

"""

from isrcheck import applies, reachable
from isrmodel.kraft.kafka_16541 import EpochFile
from isrmodel.kraft.state import Acks
from isrmodel.kraft.stuck import Stuck
from isrmodel.vocabulary import Replica


class Reachable(Stuck):
    """A partition loses brokers and regains them."""

    @reachable
    def something_is_acked(self) -> bool:
        """A producer is told that its record is safe."""
        return self.acked != frozenset()

    @reachable
    def someone_leaves(self) -> bool:
        """The ISR shrinks: a broker has yet to learn of it and knows the larger one."""
        return any(r not in self.down and not self.known[r].isr <= self.now.isr for r in Replica)

    @reachable
    def someone_rejoins(self) -> bool:
        """The ISR grows again: a broker has yet to learn of it and knows the smaller one of the same leader epoch."""
        now = self.now
        return any(self.known[r].epoch == now.epoch and self.known[r].isr < now.isr for r in Replica)

    @reachable
    def someone_is_ineligible(self) -> bool:
        """A request is refused because of who is in it (KIP-841, KIP-903)."""
        return any(r not in self.down and self.is_considered(r) and not self.is_granted(r) for r in Replica)

    @reachable
    def someone_is_eligible(self) -> bool:
        """A replica that left the ISR is in the ELR (KIP-966)."""
        return self.now.elr != frozenset()

    @reachable
    def someone_leads_from_the_elr(self) -> bool:
        """The leader was elected from the ELR: so says the image before, which a broker still knows."""
        return any(
            self.was_eligible_only(leader, by)
            for by in Replica
            if by not in self.down and self.seen[by] + 1 == self.version
            for leader in Replica
            if self.now.leader == leader and self.is_live(leader)
        )

    @reachable
    def the_last_leader_returns(self) -> bool:
        """The leader was elected as the last known: so says the image before, which a broker still knows."""
        return any(
            self.known[by].leader is None and self.known[by].isr | self.known[by].elr == frozenset()
            for by in Replica
            if by not in self.down and self.seen[by] > 0 and self.seen[by] + 1 == self.version
            if self.now.leader is not None
        )

    @reachable
    def a_fetch_diverges(self) -> bool:
        """A follower is told that its log diverges from its leader's (KIP-320)."""
        return any(self.is_served(r, leader) and self.diverges(r, leader) for r in Replica for leader in Replica)

    @reachable
    def a_zombie_writes(self) -> bool:
        """A broker that no longer leads takes a producer's record."""
        return any(
            self.leads(r)
            and not self.rules(r)
            and self.end(r) < self.max_records
            and (self.acks != Acks.ALL or self.accepts(r, self.known[r].isr))
            for r in Replica
        )

    @reachable
    def a_reassignment_completes(self) -> bool:
        """The partition has been reassigned, and nothing of that is in progress."""
        return self.reassigned_so_far > 0 and not self.is_being_reassigned()

    @reachable
    def a_removed_leader_leads_on(self) -> bool:
        """A leader has lost its replica to a reassignment, and steps down only once it reads of it."""
        return any(self.leads(r) and not self.is_assigned(r, self.version) for r in Replica)

    def was_eligible_only(self, replica: Replica, by: Replica) -> bool:
        """Whether a broker knows an image without a leader, in whose ELR, and not in whose ISR, a replica is."""
        known = self.known[by]
        return known.leader is None and known.isr == frozenset() and replica in known.elr

    def stops(self) -> int:
        """How many brokers may stop."""
        return self.clean_stops + self.unclean_stops()

    def unclean_stops(self) -> int:
        """How many brokers may stop without a clean shutdown."""
        return self.kills + self.power_losses + self.disks + 2 * self.rack_losses

    @applies("something_is_acked")
    def producers_are_answered(self) -> bool:
        """A producer is told nothing with acks=0, and with acks=all nothing below min.insync.replicas."""
        return self.acks == Acks.ONE or (
            self.acks == Acks.ALL and (self.strict or self.min_isr <= self.replicas - self.spares)
        )

    @applies("someone_leaves", "someone_rejoins", "someone_is_eligible")
    def someone_may_leave(self) -> bool:
        """Nobody leaves an ISR in which nobody is fenced, slow or down."""
        return self.fences + self.shrinks + self.stops() > 0 or self.has_clock()

    @applies("someone_is_ineligible", "refuse_ineligible")
    def someone_may_be_ineligible(self) -> bool:
        """Nobody is refused before KIP-841 and KIP-903; after them, whoever is fenced or stopped."""
        return (self.kip_841 or self.kip_903) and self.fences + self.stops() > 0

    @applies("someone_is_eligible", "someone_leads_from_the_elr")
    def there_is_an_elr(self) -> bool:
        """Nobody is in the ELR if it is switched off, nor with min_isr=1 beside an ISR."""
        return self.elr

    @applies("someone_leads_from_the_elr")
    def the_isr_may_be_empty(self) -> bool:
        """The ELR is asked once all members of the first ISR have left it."""
        members = self.replicas - self.spares if self.initial_isr == 0 else self.initial_isr
        return self.fences + self.shrinks + self.stops() >= members

    @applies("the_last_leader_returns")
    def the_last_leader_is_known(self) -> bool:
        """The ELR is empty only once min.insync.replicas brokers have registered after an unclean stop."""
        return (
            self.elr
            and self.last_known
            and not self.balanced
            and (
                self.unclean_stops() >= min(self.min_isr, self.replicas - self.spares)
                or (not self.report_keeps_elr and self.unclean_stops() + self.dir_reports > 0)
            )
        )

    @applies("a_fetch_diverges", "a_zombie_writes")
    def leaders_change(self) -> bool:
        """Logs diverge only if there is a second leader, and only then does a broker lead that is not on record."""
        return self.fences + self.elections + self.reassignments + self.stops() > 0

    @applies("fence", "unfence")
    def someone_is_fenced(self) -> bool:
        """A broker is fenced only if it stopped, or by one of `fences`."""
        return self.fences + self.stops() > 0

    @applies("register")
    def someone_stops(self) -> bool:
        """Nobody stops without a clean stop, a kill or a loss of power."""
        return self.stops() > 0

    @applies("leave", "stop")
    def someone_stops_cleanly(self) -> bool:
        """Nobody shuts down by plan unless `clean_stops` is above 0."""
        return self.clean_stops > 0

    @applies("kill")
    def someone_is_killed(self) -> bool:
        """Nobody is killed unless `kills` is above 0."""
        return self.kills > 0

    @applies("lose_power")
    def someone_loses_power(self) -> bool:
        """Nobody loses power alone unless `power_losses` is above 0."""
        return self.power_losses > 0

    @applies("lose_rack")
    def a_rack_loses_power(self) -> bool:
        """No two brokers lose power at once without `rack_losses`, or without another replica."""
        return self.rack_losses > 0 and self.replicas > 1

    @applies("replace_disk")
    def a_disk_is_replaced(self) -> bool:
        """No disk is replaced unless `disks` is above 0."""
        return self.disks > 0

    @applies("recreate_empty")
    def a_replica_is_recreated(self) -> bool:
        """No replica is created again unless `recreations` is above 0."""
        return self.recreations > 0

    @applies("report_dir")
    def a_directory_is_reported(self) -> bool:
        """A directory is reported only after a disk was replaced, or by one of `dir_reports`."""
        return self.disks + self.dir_reports > 0

    @applies("elect")
    def leaders_are_moved(self) -> bool:
        """No leader is moved by plan unless `elections` is above 0."""
        return self.elections > 0

    @applies("ask_drop")
    def followers_are_slow(self) -> bool:
        """No leader asks to drop a follower without `shrinks` or a clock."""
        return self.shrinks > 0 or self.has_clock()

    @applies("check_follower")
    def followers_are_looked_at_twice(self) -> bool:
        """A leader checks a follower in a step of its own only before KAFKA-15221."""
        return not self.one_look

    @applies("answer")
    def answers_come_apart(self) -> bool:
        """An answer and the metadata that it brings are one step, except before KAFKA-12686."""
        return self.clears_pending

    @applies("delay_fetch", "serve_late")
    def fetches_are_late(self) -> bool:
        """A fetch arrives at once or never unless `late_fetches` is true."""
        return self.late_fetches

    @applies("delay_answer", "take_late")
    def answers_are_late(self) -> bool:
        """An answer to a fetch arrives at once or never unless `late_answers` is true."""
        return self.late_answers

    @applies("wait_for", "wait_no_more")
    def the_high_watermark_waits(self) -> bool:
        """A leader waits for the ISR only, unless `hw_waits` is true."""
        return self.hw_waits

    @applies("take_over", "dead_are_fenced")
    def controllers_fail(self) -> bool:
        """No controller takes over unless `controller_failures` is above 0."""
        return self.controller_failures > 0

    @applies("beat")
    def controllers_forget(self) -> bool:
        """A controller expects heartbeats of all brokers unless it took over before KAFKA-18138."""
        return self.controller_failures > 0 and not self.tracks_all

    @applies("cut_out_of_range")
    def caches_may_lack_epochs(self) -> bool:
        """A leader knows the epochs of its followers unless its leader-epoch cache was emptied or moved."""
        return self.epoch_cache and (self.swaps > 0 or self.file_may_be_empty())

    @applies("lose_epochs")
    def caches_may_be_lost(self) -> bool:
        """A leader-epoch cache is lost with a loss of power, in 3.7 (KAFKA-16541)."""
        return self.file_may_be_empty()

    def file_may_be_empty(self) -> bool:
        """Whether a loss of power may leave an empty leader-epoch cache."""
        return self.epoch_cache and self.epoch_file == EpochFile.WRITTEN and self.power_losses + self.rack_losses > 0

    @applies("write_epochs")
    def caches_are_written_later(self) -> bool:
        """A truncation is in the file at once in releases before 3.8."""
        return self.epoch_cache and self.epoch_file == EpochFile.LATER

    @applies("move_log")
    def logs_move(self) -> bool:
        """No log moves between directories unless `swaps` is above 0."""
        return self.epoch_cache and self.swaps > 0

    @applies("reassign", "a_reassignment_completes", "a_removed_leader_leads_on")
    def is_reassigned(self) -> bool:
        """The assignment changes only with `reassignments`, and with a broker to add or one to spare."""
        return self.reassignments > 0 and self.replicas > 1

    @applies("leave_out")
    def there_are_spares(self) -> bool:
        """Every broker holds a replica from the beginning unless `spares` is above 0."""
        return self.spares > 0

    @applies("roll_back")
    def requests_are_taken_back(self) -> bool:
        """A leader takes back a request that is refused as stale only before KAFKA-14144."""
        return self.rolls_back
