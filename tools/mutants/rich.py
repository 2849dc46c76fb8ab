"""Models that are small and use every kind of value, so that a hook on a value type finds what it hooks."""

RICH = (
    """
from __future__ import annotations

from enum import Enum
from typing import Annotated, NamedTuple, Self

from isrcheck import Model, Sort, Taken, UpTo, action, constant, each, invariant, members, policy, reachable
from isrcheck import require, step


class Node(Sort, size="nodes"):
    pass


class Color(Enum):
    RED = 1
    GREEN = 2


Small = Annotated[int, UpTo("top")]
Bit = Annotated[int, UpTo(1)]


class Note(NamedTuple):
    at: Node
    color: Color
    size: Small


Notes = Annotated[tuple[Note, ...], UpTo(2)]


def darker(one: Color, two: Color) -> bool:
    return one == Color.RED and two != one


class Base(Model):
    nodes: int = constant(2, "nodes", at_least=1)
    top: int = constant(2, "top", at_least=1)

    color: dict[Node, Color] = each(Node, Color.RED)
    last: Note | None = None
    notes: Notes = ()
    ready: frozenset[Node] = members(Node)
    count: Small = 0
    open: bool = False

    @policy
    def may_change(self, node: Node) -> bool:
        raise NotImplementedError

    @action
    def change(self, node: Node, color: Color) -> None:
        require(self.color[node] != color)
        require(self.may_change(node))
        if node in self.ready:
            require(self.count < self.top)
            self.count += 1
            self.ready -= {node}
        else:
            self.count = (self.count - 1) // 2 + 1 if self.count > 0 else 0
        self.color[node] = color
        self.last = Note(node, color, self.count)

    @action
    def write(self, node: Node) -> None:
        last = self.last
        require(last is not None and last not in self.notes)
        if last is not None:
            require(last.at == node)
            self.notes = self.notes + (last._replace(color=Color.GREEN),)
            self.open = darker(last.color, self.color[node])

    @action
    def reset(self) -> None:
        require(len(self.notes) > 0)
        self.notes, self.last = self.notes[1:], self.notes[0]
        self.ready |= frozenset(n.at for n in self.notes)

    @invariant
    def few(self) -> bool:
        return len(self.notes) <= 1 or self.notes[0] != self.notes[1]

    @invariant
    def last_is_true(self) -> bool:
        return self.last is None or self.color[self.last.at] == self.last.color

    @step
    def slow(self, before: Self, taken: Taken) -> bool:
        return taken.action == "reset" or self.count - before.count <= 1

    @reachable
    def both_green(self) -> bool:
        return all(self.color[n] == Color.GREEN for n in Node)

    def largest(self) -> int:
        return max((n.size for n in self.notes), default=0)


class Chosen(Base):
    def may_change(self, node: Node) -> bool:
        if self.open:
            return node in self.ready
        return self.largest() < 2 or not any(n.at == node for n in self.notes)
""",
    """
from enum import Enum
from typing import Annotated, NamedTuple, Self

from isrcheck import Model, UpTo, action, constant, each, history, invariant, reachable, require, step


class Mode(Enum):
    OFF = "off"
    ON = "on"
    BROKEN = "broken"


Level = Annotated[int, UpTo(3)]
Slot = Annotated[int, UpTo(1)]


class Pair(NamedTuple):
    left: Level
    on: bool


class Swap(Model):
    step_size: int = constant(1, "step", at_least=1)

    a: Level = 0
    b: Level = 1
    mode: Mode = Mode.OFF
    pair: Pair = Pair(0, False)
    stored: dict[Slot, Level] = each(Slot, 0)
    kept: dict[Slot, Level] = each(Slot, 1)
    seen: frozenset[Pair] = frozenset()
    most: Level = history(0)

    @action
    def swap(self) -> None:
        require(self.mode != Mode.BROKEN)
        self.a, self.b = self.b, self.a
        self.mode = Mode.ON if self.a > self.b else Mode.OFF
        self.most = max(self.most, self.a, self.b)

    @action
    def store(self, slot: Slot) -> None:
        if self.mode == Mode.ON:
            require(self.stored[slot] == 0)
            self.stored[slot] = self.a
        else:
            if self.a == 0:
                require(self.b < 3)
            self.b += self.step_size
            self.kept = self.stored
        self.pair = self.pair._replace(left=self.stored[slot], on=not self.pair.on)

    @action
    def collect(self, slot: Slot) -> None:
        require(self.a + self.b * self.stored[slot] > 2 and self.pair not in self.seen)
        require(len(self.seen) < 1)
        self.seen |= {self.pair}
        self.a = self.stored[1 - slot] % 2
        self.mode = Mode.BROKEN if self.pair.on else Mode.ON

    @action
    def mend(self) -> None:
        require(self.mode == Mode.BROKEN)
        self.mode = Mode.OFF
        self.stored = {s: self.kept[s] // 2 for s in range(2)}

    @invariant
    def ordered(self) -> bool:
        return self.mode != Mode.ON or self.b <= self.a <= 3

    @invariant
    def known(self) -> bool:
        return all(p.left <= self.most for p in self.seen)

    @step
    def no_jump(self, before: Self) -> bool:
        return -2 <= self.b - before.b <= 2

    @reachable
    def broken(self) -> bool:
        return self.mode == Mode.BROKEN and sum(self.stored[s] for s in range(2)) > 1
""",
)
