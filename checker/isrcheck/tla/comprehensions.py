"""Scopes, which say what a name means at a place; and comprehensions as terms."""

from collections.abc import Iterable, Mapping
from typing import Self

from msgspec import Struct
from msgspec.structs import replace

from isrcheck.errors import ModelError
from isrcheck.ir import nodes as ir
from isrcheck.ir.check.expressions import ExpressionChecker
from isrcheck.ir.check.fit import present
from isrcheck.ir.domains import Domain, MapDomain, SequenceDomain, SetDomain
from isrcheck.ir.model import ModelIR
from isrcheck.tla import terms as tla
from isrcheck.tla.terms import TRUE, Apply, Bind, Definition, Infix, Lexeme, Prefix, Term, both
from isrcheck.tla.vocabulary import Vocabulary, field, is_bag

Node = ir.Expression
Clauses = tuple[ir.Clause, ...]
Kind = Domain | None


class Risks(Struct):
    """Expressions met so far that have no value in some states."""

    met: int = 0
    of_helpers: dict[str, bool] = {}


class Scope(Struct, frozen=True):
    """The meaning of each name at one place of a model's text."""

    model: ModelIR
    names: Vocabulary
    risks: Risks
    locals: Mapping[str, Term] = {}
    kinds: Mapping[str, Kind] = {}
    used: frozenset[str] = frozenset()  # names of TLA+ that mean something here
    state: Mapping[str, Term] = {}  # values of variables that are not those at the start of the step
    taken: str = ""  # in a step property, the action taken
    arguments: Mapping[str, Term] = {}  # and what it was taken with

    def term(self, node: Node) -> Term:
        raise NotImplementedError

    def with_local(self, name: str, term: Term, kind: Kind, *used: str) -> Self:
        known = {**self.locals, name: term}
        kinds = {**self.kinds, name: kind}
        return replace(self.with_used_names(used), locals=known, kinds=kinds)

    def with_used_names(self, names: Iterable[str]) -> Self:
        return replace(self, used=self.used.union(names))

    def after(self, values: Mapping[str, Term]) -> Self:
        return replace(self, state={**self.state, **values})

    def local(self, name: str) -> str:
        return self.names.local(name.strip("()_'") or "x", self.used)

    def domain(self, node: Node) -> Kind:
        return ExpressionChecker(self.model).domain(node, self.kinds)

    def kind(self, node: Node) -> Kind:
        """The domain, of what an optional value is where it is there."""
        return present(self.domain(node))

    def comprehension(self, node: ir.Comprehension) -> Term:
        match node.gathering:
            case ir.Gathering.ALL | ir.Gathering.ANY:
                return self._quantify(node, node.clauses)
            case ir.Gathering.SET:
                return self._set(node, node.clauses)
            case ir.Gathering.MIN | ir.Gathering.MAX:
                return self._extreme(node.gathering.value.capitalize(), node)
            case ir.Gathering.SUM:
                return self._sum(node, node.clauses)
            case ir.Gathering.SEQUENCE:
                return self._sequence(node)
            case ir.Gathering.MAP if isinstance(node.key, ir.MakeRecord):
                return self._over_records(node, node.key)
            case ir.Gathering.MAP:
                source = self.over_set(node.clauses[0])
                return tla.function(source.name, source.of, source.scope.term(node.element))
        raise AssertionError(node.gathering)

    def _over_records(self, node: ir.Comprehension, key: ir.MakeRecord) -> Term:
        name = self.local(key.domain.name[:1])
        inner = self.with_used_names([name])
        for clause, (name_of_field, of) in zip(node.clauses, key.domain.fields, strict=True):
            inner = inner.with_local(clause.target, tla.Dot(Lexeme(name), field(name_of_field)), of)
        return tla.function(name, self.names.set_of(key.domain, True), inner.term(node.element))

    def _conditions(self, clause: ir.Clause) -> Term:
        return both(*map(self.term, clause.conditions))

    def over_set(self, clause: ir.Clause) -> "Source":
        of = self.term(clause.source)
        kind = self.kind(clause.source)
        if self._is_sequence(clause):
            of = Apply("Range", (of,))
        elif is_bag(kind):
            of = Apply("BagToSet", (of,))
        elif isinstance(kind, MapDomain):
            of = Prefix("DOMAIN", of)
        name, inner = self._element(clause)
        return Source(name, of, inner._conditions(clause), inner)

    def _element(self, clause: ir.Clause) -> tuple[str, Self]:
        name = self.local(clause.target)
        kind = self._element_kind(clause)
        return name, self.with_local(clause.target, Lexeme(name), kind, name)

    def _element_kind(self, clause: ir.Clause) -> Kind:
        match self.kind(clause.source):
            case SequenceDomain(of) | SetDomain(of):
                return of
            case MapDomain(key):
                return key
        return None

    def _is_sequence(self, clause: ir.Clause) -> bool:
        is_range = isinstance(clause.source, ir.IntegerRange)
        return not is_range and isinstance(self.kind(clause.source), SequenceDomain)

    def _quantify(self, node: ir.Comprehension, clauses: Clauses) -> Term:
        if not clauses:
            return self.term(node.element)
        source = self.over_set(clauses[0])
        inner = source.scope._quantify(node, clauses[1:])
        if node.gathering is ir.Gathering.ALL:
            return quantify("\\A", source.bind, tla.implies(source.condition, inner))
        return quantify("\\E", source.bind, both(source.condition, inner))

    def _set(self, node: ir.Comprehension, clauses: Clauses) -> Term:
        source = self.over_set(clauses[0])
        bind = Bind((source.name,), source.selection)
        if rest := clauses[1:]:
            mapped = tla.Mapped(source.scope._set(node, rest), bind)
            return Prefix("UNION", mapped)
        value = source.scope.term(node.element)
        is_name = value == Lexeme(source.name)
        return source.selection if is_name else tla.Mapped(value, bind)

    def _extreme(self, name: str, node: ir.Comprehension) -> Term:
        of = self._set(node, node.clauses)
        if node.default is not None:
            return Apply(f"{name}Or", (of, self.term(node.default)))
        self.risks.met += 1
        return Apply(f"Set{name}", (of,))

    def _by_position(self, clause: ir.Clause, sequence: Term) -> "Source":
        kind = self._element_kind(clause)
        lets: tuple[Definition, ...] = ()
        scope = self
        if not isinstance(sequence, Lexeme | tla.Index):
            name = self.local("elements")
            lets = (Definition(name, (), sequence),)
            sequence = Lexeme(name)
            scope = self.with_local(name, sequence, None, name)
        position = scope.local("i")
        element = tla.Index(sequence, Lexeme(position))
        inner = scope.with_local(clause.target, element, kind, position)
        return Source(position, Prefix("DOMAIN", sequence), TRUE, inner, lets)

    def _sum(self, node: ir.Comprehension, clauses: Clauses) -> Term:
        if not clauses:
            return self.term(node.element)
        clause = clauses[0]
        if self._is_sequence(clause):
            source = self._by_position(clause, self.term(clause.source))
            source = replace(source, condition=source.scope._conditions(clause))
        else:
            source = self.over_set(clause)
        value = source.scope._sum(node, clauses[1:])
        if value == Lexeme("1"):
            return tla.let(source.lets, Apply("Cardinality", (source.selection,)))
        return tla.let(source.lets, Apply("Sum", (tla.function(source.name, source.selection, value),)))

    def _sequence(self, node: ir.Comprehension) -> Term:
        clause, *others = node.clauses
        of = clause.source
        if others or isinstance(of, ir.Everything):
            remedy = "There the members of a sort have no order; run over one range or sequence."
            raise ModelError(node.at, "this sequence has no form in TLA+.", remedy)
        elements = self._range(of) if isinstance(of, ir.IntegerRange) else self.term(of)
        if clause.conditions:
            name, inner = self._element(clause)
            kept = tla.Binder(f"LAMBDA {name}", (), inner._conditions(clause))
            elements = Apply("SelectSeq", (elements, kept))
        source = self._by_position(clause, elements)
        value = source.scope.term(node.element)
        if value == source.scope.locals[clause.target]:
            return elements
        return tla.let(source.lets, tla.function(source.name, source.of, value))

    def _range(self, node: ir.IntegerRange) -> Term:
        start = self.term(node.start)
        stop = self.term(node.stop)
        name = self.local("i")
        value: Term = Infix("-", Lexeme(name), Lexeme("1"))
        if start != Lexeme("0"):
            stop = Infix("-", stop, start)
            value = Infix("+", start, value)
        return tla.function(name, Infix("..", Lexeme("1"), stop), value)


class Source(Struct, frozen=True):
    """The set that a clause of a comprehension runs over, with its condition."""

    name: str
    of: Term
    condition: Term
    scope: Scope  # behind it
    lets: tuple[Definition, ...] = ()

    @property
    def selection(self) -> Term:
        return self.of if self.condition == TRUE else tla.Binder("{", (self.bind,), self.condition)

    @property
    def bind(self) -> Bind:
        return Bind((self.name,), self.of)


def quantify(sign: str, bind: Bind, body: Term) -> Term:
    """A quantifier, joined with one of its kind directly inside if independent of it."""
    match body:
        case tla.Binder(inner, (first, *_) as binds, rest) if inner == sign:
            if not any(tla.words(b.of) & set(bind.names) for b in binds):
                if first.of == bind.of:
                    return tla.Binder(sign, (Bind(bind.names + first.names, bind.of), *binds[1:]), rest)
                return tla.Binder(sign, (bind, *binds), rest)
    return tla.Binder(sign, (bind,), body)
