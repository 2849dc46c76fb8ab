"""The intermediate representation of a model's text. Domains are found by `ir/check`."""

from enum import Enum
from typing import Any

from isrcheck.ir.domains import Domain, EnumDomain, RecordDomain, SortDomain
from isrcheck.ir.frozen import Frozen
from isrcheck.place import Place


class Literal(Frozen):
    """An integer, a truth value, None, or a member of the enumeration or sort `domain`."""

    value: Any
    at: Place
    domain: EnumDomain | SortDomain | None = None


class ReadConstant(Frozen):
    name: str
    at: Place


class ReadVariable(Frozen):
    """`self.x`, or `before.x` of a step."""

    name: str
    before: bool
    at: Place


class ReadLocal(Frozen):
    """A parameter, or another local."""

    name: str
    at: Place


class ReadField(Frozen):
    record: "Expression"
    name: str
    at: Place


class Item(Frozen):
    """A map's value under a key, or a sequence's element; a literal -1 is the last element."""

    container: "Expression"
    key: "Expression"
    at: Place


class Slice(Frozen):
    sequence: "Expression"
    start: "Expression | None"
    stop: "Expression | None"
    at: Place


class Operator(Enum):
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


class Operation(Frozen):
    """`and` and `or` leave the right one unread where the left one decides."""

    operator: Operator
    left: "Expression"
    right: "Expression"
    at: Place


class Not(Frozen):
    operand: "Expression"
    at: Place


class Conditional(Frozen):
    condition: "Expression"
    then: "Expression"
    other: "Expression"
    at: Place


class MakeRecord(Frozen):
    domain: RecordDomain
    fields: "tuple[Expression, ...]"
    at: Place


class ReplaceFields(Frozen):
    record: "Expression"
    fields: "tuple[tuple[str, Expression], ...]"
    at: Place


class MakeSequence(Frozen):
    elements: "tuple[Expression, ...]"
    at: Place


class MakeSet(Frozen):
    """Frozen if within `frozenset()`."""

    elements: "tuple[Expression, ...]"
    frozen: bool
    at: Place


class Everything(Frozen):
    """A sort or enumeration, in a `for`."""

    domain: SortDomain | EnumDomain
    at: Place


class IntegerRange(Frozen):
    start: "Expression"
    stop: "Expression"
    at: Place


class Subsets(Frozen):
    """Every subset of a set, in a `for`."""

    of: "Expression"
    at: Place


class Clause(Frozen):
    """`for target in source if ...`."""

    target: str
    source: "Expression"
    conditions: "tuple[Expression, ...]"
    at: Place


class Gathering(Enum):
    """What a comprehension makes."""

    ALL = "all"
    ANY = "any"
    SUM = "sum"
    MIN = "min"
    MAX = "max"
    SEQUENCE = "tuple"
    SET = "frozenset"
    MAP = "dict"


class Comprehension(Frozen):
    """A map has keys, min and max may have a default for no element."""

    gathering: Gathering
    element: "Expression"
    clauses: tuple[Clause, ...]
    at: Place
    key: "Expression | None" = None
    default: "Expression | None" = None


class Extreme(Frozen):
    """`min(a, ...)` or `max(a, ...)`."""

    gathering: Gathering
    parts: "tuple[Expression, ...]"
    at: Place


class Length(Frozen):
    of: "Expression"
    at: Place


class Call(Frozen):
    """By its name in `ModelIR.helpers`."""

    helper: str
    arguments: "tuple[Expression, ...]"
    at: Place
    before: bool = False  # read in the state before: `before.helper(...)`


class IsMember(Frozen):
    """`isinstance(value, Vote)`; a SumDomain for several classes."""

    value: "Expression"
    domain: Domain
    at: Place


class Narrowed(Frozen):
    """A value that is known here to be of `domain`, or not to be (`within` is False)."""

    value: "Expression"
    domain: Domain
    within: bool
    at: Place


class Let(Frozen):
    name: str
    value: "Expression"
    body: "Expression"
    at: Place


class TakenAction(Frozen):
    """`taken.action == "name"`."""

    name: str
    at: Place


class TakenArgument(Frozen):
    name: str
    at: Place


_Read = Literal | ReadConstant | ReadVariable | ReadLocal | ReadField | Item | Slice | TakenAction | TakenArgument
_Computed = Operation | Not | Conditional | Comprehension | Extreme | Length | Call | Let | IsMember | Narrowed
_Made = MakeRecord | ReplaceFields | MakeSequence | MakeSet | Everything | IntegerRange | Subsets
Expression = _Read | _Computed | _Made


class Require(Frozen):
    condition: Expression
    at: Place


class VariableTarget(Frozen):
    """`self.variable[key][key]...`."""

    variable: str
    keys: tuple[Expression, ...]
    at: Place


class Assign(Frozen):
    """Values are read before any write."""

    targets: "tuple[VariableTarget | str, ...]"  # a str is a local name
    values: tuple[Expression, ...]
    at: Place


class Cover(Frozen):
    """What a `match` without `case _` asks of its subject, whatever the guards: one of the tests is true."""

    subject: Expression
    tests: tuple[Expression, ...]
    at: Place


class When(Frozen):
    """`cover`: this is the last case of such a match, so there is no other."""

    condition: Expression
    then: "tuple[Statement, ...]"
    other: "tuple[Statement, ...]"
    at: Place
    cover: Cover | None = None


class Perform(Frozen):
    """A call of a helper with effects."""

    helper: str
    arguments: tuple[Expression, ...]
    at: Place


class Return(Frozen):
    value: Expression
    at: Place


class Repeat(Frozen):
    """The body for each element, as often as it comes, all of which are known before: `send_all`."""

    target: str
    source: Comprehension
    body: "tuple[Statement, ...]"
    at: Place


Statement = Require | Assign | When | Perform | Return | Repeat
