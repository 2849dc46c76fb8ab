"""The intermediate representation of a model's text. Domains are found by `ir/check`."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import Enum
from functools import cache
from typing import Any, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from isrcheck.ir.domains import Domain, EnumDomain, RecordDomain, SortDomain
from isrcheck.ir.frozen import FrozenStruct, field_names, is_data
from isrcheck.place import Place


class Literal(FrozenStruct):
    """An integer, a truth value, None, or a member of the enumeration or sort `domain`."""

    value: Any
    at: Place
    domain: EnumDomain | SortDomain | None = None


class ReadConstant(FrozenStruct):
    name: str
    at: Place


class ReadVariable(FrozenStruct):
    """The value of a variable: `self.x`, or `before.x` of a step."""

    name: str
    before: bool
    at: Place


class ReadLocal(FrozenStruct):
    """The value of a parameter or another local."""

    name: str
    at: Place


class ReadField(FrozenStruct):
    record: "Expression"
    name: str
    at: Place


class Item(FrozenStruct):
    """A map's value under a key, or a sequence's element; a literal -1 is the last element."""

    container: "Expression"
    key: "Expression"
    at: Place


class Slice(FrozenStruct):
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


class Operation(FrozenStruct):
    """An operator on two operands; `and` and `or` read the right one only if the left one does not decide."""

    operator: Operator
    left: "Expression"
    right: "Expression"
    at: Place


class Not(FrozenStruct):
    operand: "Expression"
    at: Place


class Conditional(FrozenStruct):
    condition: "Expression"
    then: "Expression"
    other: "Expression"
    at: Place


class MakeRecord(FrozenStruct):
    domain: RecordDomain
    fields: "tuple[Expression, ...]"
    at: Place


class ReplaceFields(FrozenStruct):
    record: "Expression"
    fields: "tuple[tuple[str, Expression], ...]"
    at: Place


class MakeSequence(FrozenStruct):
    elements: "tuple[Expression, ...]"
    at: Place


class MakeSet(FrozenStruct):
    """A set display, frozen if it is within `frozenset()`."""

    elements: "tuple[Expression, ...]"
    frozen: bool
    at: Place


class Everything(FrozenStruct):
    """A sort or enumeration, in a `for`."""

    domain: SortDomain | EnumDomain
    at: Place


class IntegerRange(FrozenStruct):
    start: "Expression"
    stop: "Expression"
    at: Place


class Subsets(FrozenStruct):
    """Every subset of a set, in a `for`."""

    of: "Expression"
    at: Place


class Clause(FrozenStruct):
    """The part `for target in source if ...` of a comprehension."""

    target: str
    source: "Expression"
    conditions: "tuple[Expression, ...]"
    at: Place


class Gathering(Enum):
    """The result of a comprehension."""

    ALL = "all"
    ANY = "any"
    SUM = "sum"
    MIN = "min"
    MAX = "max"
    SEQUENCE = "tuple"
    SET = "frozenset"
    MAP = "dict"


class Comprehension(FrozenStruct):
    """A map has keys, min and max may have a default for no element."""

    gathering: Gathering
    element: "Expression"
    clauses: tuple[Clause, ...]
    at: Place
    key: "Expression | None" = None
    default: "Expression | None" = None


class Extreme(FrozenStruct):
    """The call `min(a, ...)` or `max(a, ...)`."""

    gathering: Gathering
    parts: "tuple[Expression, ...]"
    at: Place


class Length(FrozenStruct):
    of: "Expression"
    at: Place


class Call(FrozenStruct):
    """A call of a helper, by its name in `ModelIR.helpers`."""

    helper: str
    arguments: "tuple[Expression, ...]"
    at: Place
    before: bool = False  # read in the state before: `before.helper(...)`


class IsMember(FrozenStruct):
    """The test `isinstance(value, Vote)`; its domain is a SumDomain for several classes."""

    value: "Expression"
    domain: Domain
    at: Place


class Narrowed(FrozenStruct):
    """A value that is known here to be of `domain`, or not to be (`within` is False)."""

    value: "Expression"
    domain: Domain
    within: bool
    at: Place


class Let(FrozenStruct):
    name: str
    value: "Expression"
    body: "Expression"
    at: Place


class TakenAction(FrozenStruct):
    """The test `taken.action == "name"` of a step property."""

    name: str
    at: Place


class TakenArgument(FrozenStruct):
    name: str
    at: Place


class Enabled(FrozenStruct):
    """The test `enabled(self.action)`, or of `before.action`."""

    action: str
    before: bool
    at: Place


_Read = Literal | ReadConstant | ReadVariable | ReadLocal | ReadField | Item | Slice
_Asked = TakenAction | TakenArgument | Enabled
_Computed = Operation | Not | Conditional | Comprehension | Extreme | Length | Call | Let | IsMember | Narrowed
_Constructed = MakeRecord | ReplaceFields | MakeSequence | MakeSet | Everything | IntegerRange | Subsets
Expression = _Read | _Asked | _Computed | _Constructed


class Require(FrozenStruct):
    condition: Expression
    at: Place


class VariableTarget(FrozenStruct):
    """A target of an assignment: `self.variable[key][key]...`."""

    variable: str
    keys: tuple[Expression, ...]
    at: Place


class Assign(FrozenStruct):
    """An assignment, whose values are all read before anything is written."""

    targets: "tuple[VariableTarget | str, ...]"  # a str is a local name
    values: tuple[Expression, ...]
    at: Place


class Cover(FrozenStruct):
    """The condition of a `match` without `case _`, whatever its guards: one of the tests is true of the subject."""

    subject: Expression
    tests: tuple[Expression, ...]
    at: Place


class When(FrozenStruct):
    """An `if`. A `cover` marks the last case of a match that covers all values: `other` is never taken."""

    condition: Expression
    then: "tuple[Statement, ...]"
    other: "tuple[Statement, ...]"
    at: Place
    cover: Cover | None = None


class Perform(FrozenStruct):
    """A call of a helper with effects."""

    helper: str
    arguments: tuple[Expression, ...]
    at: Place


class Return(FrozenStruct):
    value: Expression
    at: Place


class Repeat(FrozenStruct):
    """The body for each element, as often as it comes, all of which are known before: `send_all`."""

    target: str
    source: Comprehension
    body: "tuple[Statement, ...]"
    at: Place


Statement = Require | Assign | When | Perform | Return | Repeat


T = TypeVar("T")


@cache
def _last_first(kind: Any) -> tuple[str, ...] | None:
    """The fields of a node's class, the last one first; None for another class."""
    names = (name for name in reversed(field_names(kind)) if name not in ("domain", "at"))
    return tuple(names) if is_data(kind) and kind is not Place else None


def walk(node: object) -> Iterator[object]:
    """Every node, outermost first."""
    waiting = [node]
    while waiting:
        node = waiting.pop()
        kind: Any = type(node)
        if isinstance(node, tuple):
            waiting.extend(reversed(node))
        elif (parts := _last_first(kind)) is not None:
            yield node
            waiting.extend([getattr(node, name) for name in parts])


def rebuild(node: T, change: Callable[[Expression], Expression]) -> T:
    """Return a node with its expressions changed; the same object if none changes."""
    assert isinstance(node, Struct)
    changed = {}
    for name in reversed(_last_first(type(node)) or ()):
        old = getattr(node, name)
        new = _change_nodes(old, change) if isinstance(old, tuple | Struct) else old
        if new is not old:
            changed[name] = new
    return replace(node, **changed) if changed else node


def _change_nodes(value: Any, change: Callable[[Expression], Expression]) -> Any:
    if isinstance(value, tuple):
        changed = tuple(_change_nodes(each, change) for each in value)
        return value if all(new is old for new, old in zip(changed, value, strict=True)) else changed
    if isinstance(value, Expression):
        return change(value)
    return rebuild(value, change) if isinstance(value, Clause | VariableTarget) else value


def locals_assigned_in(block: object) -> frozenset[str]:
    return frozenset(t for p in walk(block) if isinstance(p, Assign) for t in p.targets if isinstance(t, str))


def close_under(first: Iterable[str], further: Callable[[str], Iterable[str]]) -> set[str]:
    """Return these names and all to which they lead, one by one."""
    closure: set[str] = set()
    waiting = list(first)
    while waiting:
        name = waiting.pop()
        if name not in closure:
            closure.add(name)
            waiting += further(name)
    return closure


def substitute(node: Expression, values: Mapping[str, Expression]) -> Expression:
    """The expression with these values in place of local names."""
    if isinstance(node, ReadLocal) and node.name in values:
        return values[node.name]
    return rebuild(node, lambda inner: substitute(inner, values))


def helpers_called(node: object) -> set[str]:
    return {each.helper for each in walk(node) if isinstance(each, Call | Perform)}
