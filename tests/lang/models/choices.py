"""Several initial states, values that constants decide, subsets and quorums."""

from enum import Enum
from typing import Annotated, NamedTuple

from tests.lang.models.words import Node

from isrcheck import (
    Model,
    Sort,
    UpTo,
    action,
    constant,
    each,
    initial,
    invariant,
    reachable,
    require,
    start,
    step,
    subsets,
)

Place = Annotated[int, UpTo("n - 1")]
Free = Annotated[int, UpTo("n + 1")]


class Guest(Sort, size="guests"):
    """Who may be told from the others."""


class State(Enum):
    CAND = "cand"
    LOST = "lost"
    WON = "won"


class ChangRoberts(Model):
    """After tlaplus/Examples ChangRoberts.tla, Id[i] = i as in MCChangRoberts: TLC says 137 states, 227, depth 10."""

    n: int = constant(3, "nodes", at_least=1)

    msgs: dict[Place, frozenset[Place]] = each(Place, frozenset())
    sent: dict[Place, bool] = each(Place, False)
    initiator: dict[Place, bool] = each(Place, False)
    state: dict[Place, State] = each(Place, State.LOST)

    @initial
    def choose(self, initiators: frozenset[Place]) -> None:
        self.initiator = {i: i in initiators for i in range(self.n)}
        self.state = {i: State.CAND if i in initiators else State.LOST for i in range(self.n)}

    @action
    def begin(self, i: Place) -> None:
        require(not self.sent[i])
        if self.initiator[i]:
            self.msgs[self.succ(i)] |= {i}
        self.sent[i] = True

    @action
    def receive(self, i: Place, m: Place) -> None:
        require(self.sent[i] and m in self.msgs[i])
        self.msgs[i] -= {m}
        if self.state[i] == State.LOST:
            self.msgs[self.succ(i)] |= {m}
        elif m < i:
            self.state[i] = State.LOST
            self.msgs[self.succ(i)] |= {m}
        elif m == i:
            self.state[i] = State.WON

    @invariant
    def correctness(self) -> bool:
        return all(
            self.state[i] != State.WON or (self.initiator[i] and all(self.loses(j, i) for j in range(self.n) if j != i))
            for i in range(self.n)
        )

    @reachable
    def last_wins(self) -> bool:
        return self.state[self.n - 1] == State.WON

    def loses(self, other: Place, winner: Place) -> bool:
        return self.state[other] == State.LOST and (not self.initiator[other] or other > winner)

    def succ(self, i: Place) -> Place:
        return (i + 1) % self.n


class Several(Model):
    """Two ways to begin, one with a guard, one of whose states are equal; a violated property begins in the second."""

    n: int = constant(2, "the largest number")

    left: Free = start("n + 1")
    right: Free = start("max(n - 1, 0)")
    row: dict[Node, Free] = each(Node, start("n"))
    nodes: int = constant(2, "how many", at_least=1)

    @initial
    def far(self, left: Place, right: Place) -> None:
        require(left != right)
        self.left = left
        self.right = right

    @initial
    def near(self, at: Place, again: bool) -> None:
        if again:
            self.left, self.right = at, at
        else:
            self.left = at
            self.right = self.left

    @action
    def move(self, node: Node) -> None:
        require(self.left == self.right)
        self.left += 1
        self.row[node] = self.right

    @invariant
    def small(self) -> bool:
        return self.left <= self.n

    @step
    def low(self, before: "Several") -> bool:
        return before.left < self.n - 1


class Quorums(Model):
    """Subsets of a sort and of a set of the state, in every kind of comprehension."""

    nodes: int = constant(3, "how many", at_least=1)

    up: frozenset[Node] = frozenset()
    count: Annotated[int, UpTo("8")] = 0
    agreed: bool = False

    @action
    def join(self, node: Node) -> None:
        require(node not in self.up)
        self.up |= {node}

    @action
    def agree(self) -> None:
        require(any(q <= self.up for q in subsets(Node) if self.majority(q)))
        self.agreed = True

    @action
    def tell(self) -> None:
        self.count = sum(1 for q in subsets(self.up) if len(q) != 1)
        self.up = frozenset(n for n in Node if any(q == {n} for q in subsets(self.up | frozenset({n}))))

    @invariant
    def quorums_meet(self) -> bool:
        return all(
            any(n in q for n in r) for q in subsets(Node) if self.majority(q) for r in subsets(Node) if self.majority(r)
        )

    @reachable
    def all_subsets(self) -> bool:
        return self.count == max(len(q) for q in subsets(self.up)) + self.nodes - 1

    def majority(self, quorum: frozenset[Node]) -> bool:
        return 2 * len(quorum) > self.nodes


class Slot(NamedTuple):
    by: Guest
    at: Place


class Seating(Model):
    """Members of a sort by their numbers, and maps made over all records of a type."""

    guests: int = constant(2, "guests", at_least=2)
    n: int = constant(2, "places", at_least=1)

    taken: dict[Slot, bool] = each(Slot, False)
    host: Guest = Guest[0]
    last: Guest | None = None

    @action
    def sit(self, slot: Slot) -> None:
        require(not any(self.taken[Slot(g, slot.at)] for g in Guest) and slot.by != self.last)
        self.taken[slot] = True
        self.last = slot.by

    @action
    def clear(self, by: Guest) -> None:
        require(self.host == by)
        self.taken = {Slot(g, p): self.taken[Slot(g, p)] and g != by for g in Guest for p in range(self.n)}
        self.host = Guest[1] if by == Guest[0] else Guest[0]

    @reachable
    def second_hosts_alone(self) -> bool:
        return self.host == Guest[1] and all(self.taken[Slot(g, 0)] == (g == Guest[1]) for g in Guest)
