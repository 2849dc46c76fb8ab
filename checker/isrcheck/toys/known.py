"""What is known of each toy, worked out apart from every engine: by reasoning where the toy is small enough, and
otherwise by a program written for that toy alone.
"""

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Known:
    """The outcome of a complete run.

    `properties` maps each to its verdict and its trace's length: of the shortest violation, or of the shortest way to
    meet a reachability property; None where there is no trace. A reachability property that no state meets is violated.
    """

    distinct: int
    generated: int
    depth: int
    pruned: int
    properties: dict[str, tuple[str, int | None]]
    deadlock: int | None = None  # the length of the shortest trace to a state without steps
    constants: dict[str, Any] = field(default_factory=dict)  # those that differ from the defaults


HOLDS = ("holds", None)


def holds_after(length: int) -> tuple[str, int]:
    """The verdict on a reachability property that is met in a trace of this length."""
    return ("holds", length)


def violated_after(length: int) -> tuple[str, int]:
    """The verdict on a property that is violated in a trace of this length."""
    return ("violated", length)


NEVER = ("violated", None)  # a reachability property that no state meets


KNOWN: dict[str, Known] = {
    "toy-clock": Known(
        12, 13, 12, 0, {"within_a_day": HOLDS, "one_minute_at_a_time": HOLDS, "last_minute": holds_after(12)}
    ),
    "toy-mutex": Known(
        24, 43, 7, 0, {"mutual_exclusion": HOLDS, "flags_are_true": HOLDS, "someone_waits": holds_after(6)}
    ),
    "toy-queue": Known(
        21,
        37,
        5,
        24,
        {
            "never_too_long": HOLDS,
            "order_is_kept": HOLDS,
            "full_of_red": holds_after(3),
            "newest_is_like_the_last": holds_after(4),
        },
    ),
    "toy-counter": Known(4, 9, 4, 3, {"within_limit": HOLDS, "below_three": violated_after(4)}),
    "toy-messages": Known(
        111,
        390,
        11,
        100,
        {
            "acknowledged_is_received": HOLDS,
            "acks_are_true": HOLDS,
            "nothing_is_forgotten": HOLDS,
            "silence": holds_after(9),
        },
    ),
    "toy-born-wrong": Known(2, 3, 2, 0, {"dark": violated_after(1), "bright": holds_after(1)}),
    "toy-ratchet": Known(
        3,
        7,
        3,
        1,
        {"never_back": violated_after(4), "always_moves": violated_after(2), "one_tooth_at_a_time": HOLDS},
    ),
    "toy-cashier": Known(
        9,
        37,
        3,
        18,
        {
            "withdrawals_are_exact": HOLDS,
            "nobody_goes_broke": violated_after(3),
            "deposits_are_small": violated_after(2),
        },
    ),
    "toy-evens": Known(4, 4, 4, 1, {"even": HOLDS, "six": holds_after(4), "odd": NEVER}),
    "toy-forks": Known(9, 15, 3, 0, {"two_forks_at_most": HOLDS, "someone_can_eat": holds_after(3)}, deadlock=3),
    "toy-seats": Known(
        131,
        537,
        5,
        0,
        {
            "one_seat_each": HOLDS,
            "first_is_unpaid": HOLDS,
            "everybody_paid": holds_after(5),
            "first_guest_left": holds_after(3),
        },
    ),
    "toy-crossing": Known(
        20,
        49,
        7,
        0,
        {
            "one_at_a_time": HOLDS,
            "nobody_waits_at_green": HOLDS,
            "walkers_alone_wait": HOLDS,
            "people_walk": holds_after(2),
        },
    ),
    "toy-crossing-careless": Known(
        81,
        271,
        8,
        0,
        {
            "one_at_a_time": violated_after(3),
            "nobody_waits_at_green": HOLDS,
            "walkers_alone_wait": HOLDS,
            "people_walk": holds_after(2),
            "broken_is_red": HOLDS,
            "jam": holds_after(4),
        },
    ),
    "toy-thermometer": Known(
        9,
        14,
        6,
        2,
        {"within_what_was_seen": HOLDS, "not_unseen": HOLDS, "memory_grows": HOLDS, "all_seen": holds_after(5)},
    ),
    "toy-ledger": Known(
        56,
        125,
        9,
        54,
        {
            "no_coin_is_lost": HOLDS,
            "nobody_has_most": HOLDS,
            "smallest_is_least": HOLDS,
            "gifts_are_small": violated_after(3),
            "givers_are_friends": HOLDS,
            "book_grows_by_gifts": HOLDS,
            "everybody_gave": holds_after(4),
            "a_gift_came_back": holds_after(4),
            "fund_is_full": NEVER,
        },
    ),
    "toy-shelf": Known(73, 123, 5, 384, {"nothing_beyond": HOLDS, "one_mark_each": HOLDS, "emptied": holds_after(5)}),
    "toy-train": Known(
        637,
        1821,
        8,
        1904,
        {
            "no_empty_train": HOLDS,
            "no_salt_behind_coal": violated_after(4),
            "trains_keep_their_head": HOLDS,
            "all_salt": holds_after(4),
        },
    ),
    "toy-lottery": Known(
        41,
        45,
        4,
        0,
        {
            "winners_look_on_no_more": HOLDS,
            "numbers_are_sold_once": HOLDS,
            "nobody_wins": holds_after(3),
            "rollover_of_cake": holds_after(3),
        },
        deadlock=3,
    ),
    "toy-juggler": Known(
        280,
        1069,
        10,
        508,
        {
            "hands_within_reach": HOLDS,
            "throws_are_upward": violated_after(5),
            "three_equal_throws": holds_after(4),
            "throws_add_up": HOLDS,
            "caught_one": holds_after(2),
        },
    ),
}

# The same for other constants, some given as a command line gives them.
KNOWN_ELSEWHERE: tuple[tuple[str, Known], ...] = (
    (
        "toy-clock",
        Known(
            10,
            11,
            10,
            0,
            {"within_a_day": HOLDS, "one_minute_at_a_time": HOLDS, "last_minute": holds_after(10)},
            constants={"hours": "2", "minutes": 5},
        ),
    ),
    (
        "toy-counter",
        Known(5, 12, 4, 3, {"within_limit": HOLDS, "below_three": violated_after(4)}, constants={"limit": 4}),
    ),
    (
        "toy-crossing",
        Known(
            1,
            1,
            1,
            0,
            {
                "one_at_a_time": HOLDS,
                "nobody_waits_at_green": HOLDS,
                "walkers_alone_wait": HOLDS,
                "people_walk": NEVER,
            },
            deadlock=1,
            constants={"mode": "blinking"},
        ),
    ),
    (
        "toy-crossing-careless",
        Known(
            27,
            82,
            7,
            0,
            {
                "one_at_a_time": violated_after(3),
                "nobody_waits_at_green": HOLDS,
                "walkers_alone_wait": HOLDS,
                "people_walk": holds_after(2),
                "broken_is_red": HOLDS,
                "jam": NEVER,
            },
            constants={"patience": 0},
        ),
    ),
)
