"""The scalar transition system: small integers, and per action instance a guard and updates.

Every fast engine consumes this and nothing else. All operations are total; what could go wrong in
the author's text is a condition of its own in `Fault`.
"""

from bisect import bisect_right
from enum import Enum
from typing import Any

from isrcheck.ir.frozen import FrozenStruct
from isrcheck.ir.property_kinds import PropertyKind
from isrcheck.place import Place


class Op(Enum):
    """The closed list of node kinds. Truth values are the integers 0 and 1."""

    CONST = "const"
    VAR = "var"  # the value of a scalar; in a step property, position n + i is scalar i of the state before
    NOT = "not"
    AND = "and"  # two or more arguments, each 0 or 1
    OR = "or"
    EQ = "eq"
    LT = "lt"
    ADD = "add"
    SUB = "sub"
    MUL = "mul"
    DIV = "div"  # floor division by a positive constant
    MOD = "mod"  # remainder, never negative, by a positive constant
    ITE = "ite"  # condition, value if 1, value if 0
    BAND = "band"
    BOR = "bor"
    BANDNOT = "bandnot"  # a & ~b
    SHL = "shl"  # by an argument known to lie in 0..63
    SHR = "shr"
    POPCOUNT = "popcount"

    __hash__ = object.__hash__  # Enum's own is Python, and asked for every node


class Node(FrozenStruct, eq=False):
    """One shared expression. Two nodes of a system are equal only if they are the same object.

    Arguments have smaller indices; `low` and `high` enclose every value in the declared domains.
    """

    op: Op
    args: "tuple[Node, ...]"
    value: int  # of a CONST; the position of a VAR; otherwise 0
    low: int
    high: int
    index: int

    def __repr__(self) -> str:
        if self.op is Op.CONST:
            return str(self.value)
        if self.op is Op.VAR:
            return f"v{self.value}"
        return f"({self.op.value} {' '.join(map(repr, self.args))})"


class Scalar(FrozenStruct):
    """Values 0 to size - 1; `name` is the path in the model, such as `log[r0][1].epoch`."""

    name: str
    size: int

    @property
    def bits(self) -> int:
        """The fewest for all its values."""
        return (self.size - 1).bit_length()


class Fault(FrozenStruct):
    """An error of the model: if `condition` is 1, the method would raise at `place`, or `grows` needs more slots."""

    condition: Node
    place: Place
    sentence: str
    grows: str = ""


class Instance(FrozenStruct):
    """One action with one choice of its parameters.

    In a state: any fault whose condition is 1 is an error of the model; else guard 0 means not
    enabled; else pruned 1 means that the step leaves a bound; else `updates` (scalar position,
    value in the state before) give the successor.
    """

    action: int
    arguments: tuple[Any, ...]  # the model's own values, in the order of the action's parameters
    guard: Node
    pruned: Node
    updates: tuple[tuple[int, Node], ...]
    faults: tuple[Fault, ...]
    position: Node | None = None  # among all choices of parameters, in the state before; None: its own among instances


class Condition(FrozenStruct):
    """A truth value of a state or a step, and the faults possible in it."""

    node: Node
    faults: tuple[Fault, ...]


class ScalarProperty(FrozenStruct):
    """One that reads a state has one condition; one that reads a step has one for each instance.

    Those are over twice as many positions: see `Op.VAR`.
    """

    name: str
    kind: PropertyKind
    conditions: tuple[Condition, ...]


class Symmetry(FrozenStruct):
    """How a state changes when members i and i + 1 of a sort change places: `swaps[i]`."""

    sort: str
    size: int
    swaps: tuple[tuple[Node, ...], ...]


class ActionRole(FrozenStruct):
    """The actor of an action: one of its own name, or, of `size` members, one every `stride` choices of parameters."""

    actor: str
    is_fault: bool = False
    stride: int = 1
    size: int = 1


class Actors(FrozenStruct):
    """The actor of each step, by its position among all choices of parameters; `first`: each action's first position.

    They decide which of several shortest traces is shown, and nothing else.
    """

    first: tuple[int, ...] = ()
    roles: tuple[ActionRole, ...] = ()

    def of(self, position: int) -> tuple[str, int]:
        action = bisect_right(self.first, position) - 1
        role = self.roles[action]
        return role.actor, (position - self.first[action]) // role.stride % role.size

    def is_fault(self, position: int) -> bool:
        return self.roles[bisect_right(self.first, position) - 1].is_fault


class ScalarSystem(FrozenStruct):
    """A whole lowered model. States are tuples of scalar values, in the order of `scalars`.

    No instance is left out, so that a position means the same action and arguments in every engine:
    actions in declaration order, then parameters in domain order, the first slowest. Only where a parameter can be
    nothing but an element of some slots (ir/slots.py) it has an instance a slot: `Instance.position` is that position.
    """

    scalars: tuple[Scalar, ...]
    initial: tuple[int, ...]
    actions: tuple[str, ...]
    instances: tuple[Instance, ...]
    properties: tuple[ScalarProperty, ...]
    symmetries: tuple[Symmetry, ...] = ()
    others: tuple[tuple[int, ...], ...] = ()  # further initial states
    started: int = 1  # initial states as generated
    outside: Node | None = None  # 1 in states that a constraint ends a search at: judged, not counted, without steps
    first: tuple[int, ...] = ()  # of each action the first position, and the end, if instances have positions
    actors: Actors = Actors()

    @property
    def initials(self) -> tuple[tuple[int, ...], ...]:
        """All initial states, in the order of a model's choices."""
        return (self.initial, *self.others)


_KEPT = {chr(code) for code in range(0x20, 0x7F)} - set("|\\{")


def quote(name: str) -> str:
    """A character that a symbol cannot hold stands as its number in braces."""
    return f"|{''.join(c if c in _KEPT else f'{{{ord(c):X}}}' for c in name)}|"
