"""Actions as operators over the next state; properties as predicates; temporal properties and fairness as formulas."""

from collections.abc import Callable, Iterator, Mapping

from msgspec.structs import replace

from isrcheck.ir import nodes as ir
from isrcheck.ir.domains import Domain, MapDomain, SetDomain, SumDomain
from isrcheck.ir.model import Method, Parameter, TemporalOperator, TemporalProperty
from isrcheck.ir.nodes import Clause, walk
from isrcheck.tla import terms as tla
from isrcheck.tla.comprehensions import quantify
from isrcheck.tla.conjunction import Conjunction, Continuation, Operators
from isrcheck.tla.expressions import Block, Expressions
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

Ranging = Callable[[Method, Parameter], Term]


class Actions:
    """The writer of methods with effects as operators, and of properties as predicates."""

    def __init__(self, root: Expressions) -> None:
        self.root, self.names = root, root.names
        self.operators = Operators(root)

    def action(self, method: Method) -> Term:
        kept = self.names.variables.keys() - self.root.writes(method.body)
        return self.conjunction(method).term(self.operators.frame_condition(kept))

    def start(self, method: Method, initial: Mapping[str, Term]) -> Term:
        """The initial states that a method chooses: what it leaves as it is has the value declared."""
        conjunction = Conjunction(self.operators, method, self.root.parameters(method).after(initial))
        conjunction.block(method.body, Continuation())
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
        return self.over("\\E", method, chosen)

    def conjunction(self, method: Method) -> Conjunction:
        conjunction = Conjunction(self.operators, method, self.root.parameters(method))
        conjunction.block(method.body, Continuation())
        return conjunction

    def step_property(self, method: Method) -> Term:
        """Return a step property as the formula [][condition]_vars."""
        return tla.Box(self.step_condition(method), "vars")

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
            cases.append(tla.implies(tla.either(*map(self.some_step, rest)), always))
        return both(*cases)

    def _if_taken(self, method: Method, action: Method, scope: Expressions) -> Term:
        names = self.root.params(action)
        given = {p: Lexeme(n) for p, n in names.items()}
        inner = replace(scope, taken=action.name, arguments=given)
        body = inner.with_used_names(names.values()).value_of(method.body)
        if body == TRUE:
            return TRUE
        return self.over("\\A", action, tla.implies(self.step(action), body), self._range_in_state)

    def _range_in_state(self, action: Method, parameter: Parameter) -> Term:
        """The set that a parameter ranges over: a set or bag of the state, if the action requires membership in it."""
        for condition in _first_required(action.body):
            match condition:
                case ir.Operation(ir.Operator.IN, element, ir.ReadVariable(of)):
                    while isinstance(element, ir.Narrowed):
                        element = element.value
                    is_it = isinstance(element, ir.ReadLocal) and element.name == parameter.name
                    if is_it and (members := self._those_in(of, parameter.domain)):
                        return members
        return self.names.set_of(parameter.domain, True)

    def _those_in(self, variable: str, wanted: Domain) -> Term | None:
        """The elements of a variable that are of the wanted class, as a set."""
        within, every = self.names.variable(variable), {v.name: v.domain for v in self.root.model.variables}
        match every[variable]:
            case MapDomain(element):
                there: Term = Apply("BagToSet", (within,))
            case SetDomain(of) if of is not None:
                element, there = of, within
            case _:
                return None
        if element == wanted:
            return there
        if not isinstance(element, SumDomain) or wanted not in element.members:
            return None
        name = self.names.letter(wanted)
        return tla.Binder("{", (tla.Bind((name,), there),), self.names.is_member(Lexeme(name), wanted, element))

    def some_step(self, action: Method) -> Term:
        return self.over("\\E", action, self.step(action), self._range_in_state)

    def step(self, action: Method) -> Term:
        names = self.root.params(action)
        return Apply(self.names.methods[action.name], tuple(map(Lexeme, names.values())))

    def over(self, sign: str, action: Method, body: Term, ranging: Ranging | None = None) -> Term:
        """Quantify a body over an action's parameters: over all values, or over those that `ranging` gives."""
        names = self.root.params(action)
        for p in reversed(action.parameters):
            of = ranging(action, p) if ranging else self.names.set_of(p.domain, True)
            body = quantify(sign, tla.Bind((names[p.name],), of), body)
        return body


def _first_required(body: Block) -> Iterator[ir.Expression]:
    """Yield the conditions that a method requires before its first effect."""
    for node in body:
        if not isinstance(node, ir.Require):
            return
        yield from _conjuncts(node.condition)


def _conjuncts(condition: ir.Expression) -> Iterator[ir.Expression]:
    match condition:
        case ir.Operation(ir.Operator.AND, left, right):
            yield from _conjuncts(left)
            yield from _conjuncts(right)
        case _:
            yield condition


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
