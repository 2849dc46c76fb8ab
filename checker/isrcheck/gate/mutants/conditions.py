"""What is changed in an expression: comparisons, the parts of `and` and `or`, filters and choices."""

from collections.abc import Iterator
from dataclasses import replace

from isrcheck.gate.mutants.mutant import Mutation
from isrcheck.gate.mutants.tree import Way, children
from isrcheck.ir.nodes import Comprehension, Conditional, Expression, Literal, Operation, Operator

Edit = tuple[Way, Mutation, Expression | None]  # None: the part is left out

_JUNCTIONS = {Operator.AND: Mutation.CONJUNCT, Operator.OR: Mutation.DISJUNCT}
_TESTS = (Operator.EQ, Operator.NE, Operator.IN, Operator.NOT_IN)
_OTHER_BOUND = {
    Operator.LT: Operator.LE,
    Operator.LE: Operator.LT,
    Operator.GT: Operator.GE,
    Operator.GE: Operator.GT,
}
_BY_ONE = {  # the shift that `<` to `<=`, or `<=` to `<`, does not make: the side that one is added to
    Operator.LT: "left",
    Operator.LE: "right",
    Operator.GT: "right",
    Operator.GE: "left",
}


def edits(node: Expression, way: Way = (), dropped: bool = False) -> Iterator[Edit]:
    """Every change in an expression. `dropped`: leaving out all of it is a change made elsewhere."""
    match node:
        case Operation(operator=operator) if operator in _JUNCTIONS:
            yield from _junction(node, way)
        case Operation(operator=operator) if operator in _OTHER_BOUND:
            yield from _bound(node, way)
        case Operation(operator=operator) if operator in _TESTS and not dropped:
            yield way, Mutation.COMPARISON, Literal(True, node.at)
        case Conditional(then=then, other=other):
            yield way, Mutation.BRANCH, then
            yield way, Mutation.BRANCH, other
        case Comprehension(clauses=clauses):
            for position, clause in enumerate(clauses):
                for n in range(len(clause.conditions)):
                    yield (*way, "clauses", position, "conditions", n), Mutation.FILTER, None
    for step, part in children(node):
        yield from edits(part, (*way, *step), _is_dropped(node, step))


def _junction(node: Operation, way: Way) -> Iterator[Edit]:
    """Each operand left out; one that is itself of several parts loses them one by one further down."""
    change = _JUNCTIONS[node.operator]
    for side, rest in ((node.left, node.right), (node.right, node.left)):
        if not (isinstance(side, Operation) and side.operator is node.operator):
            yield way, change, rest


def _bound(node: Operation, way: Way) -> Iterator[Edit]:
    """`<` and `<=` exchanged, and the shift by one in the other direction."""
    yield way, Mutation.COMPARISON, replace(node, operator=_OTHER_BOUND[node.operator])
    one = Literal(1, node.at)
    if _BY_ONE[node.operator] == "left":
        yield way, Mutation.SHIFT, replace(node, left=Operation(Operator.ADD, node.left, one, node.at))
    else:
        yield way, Mutation.SHIFT, replace(node, right=Operation(Operator.ADD, node.right, one, node.at))


def _is_dropped(parent: Expression, step: Way) -> bool:
    """Whether the part below leaves by a change of its parent: then `True` in its place would be the same mutant."""
    match parent:
        case Operation(operator=Operator.AND):
            return True
        case Conditional():
            return step == ("condition",)
        case Comprehension():
            return "conditions" in step
    return False
