"""Expressions of a model as TLA+ terms.

Reads of a variable are read from the scope's state, so that the same text serves before, in and after a step. `or`
becomes an implication where its right side may have no value while the left one is true: TLC tries every part of a
disjunction in a guard.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import assert_never

from isrcheck.errors import ModelError
from isrcheck.ir.check.expressions import domain_of
from isrcheck.ir.domains import (
    Domain,
    IntDomain,
    MapDomain,
    OptionalDomain,
    SequenceDomain,
    SetDomain,
)
from isrcheck.ir.nodes import (
    Assign,
    Call,
    Comprehension,
    Conditional,
    Everything,
    Expression,
    Extreme,
    Gathering,
    IntegerRange,
    Item,
    Length,
    Let,
    Literal,
    MakeRecord,
    MakeSequence,
    MakeSet,
    Method,
    ModelIR,
    Not,
    Operation,
    Operator,
    Perform,
    ReadConstant,
    ReadField,
    ReadLocal,
    ReadVariable,
    ReplaceFields,
    Return,
    Slice,
    Statement,
    TakenAction,
    TakenArgument,
    When,
)
from isrcheck.ir.traversal import walk
from isrcheck.tla import names
from isrcheck.tla.gather import gathered
from isrcheck.tla.operators import SIGNS, interval, is_name, is_short, joined, plus, set_operation
from isrcheck.tla.terms import (
    FALSE,
    TRUE,
    Apply,
    Braces,
    Definition,
    Dot,
    Except,
    Index,
    Infix,
    LetIn,
    Prefix,
    Prime,
    Record,
    Term,
    Tuple,
    Update,
    Word,
    both,
    chosen,
    either,
    implies,
    negated,
    words,
)
from isrcheck.tla.vocabulary import Vocabulary, value_term

State = Mapping[str, Term]  # what a variable's value is now, where it is not the one at the start of the step


@dataclass(frozen=True)
class Scope:
    """What the names of an expression mean where it stands."""

    locals: Mapping[str, Term] = field(default_factory=dict)
    kinds: Mapping[str, Domain | None] = field(default_factory=dict)
    used: frozenset[str] = frozenset()  # names of TLA+ that mean something here
    state: State = field(default_factory=dict)
    taken: str = ""  # in a step property, the action taken
    arguments: Mapping[str, Term] = field(default_factory=dict)  # and what it was taken with

    def knowing(self, name: str, term: Term, kind: Domain | None, *used: str) -> "Scope":
        """The same with one more local name."""
        return replace(
            self,
            locals={**self.locals, name: term},
            kinds={**self.kinds, name: kind},
            used=self.used.union(used),
        )


class Expressions:
    """Turns the expressions of one model into terms."""

    def __init__(self, ir: ModelIR, vocabulary: Vocabulary) -> None:
        self.ir = ir
        self.vocabulary = vocabulary
        self.risks = 0  # parts met so far that have no value in some states
        self._reads: dict[str, frozenset[str]] = {}
        self._risky: dict[str, bool] = {}

    def domain(self, node: Expression, scope: Scope) -> Domain | None:
        return domain_of(self.ir, node, scope.kinds)

    def kind(self, node: Expression, scope: Scope) -> Domain | None:
        """The domain, of what an optional value is where it is there."""
        found = self.domain(node, scope)
        return found.of if isinstance(found, OptionalDomain) and found.of is not None else found

    def local(self, name: str, scope: Scope) -> str:
        """A bound name that means nothing else where it stands."""
        wished = name.strip("()_'") or "x"
        return names.free_local(wished, self.vocabulary.taken | scope.used, self.vocabulary.variables.values())

    def term(self, node: Expression, scope: Scope) -> Term:
        match node:
            case Literal(value=value):
                return value_term(value)
            case ReadConstant(name=name):
                return Word(self.vocabulary.constants[name])
            case ReadVariable(name=name, before=before):
                plain = Word(self.vocabulary.variables[name])
                return plain if before else scope.state.get(name, plain)
            case ReadLocal(name=name):
                return scope.locals[name]
            case ReadField(record=record, name=name):
                self._risk_if_absent(record, scope)
                return Dot(self.term(record, scope), names.field(name))
            case Item():
                return self._item(node, scope)
            case Slice():
                return self._slice(node, scope)
            case Operation():
                return self._operation(node, scope)
            case Not(operand=operand):
                return negated(self.term(operand, scope))
            case Conditional(condition=condition, then=then, other=other):
                return chosen(self.term(condition, scope), self.term(then, scope), self.term(other, scope))
            case MakeRecord(domain=domain, fields=fields):
                pairs = zip(domain.fields, fields, strict=True)
                return Record(tuple((names.field(n), self.term(e, scope)) for (n, _), e in pairs))
            case ReplaceFields(record=record, fields=fields):
                self._risk_if_absent(record, scope)
                updates = tuple(Update((), names.field(n), self.term(e, scope)) for n, e in fields)
                return Except(self.term(record, scope), updates)
            case MakeSequence(elements=elements):
                return Tuple(tuple(self.term(e, scope) for e in elements))
            case MakeSet(elements=elements):
                return Braces(tuple(self.term(e, scope) for e in elements))
            case Everything(domain=domain):
                return self.vocabulary.set_of(domain, True)
            case IntegerRange(start=start, stop=stop):
                return interval(self.term(start, scope), self.term(stop, scope))
            case Comprehension():
                return gathered(self, node, scope)
            case Extreme(gathering=gathering, parts=given):
                return self._extreme(gathering, given, scope)
            case Length(of=of):
                return self._length(of, scope)
            case Call():
                return self._call(node, scope)
            case Let(name=name, value=value, body=body):
                inner = scope.knowing(name, self.term(value, scope), self.domain(value, scope))
                return self.term(body, inner)
            case TakenAction(name=name):
                return TRUE if name == scope.taken else FALSE
            case TakenArgument(name=name):
                return scope.arguments.get(name, Word(names.lower(name)))
            case _:
                assert_never(node)

    def _risk_if_absent(self, node: Expression, scope: Scope) -> None:
        if isinstance(self.domain(node, scope), OptionalDomain):
            self.risks += 1

    # Sequences and maps

    def _item(self, node: Item, scope: Scope) -> Term:
        self._risk_if_absent(node.container, scope)
        self._risk_if_absent(node.key, scope)
        container = self.term(node.container, scope)
        if isinstance(self.kind(node.container, scope), MapDomain):
            if isinstance(self.kind(node.key, scope), IntDomain) and not isinstance(node.key, ReadLocal):
                self.risks += 1
            return Index(container, self.term(node.key, scope))
        self.risks += 1
        if isinstance(node.key, Literal) and node.key.value == -1:
            return Apply("Last", (container,))
        return Index(container, plus(self.term(node.key, scope), 1))

    def _slice(self, node: Slice, scope: Scope) -> Term:
        self._risk_if_absent(node.sequence, scope)
        sequence = self.term(node.sequence, scope)
        start, stop = (None if p is None else self.term(p, scope) for p in (node.start, node.stop))
        if start in (None, Word("0")):
            return sequence if stop is None else Apply("Prefix", (sequence, stop))
        assert start is not None
        return Apply("Suffix", (sequence, start)) if stop is None else Apply("Slice", (sequence, start, stop))

    def _length(self, of: Expression, scope: Scope) -> Term:
        self._risk_if_absent(of, scope)
        term = self.term(of, scope)
        match self.kind(of, scope):
            case MapDomain():
                return Apply("Cardinality", (Prefix("DOMAIN", term),))
            case SetDomain():
                return Apply("Cardinality", (term,))
        return Apply("Len", (term,))

    # Operators

    def _operation(self, node: Operation, scope: Scope) -> Term:
        match node.operator:
            case Operator.AND:
                return both(self.term(node.left, scope), self.term(node.right, scope))
            case Operator.OR:
                left, before = self.term(node.left, scope), self.risks
                right = self.term(node.right, scope)
                return implies(negated(left), right) if self.risks > before else either(left, right)
            case Operator.EQ | Operator.NE:
                sign = "=" if node.operator is Operator.EQ else "#"
                return Infix(sign, self.term(node.left, scope), self.term(node.right, scope))
            case Operator.IN | Operator.NOT_IN:
                return self._membership(node, scope)
        kind = self.kind(node.left, scope)
        left, right = self.term(node.left, scope), self.term(node.right, scope)
        if isinstance(kind, SetDomain):
            return set_operation(node.operator, left, right)
        if isinstance(kind, SequenceDomain):
            return joined(left, right)
        return self._numbers(node, left, right, scope)

    def _numbers(self, node: Operation, left: Term, right: Term, scope: Scope) -> Term:
        self._risk_if_absent(node.left, scope)
        self._risk_if_absent(node.right, scope)
        match node.operator:
            case Operator.ADD if isinstance(right, Word) and right.text.isdigit():
                return plus(left, int(right.text))
            case Operator.SUB if isinstance(right, Word) and right.text.isdigit():
                return plus(left, -int(right.text))
            case Operator.SUB if left == Word("0"):
                return Prefix("-", right)
            case Operator.DIV | Operator.MOD:
                self.risks += 1
        return Infix(SIGNS.get(node.operator, node.operator.value), left, right)

    def _membership(self, node: Operation, scope: Scope) -> Term:
        self._risk_if_absent(node.right, scope)
        sign = "\\in" if node.operator is Operator.IN else "\\notin"
        element = self.term(node.left, scope)
        if isinstance(node.right, MakeSequence):
            return Infix(sign, element, Braces(tuple(self.term(e, scope) for e in node.right.elements)))
        container = self.term(node.right, scope)
        if isinstance(self.kind(node.right, scope), SequenceDomain):
            container = Apply("Range", (container,))
        return Infix(sign, element, container)

    def _extreme(self, gathering: Gathering, given: tuple[Expression, ...], scope: Scope) -> Term:
        for part in given:
            self._risk_if_absent(part, scope)
        name = "Max" if gathering is Gathering.MAX else "Min"
        found, *rest = (self.term(part, scope) for part in given)
        for term in rest:
            found = Apply(name, (found, term))
        return found

    # Helpers

    def reads(self, helper: str) -> frozenset[str]:
        """The variables that a helper reads, itself or through others."""
        if helper not in self._reads:
            self._reads[helper] = self.read_by(self.ir.helpers[helper].body)
        return self._reads[helper]

    def read_by(self, text: object) -> frozenset[str]:
        """The variables that a piece of text reads."""
        found: set[str] = set()
        for piece in walk(text):
            match piece:
                case ReadVariable(name=name):
                    found.add(name)
                case Call(helper=helper) | Perform(helper=helper):
                    found |= self.reads(helper)
        return frozenset(found)

    def _call(self, node: Call, scope: Scope) -> Term:
        """A helper by its name, where it is asked of one whole state; else its text, with the values as they are."""
        helper = self.ir.helpers[node.helper]
        arguments = tuple(self.term(a, scope) for a in node.arguments)
        if self._is_risky(node.helper):
            self.risks += 1
        applied = Apply(self.vocabulary.methods[node.helper], arguments)
        state = {} if node.before else scope.state
        touched = [name for name in self.reads(node.helper) if name in state]
        if not touched:
            return applied
        if self._all_primed(node.helper, state) and not self._varying(arguments):
            return Prime(applied)
        return self.inlined(helper, arguments, replace(scope, state=state))

    def _all_primed(self, helper: str, state: State) -> bool:
        """Whether all that a helper reads is read in the next state, as in a step property."""
        variables = self.vocabulary.variables
        return len(state) == len(variables) and all(
            state.get(name) == Prime(Word(variables[name])) for name in self.reads(helper)
        )

    def _varying(self, arguments: tuple[Term, ...]) -> bool:
        variables = set(self.vocabulary.variables.values())
        return any(words(a) & (variables | set(self.vocabulary.methods.values())) for a in arguments)

    def _is_risky(self, helper: str) -> bool:
        if helper not in self._risky:
            before, self.risks = self.risks, 0
            method = self.ir.helpers[helper]
            self.value_of(method.body, self.parameters(method))
            self._risky[helper] = self.risks > 0
            self.risks = before
        return self._risky[helper]

    def parameters(self, method: Method, state: State | None = None) -> Scope:
        """The scope of a method's body, with its parameters under names of their own."""
        scope = Scope(state=state or {})
        for parameter in method.parameters:
            name = self.local(parameter.name, scope)
            scope = scope.knowing(parameter.name, Word(name), parameter.domain, name)
        return scope

    def inlined(self, helper: Method, arguments: tuple[Term, ...], scope: Scope) -> Term:
        """A pure helper's value, written out."""
        return self.let_arguments(helper, arguments, scope, lambda inner: self.value_of(helper.body, inner))

    def let_arguments(
        self, helper: Method, arguments: tuple[Term, ...], scope: Scope, body: Callable[[Scope], Term]
    ) -> Term:
        """A body in which a helper's parameters mean these arguments; longer ones get a name."""
        made: list[Definition] = []
        inner = replace(scope, locals={}, kinds={})
        for parameter, argument in zip(helper.parameters, arguments, strict=True):
            if is_short(argument):
                inner = inner.knowing(parameter.name, argument, parameter.domain)
            else:
                name = self.local(parameter.name, inner)
                made.append(Definition(name, (), argument))
                inner = inner.knowing(parameter.name, Word(name), parameter.domain, name)
        found = body(inner)
        used = words(found)
        kept = tuple(d for d in made if d.name in used)
        return LetIn(kept, found) if kept else found

    def value_of(self, block: tuple[Statement, ...], scope: Scope) -> Term:
        """The value that a pure body returns."""
        statement, rest = block[0], block[1:]
        match statement:
            case Return(value=value):
                return self.term(value, scope)
            case When(condition=condition, then=then, other=other):
                one, two = self.value_of(then + rest, scope), self.value_of(other + rest, scope)
                return chosen(self.term(condition, scope), one, two)
            case Assign(targets=targets, values=values):
                return self._let(targets, values, rest, scope)
        raise ModelError(statement.at, "a pure body does something.", "It may only return a value.")

    def _let(
        self, targets: tuple[object, ...], values: tuple[Expression, ...], rest: tuple[Statement, ...], scope: Scope
    ) -> Term:
        made, inner = [], scope
        for target, value in zip(targets, values, strict=True):
            assert isinstance(target, str)
            term, kind = self.term(value, scope), self.domain(value, scope)
            if is_name(term):
                inner = inner.knowing(target, term, kind)
                continue
            name = self.local(target, inner)
            made.append(Definition(name, (), term))
            inner = inner.knowing(target, Word(name), kind, name)
        body = self.value_of(rest, inner)
        if isinstance(body, LetIn) and made:
            return LetIn((*made, *body.definitions), body.body)
        return LetIn(tuple(made), body) if made else body
