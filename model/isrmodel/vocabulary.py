"""The words that the families share: replicas, positions in logs, ages, versions, and what a fetch brings and moves."""

from enum import Enum
from typing import Annotated

from isrcheck import Sort, UpTo


class Replica(Sort, size="replicas", symmetric=True):
    """A broker that holds a copy of the partition."""


class Follower(Sort, size="replicas - 1", symmetric=True):
    """A replica other than the leader."""


class FetchSize(Enum):
    """How much one fetch brings."""

    ALL = "everything that the leader has"
    ONE = "one record"


class HwFetches(Enum):
    """Fetches that make the leader recompute its high watermark."""

    ALL = "every fetch (up to 2.3)"
    PROGRESS = "those that tell it of a new log end offset (2.4 to 2.8)"
    PROGRESS_OR_JOIN = "those, and those that let the follower into the ISR (3.0 and later)"


Offset = Annotated[int, UpTo("max_records")]  # a position in a log; a log's end offset (LEO) is its length
RecordId = Annotated[int, UpTo("max_records - 1")]  # tells records apart, whoever wrote them
Version = Annotated[int, UpTo("max_version")]  # of the recorded leader and ISR: every write of them counts
Age = Annotated[int, UpTo("lag_time_max + 1")]  # ticks since something happened; above T all ages are equal to any test
