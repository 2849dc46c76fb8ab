"""The words of the ISR admission family: fetches under way, clocks, and the choices that a run makes."""

from enum import Enum
from typing import NamedTuple

from isrmodel.vocabulary import Age


class Leader(Enum):
    """The leader, of which there is one. It is in every ISR, as in Kafka."""

    LEADER = "leader"


class Reading(NamedTuple):
    """A fetch that the leader has received and is still reading the log for."""

    age: Age  # since it arrived
    was_caught_up: bool  # it asked for no less than the leader had at the follower's fetch before


class Pace(Enum):
    """How often followers fetch."""

    FREE = "at any time, any number of times, or never again"
    EVERY_TICK = "each follower once between two ticks; with fetches of two steps, it has one under way or served since"
    ALWAYS_FETCHING = "each follower has its next fetch under way whenever time passes; fetches of two steps only"


class Appends(Enum):
    """Times at which producers' records reach the log."""

    FREE = "at any time"
    IN_READ_WINDOW = "only while a fetch is between its read and the leader's account of it"


class LeoTaken(Enum):
    """Log ends of the leader with which a fetch's offset may be compared."""

    BEFORE_READ = "the one from just before the log was read"
    AFTER_READ = "the one at the time of comparing"


class FetchSteps(Enum):
    """Whether time may pass while a fetch is being read."""

    ONE = "a fetch is answered at once"
    TWO = "a fetch arrives, and is served any time later"


class Clock(Enum):
    """Clocks that the leader may keep of a follower besides the offset and the time of its last fetch."""

    CAUGHT_UP = "lastCaughtUpTimeMs: when it last had all that the leader had"
    LAG_BEGIN = "lagBegin: since when it has not (KIP-16's text)"
    FETCH_LEO = "lastFetchLeaderLogEndOffset: the leader's log end at its last fetch (KAFKA-4485)"


class Event(Enum):
    """Events that may make the leader recompute its high watermark."""

    APPEND = "a record was appended"
    FETCH = "a fetch told the leader of a new log end offset"
    JOIN = "a fetch let the follower into the ISR, and told the leader of no new log end offset"
    REPEATED_FETCH = "a fetch told the leader nothing new"
    SHRINK = "the expiration task took somebody out of the ISR"


class IsrChange(Enum):
    """Occasions on which the ISR changes."""

    TASK = "a fetch admits, the periodic isr-expiration task evicts"
    FETCH = "a fetch admits and evicts; there is no task"
    DEFINITION = "nobody: it follows from offsets and ages at every moment"
