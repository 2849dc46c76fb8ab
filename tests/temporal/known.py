"""Small models with known answers, each with its source in the literature."""

from dataclasses import dataclass, field
from typing import Any

from tests.temporal.models import channels, fairness, locks, rings

from isrcheck import Model

HOLDS, VIOLATED, UNDETERMINED = "holds", "violated", "undetermined"


@dataclass(frozen=True)
class Known:
    model: type[Model]
    verdicts: dict[str, str]
    source: str
    constants: dict[str, Any] = field(default_factory=dict)
    fairness: str = ""  # an environment
    tlc: dict[str, str] = field(default_factory=dict)  # TLC's verdicts where they differ, which `source` explains

    @property
    def name(self) -> str:
        constants = (f"{n}={v}" for n, v in self.constants.items())
        return " ".join([self.model.__name__, *constants, *self.environments])

    @property
    def environments(self) -> list[str]:
        return [self.fairness] if self.fairness else []

    @property
    def by_tlc(self) -> dict[str, str]:
        return {**self.verdicts, **self.tlc}


PETERSON = "Peterson 1981"
DEKKER = "Dijkstra, EWD123 (Dekker)"
SPIN = "folklore; Magee and Kramer, chapter 7"
TWO_PROBLEMS = "Courtois, Heymans, Parnas 1971"
LAMPORT = "Lamport, Specifying Systems"
STOPS = f"{LAMPORT}, chapter 8: a behaviour may stop unless fairness forbids it"
BOUND = "every fair behaviour meets the bound"
BEGAN, FORKS = "whoever_began_goes_on", "forks_are_taken"

KNOWN = (
    Known(locks.Peterson, {"waiting_ends": HOLDS}, PETERSON, fairness=BEGAN),
    Known(locks.Peterson, {"waiting_ends": VIOLATED}, f"{PETERSON}, without fairness"),
    Known(locks.Dekker, {"waiting_ends": HOLDS}, DEKKER, fairness=BEGAN),
    Known(locks.Dekker, {"waiting_ends": VIOLATED}, f"{DEKKER}, without fairness"),
    Known(locks.Bakery, {"waiting_ends": HOLDS}, "Lamport 1974"),
    Known(locks.BakeryWithoutEnd, {"coming_in_ends": UNDETERMINED}, BOUND, tlc={"coming_in_ends": HOLDS}),
    Known(locks.SpinLock, {"waiting_ends": VIOLATED, "somebody_gets_in": HOLDS}, SPIN),
    Known(locks.SpinLock, {"waiting_ends": HOLDS, "somebody_gets_in": HOLDS}, SPIN, fairness="patient_lock"),
    Known(locks.QueueLock, {"waiting_ends": HOLDS, "somebody_gets_in": HOLDS}, "Dijkstra, EWD123; strong semaphore"),
    Known(locks.TicketLock, {"waiting_ends": HOLDS, "somebody_gets_in": HOLDS}, "Mellor-Crummey and Scott 1991"),
    Known(locks.CountingLock, {"waiting_ends": HOLDS, "somebody_gets_in": HOLDS}, "the bound stops no fair action"),
    Known(
        rings.LeftFirst,
        {"nobody_starves": VIOLATED, "somebody_eats": VIOLATED},
        "Dijkstra, EWD310: deadlock, whatever the fairness",
        fairness=FORKS,
    ),
    Known(
        rings.OneRightFirst,
        {"nobody_starves": HOLDS, "somebody_eats": HOLDS},
        "Dijkstra, EWD310: resources in an order; strong fairness",
        fairness=FORKS,
    ),
    Known(
        rings.OneRightFirst,
        {"nobody_starves": VIOLATED, "somebody_eats": HOLDS},
        "the same with weak fairness: the neighbours conspire",
    ),
    Known(channels.Handshake, {"values_arrive": HOLDS, "values_are_sent": VIOLATED}, f"{LAMPORT}, chapter 3"),
    Known(
        channels.AlternatingBit,
        {"message_arrives": VIOLATED, "sender_goes_on": VIOLATED},
        f"{LAMPORT}, chapter 14.2: all may be lost",
    ),
    Known(
        channels.AlternatingBit,
        {"message_arrives": HOLDS, "sender_goes_on": HOLDS},
        f"{LAMPORT}, chapter 14.2",
        fairness="what_is_sent_for_ever_is_received",
    ),
    Known(channels.Buffer, {"full_buffer_drains": HOLDS, "everybody_is_served": VIOLATED}, SPIN),
    Known(
        channels.Buffer,
        {"full_buffer_drains": HOLDS, "everybody_is_served": HOLDS},
        SPIN,
        fairness="no_consumer_is_overtaken",
    ),
    Known(channels.ReadersFirst, {"writer_gets_in": VIOLATED, "readers_get_in": HOLDS}, f"{TWO_PROBLEMS}, problem 1"),
    Known(channels.WritersFirst, {"writer_gets_in": HOLDS, "readers_get_in": VIOLATED}, f"{TWO_PROBLEMS}, problem 2"),
    Known(rings.TokenRing, {"waiting_ends": HOLDS}, "Le Lann 1977"),
    Known(rings.RingElection, {"leader_is_elected": HOLDS}, "Chang and Roberts 1979"),
    Known(rings.Termination, {"termination_is_detected": HOLDS, "work_ends": VIOLATED}, "Dijkstra and others, EWD840"),
    Known(rings.SelfStabilising, {"one_privilege_remains": HOLDS, "everybody_gets_it": HOLDS}, "Dijkstra 1974, EWD391"),
    Known(
        rings.SelfStabilising,
        {"one_privilege_remains": VIOLATED, "everybody_gets_it": HOLDS},
        "the same with too few states",
        {"states": 2},
    ),
    Known(fairness.HourClock, {"every_hour_comes": HOLDS, "it_stays_early": VIOLATED}, f"{LAMPORT}, chapters 2 and 8"),
    Known(fairness.StoppingClock, {"every_hour_comes": VIOLATED, "some_hour_comes": HOLDS}, STOPS),
    Known(fairness.Switch, {"comes_on": VIOLATED, "what_is_on_is_on": HOLDS}, STOPS),
    Known(fairness.Poller, {"somebody_asks": VIOLATED}, f"{LAMPORT}, chapter 8.4: WF_v is of steps that change v"),
    Known(fairness.Separator, {"gets_in": VIOLATED}, f"{LAMPORT}, chapter 8.6: weak fairness does not suffice"),
    Known(fairness.Separator, {"gets_in": HOLDS}, f"{LAMPORT}, chapter 8.6", fairness="patient_door"),
    Known(fairness.Scheduler, {"everybody_runs": VIOLATED, "somebody_runs": VIOLATED}, STOPS),
    Known(
        fairness.Scheduler,
        {"everybody_runs": HOLDS, "somebody_runs": HOLDS},
        f"{LAMPORT}, chapter 8.5: for each choice apart",
        {"processes": 3},
        "all_run",
    ),
    Known(
        fairness.Scheduler,
        {"everybody_runs": VIOLATED, "somebody_runs": HOLDS},
        f"{LAMPORT}, chapter 8.5: for the disjunction",
        {"processes": 3},
        "some_run",
    ),
    Known(
        fairness.Scheduler,
        {"everybody_runs": HOLDS, "somebody_runs": HOLDS},
        "strong fairness implies weak",
        fairness="all_run_strongly",
    ),
    Known(fairness.Coins, {"leader_is_elected": VIOLATED, "both_throw": HOLDS}, "Itai and Rodeh 1990: only with luck"),
    Known(fairness.PairOfCoins, {"leader_is_elected": HOLDS}, "luck as fairness: each choice", fairness="each_side"),
    Known(fairness.PairOfCoins, {"leader_is_elected": VIOLATED}, "no luck: of any choice", fairness="any_side"),
    Known(
        fairness.SweepingLift,
        {"calls_are_answered": HOLDS, "all_are_answered_at_once": VIOLATED},
        "the elevator algorithm (Knuth, volume 1, 2.2.5)",
    ),
    Known(
        fairness.LowestFirstLift,
        {"calls_are_answered": VIOLATED, "all_are_answered_at_once": VIOLATED},
        "shortest seek first starves",
    ),
    Known(
        fairness.Counter,
        {"even_comes_again": UNDETERMINED, "one_is_counted": HOLDS},
        BOUND,
        tlc={"even_comes_again": HOLDS},
    ),
    Known(
        fairness.Countdown,
        {"reaches_the_end": HOLDS, "begins_again": VIOLATED},
        "nothing is owed where nothing can be done",
    ),
)
