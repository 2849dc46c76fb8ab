"""Models whose TLA+ text is known: names that mean something there, and values of every shape."""

from enum import Enum
from typing import Annotated, NamedTuple

from isrcheck import Model, Sort, UpTo, action, constant, each, invariant, policy, reachable, require

Count = Annotated[int, UpTo("most")]


class Node(Sort, size="nodes"):
    """Somebody."""


class Seq(Enum):
    """Named like an operator of the standard modules."""

    NAT = 1
    INT = 2


class Note(NamedTuple):
    """A number, and perhaps who wrote it."""

    number: Count
    IN: Node | None


class Words(Model):
    """Names that are words of TLA+ (* or its comments *) or operators of its modules."""

    most: int = constant(2, "the largest number")
    nodes: int = constant(2, "how many there are", at_least=1)

    next: Count = 0
    vars: Seq = Seq.NAT
    größe: Count = 0

    @action
    def append(self, next: Count, CHOOSE: Count) -> None:  # noqa: A002, N803  # names to be renamed
        require(next != CHOOSE)
        self.next = next

    @action
    def head(self) -> None:
        self.vars = Seq.INT
        self.größe = self.len(self.größe)

    def len(self, IF: Count) -> Count:  # noqa: N803  # likewise
        return IF + self.most - 2


class Shapes(Model):
    """Empty sets, records, nested maps, optional values and sequences of one element."""

    most: int = constant(2, "the largest number")
    nodes: int = constant(2, "how many there are", at_least=1)

    seen: frozenset[Node] = frozenset()
    note: Note | None = None
    table: dict[Node, dict[Count, Note | None]] = each(Node, each(Count, None))
    row: Annotated[tuple[Count, ...], UpTo(2)] = (1,)

    @action
    def write(self, node: Node, number: Count) -> None:
        require(self.seen == frozenset() or node not in self.seen)
        require(self.note is None or self.note.number < number)
        self.note = Note(number, node)
        self.table[node][number + 1] = self.note._replace(IN=None)
        self.seen |= {node}

    @action
    def turn(self) -> None:
        require(len(self.row) > 0 and self.row[-1] == self.row[0])
        self.row = self.row[1:] + (self.row[0],)

    @action
    def twice(self, node: Node) -> None:
        self.row += (0,)
        self.row += (len(self.row),)
        if node in self.seen:
            self.seen -= {node}
            self.note = None

    @invariant
    def row_is_short(self) -> bool:
        return sum(n for n in self.row) <= max((n for n in self.row if n > 0), default=1) * len(self.row)

    @reachable
    def noted(self) -> bool:
        return any(self.table[k][n] is not None for k in Node for n in range(self.most + 1) if n > 0)


class Open(Model):
    """A protocol with a decision."""

    most: int = constant(2, "the largest number")

    n: Count = 0

    @policy
    def by(self) -> int:
        raise NotImplementedError

    @action
    def grow(self) -> None:
        self.n += self.by()

    @action
    def reset(self) -> None:
        self.clear()

    @invariant
    def small(self) -> bool:
        return self.n <= self.most

    def clear(self) -> None:
        self.n = 0


class ByOne(Open):
    """One at a time."""

    def by(self) -> int:
        return 1


class Switched(Model):
    """A variable that a switch takes out."""

    counts: bool = constant(False, "whether anything is counted")

    counted: Annotated[int, UpTo("counts * 2")] = 0

    @action
    def count(self) -> None:
        require(self.counts and self.counted < 2)
        self.counted += 1


class Cases(Model):
    """Names that each branch, or each case, gives a value."""

    which: Seq = Seq.NAT
    n: Annotated[int, UpTo(3)] = 0

    @action
    def move(self) -> None:
        old, new = 1, 1
        if self.n == 1:
            new = 2
        else:
            new = 2
        match self.which:
            case Seq.NAT:
                less = old
            case Seq.INT:
                less = self.n
        self.n, self.which = new - less, Seq.INT


class Beside(Model):
    """Names of one assignment, of which one is a name inside the value beside it."""

    m: Annotated[int, UpTo(3)] = 0
    n: Annotated[int, UpTo(30)] = 0

    def square(self) -> int:
        before = self.m + 1
        return before * before

    def cube(self) -> int:
        before, after = self.m + 1, self.square()
        return before * after + before - after

    @action
    def move(self) -> None:
        self.m += 1
        before, after = self.m + 2, self.square()
        self.n = before * after + before - after

    @action
    def grow(self) -> None:
        self.m += 1
        self.n = self.cube()
