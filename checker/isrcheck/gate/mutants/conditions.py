"""What is changed in an expression."""

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
    """A part changed, with the whole."""

    old: Expression
    change: Mutation
    new: Expression | None  # or nothing
    whole: Expression


def edits(node: Expression, dropped: bool = False) -> Iterator[ExpressionEdit]:
    """Every change in an expression. `dropped`: leaving out all of it is a change made elsewhere."""
    yield from (ExpressionEdit(node, change, new, new) for change, new in _replacements(node, dropped))
    if isinstance(node, Comprehension):
        yield from _filters(node)
    for part, put in children(node):
        for edit in edits(part, _is_dropped(node, part)):
            yield edit._replace(whole=put(edit.whole))


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
            whole = replace(node, clauses=(*node.clauses[:n], rest, *node.clauses[n + 1 :]))
            yield ExpressionEdit(condition, Mutation.FILTER, None, whole)


def _is_dropped(parent: Expression, part: Expression) -> bool:
    """Whether a part leaves by a change of its parent: `True` in its place would be the same mutant."""
    match parent:
        case Operation(operator=Operator.AND):
            return True
        case Conditional(condition=condition):
            return part is condition
        case Comprehension(clauses=clauses):
            return any(part is condition for clause in clauses for condition in clause.conditions)
    return False


def children(node: Any) -> Iterator[tuple[Expression, Put]]:
    """With those in clauses and targets."""
    for name in type(node).__struct_fields__:
        yield from children_in(node, name)


def children_in(node: Any, name: str) -> Iterator[tuple[Expression, Put]]:
    yield from _below(getattr(node, name), lambda new: replace(node, **{name: new}))


def _below(part: Any, put: Put) -> Iterator[tuple[Expression, Put]]:
    if isinstance(part, Expression):
        yield part, put
    elif isinstance(part, tuple):
        for n, each in enumerate(part):
            yield from _below(each, _beside(part, n, put))
    elif isinstance(part, Clause | VariableTarget):
        for inner, around in children(part):
            yield inner, _put_in(put, around)


def _beside(part: tuple[Any, ...], n: int, put: Put) -> Put:
    return lambda new: put((*part[:n], new, *part[n + 1 :]))


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
