"""Faults that stop a broker. Down and fenced are two things: until its session ends, a dead broker is in the ISR."""

from typing import Annotated

from isrcheck import UpTo, action, constant, policy, require
from isrmodel.kraft.follower import Follower
from isrmodel.kraft.kafka_16541 import EpochFile
from isrmodel.kraft.state import Image
from isrmodel.vocabulary import Offset, Replica


class Faults(Follower):
    """Clean stops, kills and losses of power, each with a budget."""

    kills: int = constant(0, "brokers that are killed and keep what they wrote (kill -9)")
    power_losses: int = constant(0, "brokers that lose power and with it what they had not flushed")
    rack_losses: int = constant(0, "times that two brokers lose power at once")
    flushed: bool = constant(False, "flush.messages=1: every record is on disk before it is acknowledged or fetched")
    tail: bool = constant(False, "a loss of power may keep any beginning of the log, not only nothing")

    recreations: int = constant(0, "replicas that are created again, empty, in another directory of their broker")
    old_checkpoint: bool = constant(
        False, "a broker that stops uncleanly knows no high watermark when it is back: its checkpoint was never written"
    )

    killed_so_far: Annotated[int, UpTo("kills")] = 0
    unpowered_so_far: Annotated[int, UpTo("power_losses")] = 0
    racks_lost_so_far: Annotated[int, UpTo("rack_losses")] = 0
    replaced_so_far: Annotated[int, UpTo("disks")] = 0
    recreated_so_far: Annotated[int, UpTo("recreations")] = 0

    @action(fault=True, sentence="{broker} flushes its log and stops")
    def stop(self, broker: Replica) -> None:
        """A broker flushes its log and stops; if it asked to leave, once it leads nothing."""
        require(self.has_begun() and broker not in self.down)
        require(broker not in self.leaving or self.now.leader != broker)
        require(broker in self.leaving or (self.stopped_so_far < self.clean_stops and not self.rolling))
        self.stopped_so_far += 0 if broker in self.leaving else 1
        self.limit_faults()
        self.go_down(broker)

    @action(fault=True, sentence="{broker} is killed; its log stays")
    def kill(self, broker: Replica) -> None:
        """A broker is killed: its log is in the page cache, but nobody says that it is whole."""
        require(self.has_begun() and broker not in self.down)
        require(self.killed_so_far < self.kills)
        self.killed_so_far += 1
        self.limit_faults()
        self.dirty |= {broker}
        self.write_back(broker)
        self.go_down(broker)

    @action(fault=True, sentence="{broker} loses power, and what it had not flushed")
    def lose_power(self, broker: Replica, kept: Offset) -> None:
        """A broker's machine loses power, and its log all that was not flushed."""
        require(self.has_begun() and broker not in self.down)
        require(self.may_keep(broker, kept))
        require(not self.spare_last or self.now.isr != frozenset({broker}))
        require(self.unpowered_so_far < self.power_losses)
        self.unpowered_so_far += 1
        self.limit_faults()
        self.lose_end(broker, kept)

    @action(fault=True, sentence="{one} and {other} lose power at once, and what they had not flushed")
    def lose_rack(self, one: Replica, other: Replica) -> None:
        """Two brokers lose power at once, and all that they had not flushed."""
        require(self.has_begun() and one != other)
        require(one not in self.down and other not in self.down)
        require(self.racks_lost_so_far < self.rack_losses)
        self.racks_lost_so_far += 1
        self.limit_faults()
        self.lose_end(one, self.end(one) if self.flushed else 0)
        self.lose_end(other, self.end(other) if self.flushed else 0)

    @action(fault=True, sentence="{broker} creates its replica again, empty, in another directory")
    def recreate_empty(self, broker: Replica) -> None:
        """A directory fails, and the broker creates the replica again in another one, without a restart."""
        require(self.has_begun() and broker not in self.down)
        require(self.recreated_so_far < self.recreations)
        self.recreated_so_far += 1
        self.limit_faults()
        self.log[broker] = ()
        self.drop_entries(broker, 0)
        self.hw[broker] = 0

    @action(fault=True, sentence="the disk of {broker} is replaced; its log is gone")
    def replace_disk(self, broker: Replica) -> None:
        """A broker's disk is replaced: its log is lost, flushed or not, and it has a new directory to report."""
        require(self.has_begun() and broker not in self.down)
        require(not self.spare_last or self.now.isr != frozenset({broker}))
        require(self.replaced_so_far < self.disks)
        self.replaced_so_far += 1
        self.limit_faults()
        self.unreported[broker] = 1
        self.lose_end(broker, 0)

    @action(sentence="the leader-epoch cache of {broker} is empty")
    def lose_epochs(self, broker: Replica, first: Offset) -> None:
        """A loss of power has left an empty leader-epoch cache (3.7): epochs before an offset are known no more."""
        require(self.epoch_cache and broker in self.down and self.torn[broker] == 1)
        require(first <= self.end(broker))
        self.recover_entries(broker, first)

    @action(internal=True, sentence="{broker} writes its leader-epoch cache")
    def write_epochs(self, broker: Replica) -> None:
        """The thread that writes leader-epoch caches has written a truncation (3.8)."""
        require(self.epoch_cache and self.epoch_file == EpochFile.LATER)
        require(broker not in self.down and not self.is_written(broker))
        self.write_entries(broker)

    @action(fault=True, sentence="the log of {broker} moves to another directory")
    def move_log(self, broker: Replica) -> None:
        """A broker's log moves to another of its directories (alter log dirs)."""
        require(self.has_begun() and broker not in self.down)
        require(self.epoch_cache and self.swapped_so_far < self.swaps)
        self.swapped_so_far += 1
        self.limit_faults()
        self.swap_log(broker)

    @policy
    def stop_clocks(self, broker: Replica) -> None:
        """A broker that goes down forgets what it measured of time."""

    def may_keep(self, broker: Replica, kept: Offset) -> bool:
        """Whether a loss of power may leave so much of a log: all that was flushed, nothing, or any beginning of it."""
        if self.flushed:
            return kept == self.end(broker)
        return kept < self.end(broker) and (self.tail or kept == 0)

    def lose_end(self, broker: Replica, kept: Offset) -> None:
        """A broker goes down without a clean shutdown and keeps the beginning of its log."""
        self.log[broker] = self.log[broker][:kept]
        self.hw[broker] = min(self.hw[broker], kept)
        self.dirty |= {broker}
        self.go_down(broker)

    def go_down(self, broker: Replica) -> None:
        """All that a broker had in memory is gone; a request that is still in time is on its way."""
        request = self.request[broker]
        old = request is not None and request.base < self.version
        if not self.partition_epoch or old or not self.is_sent(broker):
            self.stop_waiting(broker)
        self.unanswered[broker] = 0
        self.unsent[broker] = 0
        self.waits[broker] = {f: 0 for f in Replica}
        self.hw[broker] = 0 if self.old_checkpoint and broker in self.dirty else self.hw[broker]
        self.read_file(broker)
        self.answers[broker] = ()
        self.waiting[broker] = ()
        self.down |= {broker}
        self.candidate[broker] = None
        self.waits_since[broker] = 0
        self.seen[broker] = 0
        self.known[broker] = Image(None, 0, frozenset(), frozenset(), frozenset())
        self.heard[broker] = {f: None for f in Replica}
        self.remembered[broker] = {f: () for f in Replica}
        self.stop_clocks(broker)
        self.forget_images()
