"""KAFKA-15046 (3.7) and KAFKA-16541 (3.8): when the file of a leader-epoch cache says that its log was truncated.

A new entry is on disk before its record is in the log, in every release. What a truncation takes away is off the disk
as well to 3.6. In 3.7 the file is written and not flushed: a loss of power may leave the one before, or an empty one.
Since 3.8 another thread writes it a little later: until then a crash leaves the file as it was.
"""

from enum import Enum
from typing import Annotated

from isrcheck import UpTo, constant, each
from isrmodel.kraft.state import Epoch, State
from isrmodel.vocabulary import Replica

Start = Annotated[int, UpTo("epoch_cache * (max_records + 1)")]  # 1 above the offset; 0 without an entry
Torn = Annotated[int, UpTo("epoch_cache")]  # 1 if so


class EpochFile(Enum):
    """The moment at which a truncation of the leader-epoch cache is in its file."""

    FLUSHED = "flushed"  # at once, on disk
    WRITTEN = "written"  # at once, and on disk with the next entry
    LATER = "later"  # once another thread has written it


class Kafka16541(State):
    """Each replica's entries as it has them in memory, and as a crash may leave them."""

    epoch_cache: bool = constant(
        False, "replicas have leader-epoch caches, which may say something else than their logs after a crash"
    )
    epoch_file: EpochFile = constant(EpochFile.LATER, "when the file of a leader-epoch cache has a truncation")

    starts: dict[Replica, dict[Epoch, Start]] = each(Replica, each(Epoch, 0))
    on_disk: dict[Replica, dict[Epoch, Start]] = each(Replica, each(Epoch, 0))
    torn: dict[Replica, Torn] = each(Replica, 0)  # of a broker that is down: its file may be empty

    def is_written(self, replica: Replica) -> bool:
        """Whether a crash would leave the cache as it is."""
        return all(self.on_disk[replica][e] == self.starts[replica][e] for e in range(self.max_epoch + 1))

    def write_entries(self, replica: Replica) -> None:
        """The file on disk has what the cache has."""
        self.on_disk[replica] = {e: self.starts[replica][e] for e in range(self.max_epoch + 1)}

    def write_truncation(self, replica: Replica) -> None:
        """A truncation is on disk at once only to 3.6."""
        if self.epoch_file == EpochFile.FLUSHED:
            self.write_entries(replica)

    def write_back(self, replica: Replica) -> None:
        """A file that a broker has written outlives its kill, in the page cache."""
        if self.epoch_file == EpochFile.WRITTEN:
            self.write_entries(replica)
