"""What fairness is and is not: clocks, switches, schedulers, coins and lifts."""

from typing import Annotated

from isrcheck import (
    Model,
    Sort,
    Taken,
    Temporal,
    UpTo,
    action,
    always_eventually,
    constant,
    each,
    eventually,
    eventually_always,
    fairness,
    leads_to,
    require,
    start,
    temporal,
)

Hour = Annotated[int, UpTo("hours - 1")]
Bit = Annotated[int, UpTo(1)]


class Clock(Model):
    """An hour, and what is asked of it."""

    hours: int = constant(12, "hours of a day", at_least=1)

    hour: Hour = 0

    @temporal
    def every_hour_comes(self) -> Temporal:
        return all(always_eventually(self.hour == h) for h in range(self.hours))


class HourClock(Clock):
    """Lamport's clock (Specifying Systems, chapters 2 and 8)."""

    @action(fair="weak")
    def tick(self) -> None:
        self.hour = (self.hour + 1) % self.hours

    @temporal
    def it_stays_early(self) -> Temporal:
        return eventually_always(self.hour == 0)


class StoppingClock(Clock):
    """The same without fairness: it may stop."""

    @action
    def tick(self) -> None:
        self.hour = (self.hour + 1) % self.hours

    @temporal
    def some_hour_comes(self) -> Temporal:
        return always_eventually(self.hour < self.hours)


class Switch(Model):
    """It is never switched on: the shortest behaviour without end is one state."""

    on: bool = False

    @action
    def switch(self) -> None:
        require(not self.on)
        self.on = True

    @temporal
    def comes_on(self) -> Temporal:
        return eventually(self.on)

    @temporal
    def what_is_on_is_on(self) -> Temporal:
        return leads_to(self.on, self.on)


class Poller(Model):
    """Fairness of a step that changes nothing asks for nothing: WF is of steps that change a variable."""

    asked: bool = False

    @action(fair="strong")
    def poll(self) -> None:
        self.asked = self.asked or False

    @action
    def ask(self) -> None:
        self.asked = True

    @temporal
    def somebody_asks(self) -> Temporal:
        return eventually(self.asked)


class Separator(Model):
    """A door that opens and closes: weak fairness lets one go by for ever, strong fairness does not."""

    is_open: bool = False
    inside: bool = False

    @action(fair="weak")
    def open_or_close(self) -> None:
        require(not self.inside)
        self.is_open = not self.is_open

    @temporal
    def gets_in(self) -> Temporal:
        return eventually(self.inside)

    @fairness(fair="strong")
    def patient_door(self, taken: Taken) -> bool:
        return taken.action == "go_in"

    @action(fair="weak")
    def go_in(self) -> None:
        require(self.is_open and not self.inside)
        self.inside = True


class Process(Sort, size="processes"):
    """Who is scheduled."""


class Scheduler(Model):
    """One process runs at a time."""

    processes: int = constant(2, "processes", at_least=1)

    running: Process | None = None

    @temporal
    def everybody_runs(self) -> Temporal:
        return all(always_eventually(self.running == p) for p in Process)

    @temporal
    def somebody_runs(self) -> Temporal:
        return eventually(self.running is not None)

    @fairness
    def all_run(self, taken: Taken) -> bool:
        return True

    @fairness(fair="weak-any")
    def some_run(self, taken: Taken) -> bool:
        return True

    @fairness(fair="strong")
    def all_run_strongly(self, taken: Taken) -> bool:
        return True

    @action
    def run(self, p: Process) -> None:
        require(self.running != p)
        self.running = p


class Coins(Model):
    """Two that are alike elect a leader: both throw a coin, and throw again while they show the same (Itai, Rodeh)."""

    coin: dict[Bit, Bit | None] = each(Bit, None)

    @action(fair="strong")
    def throw(self, who: Bit, side: Bit) -> None:
        """Strong fairness for each side of each coin, and the sides may still agree each time."""
        require(self.coin[who] is None)
        self.coin[who] = side

    @action(fair="weak")
    def again(self) -> None:
        require(self.coin[0] is not None and self.coin[0] == self.coin[1])
        self.coin = {who: None for who in range(2)}

    @temporal
    def leader_is_elected(self) -> Temporal:
        return eventually(self.coin[0] is not None and self.coin[1] is not None and self.coin[0] != self.coin[1])

    @temporal
    def both_throw(self) -> Temporal:
        return eventually(self.coin[0] is not None and self.coin[1] is not None)


class PairOfCoins(Model):
    """Both coins are thrown in one step."""

    first: Bit = 0
    second: Bit = 0

    @temporal
    def leader_is_elected(self) -> Temporal:
        return eventually(self.first != self.second)

    @fairness
    def each_side(self, taken: Taken) -> bool:
        return True

    @fairness(fair="weak-any")
    def any_side(self, taken: Taken) -> bool:
        """The coins may fall as they lie, which changes nothing, or both may turn."""
        return True

    @action
    def throw(self, first: Bit, second: Bit) -> None:
        require(self.first == self.second)
        self.first, self.second = first, second


Level = Annotated[int, UpTo("levels - 1")]


class Lift(Model):
    """A lift that is called to its levels."""

    levels: int = constant(3, "levels", at_least=2)

    at: Level = 0
    calls: frozenset[Level] = frozenset()

    @action
    def call(self, level: Level) -> None:
        require(level not in self.calls and level != self.at)
        self.calls |= {level}

    @action(fair="weak")
    def open_doors(self) -> None:
        require(self.at in self.calls)
        self.calls -= {self.at}

    @temporal
    def calls_are_answered(self) -> Temporal:
        return all(leads_to(level in self.calls, level not in self.calls) for level in range(self.levels))

    @temporal
    def all_are_answered_at_once(self) -> Temporal:
        """There need be no moment without a call."""
        return leads_to(
            any(level in self.calls for level in range(self.levels)),
            all(level not in self.calls for level in range(self.levels)),
        )


class SweepingLift(Lift):
    """It goes on in its direction while there are calls, and turns round then."""

    up: bool = True

    @action(fair="weak")
    def move(self) -> None:
        require(self.at not in self.calls and len(self.calls) > 0)
        goes_up = self.calls_above() if self.up else not self.calls_below()
        self.up = goes_up
        self.at = self.at + 1 if goes_up else max(self.at, 1) - 1

    def calls_above(self) -> bool:
        return any(level > self.at for level in self.calls)

    def calls_below(self) -> bool:
        return any(level < self.at for level in self.calls)


class LowestFirstLift(Lift):
    """It goes to the lowest call first: the highest may wait for ever."""

    @action(fair="weak")
    def move(self) -> None:
        require(self.at not in self.calls and len(self.calls) > 0)
        self.at = self.at + 1 if self.at < min(self.calls, default=0) else max(self.at, 1) - 1


class Counter(Model):
    """A bound that stops a behaviour: neither a violation nor a pass."""

    limit: int = constant(3, "how far it is counted", at_least=1)

    number: Annotated[int, UpTo("limit")] = 0

    @action(fair="weak")
    def count(self) -> None:
        self.number += 1

    @temporal
    def even_comes_again(self) -> Temporal:
        return always_eventually(self.number % 2 == 0)

    @temporal
    def one_is_counted(self) -> Temporal:
        return eventually(self.number == 1)


class Countdown(Model):
    """It ends by itself: at 0 no step is left, and none is owed."""

    top: int = constant(3, "where it begins", at_least=1)

    number: Annotated[int, UpTo("top")] = start("top")

    @action(fair="weak")
    def count(self) -> None:
        require(self.number > 0)
        self.number -= 1

    @temporal
    def reaches_the_end(self) -> Temporal:
        return eventually_always(self.number == 0)

    @temporal
    def begins_again(self) -> Temporal:
        return leads_to(self.number == 0, self.number > 0)
