"""Rings: a token that goes round, elections, termination, order out of any state, and philosophers at a table."""

from enum import Enum
from typing import Annotated

from isrcheck import (
    Model,
    Taken,
    Temporal,
    UpTo,
    action,
    constant,
    each,
    eventually,
    eventually_always,
    fairness,
    initial,
    invariant,
    leads_to,
    policy,
    require,
    temporal,
)

Node = Annotated[int, UpTo("nodes - 1")]


class Place(Enum):
    IDLE = "idle"
    WAITING = "waiting"
    CRITICAL = "critical"


class TokenRing(Model):
    """Le Lann 1977: who has the token may enter; it goes round."""

    nodes: int = constant(3, "nodes on the ring", at_least=2)

    place: dict[Node, Place] = each(Node, Place.IDLE)
    token: Node = 0

    @action
    def ask(self, node: Node) -> None:
        require(self.place[node] == Place.IDLE)
        self.place[node] = Place.WAITING

    @action(fair="weak")
    def enter(self, node: Node) -> None:
        require(self.place[node] == Place.WAITING and self.token == node)
        self.place[node] = Place.CRITICAL

    @action(fair="weak")
    def leave(self, node: Node) -> None:
        require(self.place[node] == Place.CRITICAL)
        self.place[node] = Place.IDLE
        self.token = (self.token + 1) % self.nodes

    @action(fair="weak")
    def pass_token(self, node: Node) -> None:
        require(self.place[node] == Place.IDLE and self.token == node)
        self.token = (self.token + 1) % self.nodes

    @temporal
    def waiting_ends(self) -> Temporal:
        return all(leads_to(self.place[n] == Place.WAITING, self.place[n] == Place.CRITICAL) for n in range(self.nodes))


class RingElection(Model):
    """Chang and Roberts 1979: identities go round, smaller ones swallow larger ones, one's own makes the leader."""

    nodes: int = constant(3, "nodes on the ring", at_least=1)

    inbox: dict[Node, frozenset[Node]] = each(Node, frozenset())
    began: dict[Node, bool] = each(Node, False)
    leader: Node | None = None

    @action(fair="weak")
    def begin(self, node: Node) -> None:
        require(not self.began[node])
        self.began[node] = True
        self.inbox[(node + 1) % self.nodes] |= {node}

    @action(fair="weak")
    def receive(self, node: Node, identity: Node) -> None:
        require(identity in self.inbox[node])
        self.inbox[node] -= {identity}
        if identity < node:
            self.inbox[(node + 1) % self.nodes] |= {identity}
        elif identity == node:
            self.leader = node

    @temporal
    def leader_is_elected(self) -> Temporal:
        return all(eventually_always(self.leader == n) for n in range(1))


class Termination(Model):
    """Dijkstra, Feijen, van Gasteren 1983 (EWD840): a token finds out that all nodes are passive."""

    nodes: int = constant(3, "nodes on the ring", at_least=2)

    active: dict[Node, bool] = each(Node, True)
    black: dict[Node, bool] = each(Node, False)
    token: Node = 0
    token_black: bool = True

    @action(fair="weak")
    def begin_probe(self) -> None:
        require(self.token == 0 and (self.token_black or self.black[0] or self.active[0]))
        self.token = self.nodes - 1
        self.token_black = False
        self.black[0] = False

    @action(fair="weak")
    def pass_token(self, node: Node) -> None:
        require(node > 0 and self.token == node)
        require(not self.active[node] or self.black[node] or self.token_black)
        self.token = node - 1 if node > 0 else 0
        self.token_black = self.token_black or self.black[node]
        self.black[node] = False

    @action
    def wake(self, node: Node, other: Node) -> None:
        require(self.active[node] and node != other)
        self.active[other] = True
        if other > node:
            self.black[node] = True

    @action
    def become_passive(self, node: Node) -> None:
        require(self.active[node])
        self.active[node] = False

    @invariant
    def detected_only_if_so(self) -> bool:
        return not self.is_detected() or not any(self.active[n] for n in range(self.nodes))

    @temporal
    def termination_is_detected(self) -> Temporal:
        return leads_to(not any(self.active[n] for n in range(self.nodes)), self.is_detected())

    @temporal
    def work_ends(self) -> Temporal:
        return eventually(not any(self.active[n] for n in range(self.nodes)))

    def is_detected(self) -> bool:
        return self.token == 0 and not (self.token_black or self.black[0] or self.active[0])


State = Annotated[int, UpTo("states - 1")]
Machine = Annotated[int, UpTo(3)]


class SelfStabilising(Model):
    """Dijkstra 1974: four machines on a ring, from any state, come to have one privilege; with too few states not."""

    states: int = constant(3, "states of a machine (K)", at_least=2)

    value: dict[Machine, State] = each(Machine, 0)

    @initial
    def anything(self, a: State, b: State, c: State, d: State) -> None:
        self.value[0], self.value[1], self.value[2], self.value[3] = a, b, c, d

    @action(fair="weak-any")
    def move(self, m: Machine) -> None:
        require(self.is_privileged(m))
        if m == 0:
            self.value[0] = (self.value[0] + 1) % self.states
        else:
            self.value[m] = self.value[(m + 3) % 4]

    @temporal
    def one_privilege_remains(self) -> Temporal:
        return eventually_always(sum(1 for m in range(4) if self.is_privileged(m)) == 1)

    @temporal
    def everybody_gets_it(self) -> Temporal:
        return all(leads_to(not self.is_privileged(m), self.is_privileged(m)) for m in range(4))

    def is_privileged(self, m: Machine) -> bool:
        return self.value[0] == self.value[3] if m == 0 else self.value[m] != self.value[(m + 3) % 4]


Seat = Annotated[int, UpTo("philosophers - 1")]  # of a philosopher; the fork on the left has the same number


class Mood(Enum):
    THINKS = "thinks"
    HUNGRY = "hungry"
    HAS_ONE = "has one fork"
    EATS = "eats"


class Philosophers(Model):
    """Each takes one fork, then the other, eats, and puts both back."""

    philosophers: int = constant(3, "philosophers at the table", at_least=2)

    mood: dict[Seat, Mood] = each(Seat, Mood.THINKS)
    taken: dict[Seat, bool] = each(Seat, False)  # forks

    @policy
    def first(self, seat: Seat) -> Seat:
        """The fork that a philosopher takes first."""
        raise NotImplementedError

    @action
    def grow_hungry(self, seat: Seat) -> None:
        require(self.mood[seat] == Mood.THINKS)
        self.mood[seat] = Mood.HUNGRY

    @action(fair="weak")
    def put_back(self, seat: Seat) -> None:
        require(self.mood[seat] == Mood.EATS)
        self.taken[seat] = False
        self.taken[self.right(seat)] = False
        self.mood[seat] = Mood.THINKS

    @invariant
    def neighbours_do_not_eat(self) -> bool:
        return not any(
            self.mood[s] == Mood.EATS and self.mood[self.right(s)] == Mood.EATS for s in range(self.philosophers)
        )

    @temporal
    def nobody_starves(self) -> Temporal:
        return all(leads_to(self.mood[s] == Mood.HUNGRY, self.mood[s] == Mood.EATS) for s in range(self.philosophers))

    @temporal
    def somebody_eats(self) -> Temporal:
        return leads_to(
            any(self.mood[s] == Mood.HUNGRY for s in range(self.philosophers)),
            any(self.mood[s] == Mood.EATS for s in range(self.philosophers)),
        )

    @fairness(fair="strong")
    def forks_are_taken(self, taken: Taken) -> bool:
        return taken.action == "take_first" or taken.action == "take_second"

    def right(self, seat: Seat) -> Seat:
        return (seat + 1) % self.philosophers

    def second(self, seat: Seat) -> Seat:
        return seat if self.first(seat) != seat else self.right(seat)

    @action(fair="weak")
    def take_first(self, seat: Seat) -> None:
        require(self.mood[seat] == Mood.HUNGRY and not self.taken[self.first(seat)])
        self.taken[self.first(seat)] = True
        self.mood[seat] = Mood.HAS_ONE

    @action(fair="weak")
    def take_second(self, seat: Seat) -> None:
        require(self.mood[seat] == Mood.HAS_ONE and not self.taken[self.second(seat)])
        self.taken[self.second(seat)] = True
        self.mood[seat] = Mood.EATS


class LeftFirst(Philosophers):
    """All take the left fork first: each may hold one, and no fairness helps."""

    def first(self, seat: Seat) -> Seat:
        return seat


class OneRightFirst(Philosophers):
    """The first takes the right fork first; with weak fairness the neighbours may take the other in turns."""

    def first(self, seat: Seat) -> Seat:
        return self.right(seat) if seat == 0 else seat
