"""What names mean where they stand; and comprehensions as terms."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from isrcheck.errors import ModelError
from isrcheck.ir import nodes as ir
from isrcheck.ir.check.expressions import ExpressionChecker
from isrcheck.ir.domains import Domain, MapDomain, OptionalDomain, SequenceDomain, SetDomain
from isrcheck.ir.model import ModelIR
from isrcheck.tla import terms as tla
from isrcheck.tla.terms import TRUE, Apply, Bind, Definition, Infix, Prefix, Term, Word, both
from isrcheck.tla.vocabulary import Vocabulary, free_local

Clauses = tuple[ir.Clause, ...]
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
        local, kinds = {**self.locals, name: term}, {**self.kinds, name: kind}
        return replace(self, locals=local, kinds=kinds, used=self.used.union(used))


@dataclass(frozen=True)
class Source:
    """What a clause runs over, with the scope behind it."""

    name: str
    of: Term
    condition: Term
    scope: Scope
    definitions: tuple[Definition, ...] = ()

    @property
    def kept(self) -> Term:
        return self.of if self.condition == TRUE else tla.Binder("{", (self.bind,), self.condition)

    @property
    def bind(self) -> Bind:
        return Bind((self.name,), self.of)


class Comprehensions(ABC):
    """Turns comprehensions into terms, with the names of one model."""

    def __init__(self, model: ModelIR, vocabulary: Vocabulary) -> None:
        self.ir, self.names = model, vocabulary
        self.risks = 0  # expressions met so far that have no value in some states

    @abstractmethod
    def term(self, node: ir.Expression, scope: Scope) -> Term:
        """An expression as a term."""

    def domain(self, node: ir.Expression, scope: Scope) -> Domain | None:
        return ExpressionChecker(self.ir).domain(node, scope.kinds)

    def kind(self, node: ir.Expression, scope: Scope) -> Domain | None:
        """The domain, of what an optional value is where it is there."""
        domain = self.domain(node, scope)
        return domain.of if isinstance(domain, OptionalDomain) and domain.of is not None else domain

    def local(self, name: str, scope: Scope) -> str:
        """A bound name that means nothing else where it stands."""
        wished = name.strip("()_'") or "x"
        return free_local(wished, self.names.taken | scope.used, self.names.variables.values())

    def comprehension(self, node: ir.Comprehension, scope: Scope) -> Term:
        match node.gathering:
            case ir.Gathering.ALL | ir.Gathering.ANY:
                return self._quantified(node, node.clauses, scope)
            case ir.Gathering.SET:
                return self._set(node, node.clauses, scope)
            case ir.Gathering.MIN | ir.Gathering.MAX as gathering:
                name, of = "Max" if gathering is ir.Gathering.MAX else "Min", self._set(node, node.clauses, scope)
                if node.default is not None:
                    return Apply(f"{name}Or", (of, self.term(node.default, scope)))
                self.risks += 1
                return Apply(f"Set{name}", (of,))
            case ir.Gathering.SUM:
                return self._sum(node, node.clauses, scope)
            case ir.Gathering.SEQUENCE:
                return self._sequence(node, scope)
            case ir.Gathering.MAP:
                source = self._over_set(node.clauses[0], scope)
                return tla.function(source.name, source.of, self.term(node.element, source.scope))
        raise AssertionError(node.gathering)

    def _conditions(self, clause: ir.Clause, scope: Scope) -> Term:
        return both(*(self.term(condition, scope) for condition in clause.conditions))

    def _over_set(self, clause: ir.Clause, scope: Scope) -> Source:
        """A clause as a bound name in a set."""
        of = self.term(clause.source, scope)
        if self._is_sequence(clause, scope):
            of = Apply("Range", (of,))
        elif isinstance(self.kind(clause.source, scope), MapDomain):
            of = Prefix("DOMAIN", of)
        name = self.local(clause.target, scope)
        inner = scope.knowing(clause.target, Word(name), self._element(clause, scope), name)
        return Source(name, of, self._conditions(clause, inner), inner)

    def _element(self, clause: ir.Clause, scope: Scope) -> Domain | None:
        match self.kind(clause.source, scope):
            case SequenceDomain(of) | SetDomain(of):
                return of
            case MapDomain(key):
                return key
        return None

    def _is_sequence(self, clause: ir.Clause, scope: Scope) -> bool:
        is_range = isinstance(clause.source, ir.IntegerRange)
        return not is_range and isinstance(self.kind(clause.source, scope), SequenceDomain)

    def _quantified(self, node: ir.Comprehension, clauses: Clauses, scope: Scope) -> Term:
        if not clauses:
            return self.term(node.element, scope)
        source = self._over_set(clauses[0], scope)
        inner = self._quantified(node, clauses[1:], source.scope)
        if node.gathering is ir.Gathering.ALL:
            return quantified("\\A", source.bind, tla.implies(source.condition, inner))
        return quantified("\\E", source.bind, both(source.condition, inner))

    def _set(self, node: ir.Comprehension, clauses: Clauses, scope: Scope) -> Term:
        source = self._over_set(clauses[0], scope)
        bind = Bind((source.name,), source.kept)
        if len(clauses) > 1:
            return Prefix("UNION", tla.Mapped(self._set(node, clauses[1:], source.scope), bind))
        value = self.term(node.element, source.scope)
        return source.kept if value == Word(source.name) else tla.Mapped(value, bind)

    # Where the same element may come twice, or order matters: by position

    def _by_position(self, clause: ir.Clause, sequence: Term, scope: Scope) -> Source:
        """The elements of a sequence by a bound position in its domain."""
        element = self._element(clause, scope)
        definitions: tuple[Definition, ...] = ()
        if not isinstance(sequence, Word | tla.Index):
            name = self.local("elements", scope)
            definitions = (Definition(name, (), sequence),)
            sequence, scope = Word(name), scope.knowing(name, Word(name), None, name)
        position = self.local("i", scope)
        inner = scope.knowing(clause.target, tla.Index(sequence, Word(position)), element, position)
        return Source(position, Prefix("DOMAIN", sequence), TRUE, inner, definitions)

    def _sum(self, node: ir.Comprehension, clauses: Clauses, scope: Scope) -> Term:
        if not clauses:
            return self.term(node.element, scope)
        clause = clauses[0]
        if self._is_sequence(clause, scope):
            source = self._by_position(clause, self.term(clause.source, scope), scope)
            source = replace(source, condition=self._conditions(clause, source.scope))
        else:
            source = self._over_set(clause, scope)
        value = self._sum(node, clauses[1:], source.scope)
        if value == Word("1"):
            return tla.let(source.definitions, Apply("Cardinality", (source.kept,)))
        return tla.let(source.definitions, Apply("Sum", (tla.function(source.name, source.kept, value),)))

    def _sequence(self, node: ir.Comprehension, scope: Scope) -> Term:
        clause = node.clauses[0]
        if len(node.clauses) > 1 or isinstance(clause.source, ir.Everything):
            remedy = "There the members of a sort have no order; run over one range or sequence."
            raise ModelError(node.at, "this sequence has no form in TLA+.", remedy)
        of = clause.source
        elements = self._range(of, scope) if isinstance(of, ir.IntegerRange) else self.term(of, scope)
        if clause.conditions:
            name = self.local(clause.target, scope)
            inner = scope.knowing(clause.target, Word(name), self._element(clause, scope), name)
            kept = tla.Binder(f"LAMBDA {name}", (), self._conditions(clause, inner))
            elements = Apply("SelectSeq", (elements, kept))
        source = self._by_position(clause, elements, scope)
        value = self.term(node.element, source.scope)
        if value == source.scope.locals[clause.target]:
            return elements
        return tla.let(source.definitions, tla.function(source.name, source.of, value))

    def _range(self, node: ir.IntegerRange, scope: Scope) -> Term:
        start, stop = self.term(node.start, scope), self.term(node.stop, scope)
        position = self.local("i", scope)
        value: Term = Infix("-", Word(position), Word("1"))
        if start != Word("0"):
            stop, value = Infix("-", stop, start), Infix("+", start, value)
        return tla.function(position, Infix("..", Word("1"), stop), value)


def quantified(sign: str, bind: Bind, body: Term) -> Term:
    """A quantifier, joined with one of its kind directly inside if independent of it."""
    match body:
        case tla.Binder(inner, (first, *_) as binds, rest) if inner == sign:
            if not any(tla.words(b.of) & set(bind.names) for b in binds):
                if first.of == bind.of:
                    return tla.Binder(sign, (Bind(bind.names + first.names, bind.of), *binds[1:]), rest)
                return tla.Binder(sign, (bind, *binds), rest)
    return tla.Binder(sign, (bind,), body)
