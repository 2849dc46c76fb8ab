"""What the constants decide, settled in the text: a choice that they make leaves one branch, and names unread go.

Nothing that depends on a variable or an symbolic constant is touched, unless it stands beside what decides without it.
"""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar

from isrcheck.errors import IsrcheckError
from isrcheck.ir.nodes import (
    Assign,
    Clause,
    Conditional,
    Expression,
    Let,
    Operation,
    Operator,
    ReadLocal,
    ReadVariable,
    Require,
    Statement,
    TakenAction,
    TakenArgument,
    When,
)
from isrcheck.ir.traversal import walk
from isrcheck.passes.bind import BoundModel
from isrcheck.passes.evaluate import Evaluator, Locals
from isrcheck.passes.fold import Nodes
from isrcheck.passes.limits import SymbolicScalars
from isrcheck.passes.values.kinds import TruthValue, Value
from isrcheck.passes.values.shapes import Shapes

T = TypeVar("T")
Known = Mapping[str, Value]  # local names whose values the constants decide


class ConstantFolder:
    """Settles expressions and statements of one model, whose constants are chosen or open."""

    def __init__(self, model: BoundModel) -> None:
        self.model = model
        nodes = Nodes()
        self.shapes = Shapes(nodes, SymbolicScalars(nodes, model.constants))

    # Statements

    def block(self, block: tuple[Statement, ...]) -> tuple[Statement, ...]:
        """A body with helpers written out, settled."""
        return self._block(block, {})

    def _block(self, block: tuple[Statement, ...], known: dict[str, Value]) -> tuple[Statement, ...]:
        found: list[Statement] = []
        for statement in block:
            match statement:
                case When(condition=condition, then=then, other=other):
                    test = self.expression(condition, known)
                    decided = self.truth(test, known)
                    if decided is not None:
                        found.extend(self._block(then if decided else other, known))
                        continue
                    one, two = self._block(then, dict(known)), self._block(other, dict(known))
                    found.append(replace(statement, condition=test, then=one, other=two))
                    for name in assigned((one, two)):
                        known.pop(name, None)
                case Assign(targets=targets, values=values):
                    settled = tuple(self.expression(value, known) for value in values)
                    keyed = tuple(t if isinstance(t, str) else self._rebuilt(t, known) for t in targets)
                    found.append(replace(statement, targets=keyed, values=settled))
                    self._learn(known, targets, settled)
                case Require(condition=condition):
                    found.append(replace(statement, condition=self.expression(condition, known)))
                case _:
                    raise AssertionError(f"{type(statement).__name__} in an action")
        return tuple(found)

    def _learn(self, known: dict[str, Value], targets: tuple[Any, ...], values: tuple[Expression, ...]) -> None:
        learnt = {t: self._value(v, known) for t, v in zip(targets, values, strict=True) if isinstance(t, str)}
        for name, value in learnt.items():
            known.pop(name, None)
            if value is not None:
                known[name] = value

    # Expressions

    def expression(self, node: Expression, known: Known) -> Expression:
        """The same value, from fewer parts."""
        match node:
            case Conditional(condition=condition, then=then, other=other):
                decided = self.truth(condition, known)
                if decided is not None:
                    return self.expression(then if decided else other, known)
            case Operation(operator=Operator.AND | Operator.OR as operator, left=left, right=right):
                decided = self.truth(left, known)
                if decided is not None:
                    return self.expression(right if decided is (operator is Operator.AND) else left, known)
            case Let():
                return self._let(node, known)
        return self._rebuilt(node, known)

    def _let(self, node: Let, known: Known) -> Expression:
        value = self.expression(node.value, known)
        inner = {name: each for name, each in known.items() if name != node.name}
        found = self._value(value, known)
        body = self.expression(node.body, inner if found is None else {**inner, node.name: found})
        if not any(isinstance(p, ReadLocal) and p.name == node.name for p in walk(body)):
            return body
        return replace(node, value=value, body=body)

    def _rebuilt(self, node: T, known: Known) -> T:
        assert is_dataclass(node)
        assert not isinstance(node, type)
        changed = {}
        for part in fields(node):
            value = getattr(node, part.name)
            new = self._part(value, known)
            if new is not value:
                changed[part.name] = new
        return replace(node, **changed) if changed else node

    def _part(self, value: Any, known: Known) -> Any:
        if isinstance(value, tuple):
            parts = tuple(self._part(part, known) for part in value)
            return value if all(a is b for a, b in zip(parts, value, strict=True)) else parts
        if isinstance(value, Expression):
            return self.expression(value, known)
        if isinstance(value, Clause):
            return self._rebuilt(value, known)
        return value

    # What is decided

    def truth(self, node: Expression, known: Known) -> bool | None:
        """A truth value that the constants decide; None if they do not."""
        value = self._value(node, known)
        if isinstance(value, TruthValue) and value.node.low == value.node.high:
            return bool(value.node.low)
        return None

    def _value(self, node: Expression, known: Known) -> Value | None:
        """A value that depends on constants alone; None for any other, or where it would be an error."""
        evaluator = ConstantsOnly(self.model, self.shapes, {})
        try:
            value = evaluator.value(node, known)
        except (_Undecided, IsrcheckError):
            return None
        return None if evaluator.faults else value


class _Undecided(Exception):
    """A value depends on more than constants."""


class ConstantsOnly(Evaluator):
    """Evaluates what depends on constants alone."""

    def value(self, node: Expression, env: Locals) -> Value:
        match node:
            case ReadVariable() | TakenAction() | TakenArgument():
                raise _Undecided
            case ReadLocal(name=name) if name not in env:
                raise _Undecided
        return super().value(node, env)


def assigned(block: object) -> frozenset[str]:
    """The local names that a block assigns somewhere."""
    return frozenset(t for p in walk(block) if isinstance(p, Assign) for t in p.targets if isinstance(t, str))
