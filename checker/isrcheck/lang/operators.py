"""The operators of the language."""

import ast
from collections.abc import Callable

from isrcheck.ir.nodes import Enabled, Expression, Literal, Not, Operation, Operator, TakenAction
from isrcheck.lang.names import Names
from isrcheck.lang.refused import REFUSED_OPERATORS
from isrcheck.place import Place

OPERATORS: dict[type[ast.operator], Operator] = {
    ast.Add: Operator.ADD,
    ast.Sub: Operator.SUB,
    ast.Mult: Operator.MUL,
    ast.FloorDiv: Operator.DIV,
    ast.Mod: Operator.MOD,
    ast.BitOr: Operator.UNION,
    ast.BitAnd: Operator.INTERSECTION,
}


def binary_operator(node: ast.BinOp | ast.AugAssign, names: Names) -> Operator:
    kind = type(node.op)
    if kind not in OPERATORS:
        sign, remedy = REFUSED_OPERATORS[kind.__name__]
        raise names.outside(node, f"the operator {sign}", remedy)
    return OPERATORS[kind]


def _negative(operand: Expression, at: Place) -> Expression:
    return Operation(Operator.SUB, Literal(0, at), operand, at)


SIGNS: dict[type[ast.unaryop], Callable[[Expression, Place], Expression]] = {ast.Not: Not, ast.USub: _negative}

CONNECTIVES: dict[type[ast.boolop], Operator] = {ast.And: Operator.AND, ast.Or: Operator.OR}

COMPARISONS: dict[type[ast.cmpop], Operator] = {
    ast.Eq: Operator.EQ,
    ast.NotEq: Operator.NE,
    ast.Lt: Operator.LT,
    ast.LtE: Operator.LE,
    ast.Gt: Operator.GT,
    ast.GtE: Operator.GE,
    ast.In: Operator.IN,
    ast.NotIn: Operator.NOT_IN,
    ast.Is: Operator.EQ,  # with None only
    ast.IsNot: Operator.NE,
}


def read_taken_action(node: ast.Compare, names: Names) -> Expression | None:
    """The condition `taken.action == "name"`, the one place for a string."""
    match node:
        case ast.Compare(
            left=ast.Attribute(value=ast.Name(id=owner), attr="action"),
            ops=[ast.Eq() | ast.NotEq() as op],
            comparators=[ast.Constant(value=str() as action)],
        ) if owner == names.taken and owner:
            if action not in names.actions:
                raise names.unknown(node.comparators[0], f"there is no action {action!r}.", action, names.actions)
            same = TakenAction(action, names.at(node))
            return same if isinstance(op, ast.Eq) else Not(same, names.at(node))
    return None


def read_enabled(node: ast.Call, names: Names) -> Expression:
    if not names.asks_enabled:
        remedy = "A guard stands in require(), and what several share in a helper."
        raise names.refuse(node, "enabled() is asked by properties only, in their own text.", remedy)
    match node.args, node.keywords:
        case [ast.Attribute(ast.Name(owner), name) as named], [] if owner and owner in (names.self_name, names.before):
            if name not in names.actions:
                raise names.unknown(named, f"{name} is not an action of the model.", name, names.actions)
            return Enabled(name, owner == names.before, names.at(node))
    remedy = "Write enabled(self.ACTION): it asks for any choice of the action's parameters."
    raise names.refuse(node, "enabled() takes the name of one action, without arguments.", remedy)
