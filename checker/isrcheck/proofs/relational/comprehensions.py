"""What comprehensions make: quantifiers, least and greatest numbers, counts, sets, maps and sequences."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from isrcheck.ir import nodes
from isrcheck.ir.domains import BoolDomain, Domain, IntDomain, SetDomain, SortDomain
from isrcheck.ir.frozen import Frozen
from isrcheck.ir.nodes import Gathering
from isrcheck.proofs.relational import terms as t
from isrcheck.proofs.relational import values as v
from isrcheck.proofs.relational.faults import outside
from isrcheck.proofs.relational.terms import Logic
from isrcheck.proofs.relational.values import Value

if TYPE_CHECKING:
    from isrcheck.proofs.relational.expressions import Reader


class Binding(Frozen):
    """Variables, and what is true of them."""

    variables: tuple[Logic, ...]
    such: Logic


Use = Callable[[Binding, "Reader"], None]  # hears the variables of all clauses, with a reader that knows them


def comprehension(reader: "Reader", node: nodes.Comprehension) -> Value:
    match node.gathering:
        case Gathering.ALL | Gathering.ANY:
            return v.Truth(_quantified(reader, node))
        case Gathering.MIN | Gathering.MAX:
            return _least(reader, node)
        case Gathering.SUM if isinstance(node.element, nodes.Literal) and node.element.value == 1:
            return _count(reader, node)
        case Gathering.SET:
            return _gathered_set(reader, node)
        case Gathering.MAP | Gathering.SEQUENCE if len(node.clauses) == 1 and not node.clauses[0].conditions:
            return _mapped(reader, node)
    raise outside(node, f"a {node.gathering.value}() over these")


def _bound(reader: "Reader", clauses: tuple[nodes.Clause, ...], use: "Use") -> None:
    """Calls `use` with the variables of all clauses, and under what is true of them."""
    _bind(reader, clauses, Binding((), t.TRUE), use)


def _bind(reader: "Reader", clauses: tuple[nodes.Clause, ...], so_far: Binding, use: "Use") -> None:
    if not clauses:
        use(so_far, reader)
        return
    clause, rest = clauses[0], clauses[1:]
    variables, value, such = element(reader, clause)
    inner = reader.given(clause.target, value)
    with reader.faults.under(variables, such):
        conditions = [such]
        for condition in clause.conditions:
            conditions.append(inner.truth(condition))
            reader.faults.enter(tuple(conditions[-1:]))
        bound = Binding((*so_far.variables, *variables), t.and_(so_far.such, *conditions))
        _bind(inner, rest, bound, use)
        reader.faults.leave(len(clause.conditions))


def element(reader: "Reader", clause: nodes.Clause) -> tuple[tuple[Logic, ...], Value, Logic]:
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
            whole = reader.plain(of)
            if isinstance(whole, v.Predicate) and isinstance(whole.of, SortDomain):
                made, found, such = v.fresh(SetDomain(whole.of), clause.target)
                assert isinstance(found, v.Predicate)
                return made, found, t.and_(such, v.within(found, whole))
    match reader.plain(clause.source):
        case v.Predicate(kind, has) if kind is not None:
            made, found, such = v.fresh(kind, clause.target)
            return made, found, t.and_(such, has(found))
        case v.Elements(length, at_):
            made, i, such = v.index(length, clause.target)
            return made, at_(i), such
    raise outside(clause.source, "this after `for ... in`")


def _quantified(reader: "Reader", node: nodes.Comprehension) -> Logic:
    answers: list[Logic] = []
    is_all = node.gathering is Gathering.ALL

    def use(bound: Binding, inner: "Reader") -> None:
        body = inner.truth(node.element)
        join = t.forall if is_all else t.exists
        answers.append(join(bound.variables, (t.implies if is_all else t.and_)(bound.such, body)))

    _bound(reader, node.clauses, use)
    return answers[0]


def _least(reader: "Reader", node: nodes.Comprehension) -> Value:
    """The least or greatest, as a number of which that is said."""
    answers: list[Logic] = []
    default = None if node.default is None else reader.number(node.default)

    def use(bound: Binding, inner: "Reader") -> None:
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


def _count(reader: "Reader", node: nodes.Comprehension) -> Value:
    answers: list[Logic] = []
    _bound(reader, node.clauses, lambda bound, _: answers.append(reader.chosen.count(bound.variables, bound.such)))
    return v.Number(answers[0])


def _gathered_set(reader: "Reader", node: nodes.Comprehension) -> Value:
    found: list[tuple[Binding, Value]] = []

    def use(bound: Binding, inner: "Reader") -> None:
        found.append((bound, inner.value(node.element)))

    _bound(reader, node.clauses, use)
    (_, like), first = found[0], node.clauses[0]
    is_filter = len(node.clauses) == 1 and node.element == nodes.ReadLocal(first.target, node.element.at)

    def has(x: Value) -> Logic:
        with reader.faults.quietly():
            if is_filter and not isinstance(first.source, nodes.IntegerRange):
                inner = reader.given(first.target, x)
                return t.and_(_is_among(reader, first, x), *(inner.truth(c) for c in first.conditions))
            found.clear()
            _bound(reader, node.clauses, use)
            ((bound, value),) = found
            return t.exists(bound.variables, t.and_(bound.such, v.equal(value, x)))

    return v.Predicate(domain_of(like), has)


def _is_among(reader: "Reader", clause: nodes.Clause, x: Value) -> Logic:
    if isinstance(clause.source, nodes.Everything):
        return t.TRUE
    match reader.plain(clause.source):
        case v.Predicate() as among:
            return among.has(x)
        case v.Elements(length, at):
            variables, i, such = v.index(length, clause.target)
            return t.exists(variables, t.and_(such, v.equal(at(i), x)))
    raise outside(clause.source, "this after `for ... in`")


def _mapped(reader: "Reader", node: nodes.Comprehension) -> Value:
    """A map of all keys, or a sequence from another."""
    clause = node.clauses[0]
    variables, key, such = element(reader, clause)
    with reader.faults.under(variables, such):
        reader.given(clause.target, key).value(node.element)  # for what can go wrong

    def at(x: Value) -> Value:
        with reader.faults.quietly():
            return reader.given(clause.target, x).value(node.element)

    if node.gathering is Gathering.MAP:
        if not isinstance(clause.source, nodes.Everything):
            raise outside(node, "a map that is not over all its keys")
        return v.Function(domain_of(key), at)
    if isinstance(clause.source, nodes.IntegerRange) and reader.number(clause.source.start) is t.number(0):
        stop = reader.number(clause.source.stop)
        length = stop if v.is_natural(stop) else t.ite(t.compare("<=", t.number(0), stop), stop, t.number(0))
        return v.Elements(length, lambda i: at(v.Number(i)))
    source = reader.plain(clause.source)
    if not isinstance(source, v.Elements):
        raise outside(node, "a sequence made from something else")
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
