"""Small models whose actions have choices, of which fairness is asked one by one or together, and some in slots."""

from typing import Annotated, NamedTuple

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
    eventually,
    eventually_always,
    fairness,
    initial,
    leads_to,
    require,
    temporal,
)


class Place(Sort, size="2"):
    """Two places, told apart."""


class Uneven(Model):
    """Of two places the first is always served."""

    served: frozenset[Place] = frozenset()

    @action(fair="weak")
    def serve(self) -> None:
        self.served |= {Place[0]}

    @action
    def serve_other(self) -> None:
        self.served |= {Place[1]}

    @temporal
    def each_moves(self) -> Temporal:
        return all(eventually(p in self.served) for p in Place)

    @temporal
    def first_moves(self) -> Temporal:
        return all(eventually(Place[0] in self.served or n > 0) for n in range(2))

    @temporal
    def pairs_move(self) -> Temporal:
        return all(
            leads_to(p in self.served and n == m, p in self.served) for p in Place for n in range(2) for m in range(n)
        )


class Turns(Model):
    """Whoever is served turns a wheel: each can be served at any time."""

    wheel: bool = False
    served: frozenset[Place] = frozenset()

    @action(fair="weak")
    def serve(self, p: Place) -> None:
        self.wheel = not self.wheel
        self.served |= {p}

    @temporal
    def all_are_served(self) -> Temporal:
        return all(eventually(p in self.served) for p in Place)


class TurnsOfAny(Model):
    """The same, where it is enough that somebody is served."""

    wheel: bool = False
    served: frozenset[Place] = frozenset()

    @action(fair="weak-any")
    def serve(self, p: Place) -> None:
        self.wheel = not self.wheel
        self.served |= {p}

    @temporal
    def all_are_served(self) -> Temporal:
        return all(eventually(p in self.served) for p in Place)


class Modes(Model):
    """Two initial states, in the first of which fairness demands a step, and in the second nothing."""

    mode: Annotated[int, UpTo(1)] = 0
    done: bool = False

    @initial
    def begin(self, mode: Annotated[int, UpTo(1)]) -> None:
        self.mode = mode

    @action(fair="weak")
    def go(self) -> None:
        require(self.mode == 0)
        self.done = True

    @temporal
    def ends(self) -> Temporal:
        return eventually(self.done)


class Far(Model):
    """A way of many steps, and nothing after it."""

    far: int = constant(2, "how many steps")
    n: Annotated[int, UpTo("far")] = 0

    @action(fair="weak")
    def go(self) -> None:
        require(self.n < self.far)
        self.n += 1

    @temporal
    def never_arrives(self) -> Temporal:
        return eventually_always(self.n < self.far)


class Many(Model):
    """More choices of parameters than can be looked at, of which fairness names one."""

    first: frozenset[Annotated[int, UpTo(1500)]] = frozenset()
    second: frozenset[Annotated[int, UpTo(1500)]] = frozenset()

    @action
    def take(self, x: Annotated[int, UpTo(1500)], y: Annotated[int, UpTo(1500)]) -> None:
        require(x in self.first and y in self.second)
        self.first -= {x}

    @action(fair="weak")
    def put(self) -> None:
        self.first |= {7}

    @fairness(fair="weak-any")
    def takers(self, taken: Taken) -> bool:
        return taken.action == "take"

    @temporal
    def is_taken(self) -> Temporal:
        return always_eventually(len(self.first) == 0)


class ManyFair(Model):
    """A fair action with more choices of parameters than can each be treated fairly."""

    most: int = constant(1000, "the greatest")
    first: frozenset[Annotated[int, UpTo("most")]] = frozenset()
    second: frozenset[Annotated[int, UpTo("most")]] = frozenset()

    @action(fair="weak")
    def take(self, x: Annotated[int, UpTo("most")], y: Annotated[int, UpTo("most")]) -> None:
        require(x in self.first and y in self.second)
        self.first -= {x}

    @temporal
    def is_empty_again(self) -> Temporal:
        return always_eventually(len(self.first) == 0)


N = Annotated[int, UpTo(40)]


class Msg(NamedTuple):
    a: N
    b: N


class Post(Model):
    """Letters among 1,681, of which few are ever sent: sets in slots."""

    sent: frozenset[Msg] = frozenset()
    got: frozenset[Msg] = frozenset()
    n: Annotated[int, UpTo(3)] = 0

    @action
    def send(self) -> None:
        require(self.n < 3)
        self.sent |= {Msg(self.n, 7)}
        self.n += 1

    @action(fair="weak")
    def receive(self, m: Msg) -> None:
        require(m in self.sent)
        self.sent -= {m}
        self.got |= {m}

    @action
    def swap(self, m: Msg) -> None:
        require(m in self.got)
        self.got -= {m}
        self.sent |= {m}

    @temporal
    def arrives(self) -> Temporal:
        return all(leads_to(Msg(i, 7) in self.sent, Msg(i, 7) in self.got) for i in range(3))

    @temporal
    def settles(self) -> Temporal:
        return leads_to(self.n == 3, self.sent == frozenset())


At = Annotated[int, UpTo(3)]
FarPlace = Annotated[int, UpTo(70_000)]


class Pointing(Model):
    """What is asked has no value beyond the constraint."""

    at: At = 0
    row: Annotated[tuple[Annotated[int, UpTo(1)], ...], UpTo(2)] = (0, 0)

    @action(fair="weak")
    def go(self) -> None:
        require(self.at < 3)
        self.at += 1

    @constraint
    def short(self) -> bool:
        return self.at < 2

    @temporal
    def points_to_one(self) -> Temporal:
        return eventually(self.row[self.at] == 1)


class PointingBack(Pointing):
    """The same, and a way back."""

    @action(fair="weak")
    def back(self) -> None:
        require(self.at == 1)
        self.at = 0


class PointingFar(Model):
    """A state without a value that is left out, and one that is found after it and is not."""

    at: At = 0
    row: Annotated[tuple[Annotated[int, UpTo(1)], ...], UpTo(2)] = (0, 0)

    @action
    def walk(self) -> None:
        require(self.at == 0)
        self.at = 1

    @action
    def leap(self) -> None:
        require(self.at < 2)
        self.at += 2

    @constraint
    def is_not_two(self) -> bool:
        return self.at != 2

    @temporal
    def points_to_one(self) -> Temporal:
        return eventually(self.row[self.at] == 1)


class Polling(Model):
    """Of a fair action the constraint drops a step, and that changes nothing."""

    done: bool = False

    @action(fair="weak")
    def poll(self) -> None:
        self.done = self.done

    @action
    def go(self) -> None:
        self.done = True

    @constraint
    def unpolled(self, before: "Polling", taken: Taken) -> bool:
        return taken.action != "poll"

    @fairness
    def goes_on(self, taken: Taken) -> bool:
        return taken.action == "go"

    @temporal
    def ends(self) -> Temporal:
        return eventually(self.done)


class Endless(Model):
    """More choices of parameters than the graph can tell apart."""

    first: frozenset[FarPlace] = frozenset()
    second: frozenset[FarPlace] = frozenset()

    @action
    def take(self, x: FarPlace, y: FarPlace) -> None:
        require(x in self.first and y in self.second)
        self.first -= {x}

    @action(fair="weak")
    def put(self) -> None:
        self.first |= {7}

    @temporal
    def begins(self) -> Temporal:
        return eventually(len(self.first) > 0)
