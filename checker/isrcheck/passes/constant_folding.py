"""Constant folding in a model's IR: conditions and values that the constants decide.

Whatever depends on a variable or a symbolic constant stays, unless what stands beside it decides.
"""

from collections.abc import Mapping

from msgspec.structs import replace

from isrcheck.errors import IsrcheckError
from isrcheck.ir import nodes
from isrcheck.ir.nodes import Expression, Operator, Statement, locals_assigned_in, rebuild, walk
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

    def block(self, block: tuple[Statement, ...], known: dict[str, Value]) -> tuple[Statement, ...]:
        result: list[Statement] = []
        for statement in block:
            folded = rebuild(statement, lambda child: self.expression(child, known))
            match folded:
                case nodes.When():
                    test = self.truth(folded.condition, known)
                    if test is not None:
                        result.extend(self.block(folded.then if test else folded.other, known))
                        continue
                    then, other = self.block(folded.then, dict(known)), self.block(folded.other, dict(known))
                    folded = replace(folded, then=then, other=other)
                    for name in locals_assigned_in((then, other)):
                        known.pop(name, None)
                case nodes.Assign():
                    self.learn(folded, known)
            result.append(folded)
        return tuple(result)

    def learn(self, node: nodes.Assign, known: dict[str, Value]) -> None:
        pairs = zip(node.targets, node.values, strict=True)
        learnt = {t: self.value(value, known) for t, value in pairs if isinstance(t, str)}
        for name, value in learnt.items():
            known.pop(name, None)
            if value is not None:
                known[name] = value

    def expression(self, node: Expression, known: Known) -> Expression:
        match node:
            case nodes.Conditional():
                test = self.truth(node.condition, known)
                if test is not None:
                    return self.expression(node.then if test else node.other, known)
            case nodes.Operation(operator=Operator.AND | Operator.OR as operator, left=left, right=right):
                test = self.truth(left, known)
                if test is not None:
                    return self.expression(right if test is (operator is Operator.AND) else left, known)
            case nodes.Let():
                return self.let(node, known)
        return rebuild(node, lambda child: self.expression(child, known))

    def let(self, node: nodes.Let, known: Known) -> Expression:
        value = self.expression(node.value, known)
        body = self.expression(node.body, self._within(node, known))
        if not any(isinstance(p, nodes.ReadLocal) and p.name == node.name for p in walk(body)):
            return body
        return replace(node, value=value, body=body)

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
            case nodes.ReadVariable() | nodes.TakenAction() | nodes.TakenArgument():
                raise _Undecided
            case nodes.ReadLocal(name=name) if name not in env:
                raise _Undecided
        return super().value(node, env)
