"""What an expression is worth where constants alone decide it."""

import operator
from collections.abc import Callable, Mapping
from typing import Any

from isrcheck.ir.nodes import (
    Comprehension,
    Conditional,
    Expression,
    Gathering,
    Let,
    Literal,
    Not,
    Operation,
    Operator,
    ReadConstant,
    ReadLocal,
)

_PLAIN: Mapping[Operator, Callable[[Any, Any], Any]] = {
    Operator.ADD: operator.add,
    Operator.SUB: operator.sub,
    Operator.MUL: operator.mul,
    Operator.EQ: operator.eq,
    Operator.NE: operator.ne,
    Operator.LT: operator.lt,
    Operator.LE: operator.le,
    Operator.GT: operator.gt,
    Operator.GE: operator.ge,
}
_NOTHING: Mapping[str, Any] = {}
OPEN = object()  # it depends on the state, or on a parameter


def settled(text: Expression, constants: Mapping[str, Any], local: Mapping[str, Any] = _NOTHING) -> Any:
    """The value of an expression whatever the state is, or OPEN; `local` has the names that a `Let` has given a value.

    Of `all` and `any` only the answer is found that no element may give as well: true of all, false of any.
    """
    match text:
        case Literal(value=value):
            return value
        case ReadConstant(name=name):
            return constants[name]
        case ReadLocal(name=name):
            return local.get(name, OPEN)
        case Not(operand=operand):
            value = settled(operand, constants, local)
            return OPEN if value is OPEN else not value
        case Operation(operator=Operator.AND | Operator.OR as junction, left=left, right=right):
            return _junction(junction is Operator.OR, settled(left, constants, local), settled(right, constants, local))
        case Operation(operator=sign, left=left, right=right) if sign in _PLAIN:
            one, two = settled(left, constants, local), settled(right, constants, local)
            return OPEN if OPEN in (one, two) else _PLAIN[sign](one, two)
        case Conditional(condition=condition, then=then, other=other):
            decided = settled(condition, constants, local)
            return OPEN if decided is OPEN else settled(then if decided else other, constants, local)
        case Let(name=name, value=value, body=body):
            return settled(body, constants, {**local, name: settled(value, constants, local)})
        case Comprehension(gathering=Gathering.ALL | Gathering.ANY as junction, element=element, clauses=clauses):
            named = {clause.target for clause in clauses}
            value = settled(element, constants, {n: v for n, v in local.items() if n not in named})
            return value if value is (junction is Gathering.ALL) else OPEN
    return OPEN


def _junction(deciding: bool, left: Any, right: Any) -> Any:
    """`or` is decided by one true part, `and` by one false one."""
    if left is deciding or right is deciding:
        return deciding
    return OPEN if OPEN in (left, right) else not deciding
