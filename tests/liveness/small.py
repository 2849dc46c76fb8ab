"""Small models of which it is plain what they do for ever."""

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
    constraint,
    each,
    eventually,
    eventually_always,
    fairness,
    initial,
    invariant,
    leads_to,
    require,
    temporal,
)


class Process(Sort, size="processes", symmetric=True):
    """Who wants the lock."""


class Lock(Model):
    """One lock, and nobody who queues for it."""

    processes: int = constant(2, "how many", at_least=1)
    waiting: dict[Process, bool] = each(Process, False)
    holder: Process | None = None

    @action()
    def ask(self, p: Process) -> None:
        require(self.holder != p)
        self.waiting[p] = True

    @action(fair="weak")
    def enter(self, p: Process) -> None:
        require(self.waiting[p] and self.holder is None)
        self.waiting[p] = False
        self.holder = p

    @action(fair="weak")
    def leave(self, p: Process) -> None:
        require(self.holder == p)
        self.holder = None

    @temporal
    def lock_is_freed(self) -> Temporal:
        """The lock is free again and again."""
        return always_eventually(self.holder is None)

    @temporal
    def waiting_ends(self) -> Temporal:
        return all(leads_to(self.waiting[p], self.holder == p) for p in Process)

    @fairness(fair="strong")
    def patient_lock(self, taken: Taken) -> bool:
        return taken.action == "enter"


class Stopping(Model):
    """A number that may be counted up, and need not be."""

    n: Annotated[int, UpTo(3)] = 0

    @action
    def count(self) -> None:
        require(self.n < 3)
        self.n += 1

    @temporal
    def gets_there(self) -> Temporal:
        return eventually(self.n == 3)

    @fairness(fair="weak-any")
    def goes_on(self, taken: Taken) -> bool:
        return True

    @fairness
    def goes_on_alone(self, taken: Taken) -> bool:
        return taken.action == "count"


class Waiting(Model):
    """A fair step that changes nothing: it is enabled, and <A>_vars is not."""

    done: bool = False
    asleep: bool = True

    @action(fair="weak")
    def look(self) -> None:
        require(self.asleep)
        self.asleep = True

    @action
    def finish(self) -> None:
        self.done = True

    @temporal
    def finishes(self) -> Temporal:
        return eventually(self.done)


class Lights(Model):
    """Two lamps that blink, each strongly fair to be broken only while it is on."""

    one: bool = False
    two: bool = False
    turn: bool = False
    broken_one: bool = False
    broken_two: bool = False

    @action(fair="weak")
    def blink(self) -> None:
        self.one = self.turn
        self.two = not self.turn
        self.turn = not self.turn

    @action(fair="strong")
    def break_one(self) -> None:
        require(self.one)
        self.broken_one = True

    @action(fair="strong")
    def break_two(self) -> None:
        require(self.two)
        self.broken_two = True

    @temporal
    def both_break(self) -> Temporal:
        return eventually(self.broken_one and self.broken_two)

    @temporal
    def both_stay_broken(self) -> Temporal:
        return eventually_always(self.broken_one and self.broken_two)

    @temporal
    def light_stays(self) -> Temporal:
        return eventually_always(self.one)


class Log(Model):
    """A producer that appends for ever, in a model with room for a few records."""

    max_records: int = constant(3, "the most records")
    leo: Annotated[int, UpTo("max_records")] = 0
    acked: bool = False

    @action(fair="weak")
    def append(self) -> None:
        self.leo += 1
        self.acked = False

    @action
    def acknowledge(self) -> None:
        require(self.leo > 0)
        self.acked = True

    @temporal
    def appends_are_answered(self) -> Temporal:
        """Only because a bound stops the producer can this be false."""
        return always_eventually(self.leo < self.max_records)

    @temporal
    def begins(self) -> Temporal:
        return eventually(self.leo > 0)

    @temporal
    def stays_empty(self) -> Temporal:
        return eventually(self.leo == 0)


class Confined(Log):
    """The same, searched only where the log is short."""

    @constraint
    def short(self) -> bool:
        return self.leo < 2

    @temporal
    def is_acknowledged(self) -> Temporal:
        return eventually(self.acked)


class Flips(Model):
    """Two flags that change on their own, one of them fairly."""

    a: bool = False
    b: bool = False

    @action(fair="weak")
    def flip(self) -> None:
        self.a = not self.a

    @action
    def turn(self) -> None:
        self.b = not self.b

    @temporal
    def b_settles(self) -> Temporal:
        return eventually_always(self.b)

    @temporal
    def a_flips(self) -> Temporal:
        return always_eventually(self.a)


class Raising(Model):
    """A condition that has no value in the initial state."""

    most: Annotated[int, UpTo(1)] = 0
    queue: Annotated[tuple[bool, ...], UpTo(1)] = ()

    @action
    def put(self) -> None:
        require(self.queue == ())
        self.queue += (True,)

    @temporal
    def first_is_true(self) -> Temporal:
        return eventually(self.queue[0])

    @invariant
    def short(self) -> bool:
        return len(self.queue) < 2


class Join(Model):
    """Two ways to one state, and no way back: a cycle is found by its own steps only."""

    at: Annotated[int, UpTo(3)] = 0

    @action(fair="weak")
    def left(self) -> None:
        require(self.at == 0)
        self.at = 1

    @action(fair="weak")
    def right(self) -> None:
        require(self.at == 0)
        self.at = 2

    @action(fair="weak")
    def join(self) -> None:
        require(self.at in (1, 2))
        self.at = 3

    @temporal
    def joins(self) -> Temporal:
        return leads_to(self.at == 0, self.at == 3)

    @temporal
    def goes_left(self) -> Temporal:
        return eventually(self.at == 1)


class Unasked(Model):
    """Fairness of what can never be done, and a premise that is never true."""

    n: Annotated[int, UpTo(1)] = 0

    @action(fair="weak")
    def go(self) -> None:
        require(self.n == 0)
        self.n = 1

    @action(fair="strong")
    def never(self) -> None:
        require(self.n > 1)
        self.n = 0

    @temporal
    def leads_nowhere(self) -> Temporal:
        return leads_to(self.n > 1, self.n == 0)

    @fairness
    def of_nothing(self, taken: Taken) -> bool:
        return taken.action == "never"


class Drained(Model):
    """Every fair behaviour needs a step that the bound prunes."""

    n: Annotated[int, UpTo(2)] = 0

    @action(fair="weak")
    def up(self) -> None:
        self.n += 1

    @temporal
    def gets_on(self) -> Temporal:
        return eventually(self.n == 2)

    @temporal
    def ends_at_two(self) -> Temporal:
        """Not so without the bound: it counts for ever."""
        return eventually_always(self.n == 2)

    @temporal
    def is_two_again(self) -> Temporal:
        return always_eventually(self.n == 2)


class Escaping(Model):
    """It goes round for ever, or is counted beyond the bound: what becomes of it there is not seen."""

    n: Annotated[int, UpTo(2)] = 0
    is_counting: bool = False

    @action(fair="weak")
    def turn(self) -> None:
        require(not self.is_counting)
        self.n = 1 - self.n

    @action
    def begin(self) -> None:
        require(not self.is_counting)
        self.is_counting = True

    @action(fair="weak")
    def count(self) -> None:
        require(self.is_counting)
        self.n += 1

    @temporal
    def stays_at_two(self) -> Temporal:
        return eventually_always(not self.is_counting or self.n == 2)

    @temporal
    def gets_to_two(self) -> Temporal:
        return leads_to(self.is_counting, self.n == 2)


class EscapingAtFirst(Escaping):
    """The same, which may be counting from the beginning."""

    @initial
    def start(self, counting: bool) -> None:
        self.is_counting = counting


class Plain(Model):
    """An invariant that is violated."""

    on: bool = False

    @action
    def switch(self) -> None:
        self.on = True

    @invariant
    def stays_off(self) -> bool:
        return not self.on


class Broken(Plain):
    """The same, and a behaviour that stops."""

    @temporal
    def is_on(self) -> Temporal:
        return eventually(self.on)


class Early(Stopping):
    """An invariant that the first state violates."""

    @invariant
    def never_zero(self) -> bool:
        return self.n > 0

    @temporal
    def stays_where_it_stops(self) -> Temporal:
        return leads_to(self.n == 3, self.n == 3)
