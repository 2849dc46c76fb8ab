"""Edits of expressions, one for each mutant."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from isrcheck.gate.mutants.mutant import Mutation
from isrcheck.ir.nodes import (
    Clause,
    Comprehension,
    Conditional,
    Expression,
    Literal,
    Operation,
    Operator,
    VariableTarget,
)

Put = Callable[[Any], Any]  # puts a part in

_JUNCTIONS = {Operator.AND: Mutation.CONJUNCT, Operator.OR: Mutation.DISJUNCT}
_TESTS = (Operator.EQ, Operator.NE, Operator.IN, Operator.NOT_IN)
_OTHER_BOUND = {Operator.LT: Operator.LE, Operator.LE: Operator.LT, Operator.GT: Operator.GE, Operator.GE: Operator.GT}
# The shift that `<` to `<=` does not make.
_LEFT_BY_ONE = (Operator.LT, Operator.GE)


class ExpressionEdit(NamedTuple):
    """An operand changed, and the outermost expression with the change in it."""

    old: Expression
    change: Mutation
    new: Expression | None  # or nothing
    result: Expression


def edits(node: Expression, dropped: bool = False) -> Iterator[ExpressionEdit]:
    """Every change in an expression. `dropped`: leaving out all of it is a change made elsewhere."""
    yield from (ExpressionEdit(node, change, new, new) for change, new in _replacements(node, dropped))
    if isinstance(node, Comprehension):
        yield from _filters(node)
    for operand, put in children(node):
        for edit in edits(operand, _is_dropped(node, operand)):
            yield edit._replace(result=put(edit.result))


def _replacements(node: Expression, dropped: bool) -> Iterator[tuple[Mutation, Expression]]:
    match node:
        case Operation(operator=operator) if operator in _JUNCTIONS:
            # Each operand left out; one that is itself of several parts loses them one by one further down.
            for side, rest in ((node.left, node.right), (node.right, node.left)):
                if not (isinstance(side, Operation) and side.operator is operator):
                    yield _JUNCTIONS[operator], rest
        case Operation(operator=operator) if operator in _OTHER_BOUND:
            yield Mutation.COMPARISON, replace(node, operator=_OTHER_BOUND[operator])
            one = Literal(1, node.at)
            if operator in _LEFT_BY_ONE:
                left = Operation(Operator.ADD, node.left, one, node.at)
                yield Mutation.SHIFT, replace(node, left=left)
            else:
                right = Operation(Operator.ADD, node.right, one, node.at)
                yield Mutation.SHIFT, replace(node, right=right)
        case Operation(operator=operator) if operator in _TESTS and not dropped:
            yield Mutation.COMPARISON, Literal(True, node.at)
        case Conditional(then=then, other=other):
            yield Mutation.BRANCH, then
            yield Mutation.BRANCH, other


def _filters(node: Comprehension) -> Iterator[ExpressionEdit]:
    for n, clause in enumerate(node.clauses):
        for condition in clause.conditions:
            rest = replace(clause, conditions=tuple(c for c in clause.conditions if c is not condition))
            comprehension = replace(node, clauses=(*node.clauses[:n], rest, *node.clauses[n + 1 :]))
            yield ExpressionEdit(condition, Mutation.FILTER, None, comprehension)


def _is_dropped(parent: Expression, operand: Expression) -> bool:
    """Whether a change of the parent drops an operand: `True` in its place would be the same mutant."""
    match parent:
        case Operation(operator=Operator.AND):
            return True
        case Conditional(condition=condition):
            return operand is condition
        case Comprehension(clauses=clauses):
            return any(operand is condition for clause in clauses for condition in clause.conditions)
    return False


def children(node: Any) -> Iterator[tuple[Expression, Put]]:
    """Yield the direct operands of a node, those in clauses and targets too, each with what replaces it."""
    for name in type(node).__struct_fields__:
        yield from children_in(node, name)


def children_in(node: Any, name: str) -> Iterator[tuple[Expression, Put]]:
    yield from _below(getattr(node, name), lambda new: replace(node, **{name: new}))


def _below(value: Any, put: Put) -> Iterator[tuple[Expression, Put]]:
    if isinstance(value, Expression):
        yield value, put
    elif isinstance(value, tuple):
        for n, each in enumerate(value):
            yield from _below(each, _beside(value, n, put))
    elif isinstance(value, Clause | VariableTarget):
        for inner, around in children(value):
            yield inner, _put_in(put, around)


def _beside(elements: tuple[Any, ...], n: int, put: Put) -> Put:
    return lambda new: put((*elements[:n], new, *elements[n + 1 :]))


def _put_in(put: Put, around: Put) -> Put:
    return lambda new: put(around(new))


def shape(node: Any) -> object:
    """A tree without its places: equal for texts that mean the same by construction."""
    if isinstance(node, tuple):
        return tuple(map(shape, node))
    if isinstance(node, Struct):
        names = (name for name in node.__struct_fields__ if name not in ("at", "domain"))
        named = tuple((name, shape(getattr(node, name))) for name in names)
        return type(node).__name__, named
    return repr(node)
