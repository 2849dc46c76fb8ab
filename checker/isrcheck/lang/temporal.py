"""A method marked @temporal as it is read: an operator, and the conditions of states that it joins."""

import ast

from isrcheck.ir.model import TemporalOperator
from isrcheck.ir.nodes import Clause, Comprehension, Expression, Gathering, Operation, Operator, Return
from isrcheck.lang.expressions import read_clauses, read_value
from isrcheck.lang.formulas import FORMULAS
from isrcheck.lang.names import Names, is_own

_REMEDY = "Write return eventually(P), always_eventually(P), eventually_always(P), leads_to(P, Q), or all(...) of one."


def read_formula(tree: ast.FunctionDef, names: Names) -> tuple[TemporalOperator, Return]:
    """The formula that a method returns. Raises ModelError."""
    body = [each for each in tree.body if not (isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant))]
    match body:
        case [ast.Return(value=ast.expr() as formula)]:
            operator, clauses, condition = _read(formula, names)
            at = names.at(formula)
            return operator, Return(Comprehension(Gathering.ALL, condition, clauses, at), at)
    raise names.refuse(tree, f"{tree.name}() is not one line that returns a temporal formula.", _REMEDY)


def _read(node: ast.expr, names: Names) -> tuple[TemporalOperator, tuple[Clause, ...], Expression]:
    match node:
        case ast.Call(func=ast.Name("all"), args=[ast.GeneratorExp(inner, generators)], keywords=[]):
            clauses, known = read_clauses(generators, names)
            operator, more, condition = _read(inner, known)
            return operator, (*clauses, *more), condition
        case ast.Call(func=ast.Name(name)) as call:
            for operator, meaning in FORMULAS.items():
                if is_own(name, meaning, names):
                    return operator, (), _condition(call, operator, names)
    sentence = f"{ast.unparse(node)} is not a temporal formula."
    raise names.refuse(node, sentence, _REMEDY)


def _condition(call: ast.Call, operator: TemporalOperator, names: Names) -> Expression:
    """Each operand is read by itself: it is asked in every state."""
    wanted = ["P", "Q"] if operator is TemporalOperator.LEADS_TO else ["P"]
    if len(call.args) != len(wanted) or call.keywords or any(isinstance(each, ast.Starred) for each in call.args):
        how_many = "two conditions" if len(wanted) == 2 else "one condition"
        sentence = f"{operator.value}() takes {how_many} of states."
        raise names.refuse(call, sentence, f"Write {operator.value}({', '.join(wanted)}).")
    first, *second = (read_value(each, names.inner(set())) for each in call.args)
    return Operation(Operator.AND, first, second[0], names.at(call)) if second else first
