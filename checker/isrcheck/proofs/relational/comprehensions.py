"""Comprehensions as values: quantifiers, least and greatest numbers, counts, sets, maps and sequences."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import field
from typing import Self

from isrcheck.ir import nodes
from isrcheck.ir.domains import BoolDomain, Domain, IntDomain, SetDomain, SortDomain
from isrcheck.ir.frozen import Frozen, replace
from isrcheck.ir.nodes import Gathering
from isrcheck.proofs.relational import terms as t
from isrcheck.proofs.relational import values as v
from isrcheck.proofs.relational.bounds import Bounds, negative
from isrcheck.proofs.relational.chosen import Chosen
from isrcheck.proofs.relational.faults import Faults, refusal
from isrcheck.proofs.relational.terms import Logic
from isrcheck.proofs.relational.values import Value


class ExpressionReader(Frozen):
    """A reader of expressions in a state, with local names; `constants` has a value for each constant."""

    constants: Mapping[str, Value]
    state: Mapping[str, Value]
    chosen: Chosen
    faults: Faults
    bounds: Bounds
    before: Mapping[str, Value] = field(default_factory=dict)
    locals: Mapping[str, Value] = field(default_factory=dict)
    taken: tuple[str, Mapping[str, Value]] | None = None  # the action of a step, and its arguments

    def with_local(self, name: str, value: Value) -> Self:
        return replace(self, locals={**self.locals, name: value})

    def truth(self, node: nodes.Expression) -> Logic:
        value = self.value(node)
        if not isinstance(value, v.Truth):
            raise refusal(node, f"a {type(value).__name__.lower()} as a condition")
        return value.term

    def number(self, node: nodes.Expression) -> Logic:
        return number_of(self.plain(node), node)

    def natural(self, node: nodes.Expression, what: str) -> Logic:
        """A number; that it is below 0 is a fault."""
        term = self.number(node)
        self.faults.add(negative(v.Number(term), IntDomain()), node.at, f"{what} is negative")
        return term

    def element(self, value: Value, node: nodes.Expression) -> Value:
        """An element of a set; quantifiers run over no number below 0, so that one in it is a fault."""
        self.faults.add(negative(value, domain_of(value)), node.at, "a set has a number below 0")
        return value

    def plain(self, node: nodes.Expression) -> Value:
        """The value, where it is not None."""
        value = self.value(node)
        if not isinstance(value, v.Maybe):
            return value
        self.faults.add(t.not_(value.present), node.at, "None has no such value")
        if value.value is None:
            raise refusal(node, "None here")
        return value.value

    def value(self, node: nodes.Expression) -> Value:
        try:
            return self._value(node)
        except v.Unsupported as error:
            raise refusal(node, str(error)) from None

    def _value(self, node: nodes.Expression) -> Value:
        raise NotImplementedError


def number_of(value: Value, node: nodes.Expression) -> Logic:
    match value:
        case v.Number(term):
            return term
        case v.Truth(term):
            return t.ite(term, t.number(1), t.number(0))
    raise refusal(node, f"a {type(value).__name__.lower()} as a number")


class Binding(Frozen):
    """The variables of clauses, what is true of them, and a reader that knows them."""

    variables: tuple[Logic, ...]
    such: Logic
    reader: ExpressionReader


def comprehension(reader: ExpressionReader, node: nodes.Comprehension) -> Value:
    match node.gathering:
        case Gathering.ALL | Gathering.ANY:
            return v.Truth(_quantifier(reader, node))
        case Gathering.MIN | Gathering.MAX:
            return _least(reader, node)
        case Gathering.SUM if isinstance(node.element, nodes.Literal) and node.element.value == 1:
            return _count(reader, node)
        case Gathering.SET:
            return _set(reader, node)
        case Gathering.MAP | Gathering.SEQUENCE if len(node.clauses) == 1 and not node.clauses[0].conditions:
            return _map_or_sequence(reader, node)
    raise refusal(node, f"a {node.gathering.value}() over these")


@contextmanager
def _bind(reader: ExpressionReader, clauses: tuple[nodes.Clause, ...]) -> Iterator[Binding]:
    """Bind the variables of all clauses; faults within are under what is true of them."""
    bound: list[Logic] = []
    conditions: list[Logic] = []
    with reader.faults.under():
        for clause in clauses:
            variables, value, such = element(reader, clause)
            reader = reader.with_local(clause.target, value)
            reader.faults.assume(variables, such)
            bound += variables
            conditions.append(such)
            for condition in clause.conditions:
                conditions.append(reader.truth(condition))
                reader.faults.assume(conditions[-1])
        yield Binding(tuple(bound), t.and_(*conditions), reader)


def element(reader: ExpressionReader, clause: nodes.Clause) -> tuple[tuple[Logic, ...], Value, Logic]:
    """Variables that are an arbitrary element of what a clause runs over, the element, and what is true of it."""
    match clause.source:
        case nodes.Everything(domain):
            return v.fresh(domain, clause.target)
        case nodes.IntegerRange(start, stop):
            low, high = reader.number(start), reader.number(stop)
            at = t.variable(clause.target, t.INT)
            such = t.and_(t.compare("<=", low, at), t.compare("<", at, high))
            return (at,), v.Number(at), such
        case nodes.Subsets(of):
            superset = reader.plain(of)
            if isinstance(superset, v.Predicate) and isinstance(superset.of, SortDomain):
                variables, subset, such = v.fresh(SetDomain(superset.of), clause.target)
                assert isinstance(subset, v.Predicate)
                return variables, subset, t.and_(such, v.within(subset, superset))
    match reader.plain(clause.source):
        case v.Predicate(kind, has) if kind is not None:
            variables, member, such = v.fresh(kind, clause.target)
            return variables, member, t.and_(such, has(member))
        case v.Elements(length, at_):
            variables, i, such = v.index(length, clause.target)
            return variables, at_(i), such
    raise refusal(clause.source, "this after `for ... in`")


def _quantifier(reader: ExpressionReader, node: nodes.Comprehension) -> Logic:
    with _bind(reader, node.clauses) as binding:
        body = binding.reader.truth(node.element)
    if node.gathering is Gathering.ALL:
        return t.forall(binding.variables, t.implies(binding.such, body))
    return t.exists(binding.variables, t.and_(binding.such, body))


def _least(reader: ExpressionReader, node: nodes.Comprehension) -> Value:
    """The least or greatest, as a number of which that is said."""
    default = None if node.default is None else reader.number(node.default)
    with _bind(reader, node.clauses) as binding:
        value = binding.reader.number(node.element)
    if default is None:
        nothing = t.not_(t.exists(binding.variables, binding.such))
        reader.faults.add(nothing, node.at, f"{node.gathering.value}() of nothing")
    is_least = node.gathering is Gathering.MIN
    return v.Number(reader.chosen.extreme(is_least, binding.variables, binding.such, value, default))


def _count(reader: ExpressionReader, node: nodes.Comprehension) -> Value:
    with _bind(reader, node.clauses) as binding:
        return v.Number(reader.chosen.count(binding.variables, binding.such))


def _set(reader: ExpressionReader, node: nodes.Comprehension) -> Value:
    with _bind(reader, node.clauses) as binding:
        like = binding.reader.element(binding.reader.value(node.element), node.element)
    first = node.clauses[0]
    is_filter = len(node.clauses) == 1 and node.element == nodes.ReadLocal(first.target, node.element.at)

    def has(x: Value) -> Logic:
        with reader.faults.quietly():
            if is_filter and not isinstance(first.source, nodes.IntegerRange):
                inner = reader.with_local(first.target, x)
                return t.and_(_is_among(reader, first, x), *(inner.truth(c) for c in first.conditions))
            with _bind(reader, node.clauses) as binding:  # variables of its own
                value = binding.reader.value(node.element)
            return t.exists(binding.variables, t.and_(binding.such, v.equal(value, x)))

    return v.Predicate(domain_of(like), has)


def _is_among(reader: ExpressionReader, clause: nodes.Clause, x: Value) -> Logic:
    if isinstance(clause.source, nodes.Everything):
        return t.TRUE
    match reader.plain(clause.source):
        case v.Predicate() as among:
            return among.has(x)
        case v.Elements(length, at):
            variables, i, such = v.index(length, clause.target)
            return t.exists(variables, t.and_(such, v.equal(at(i), x)))
    raise refusal(clause.source, "this after `for ... in`")


def _map_or_sequence(reader: ExpressionReader, node: nodes.Comprehension) -> Value:
    """A map of all keys, or a sequence from another."""
    clause = node.clauses[0]
    variables, key, such = element(reader, clause)
    with reader.faults.under(variables, such):
        reader.with_local(clause.target, key).value(node.element)  # for what can go wrong

    def at(x: Value) -> Value:
        with reader.faults.quietly():
            return reader.with_local(clause.target, x).value(node.element)

    if node.gathering is Gathering.MAP:
        if not isinstance(clause.source, nodes.Everything):
            raise refusal(node, "a map that is not over all its keys")
        return v.Function(domain_of(key), at)
    if isinstance(clause.source, nodes.IntegerRange) and reader.number(clause.source.start) is t.number(0):
        stop = reader.number(clause.source.stop)
        length = stop if v.is_natural(stop) else t.ite(t.compare("<=", t.number(0), stop), stop, t.number(0))
        return v.Elements(length, lambda i: at(v.Number(i)))
    source = reader.plain(clause.source)
    if not isinstance(source, v.Elements):
        raise refusal(node, "a sequence made from something else")
    return v.Elements(source.length, lambda i: at(source.at(i)))


def domain_of(value: Value) -> Domain:
    match value:
        case v.Number():
            return IntDomain()
        case v.Truth():
            return BoolDomain()
        case v.Atom(_, domain) | v.Row(domain):
            return domain
        case v.Predicate(of):
            return SetDomain(of)
    raise v.Unsupported(f"a set of a {type(value).__name__.lower()}")
