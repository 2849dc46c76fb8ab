"""Expressions over sequences, sets, maps, records and optional values."""

from typing import NamedTuple

from tests.lang.models.words import Colour, Count, Node, Note, Notes, Row, in_both, larger

from isrcheck import Model, action, constant, each, invariant, members, reachable, require


class Sequences(Model):
    """Appending, cutting at both ends, the last element, and what is in a sequence."""

    most: int = constant(1, "the largest number")
    longest: int = constant(3, "elements in a row")

    row: Row = ()
    seen: Row = ()

    @action
    def append(self, number: Count) -> None:
        self.row = self.row + (number,)

    @action
    def append_two(self, one: Count, two: Count) -> None:
        require(one != two)
        self.row += (one, two)

    @action
    def drop_first(self) -> None:
        require(len(self.row) > 0)
        self.row = self.row[1:]

    @action
    def drop_last(self) -> None:
        require(self.row != ())
        self.row = tuple(self.row[i] for i in range(len(self.row)) if i + 1 < len(self.row))

    @action
    def keep(self, number: Count) -> None:
        require(number in self.row)
        self.seen = tuple(n for n in self.row if n == number) + self.row[0:1] + self.row[len(self.row) :]

    @invariant
    def last_is_last(self) -> bool:
        return self.row == () or self.row[-1] == self.row[:3][-1]

    @invariant
    def slices_join(self) -> bool:
        return all(self.row[:n] + self.row[n:] == self.row for n in range(self.longest + 1))

    @invariant
    def slices_fit(self) -> bool:
        return all(
            len(self.row[a:b]) == max(0, min(b, len(self.row)) - min(a, len(self.row), b))
            for a in range(5)
            for b in range(5)
        )

    @reachable
    def zeros(self) -> bool:
        return len(self.row) == 3 and sum(self.row) == 0 and max(self.row, default=1) == 0

    @reachable
    def rising(self) -> bool:
        return len(self.row) == 2 and self.row[0] < self.row[1] and all(n in self.row for n in range(self.most + 1))


class Indices(Model):
    """Positions that a condition in front keeps from being negative; names that hide a parameter."""

    most: int = constant(2, "the largest number")
    longest: int = constant(3, "elements in a row")

    row: Row = ()
    at: Count = 0
    behind: Count = 0

    @action
    def append(self, at: Count) -> None:
        require(all(self.row[at] != self.at for at in range(len(self.row))))
        self.row += (at,)

    @action
    def step(self) -> None:
        require(len(self.row) > 0)
        self.behind = self.row[len(self.row) - 1]
        self.at = self.row[self.at - 1] if 0 < self.at <= len(self.row) else 0

    @action
    def back(self) -> None:
        if self.behind != 0:
            self.row = self.row[: self.behind - 1]
            self.behind -= 1

    @action
    def cut(self, at: Count) -> None:
        require(self.behind <= at)
        self.row = self.row[at - self.behind :]

    @invariant
    def last_is_small(self) -> bool:
        return len(self.row) == 0 or self.before(len(self.row)) <= self.most

    @reachable
    def all_alike(self) -> bool:
        return any(len(self.row) == n and all(n == 1 for n in self.row) for n in range(3, 4))

    def before(self, n: int) -> Count:
        return 0 if n == 0 else self.row[n - 1]


class Sets(Model):
    """Sets over a sort and over records; an element above its bound prunes the step."""

    nodes: int = constant(2, "how many there are", at_least=1)
    most: int = constant(1, "the largest number")

    here: frozenset[Node] = members(Node)
    notes: frozenset[Note] = frozenset()
    colours: frozenset[Colour] = frozenset()

    @action
    def leave(self, node: Node) -> None:
        require(node in self.here)
        self.here = self.here - {node}

    @action
    def come(self, node: Node) -> None:
        require(node not in self.here)
        self.here |= {node}

    @action
    def write(self, number: Count, node: Node | None) -> None:
        require(node is None or node in self.here)
        self.notes |= {Note(number + 1, node), Note(number, None)}

    @action
    def paint(self, colours: frozenset[Colour]) -> None:
        require(colours > self.colours)
        self.colours = colours

    @action
    def forget(self, note: Note) -> None:
        require(note in self.notes and len(self.notes) > 1)
        self.notes -= frozenset({note})

    @action
    def reduce(self) -> None:
        self.notes = frozenset(n._replace(writer=None) for n in self.notes if n.writer is not None)
        self.colours &= frozenset((Colour.RED, Colour.BLUE))

    @invariant
    def halves_join(self) -> bool:
        return self.here | frozenset(n for n in Node if n not in self.here) == frozenset(Node)

    @invariant
    def subsets(self) -> bool:
        return (self.here <= frozenset(Node)) and (self.here < frozenset(Node) or len(self.here) == len(Node))

    @invariant
    def empty(self) -> bool:
        return self.here & frozenset() == frozenset() and not (self.here < self.here) and self.here >= self.here

    @reachable
    def only_red(self) -> bool:
        return self.colours == {Colour.RED} and len(self.here) == 0 and len(self.notes) == 2


class Maps(Model):
    """Maps in maps, over a sort, an enumeration, integers and truth values."""

    nodes: int = constant(2, "how many there are", at_least=1)
    most: int = constant(1, "the largest number")

    table: dict[Node, dict[Count, Colour | None]] = each(Node, each(Count, None))
    flags: dict[bool, bool] = {False: False, True: False}
    paint: dict[Colour, Count] = each(Colour, 0)
    square: dict[Count, Count] = each(Count, 0)

    @action
    def put(self, node: Node, at: Count, colour: Colour) -> None:
        """A key above its bound prunes the step at once."""
        require(self.table[node][at] is None)
        self.table[node][at] = colour
        if colour == Colour.BLUE:
            self.table[node][at + 1] = colour

    @action
    def fill(self) -> None:
        require(any(self.table[n][i] is not None for n in Node for i in range(self.most + 1)))
        self.table = {n: {i: None for i in range(self.most + 1)} for n in Node}
        self.paint = {c: self.most - self.paint[c] for c in Colour}
        self.square = {i: i * i for i in range(self.most + 1)}

    @action
    def flip(self, flag: bool) -> None:
        self.flags[flag] = not self.flags[not flag]

    @action
    def whole(self, node: Node) -> None:
        require(self.table[node][0] == Colour.RED)
        self.table[node] = {i: Colour.GREEN for i in range(self.most + 1)}

    @invariant
    def never_green_and_blue(self) -> bool:
        return not any(Colour.GREEN == self.table[n][0] and Colour.BLUE == self.table[n][1] for n in Node)

    @invariant
    def sums(self) -> bool:
        return sum(self.paint[c] for c in Colour) in (0, 3) and len(self.paint) == len(Colour) == 3


class Optional(NamedTuple):
    """A record in which anything may be absent."""

    number: Count | None
    note: Note | None
    flag: bool


class Options(Model):
    """Optional numbers, records and enumerations, alone and inside records and sequences."""

    nodes: int = constant(2, "how many there are", at_least=1)
    most: int = constant(1, "the largest number")
    longest: int = constant(2, "elements in a row")

    note: Note | None = None
    all: Optional = Optional(None, None, False)
    known: dict[Node, Count | None] = each(Node, None)
    row: Notes = ()

    @action
    def write(self, note: Note) -> None:
        require(self.note is None)
        self.note = note
        if note.writer is not None:
            self.known[note.writer] = note.number

    @action
    def erase(self) -> None:
        note = self.note
        require(note is not None)
        self.note = None
        if note is not None:
            self.all = Optional(number=note.number, note=note._replace(number=0), flag=True)

    @action
    def shift(self, number: Count | None) -> None:
        require(self.all.number == number)
        self.all = self.all._replace(number=1 if number is None else None, flag=not self.all.flag)

    @action
    def log(self) -> None:
        inner = self.all.note
        require(inner is not None)
        self.row += (Note(0, None), inner) if inner is not None and len(self.row) == 0 else ()

    @action
    def cut(self) -> None:
        require(len(self.row) > 0 and self.row[-1].writer is not None)
        self.row = ()

    @invariant
    def greatest(self) -> bool:
        """None among the numbers does no harm where it is filtered out."""
        top = max((self.known[n] for n in Node if self.known[n] is not None), default=0)  # type: ignore[type-var]  # mypy does not narrow there
        return top is not None and top <= self.most

    @reachable
    def all_known(self) -> bool:
        return all(self.known[n] is not None for n in Node)

    @reachable
    def written(self) -> bool:
        return self.all.note is not None and self.all.note.writer is None and len(self.row) == 2


class Numbers(Model):
    """Arithmetic, chains of comparisons, and helpers of another file."""

    most: int = constant(6, "the largest number")
    by: int = constant(3, "a divisor", at_least=1)
    longest: int = constant(1, "elements in a row")

    n: Count = 0
    rest: Count = 0
    rows: dict[Colour, Row] = each(Colour, ())

    @action
    def add(self, k: Count) -> None:
        require(0 < k <= self.by)
        self.n = self.n + k if self.n + k <= self.most else 0
        self.rest = (self.n - self.most) % self.by

    @action
    def halve(self) -> None:
        require(self.n >= 2)
        self.n //= 2
        self.rest %= 2

    @action
    def lose(self) -> None:
        require(1 <= self.n < self.most)
        self.n = max(self.n - 2, 0)
        self.rest = 0 - -self.rest

    @action
    def note(self, colour: Colour) -> None:
        self.rows[colour] += (larger(self.n, self.rest),)

    @invariant
    def floor(self) -> bool:
        """Division and remainder go together, below zero too."""
        low = self.n - self.most
        return low // self.by * self.by + low % self.by == low and (low // 2) * 2 <= low

    @invariant
    def chains(self) -> bool:
        return (0 <= self.rest <= self.n <= self.most) or not (0 <= self.rest <= self.n)

    @reachable
    def agree(self) -> bool:
        return in_both(self.rows[Colour.RED], self.rows[Colour.BLUE]) == self.most

    @reachable
    def apart(self) -> bool:
        rows = sum(len(self.rows[c]) for c in Colour)
        small = min((self.rows[c][0] for c in Colour if len(self.rows[c]) > 0), default=0)
        return rows == 2 and small >= 2 and -self.n < -1


class Choices(Model):
    """Parameters of every kind: instances are counted, none is left out."""

    nodes: int = constant(1, "how many there are", at_least=1)
    most: int = constant(1, "the largest number")

    picked: Colour | None = None
    set_of: frozenset[Colour] = frozenset()

    @action
    def pick(self, colour: Colour | None, flag: bool, number: Count, node: Node, set_of: frozenset[Colour]) -> None:
        require(flag and number > 0 and colour in self.set_of | {Colour.RED} if colour is not None else not flag)
        self.picked = colour
        self.set_of = set_of

    @reachable
    def blue(self) -> bool:
        return self.picked == Colour.BLUE and Colour.BLUE not in self.set_of


class OnlyInText(Model):
    """A sort that no variable and no parameter has."""

    nodes: int = constant(3, "how many there are", at_least=1)
    most: int = constant(3, "the largest number")

    n: Count = 0

    @action
    def count(self) -> None:
        self.n = sum(1 for _node in Node)
