"""Conditions and values of a model's IR that the constants decide; a symbolic constant decides none."""

from collections.abc import Mapping

from isrcheck.errors import IsrcheckError
from isrcheck.ir import nodes
from isrcheck.ir.nodes import Expression, Operator
from isrcheck.passes.bind import BoundModel
from isrcheck.passes.comprehensions import Locals
from isrcheck.passes.evaluate import Evaluator
from isrcheck.passes.fold import Nodes
from isrcheck.passes.limits import SymbolicScalars
from isrcheck.passes.values.kinds import TruthValue, Value
from isrcheck.passes.values.shapes import Shapes

Known = Mapping[str, Value]  # local names whose values the constants decide


class ConstantFolder:
    def __init__(self, model: BoundModel) -> None:
        self.model, table = model, Nodes()
        self.shapes = Shapes(table, SymbolicScalars(table, model.constants))

    def _within(self, node: nodes.Let, known: Known) -> Known:
        value, outer = self.value(node.value, known), {n: each for n, each in known.items() if n != node.name}
        return outer if value is None else {**outer, node.name: value}

    def truth(self, node: Expression, known: Known) -> bool | None:
        """The truth of a condition; None if the constants do not decide it."""
        value = self.value(node, known)
        if isinstance(value, TruthValue) and value.node.low == value.node.high:
            return bool(value.node.low)
        return None

    def outcome(self, node: Expression, known: Known) -> bool | None:
        """The truth that a condition has wherever it has a value; None if the constants do not decide it.

        Of `all` and `any` it is what no element may give as well: true of all, false of any.
        """
        match node:
            case nodes.Not(operand=operand):
                inner = self.outcome(operand, known)
                return None if inner is None else not inner
            case nodes.Operation(operator=Operator.AND | Operator.OR as operator, left=left, right=right):
                sides, deciding = {self.outcome(left, known), self.outcome(right, known)}, operator is Operator.OR
                return deciding if deciding in sides else None if None in sides else not deciding
            case nodes.Conditional():
                test = self.outcome(node.condition, known)
                return None if test is None else self.outcome(node.then if test else node.other, known)
            case nodes.Let(body=body):
                return self.outcome(body, self._within(node, known))
            case nodes.Comprehension(gathering=nodes.Gathering.ALL | nodes.Gathering.ANY as gathering):
                named = {clause.target for clause in node.clauses}
                value = self.outcome(node.element, {n: each for n, each in known.items() if n not in named})
                return value if value is (gathering is nodes.Gathering.ALL) else None
        return self.truth(node, known)

    def value(self, node: Expression, known: Known) -> Value | None:
        """The value of an expression; None if it is undecided, or an error."""
        only = ConstantsOnly(self.model, self.shapes, {})
        try:
            value = only.value(node, known)
        except (_Undecided, IsrcheckError):
            return None
        return None if only.faults else value


class _Undecided(Exception):
    """An expression that takes more than constants."""


class ConstantsOnly(Evaluator):
    def value(self, node: Expression, env: Locals) -> Value:
        match node:
            case nodes.ReadVariable() | nodes.TakenAction() | nodes.TakenArgument() | nodes.Enabled():
                raise _Undecided
            case nodes.ReadLocal(name=name) if name not in env:
                raise _Undecided
        return super().value(node, env)
