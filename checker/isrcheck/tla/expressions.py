"""Expressions of a model as TLA+ terms.

A variable is read from the scope's state: the same text serves before, in and after a step. `or` becomes an implication
where its right side needs the left one false: TLC tries every part of a disjunction in a guard.
"""

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import assert_never

from isrcheck.errors import ModelError
from isrcheck.ir import nodes as ir
from isrcheck.ir.domains import Domain, IntDomain, MapDomain, OptionalDomain, SequenceDomain, SetDomain
from isrcheck.ir.model import Method, ModelIR
from isrcheck.ir.traversal import helpers_called, walk
from isrcheck.tla import terms as tla
from isrcheck.tla.comprehensions import Comprehensions, Scope
from isrcheck.tla.terms import FALSE, TRUE, Apply, Infix, Prefix, Term, Word, both, chosen, is_short, plus
from isrcheck.tla.vocabulary import Vocabulary, applied, field, lower, value_term

Terms = tuple[Term, ...]
Definitions = tuple[tla.Definition, ...]


class Expressions(Comprehensions):
    """Turns the expressions of one model into terms."""

    def __init__(self, model: ModelIR, vocabulary: Vocabulary) -> None:
        super().__init__(model, vocabulary)
        self._risky: dict[str, bool] = {}

    def terms(self, nodes: Iterable[ir.Expression], scope: Scope) -> Terms:
        return tuple(self.term(node, scope) for node in nodes)

    def term(self, node: ir.Expression, scope: Scope) -> Term:
        match node:
            case ir.Literal(value):
                return value_term(value)
            case ir.ReadConstant(name):
                return Word(self.names.constants[name])
            case ir.ReadVariable(name, before):
                plain = Word(self.names.variables[name])
                return plain if before else scope.state.get(name, plain)
            case ir.ReadLocal(name):
                return scope.locals[name]
            case ir.ReadField(record, name):
                self._note_if_absent(scope, record)
                return tla.Dot(self.term(record, scope), field(name))
            case ir.Item():
                return self._item(node, scope)
            case ir.Slice():
                return self._slice(node, scope)
            case ir.Operation():
                return self._operation(node, scope)
            case ir.Not(operand):
                return tla.negated(self.term(operand, scope))
            case ir.Conditional(condition, then, other):
                return chosen(*self.terms((condition, then, other), scope))
            case ir.MakeRecord(domain, fields):
                pairs = zip(domain.fields, self.terms(fields, scope), strict=True)
                return tla.Fields(" |-> ", tuple((field(n), value) for (n, _), value in pairs))
            case ir.ReplaceFields(record, fields):
                self._note_if_absent(scope, record)
                updates = tuple(tla.Update((), field(n), self.term(e, scope)) for n, e in fields)
                return tla.Except(self.term(record, scope), updates)
            case ir.MakeSequence(elements):
                return tla.sequence(self.terms(elements, scope))
            case ir.MakeSet(elements):
                return tla.braces(self.terms(elements, scope))
            case ir.Everything(domain):
                return self.names.set_of(domain, True)
            case ir.IntegerRange(start, stop):
                return Infix("..", self.term(start, scope), plus(self.term(stop, scope), -1))
            case ir.Comprehension():
                return self.comprehension(node, scope)
            case ir.Extreme(gathering=gathering, parts=given):
                self._note_if_absent(scope, *given)
                return applied("Max" if gathering is ir.Gathering.MAX else "Min", self.terms(given, scope))
            case ir.Length(of):
                return self._length(of, scope)
            case ir.Call():
                return self._call(node, scope)
            case ir.Let(name, value, body):
                inner = scope.knowing(name, self.term(value, scope), self.domain(value, scope))
                return self.term(body, inner)
            case ir.TakenAction(name):
                return TRUE if name == scope.taken else FALSE
            case ir.TakenArgument(name):
                return scope.arguments.get(name, Word(lower(name)))
            case _:
                assert_never(node)

    def _note_if_absent(self, scope: Scope, *nodes: ir.Expression) -> None:
        """A value that may be None is a risk."""
        self.risks += sum(isinstance(self.domain(node, scope), OptionalDomain) for node in nodes)

    def _item(self, node: ir.Item, scope: Scope) -> Term:
        self._note_if_absent(scope, node.container, node.key)
        container = self.term(node.container, scope)
        if isinstance(self.kind(node.container, scope), MapDomain):
            if isinstance(self.kind(node.key, scope), IntDomain) and not isinstance(node.key, ir.ReadLocal):
                self.risks += 1
            return tla.Index(container, self.term(node.key, scope))
        self.risks += 1
        if isinstance(node.key, ir.Literal) and node.key.value == -1:
            return Apply("Last", (container,))
        return tla.Index(container, plus(self.term(node.key, scope), 1))

    def _slice(self, node: ir.Slice, scope: Scope) -> Term:
        self._note_if_absent(scope, node.sequence)
        sequence = self.term(node.sequence, scope)
        start, stop = (None if end is None else self.term(end, scope) for end in (node.start, node.stop))
        if start is None or start == Word("0"):
            return sequence if stop is None else Apply("Prefix", (sequence, stop))
        return Apply("Suffix", (sequence, start)) if stop is None else Apply("Slice", (sequence, start, stop))

    def _length(self, of: ir.Expression, scope: Scope) -> Term:
        self._note_if_absent(scope, of)
        term = self.term(of, scope)
        match self.kind(of, scope):
            case MapDomain():
                return Apply("Cardinality", (Prefix("DOMAIN", term),))
            case SetDomain():
                return Apply("Cardinality", (term,))
        return Apply("Len", (term,))

    def _operation(self, node: ir.Operation, scope: Scope) -> Term:
        if node.operator in (ir.Operator.IN, ir.Operator.NOT_IN):
            return self._membership(node, scope)
        left, before = self.term(node.left, scope), self.risks
        right = self.term(node.right, scope)
        match node.operator:
            case ir.Operator.AND:
                return both(left, right)
            case ir.Operator.OR:
                return tla.implies(tla.negated(left), right) if self.risks > before else tla.either(left, right)
            case ir.Operator.EQ | ir.Operator.NE:
                return Infix("=" if node.operator is ir.Operator.EQ else "#", left, right)
        match self.kind(node.left, scope):
            case SetDomain():
                return tla.set_operation(node.operator, left, right)
            case SequenceDomain():
                return tla.concatenated(left, right)
        return self._arithmetic(node, left, right, scope)

    def _arithmetic(self, node: ir.Operation, left: Term, right: Term, scope: Scope) -> Term:
        self._note_if_absent(scope, node.left, node.right)
        match node.operator:
            case ir.Operator.ADD | ir.Operator.SUB if isinstance(right, Word) and right.text.isdigit():
                return plus(left, int(right.text) * (1 if node.operator is ir.Operator.ADD else -1))
            case ir.Operator.SUB if left == Word("0"):
                return Prefix("-", right)
            case ir.Operator.DIV | ir.Operator.MOD:
                self.risks += 1
        return Infix(tla.SIGNS.get(node.operator, node.operator.value), left, right)

    def _membership(self, node: ir.Operation, scope: Scope) -> Term:
        self._note_if_absent(scope, node.right)
        sign = "\\in" if node.operator is ir.Operator.IN else "\\notin"
        element = self.term(node.left, scope)
        if isinstance(node.right, ir.MakeSequence):
            return Infix(sign, element, tla.braces(self.terms(node.right.elements, scope)))
        container = self.term(node.right, scope)
        if isinstance(self.kind(node.right, scope), SequenceDomain):
            container = Apply("Range", (container,))
        return Infix(sign, element, container)

    def with_helpers(self, text: object) -> tuple[object, ...]:
        """A piece of text, and the bodies of all helpers that it leads to."""
        helpers = self.ir.helpers
        called = reached(helpers_called(text), lambda name: helpers_called(helpers[name].body))
        return (text, *(helpers[name].body for name in called))

    def read_by(self, text: object) -> set[str]:
        """The variables that a text reads, itself or through helpers."""
        return {part.name for part in walk(self.with_helpers(text)) if isinstance(part, ir.ReadVariable)}

    def _call(self, node: ir.Call, scope: Scope) -> Term:
        """A helper by its name, where it is asked of one whole state; else its text."""
        helper = self.ir.helpers[node.helper]
        arguments, reads = self.terms(node.arguments, scope), self.read_by(helper.body)
        self.risks += self._is_risky(node.helper)
        asked = Apply(self.names.methods[node.helper], arguments)
        state = {} if node.before else scope.state
        if not reads & state.keys():
            return asked
        variables = self.names.variables
        varying = {*variables.values(), *self.names.methods.values()} & tla.words(arguments)
        is_next = all(state.get(n) == tla.Prime(Word(variables[n])) for n in reads)  # as in a step property
        if is_next and len(state) == len(variables) and not varying:
            return tla.Prime(asked)
        return self._inlined(helper, arguments, replace(scope, state=state))

    def _is_risky(self, helper: str) -> bool:
        if helper not in self._risky:
            before, self.risks = self.risks, 0
            method = self.ir.helpers[helper]
            self.value_of(method.body, self.parameters(method))
            self._risky[helper] = self.risks > 0
            self.risks = before
        return self._risky[helper]

    def parameters(self, method: Method) -> Scope:
        """The scope of a method's body."""
        scope = Scope()
        for parameter in method.parameters:
            name = self.local(parameter.name, scope)
            scope = scope.knowing(parameter.name, Word(name), parameter.domain, name)
        return scope

    def _inlined(self, helper: Method, arguments: Terms, scope: Scope) -> Term:
        """A pure helper's value, written out; longer arguments get a name."""
        definitions: Definitions = ()
        inner = replace(scope, locals={}, kinds={})
        for parameter, argument in zip(helper.parameters, arguments, strict=True):
            more, inner = self._defined(parameter.name, argument, parameter.domain, inner, is_short(argument))
            definitions += more
        value = self.value_of(helper.body, inner)
        used = tla.words(value)
        return tla.let((d for d in definitions if d.name in used), value)

    def value_of(self, block: tuple[ir.Statement, ...], scope: Scope) -> Term:
        statement, rest = block[0], block[1:]
        match statement:
            case ir.Return(value):
                return self.term(value, scope)
            case ir.When(condition, then, other):
                one, two = self.value_of(then + rest, scope), self.value_of(other + rest, scope)
                return chosen(self.term(condition, scope), one, two)
            case ir.Assign():
                return self._let(statement, rest, scope)
        raise ModelError(statement.at, "a pure body does something.", "It may only return a value.")

    def _let(self, statement: ir.Assign, rest: tuple[ir.Statement, ...], scope: Scope) -> Term:
        definitions: Definitions = ()
        inner = scope
        for target, value in zip(statement.targets, statement.values, strict=True):
            assert isinstance(target, str)
            term = self.term(value, scope)
            more, inner = self._defined(target, term, self.domain(value, scope), inner, isinstance(term, Word))
            definitions += more
        body = self.value_of(rest, inner)
        if isinstance(body, tla.LetIn):
            return tla.let((*definitions, *body.definitions), body.body)
        return tla.let(definitions, body)

    def _defined(
        self, name: str, term: Term, kind: Domain | None, scope: Scope, plain: bool
    ) -> tuple[Definitions, Scope]:
        """A local name for a term, `plain` or by a definition; and the scope with it."""
        if plain:
            return (), scope.knowing(name, term, kind)
        fresh = self.local(name, scope)
        return (tla.Definition(fresh, (), term),), scope.knowing(name, Word(fresh), kind, fresh)


def reached(first: Iterable[str], further: Callable[[str], Iterable[str]]) -> set[str]:
    found: set[str] = set()
    waiting = list(first)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += further(name)
    return found
