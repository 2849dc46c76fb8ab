"""Comprehensions as values: quantifiers, least and greatest numbers, counts, sets, maps and sequences."""

from collections.abc import Callable
from typing import Protocol

from isrcheck.ir import nodes
from isrcheck.ir.domains import BoolDomain, Domain, IntDomain, SetDomain, SortDomain
from isrcheck.ir.frozen import Frozen
from isrcheck.ir.nodes import Gathering
from isrcheck.proofs.relational import terms as t
from isrcheck.proofs.relational import values as v
from isrcheck.proofs.relational.chosen import Chosen
from isrcheck.proofs.relational.faults import Faults, refusal
from isrcheck.proofs.relational.terms import Logic
from isrcheck.proofs.relational.values import Value


class ExpressionReader(Protocol):
    """A reader of the expressions within a comprehension."""

    @property
    def chosen(self) -> Chosen: ...

    @property
    def faults(self) -> Faults: ...

    def with_local(self, name: str, value: Value) -> "ExpressionReader":
        """The reader that also knows a local."""

    def truth(self, node: nodes.Expression) -> Logic:
        """The value as a condition."""

    def number(self, node: nodes.Expression) -> Logic:
        """The value as a number."""

    def plain(self, node: nodes.Expression) -> Value:
        """The value, where it is not None."""

    def value(self, node: nodes.Expression) -> Value:
        """The value, which may be None."""


class Binding(Frozen):
    """Variables, and what is true of them."""

    variables: tuple[Logic, ...]
    such: Logic


Use = Callable[[Binding, ExpressionReader], None]  # hears the variables of all clauses, with a reader that knows them


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


def _bound(reader: ExpressionReader, clauses: tuple[nodes.Clause, ...], use: "Use") -> None:
    """Calls `use` with the variables of all clauses, and under what is true of them."""
    _bind(reader, clauses, Binding((), t.TRUE), use)


def _bind(reader: ExpressionReader, clauses: tuple[nodes.Clause, ...], so_far: Binding, use: "Use") -> None:
    if not clauses:
        use(so_far, reader)
        return
    clause, rest = clauses[0], clauses[1:]
    variables, value, such = element(reader, clause)
    inner = reader.with_local(clause.target, value)
    with reader.faults.under(variables, such):
        conditions = [such]
        for condition in clause.conditions:
            conditions.append(inner.truth(condition))
            reader.faults.enter(tuple(conditions[-1:]))
        bound = Binding((*so_far.variables, *variables), t.and_(so_far.such, *conditions))
        _bind(inner, rest, bound, use)
        reader.faults.leave(len(clause.conditions))


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
    answers: list[Logic] = []
    is_all = node.gathering is Gathering.ALL

    def use(bound: Binding, inner: ExpressionReader) -> None:
        body = inner.truth(node.element)
        join = t.forall if is_all else t.exists
        answers.append(join(bound.variables, (t.implies if is_all else t.and_)(bound.such, body)))

    _bound(reader, node.clauses, use)
    return answers[0]


def _least(reader: ExpressionReader, node: nodes.Comprehension) -> Value:
    """The least or greatest, as a number of which that is said."""
    answers: list[Logic] = []
    default = None if node.default is None else reader.number(node.default)

    def use(bound: Binding, inner: ExpressionReader) -> None:
        value = inner.number(node.element)
        is_least = node.gathering is Gathering.MIN
        answers.append(reader.chosen.extreme(is_least, bound.variables, bound.such, value, default))
        if default is None:
            nothing.append(t.not_(t.exists(bound.variables, bound.such)))

    nothing: list[Logic] = []
    _bound(reader, node.clauses, use)
    for empty in nothing:
        reader.faults.add(empty, node.at, f"{node.gathering.value}() of nothing")
    return v.Number(answers[0])


def _count(reader: ExpressionReader, node: nodes.Comprehension) -> Value:
    answers: list[Logic] = []
    _bound(reader, node.clauses, lambda bound, _: answers.append(reader.chosen.count(bound.variables, bound.such)))
    return v.Number(answers[0])


def _set(reader: ExpressionReader, node: nodes.Comprehension) -> Value:
    answers: list[tuple[Binding, Value]] = []

    def use(bound: Binding, inner: ExpressionReader) -> None:
        answers.append((bound, inner.value(node.element)))

    _bound(reader, node.clauses, use)
    (_, like), first = answers[0], node.clauses[0]
    is_filter = len(node.clauses) == 1 and node.element == nodes.ReadLocal(first.target, node.element.at)

    def has(x: Value) -> Logic:
        with reader.faults.quietly():
            if is_filter and not isinstance(first.source, nodes.IntegerRange):
                inner = reader.with_local(first.target, x)
                return t.and_(_is_among(reader, first, x), *(inner.truth(c) for c in first.conditions))
            answers.clear()
            _bound(reader, node.clauses, use)
            ((bound, value),) = answers
            return t.exists(bound.variables, t.and_(bound.such, v.equal(value, x)))

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
