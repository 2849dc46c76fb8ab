"""Temporal properties and fairness as formulas.

Fairness is of the protocol's steps, not of those within the bounds of a run: a behaviour that only a bound stops is
none of `MCSpec`, as it is none of `Spec`.
"""

from msgspec.structs import replace

from isrcheck.ir.model import Method, TemporalOperator, TemporalProperty
from isrcheck.ir.nodes import Clause
from isrcheck.tla.actions import Actions
from isrcheck.tla.comprehensions import quantify
from isrcheck.tla.expressions import Expressions
from isrcheck.tla.terms import FALSE, TRUE, Apply, Bind, Infix, Junction, Lexeme, Prefix, Term, both, either, implies

SIGNS = {
    TemporalOperator.EVENTUALLY: "<>",
    TemporalOperator.ALWAYS_EVENTUALLY: "[]<>",
    TemporalOperator.EVENTUALLY_ALWAYS: "<>[]",
}


class FormulaWriter:
    def __init__(self, actions: Actions) -> None:
        self.actions = actions
        self.root: Expressions = actions.root

    def formula(self, method: TemporalProperty) -> Term:
        """The formula for each of what the property runs over."""
        return self._over(self.root, method, method.clauses)

    def _over(self, scope: Expressions, method: TemporalProperty, clauses: tuple[Clause, ...]) -> Term:
        if clauses:
            source = scope.over_set(clauses[0])
            assert isinstance(source.scope, Expressions)
            body = implies(source.condition, self._over(source.scope, method, clauses[1:]))
            return quantify("\\A", Bind((source.name,), source.of), body)
        operands = scope.terms(method.operands)
        if method.operator is TemporalOperator.LEADS_TO:
            return Infix("~>", *operands)
        return Prefix(SIGNS[method.operator], operands[0])

    def fairness(self) -> Term:
        """The fairness that the actions declare."""
        return both(*(self._fair(a, a.fair, self.actions.step(a)) for a in self.root.model.actions if a.fair))

    def environment(self, method: Method) -> Term:
        """The fairness of the steps that a method names."""
        asked = [(a, self._is_named(method, a)) for a in self.root.model.actions]
        steps = [(a, both(named, self.actions.step(a))) for a, named in asked if named != FALSE]
        if method.fair.endswith("-any"):
            return fair(method.fair, either(*(self.actions.over("\\E", a, step) for a, step in steps)))
        return both(*(self._fair(a, method.fair, step) for a, step in steps))

    def _is_named(self, method: Method, action: Method) -> Term:
        """Whether a step of this action is one."""
        given = {p: Lexeme(n) for p, n in self.root.params(action).items()}
        scope: Expressions = replace(self.root, taken=action.name, arguments=given)
        return _fold_constants(scope.with_used_names(self.root.params(action).values()).value_of(method.body))

    def _fair(self, action: Method, kind: str, step: Term) -> Term:
        if kind.endswith("-any"):
            return fair(kind, self.actions.over("\\E", action, step))
        return self.actions.over("\\A", action, fair(kind, step))


def fair(kind: str, step: Term) -> Term:
    return Apply("WF_vars" if kind.startswith("weak") else "SF_vars", (step,))


def _fold_constants(term: Term) -> Term:
    """Simplify a junction that one operand decides: the other operands may name parameters of another action."""
    if not isinstance(term, Junction):
        return term
    operands = [_fold_constants(operand) for operand in term.operands]
    deciding, joined = (FALSE, both) if term.sign == "/\\" else (TRUE, either)
    return deciding if deciding in operands else joined(*operands)
