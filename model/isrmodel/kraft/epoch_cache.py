"""The leader-epoch cache of a replica (KIP-101, `LeaderEpochFileCache`): where each leader epoch begins in its log.

Followers and leaders find out by it where their logs part. It is a file beside the log: an entry is made as a leader
begins to lead, with or without a record of its epoch, and as the first record of an epoch is copied. Without
`epoch_cache` the log itself says where its epochs begin, as if cache and log were one.

A broker that starts reads the file, cuts it at its log's end, and after an unclean stop adds the epochs of records
above the last entry (`LogLoader`, `LogSegment.recover`). A leader that does not know the end of a follower's last epoch
answers OFFSET_OUT_OF_RANGE; a follower without any entry truncates to its high watermark and tells no epoch.
"""

from isrmodel.kraft.kafka_16541 import EpochFile, Kafka16541, Start
from isrmodel.kraft.state import Epoch, Image
from isrmodel.vocabulary import Offset, Replica


class EpochCache(Kafka16541):
    """Rules by which entries come and go, and what they answer."""

    def latest_epoch(self, replica: Replica) -> Epoch:
        """The greatest epoch of a cache, 0 without entries."""
        return max((e for e in range(self.max_epoch + 1) if self.starts[replica][e] > 0), default=0)

    def next_start(self, replica: Replica, epoch: Epoch) -> Start:
        """Return where the first greater epoch of a cache begins, 0 without one: starts grow as epochs do."""
        return min(
            (self.starts[replica][e] for e in range(self.max_epoch + 1) if e > epoch if self.starts[replica][e] > 0),
            default=0,
        )

    def is_end_known(self, replica: Replica, epoch: Epoch) -> bool:
        """Whether a cache says where an epoch ends (`endOffsetFor`): it is the latest, or a greater one has begun."""
        return epoch == self.latest_epoch(replica) or self.next_start(replica, epoch) > 0

    def epoch_up_to(self, replica: Replica, epoch: Epoch) -> Epoch:
        """The greatest epoch of a cache up to a given one; the given one if all are greater."""
        return max((e for e in range(self.max_epoch + 1) if e <= epoch if self.starts[replica][e] > 0), default=epoch)

    def end_in_cache(self, replica: Replica, epoch: Epoch) -> Offset:
        """The end offset of an epoch by a cache that knows it."""
        if epoch == self.latest_epoch(replica):
            return len(self.log[replica])
        return sum(1 for offset in range(len(self.log[replica])) if offset + 1 < self.next_start(replica, epoch))

    def end_to_keep(self, follower: Replica, agreed: Epoch, end: Offset) -> Offset:
        """How much of its log a follower keeps, by the epoch and end that its leader answers.

        It follows `getOffsetTruncationState`: if it has no such epoch, it keeps what is before, and asks again.
        """
        if not self.is_end_known(follower, agreed):
            return min(end, len(self.log[follower]))
        elif self.epoch_up_to(follower, agreed) != agreed:
            return min(self.end_in_cache(follower, agreed), len(self.log[follower]))
        else:
            return min(end, min(self.end_in_cache(follower, agreed), len(self.log[follower])))

    def epoch_at(self, replica: Replica, offset: Offset) -> Epoch:
        """The epoch of a record by a cache, 0 if it knows none."""
        return max((e for e in range(self.max_epoch + 1) if 0 < self.starts[replica][e] <= offset + 1), default=0)

    def add_entry(self, replica: Replica, epoch: Epoch, offset: Offset) -> None:
        """An epoch begins at an offset: entries of later epochs or offsets go, and the file is on disk (`assign`)."""
        if self.epoch_cache and (
            epoch != self.latest_epoch(replica) or offset + 1 < self.starts[replica][self.latest_epoch(replica)]
        ):
            self.starts[replica] = {
                e: offset + 1
                if e == epoch
                else self.starts[replica][e]
                if e < epoch and self.starts[replica][e] <= offset
                else 0
                for e in range(self.max_epoch + 1)
            }
            self.write_entries(replica)

    def add_entry_of_last(self, follower: Replica, before: Offset) -> None:
        """A follower has copied a record, if there was one, to an offset."""
        if before < len(self.log[follower]):
            self.add_entry(follower, self.log[follower][before], before)

    def forget_entries_of_removed(self, broker: Replica) -> None:
        """A broker that is not assigned deletes its log, and the cache with it."""
        if not self.is_assigned(broker, self.seen[broker]):
            self.drop_entries(broker, 0)

    def drop_entries(self, replica: Replica, end: Offset) -> None:
        """A log is cut, and entries at or beyond its end go (`truncateFromEnd`)."""
        if self.epoch_cache:
            self.starts[replica] = {
                e: self.starts[replica][e] if self.starts[replica][e] <= end else 0 for e in range(self.max_epoch + 1)
            }
            self.write_truncation(replica)

    def read_file(self, broker: Replica) -> None:
        """A broker goes down, and comes back with the entries of its file that begin within its log."""
        if self.epoch_cache:
            is_unclean = broker in self.dirty
            self.torn[broker] = (
                1 if is_unclean and self.epoch_file == EpochFile.WRITTEN and not self.is_written(broker) else 0
            )
            if is_unclean:
                self.starts[broker] = {e: self.on_disk[broker][e] for e in range(self.max_epoch + 1)}
            self.drop_entries(broker, len(self.log[broker]))
            self.write_entries(broker)

    def recover_entries(self, broker: Replica, first: Offset) -> None:
        """Entries are those of the records from an offset on, in the segments that are recovered or copied."""
        self.torn[broker] = 0
        self.starts[broker] = {
            e: min((o + 1 for o in range(len(self.log[broker])) if o >= first if self.log[broker][o] == e), default=0)
            for e in range(self.max_epoch + 1)
        }
        self.write_entries(broker)

    def begin_epoch(self, broker: Replica, image: Image) -> None:
        """A leader notes where its epoch begins; a follower without any entry truncates to its high watermark."""
        if self.epoch_cache:
            if image.leader == broker:
                self.add_entry(broker, image.epoch, len(self.log[broker]))
            elif image.leader is not None and self.latest_epoch(broker) == 0:
                self.log[broker] = self.log[broker][: self.hw[broker]]
