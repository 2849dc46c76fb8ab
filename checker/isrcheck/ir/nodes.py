"""The intermediate representation of a model's text: what the reader makes and every pass and exporter consumes.

Expressions carry no types; `ir/check` finds them. Everything carries the place it was written at.
"""

from dataclasses import dataclass
from enum import Enum
from typing import Any

from isrcheck.ir.domains import EnumDomain, RecordDomain, SortDomain
from isrcheck.place import Place


@dataclass(frozen=True, slots=True)
class Literal:
    """An integer, a truth value, None, or a member of an enumeration (then `domain` tells which)."""

    value: Any
    at: Place
    domain: EnumDomain | None = None


@dataclass(frozen=True, slots=True)
class ReadConstant:
    name: str
    at: Place


@dataclass(frozen=True, slots=True)
class ReadVariable:
    """A state variable: `self.x`, or `before.x` in a step property."""

    name: str
    before: bool
    at: Place


@dataclass(frozen=True, slots=True)
class ReadLocal:
    """A parameter, a local name, or the variable of a comprehension."""

    name: str
    at: Place


@dataclass(frozen=True, slots=True)
class ReadField:
    record: "Expression"
    name: str
    at: Place


@dataclass(frozen=True, slots=True)
class Item:
    """A map's value under a key, or a sequence's element; a literal -1 is the last element."""

    container: "Expression"
    key: "Expression"
    at: Place


@dataclass(frozen=True, slots=True)
class Slice:
    sequence: "Expression"
    start: "Expression | None"
    stop: "Expression | None"
    at: Place


class Operator(Enum):
    """What stands between two operands."""

    ADD = "+"
    SUB = "-"
    MUL = "*"
    DIV = "//"
    MOD = "%"
    UNION = "|"
    INTERSECTION = "&"
    EQ = "=="
    NE = "!="
    LT = "<"
    LE = "<="
    GT = ">"
    GE = ">="
    IN = "in"
    NOT_IN = "not in"
    AND = "and"
    OR = "or"


@dataclass(frozen=True, slots=True)
class Operation:
    """Two operands; `and` and `or` leave the right one unread where the left one decides."""

    operator: Operator
    left: "Expression"
    right: "Expression"
    at: Place


@dataclass(frozen=True, slots=True)
class Not:
    operand: "Expression"
    at: Place


@dataclass(frozen=True, slots=True)
class Conditional:
    """`then if condition else other`."""

    condition: "Expression"
    then: "Expression"
    other: "Expression"
    at: Place


@dataclass(frozen=True, slots=True)
class MakeRecord:
    domain: RecordDomain
    fields: "tuple[Expression, ...]"
    at: Place


@dataclass(frozen=True, slots=True)
class ReplaceFields:
    """`record._replace(name=value, ...)`."""

    record: "Expression"
    fields: "tuple[tuple[str, Expression], ...]"
    at: Place


@dataclass(frozen=True, slots=True)
class MakeSequence:
    elements: "tuple[Expression, ...]"
    at: Place


@dataclass(frozen=True, slots=True)
class MakeSet:
    """A set display; frozen when it stands in `frozenset(...)`."""

    elements: "tuple[Expression, ...]"
    frozen: bool
    at: Place


@dataclass(frozen=True, slots=True)
class Everything:
    """The members of a sort or an enumeration, as a source of a `for`."""

    domain: SortDomain | EnumDomain
    at: Place


@dataclass(frozen=True, slots=True)
class IntegerRange:
    """`range(start, stop)` as a source of a `for`."""

    start: "Expression"
    stop: "Expression"
    at: Place


@dataclass(frozen=True, slots=True)
class Clause:
    """`for target in source if condition if condition ...`."""

    target: str
    source: "Expression"
    conditions: "tuple[Expression, ...]"
    at: Place


class Gathering(Enum):
    """What becomes of the elements that a comprehension runs over."""

    ALL = "all"
    ANY = "any"
    SUM = "sum"
    MIN = "min"
    MAX = "max"
    SEQUENCE = "tuple"
    SET = "frozenset"
    MAP = "dict"


@dataclass(frozen=True, slots=True)
class Comprehension:
    """`gathering(element for ... in ...)`; a map has keys, min and max may have a default for no element."""

    gathering: Gathering
    element: "Expression"
    clauses: tuple[Clause, ...]
    at: Place
    key: "Expression | None" = None
    default: "Expression | None" = None


@dataclass(frozen=True, slots=True)
class Extreme:
    """`min(a, b, ...)` or `max(a, b, ...)`."""

    gathering: Gathering
    parts: "tuple[Expression, ...]"
    at: Place


@dataclass(frozen=True, slots=True)
class Length:
    of: "Expression"
    at: Place


@dataclass(frozen=True, slots=True)
class Call:
    """A pure helper or a policy, by its name in `ModelIR.helpers`."""

    helper: str
    arguments: "tuple[Expression, ...]"
    at: Place
    before: bool = False  # read in the state before: `before.helper(...)`


@dataclass(frozen=True, slots=True)
class Let:
    """A body in which a name stands for a value."""

    name: str
    value: "Expression"
    body: "Expression"
    at: Place


@dataclass(frozen=True, slots=True)
class TakenAction:
    """`taken.action == "name"` in a step property."""

    name: str
    at: Place


@dataclass(frozen=True, slots=True)
class TakenArgument:
    """`taken.parameter` in a step property."""

    name: str
    at: Place


Expression = (
    Literal
    | ReadConstant
    | ReadVariable
    | ReadLocal
    | ReadField
    | Item
    | Slice
    | Operation
    | Not
    | Conditional
    | MakeRecord
    | ReplaceFields
    | MakeSequence
    | MakeSet
    | Everything
    | IntegerRange
    | Comprehension
    | Extreme
    | Length
    | Call
    | Let
    | TakenAction
    | TakenArgument
)


# Statements


@dataclass(frozen=True, slots=True)
class Require:
    condition: Expression
    at: Place


@dataclass(frozen=True, slots=True)
class VariableTarget:
    """`self.variable[key][key]...`."""

    variable: str
    keys: tuple[Expression, ...]
    at: Place


@dataclass(frozen=True, slots=True)
class Assign:
    """One or several assignments at once: every value is read before any target is written."""

    targets: "tuple[VariableTarget | str, ...]"  # a str is a local name
    values: tuple[Expression, ...]
    at: Place


@dataclass(frozen=True, slots=True)
class When:
    condition: Expression
    then: "tuple[Statement, ...]"
    other: "tuple[Statement, ...]"
    at: Place


@dataclass(frozen=True, slots=True)
class Perform:
    """A helper with effects, called as a statement."""

    helper: str
    arguments: tuple[Expression, ...]
    at: Place


@dataclass(frozen=True, slots=True)
class Return:
    value: Expression
    at: Place


Statement = Require | Assign | When | Perform | Return
