"""Tiny models with known answers, which together use every construct of the language."""

from dataclasses import dataclass, field
from typing import Any

from isrcheck.ir.property_kinds import REACHABLE
from isrcheck.lang.declare import Model
from isrcheck.lang.read import read_model
from isrtoys.containers import Queue, Shelf, Yard
from isrtoys.counting import BornWrong, Clock, Counter, Evens, Ratchet, Thermometer
from isrtoys.crossing import Careful, Careless
from isrtoys.juggler import Juggler
from isrtoys.ledger import Ledger
from isrtoys.people import Cashier, Lottery, Seats
from isrtoys.post import Post
from isrtoys.processes import Forks, Messages, Mutex


@dataclass(frozen=True, slots=True)
class KnownRun:
    """The outcome of a complete run, found apart from every engine.

    `found` has the length of the shortest violation, or the shortest way to a target.
    """

    toy: type[Model]
    distinct: int
    generated: int
    depth: int
    pruned: int
    lengths: dict[str, int]
    deadlock: int | None = None  # the length of the shortest trace to a state without steps
    constants: dict[str, Any] = field(default_factory=dict)  # those that differ from the defaults

    @property
    def properties(self) -> dict[str, tuple[str, int | None]]:
        """Verdicts and trace lengths."""
        lengths = self.lengths
        return {
            p.name: ("holds" if (p.name in lengths) == (p.kind == REACHABLE) else "violated", lengths.get(p.name))
            for p in read_model(self.toy).properties
        }


KNOWN = {
    "toy-clock": KnownRun(Clock, 12, 13, 12, 0, {"last_minute": 12}),
    "toy-mutex": KnownRun(Mutex, 24, 43, 7, 0, {"someone_waits": 6}),
    "toy-queue": KnownRun(Queue, 21, 37, 5, 24, {"full_of_red": 3, "newest_is_like_the_last": 4}),
    "toy-counter": KnownRun(Counter, 4, 9, 4, 3, {"below_three": 4}),
    "toy-messages": KnownRun(Messages, 111, 390, 11, 100, {"silence": 9}),
    "toy-born-wrong": KnownRun(BornWrong, 2, 3, 2, 0, {"dark": 1, "bright": 1}),
    "toy-ratchet": KnownRun(Ratchet, 3, 7, 3, 1, {"never_back": 4, "always_moves": 2}),
    "toy-cashier": KnownRun(Cashier, 9, 37, 3, 18, {"nobody_goes_broke": 3, "deposits_are_small": 2}),
    "toy-evens": KnownRun(Evens, 4, 4, 4, 1, {"six": 4}),
    "toy-forks": KnownRun(Forks, 9, 15, 3, 0, {"someone_can_eat": 3}, deadlock=3),
    "toy-seats": KnownRun(Seats, 131, 537, 5, 0, {"everybody_paid": 5, "first_guest_left": 3}),
    "toy-crossing": KnownRun(Careful, 20, 49, 7, 0, {"people_walk": 2}),
    "toy-crossing-careless": KnownRun(Careless, 81, 271, 8, 0, {"one_at_a_time": 3, "people_walk": 2, "jam": 4}),
    "toy-thermometer": KnownRun(Thermometer, 9, 14, 6, 2, {"all_seen": 5}),
    "toy-ledger": KnownRun(Ledger, 56, 125, 9, 54, {"gifts_are_small": 3, "everybody_gave": 4, "a_gift_came_back": 4}),
    "toy-shelf": KnownRun(Shelf, 73, 123, 5, 384, {"emptied": 5}),
    "toy-train": KnownRun(Yard, 637, 1821, 8, 1904, {"no_salt_behind_coal": 4, "all_salt": 4}),
    "toy-lottery": KnownRun(Lottery, 41, 45, 4, 0, {"nobody_wins": 3, "rollover_of_cake": 3}, deadlock=3),
    "toy-post": KnownRun(Post, 412, 2461, 10, 0, {"both_are_read_apart": 6, "silence_is_read": 4}),
    "toy-juggler": KnownRun(
        Juggler, 280, 1069, 10, 508, {"throws_are_upward": 5, "three_equal_throws": 4, "caught_one": 2}
    ),
}
TOYS = {name: known.toy for name, known in KNOWN.items()}

# The same for other constants, some given as a command line gives them.
KNOWN_ELSEWHERE = (
    ("toy-clock", KnownRun(Clock, 10, 11, 10, 0, {"last_minute": 10}, constants={"hours": "2", "minutes": 5})),
    ("toy-counter", KnownRun(Counter, 5, 12, 4, 3, {"below_three": 4}, constants={"limit": 4})),
    ("toy-crossing", KnownRun(Careful, 1, 1, 1, 0, {}, deadlock=1, constants={"mode": "blinking"})),
    (
        "toy-crossing-careless",
        KnownRun(Careless, 27, 82, 7, 0, {"one_at_a_time": 3, "people_walk": 2}, constants={"patience": 0}),
    ),
)
