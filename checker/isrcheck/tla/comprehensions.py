"""Comprehensions as quantifiers, sets, functions, sums and sequences."""

from dataclasses import dataclass

from isrcheck.errors import ModelError
from isrcheck.ir import nodes as ir
from isrcheck.ir.domains import Domain, MapDomain, SequenceDomain, SetDomain
from isrcheck.tla import terms as tla
from isrcheck.tla.scope import Scope, Translator
from isrcheck.tla.terms import TRUE, Apply, Bind, Definition, Infix, Prefix, Term, Word, both

Clauses = tuple[ir.Clause, ...]


@dataclass(frozen=True)
class Source:
    """What a clause runs over: a name, the set it is in, the conditions, and the scope behind it."""

    name: str
    of: Term
    condition: Term
    scope: Scope

    @property
    def kept(self) -> Term:
        """The members of the set that meet the conditions."""
        return self.of if self.condition == TRUE else tla.Binder("{", (self.bind,), self.condition)

    @property
    def bind(self) -> Bind:
        return Bind((self.name,), self.of)


class Comprehensions(Translator):
    """Turns comprehensions into terms."""

    def comprehension(self, node: ir.Comprehension, scope: Scope) -> Term:
        match node.gathering:
            case ir.Gathering.ALL | ir.Gathering.ANY:
                return self._quantified(node, node.clauses, scope)
            case ir.Gathering.SET:
                return self._set(node, node.clauses, scope)
            case ir.Gathering.MIN | ir.Gathering.MAX:
                return self._extreme_of_set(node, scope)
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
        """A clause as a bound name in a set; the elements of a sequence are its range."""
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
            case SequenceDomain(of=of) | SetDomain(of=of):
                return of
            case MapDomain(key=key):
                return key
        return None

    def _is_sequence(self, clause: ir.Clause, scope: Scope) -> bool:
        return isinstance(self.kind(clause.source, scope), SequenceDomain) and not isinstance(
            clause.source, ir.IntegerRange
        )

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

    def _extreme_of_set(self, node: ir.Comprehension, scope: Scope) -> Term:
        name = "Max" if node.gathering is ir.Gathering.MAX else "Min"
        of = self._set(node, node.clauses, scope)
        if node.default is not None:
            return Apply(f"{name}Or", (of, self.term(node.default, scope)))
        self.risks += 1
        return Apply(f"Set{name}", (of,))

    # Where the same element may come twice, or order matters: by position

    def _by_position(self, target: str, sequence: Term, element: Domain | None, scope: Scope) -> "Positions":
        """The elements of a sequence by a bound position in its domain."""
        definitions: tuple[Definition, ...] = ()
        if not isinstance(sequence, Word | tla.Index):
            name = self.local("elements", scope)
            definitions = (Definition(name, (), sequence),)
            sequence, scope = Word(name), scope.knowing(name, Word(name), None, name)
        position = self.local("i", scope)
        at = tla.Index(sequence, Word(position))
        return Positions(position, sequence, at, definitions, scope.knowing(target, at, element, position))

    def _sum(self, node: ir.Comprehension, clauses: Clauses, scope: Scope) -> Term:
        if not clauses:
            return self.term(node.element, scope)
        clause, definitions = clauses[0], tuple[Definition, ...]()
        if self._is_sequence(clause, scope):
            sequence = self.term(clause.source, scope)
            by = self._by_position(clause.target, sequence, self._element(clause, scope), scope)
            source = Source(by.name, Prefix("DOMAIN", by.sequence), self._conditions(clause, by.scope), by.scope)
            definitions = by.definitions
        else:
            source = self._over_set(clause, scope)
        value = self._sum(node, clauses[1:], source.scope)
        if value == Word("1"):
            return tla.let(definitions, Apply("Cardinality", (source.kept,)))
        return tla.let(definitions, Apply("Sum", (tla.function(source.name, source.kept, value),)))

    def _sequence(self, node: ir.Comprehension, scope: Scope) -> Term:
        clause = node.clauses[0]
        if len(node.clauses) > 1 or isinstance(clause.source, ir.Everything):
            remedy = "There the members of a sort have no order; run over one range or sequence."
            raise ModelError(node.at, "this sequence has no form in TLA+.", remedy)
        element = self._element(clause, scope)
        if isinstance(clause.source, ir.IntegerRange):
            elements = self._range(clause.source, scope)
        else:
            elements = self.term(clause.source, scope)
        if clause.conditions:
            name = self.local(clause.target, scope)
            inner = scope.knowing(clause.target, Word(name), element, name)
            kept = tla.Binder(f"LAMBDA {name}", (), self._conditions(clause, inner))
            elements = Apply("SelectSeq", (elements, kept))
        by = self._by_position(clause.target, elements, element, scope)
        value = self.term(node.element, by.scope)
        if value == by.at:
            return elements
        return tla.let(by.definitions, tla.function(by.name, Prefix("DOMAIN", by.sequence), value))

    def _range(self, node: ir.IntegerRange, scope: Scope) -> Term:
        """range(start, stop) as a sequence."""
        start, stop = self.term(node.start, scope), self.term(node.stop, scope)
        position = self.local("i", scope)
        value: Term = Infix("-", Word(position), Word("1"))
        if start != Word("0"):
            stop, value = Infix("-", stop, start), Infix("+", start, value)
        return tla.function(position, Infix("..", Word("1"), stop), value)


@dataclass(frozen=True)
class Positions:
    """The elements of a sequence by position: its name, the sequence, the element there, definitions, and the scope."""

    name: str
    sequence: Term
    at: Term
    definitions: tuple[Definition, ...]
    scope: Scope


def quantified(sign: str, bind: Bind, body: Term) -> Term:
    """A quantifier, joined with one of its kind directly inside where that does not depend on it."""
    match body:
        case tla.Binder(inner, (first, *_) as binds, rest) if inner == sign:
            if not any(tla.words(b.of) & set(bind.names) for b in binds):
                if first.of == bind.of:
                    return tla.Binder(sign, (Bind(bind.names + first.names, bind.of), *binds[1:]), rest)
                return tla.Binder(sign, (bind, *binds), rest)
    return tla.Binder(sign, (bind,), body)
