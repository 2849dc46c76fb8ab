"""Actions as operators over the next state; properties as predicates; temporal properties and fairness as formulas."""

from collections.abc import Mapping

from msgspec.structs import replace

from isrcheck.ir import nodes as ir
from isrcheck.ir.model import Method, TemporalOperator, TemporalProperty
from isrcheck.ir.nodes import Clause, walk
from isrcheck.tla import terms as tla
from isrcheck.tla.comprehensions import quantify
from isrcheck.tla.conjunction import Conjunction, Continuation, Operators
from isrcheck.tla.expressions import Expressions
from isrcheck.tla.terms import (
    FALSE,
    TRUE,
    Apply,
    Bind,
    Infix,
    Junction,
    Lexeme,
    Prefix,
    Prime,
    Term,
    both,
    either,
    implies,
)

SIGNS = {
    TemporalOperator.EVENTUALLY: "<>",
    TemporalOperator.ALWAYS_EVENTUALLY: "[]<>",
    TemporalOperator.EVENTUALLY_ALWAYS: "<>[]",
}


class Actions:
    """The writer of methods with effects as operators, of properties as predicates, and of formulas."""

    def __init__(self, root: Expressions) -> None:
        self.root, self.names = root, root.names
        self.operators = Operators(root)

    def action(self, method: Method) -> Term:
        kept = self.names.variables.keys() - self.root.writes(method.body)
        return self.conjunction(method).term(self.operators.frame_condition(kept))

    def start(self, method: Method, initial: Mapping[str, Term]) -> Term:
        """The initial states that a method chooses: what it leaves as it is has the value declared."""
        conjunction = self.conjunction(method, initial)
        kept = self.names.variables.keys() - self.root.writes(method.body)
        named = {self.names.variable(name): value for name, value in initial.items()}

        def at_first(term: Term) -> Term:
            match term:
                case Prime(operand):
                    return operand
                case Prefix("UNCHANGED", Lexeme("vars")):
                    return both(*(Infix("=", name, value) for name, value in named.items()))
                case Prefix("UNCHANGED", tla.Listing("<<", listed)):
                    return both(*(Infix("=", name, named[name]) for name in named if name in listed))
                case Prefix("UNCHANGED", name) if name in named:
                    return Infix("=", name, named[name])
            return term

        chosen: Term = tla.rewritten(conjunction.term(self.operators.frame_condition(kept)), at_first)
        return self.root.over("\\E", method, chosen)

    def conjunction(self, method: Method, initial: Mapping[str, Term] = {}) -> Conjunction:
        conjunction = Conjunction(self.operators, method, self.root.parameters(method).after(initial))
        conjunction.block(method.body, Continuation())
        return conjunction

    def step_condition(self, method: Method) -> Term:
        """The condition of a step property, by cases of the action taken where the property reads that action."""
        scope = self.root.after(self.names.prime_variables(self.names.variables))
        always = scope.value_of(method.body)
        parts, every = [*walk(method.body)], self.root.model.actions
        asked = {p.name for p in parts if isinstance(p, ir.TakenAction)}
        if any(isinstance(p, ir.TakenArgument) for p in parts):
            asked = {a.name for a in every}
        elif not asked:
            return always
        rest = [a for a in every if a.name not in asked]
        cases = [self._if_taken(method, a, scope) for a in every if a not in rest]
        if rest:
            cases.append(tla.implies(tla.either(*map(self.root.some_step, rest)), always))
        return both(*cases)

    def _if_taken(self, method: Method, action: Method, scope: Expressions) -> Term:
        names = self.root.params(action)
        given = {p: Lexeme(n) for p, n in names.items()}
        inner = replace(scope, taken=action.name, arguments=given)
        body = inner.with_used_names(names.values()).value_of(method.body)
        if body == TRUE:
            return TRUE
        return self.root.over("\\A", action, tla.implies(self.root.step(action), body), self.root.range_in_state)

    def formula(self, method: TemporalProperty) -> Term:
        """The formula, for each element that the property ranges over."""
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
        return both(*(self._fair(a, a.fair, self.root.step(a)) for a in self.root.model.actions if a.fair))

    def environment(self, method: Method) -> Term:
        """The fairness of the steps that a method names."""
        asked = [(a, self._is_named(method, a)) for a in self.root.model.actions]
        steps = [(a, both(named, self.root.step(a))) for a, named in asked if named != FALSE]
        if method.fair.endswith("-any"):
            return fair(method.fair, either(*(self.root.over("\\E", a, step) for a, step in steps)))
        return both(*(self._fair(a, method.fair, step) for a, step in steps))

    def _is_named(self, method: Method, action: Method) -> Term:
        """The condition that a step of this action is one of those that a method names."""
        given = {p: Lexeme(n) for p, n in self.root.params(action).items()}
        scope: Expressions = replace(self.root, taken=action.name, arguments=given)
        return _fold_constants(scope.with_used_names(self.root.params(action).values()).value_of(method.body))

    def _fair(self, action: Method, kind: str, step: Term) -> Term:
        if kind.endswith("-any"):
            return fair(kind, self.root.over("\\E", action, step))
        return self.root.over("\\A", action, fair(kind, step))


def fair(kind: str, step: Term) -> Term:
    return Apply("WF_vars" if kind.startswith("weak") else "SF_vars", (step,))


def _fold_constants(term: Term) -> Term:
    """Simplify a junction that one operand decides: the other operands may name parameters of another action."""
    if not isinstance(term, Junction):
        return term
    operands = [_fold_constants(operand) for operand in term.operands]
    deciding, joined = (FALSE, both) if term.sign == "/\\" else (TRUE, either)
    return deciding if deciding in operands else joined(*operands)
