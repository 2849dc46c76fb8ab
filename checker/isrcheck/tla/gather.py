"""Comprehensions as quantifiers, sets, functions, sums and sequences."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from isrcheck.errors import ModelError
from isrcheck.ir.domains import Domain, MapDomain, SequenceDomain, SetDomain
from isrcheck.ir.nodes import Clause, Comprehension, Everything, Gathering, IntegerRange
from isrcheck.tla.terms import (
    Apply,
    Bind,
    Definition,
    Filtered,
    Function,
    Index,
    Infix,
    Lambda,
    LetIn,
    Mapped,
    Prefix,
    Quantified,
    Term,
    Word,
    both,
    implies,
    words,
)

if TYPE_CHECKING:
    from isrcheck.tla.expressions import Expressions, Scope


@dataclass(frozen=True)
class Source:
    """What a clause runs over: a name, the set it is in, the conditions, and the scope behind it."""

    name: str
    of: Term
    condition: Term
    scope: "Scope"

    @property
    def kept(self) -> Term:
        """The members of the set that meet the conditions."""
        bind = Bind((self.name,), self.of)
        return self.of if self.condition == Word("TRUE") else Filtered(bind, self.condition)


def gathered(speak: "Expressions", node: Comprehension, scope: "Scope") -> Term:
    match node.gathering:
        case Gathering.ALL | Gathering.ANY:
            return _quantified(speak, node, node.clauses, scope)
        case Gathering.SET:
            return _set(speak, node, node.clauses, scope)
        case Gathering.MIN | Gathering.MAX:
            return _extreme(speak, node, scope)
        case Gathering.SUM:
            return _sum(speak, node, node.clauses, scope)
        case Gathering.SEQUENCE:
            return _sequence(speak, node, scope)
        case Gathering.MAP:
            source = _over_set(speak, node.clauses[0], scope)
            return Function(Bind((source.name,), source.of), speak.term(node.element, source.scope))
    raise AssertionError(node.gathering)


def _over_set(speak: "Expressions", clause: Clause, scope: "Scope") -> Source:
    """A clause as a bound name in a set; the elements of a sequence are its range."""
    kind = speak.kind(clause.source, scope)
    of, element = speak.term(clause.source, scope), _element(kind)
    if isinstance(kind, SequenceDomain) and not isinstance(clause.source, IntegerRange):
        of = Apply("Range", (of,))
    elif isinstance(kind, MapDomain):
        of = Prefix("DOMAIN", of)
    name = speak.local(clause.target, scope)
    inner = scope.knowing(clause.target, Word(name), element, name)
    return Source(name, of, both(*(speak.term(c, inner) for c in clause.conditions)), inner)


def _element(kind: Domain | None) -> Domain | None:
    match kind:
        case SequenceDomain(of=of) | SetDomain(of=of):
            return of
        case MapDomain(key=key):
            return key
    return None


def _quantified(speak: "Expressions", node: Comprehension, clauses: tuple[Clause, ...], scope: "Scope") -> Term:
    if not clauses:
        return speak.term(node.element, scope)
    sign = "\\A" if node.gathering is Gathering.ALL else "\\E"
    source = _over_set(speak, clauses[0], scope)
    inner = _quantified(speak, node, clauses[1:], source.scope)
    body = implies(source.condition, inner) if sign == "\\A" else both(source.condition, inner)
    return quantify(sign, Bind((source.name,), source.of), body)


def quantify(sign: str, bind: Bind, body: Term) -> Term:
    """A quantifier, joined with one of its kind directly inside where that does not depend on it."""
    match body:
        case Quantified(sign=inner, binds=binds, body=rest) if inner == sign:
            if not any(words(b.of) & set(bind.names) for b in binds):
                first = binds[0]
                if first.of == bind.of:
                    return Quantified(sign, (Bind(bind.names + first.names, bind.of), *binds[1:]), rest)
                return Quantified(sign, (bind, *binds), rest)
    return Quantified(sign, (bind,), body)


def _set(speak: "Expressions", node: Comprehension, clauses: tuple[Clause, ...], scope: "Scope") -> Term:
    source = _over_set(speak, clauses[0], scope)
    if len(clauses) > 1:
        inner = _set(speak, node, clauses[1:], source.scope)
        return Prefix("UNION", Mapped(inner, Bind((source.name,), source.kept)))
    value = speak.term(node.element, source.scope)
    return source.kept if value == Word(source.name) else Mapped(value, Bind((source.name,), source.kept))


def _extreme(speak: "Expressions", node: Comprehension, scope: "Scope") -> Term:
    name = "Max" if node.gathering is Gathering.MAX else "Min"
    of = _set(speak, node, node.clauses, scope)
    if node.default is not None:
        return Apply(f"{name}Or", (of, speak.term(node.default, scope)))
    speak.risks += 1
    return Apply(f"Set{name}", (of,))


# Where the same element may come twice, or order matters: by position


def _by_position(speak: "Expressions", clause: Clause, scope: "Scope") -> tuple[Source, tuple[Definition, ...]]:
    """A clause over a sequence as a bound position in its domain."""
    sequence = speak.term(clause.source, scope)
    made: tuple[Definition, ...] = ()
    kind = _element(speak.kind(clause.source, scope))
    if not isinstance(sequence, Word | Index):
        name = speak.local("elements", scope)
        made = (Definition(name, (), sequence),)
        sequence, scope = Word(name), scope.knowing(name, Word(name), None, name)
    position = speak.local("i", scope)
    inner = scope.knowing(clause.target, Index(sequence, Word(position)), kind, position)
    condition = both(*(speak.term(c, inner) for c in clause.conditions))
    return Source(position, Prefix("DOMAIN", sequence), condition, inner), made


def _is_sequence(speak: "Expressions", clause: Clause, scope: "Scope") -> bool:
    return isinstance(speak.kind(clause.source, scope), SequenceDomain) and not isinstance(clause.source, IntegerRange)


def _sum(speak: "Expressions", node: Comprehension, clauses: tuple[Clause, ...], scope: "Scope") -> Term:
    if not clauses:
        return speak.term(node.element, scope)
    made: tuple[Definition, ...] = ()
    if _is_sequence(speak, clauses[0], scope):
        source, made = _by_position(speak, clauses[0], scope)
    else:
        source = _over_set(speak, clauses[0], scope)
    value = _sum(speak, node, clauses[1:], source.scope)
    if value == Word("1"):
        found: Term = Apply("Cardinality", (source.kept,))
    else:
        found = Apply("Sum", (Function(Bind((source.name,), source.kept), value),))
    return LetIn(made, found) if made else found


def _sequence(speak: "Expressions", node: Comprehension, scope: "Scope") -> Term:
    clause = node.clauses[0]
    if len(node.clauses) > 1 or isinstance(clause.source, Everything):
        raise ModelError(
            node.at,
            "this sequence has no form in TLA+.",
            "There the members of a sort have no order; run over one range or sequence.",
        )
    if isinstance(clause.source, IntegerRange):
        elements: Term = _range(speak, clause.source, scope)
    else:
        elements = speak.term(clause.source, scope)
    element = _element(speak.kind(clause.source, scope))
    if clause.conditions:
        name = speak.local(clause.target, scope)
        inner = scope.knowing(clause.target, Word(name), element, name)
        condition = both(*(speak.term(c, inner) for c in clause.conditions))
        elements = Apply("SelectSeq", (elements, Lambda(name, condition)))
    return _each(speak, node, elements, element, scope)


def _range(speak: "Expressions", node: IntegerRange, scope: "Scope") -> Term:
    """range(start, stop) as a sequence."""
    start, stop = speak.term(node.start, scope), speak.term(node.stop, scope)
    position = speak.local("i", scope)
    long = stop if start == Word("0") else Infix("-", stop, start)
    value: Term = Infix("-", Word(position), Word("1"))
    if start != Word("0"):
        value = Infix("+", start, value)
    return Function(Bind((position,), Infix("..", Word("1"), long)), value)


def _each(speak: "Expressions", node: Comprehension, elements: Term, element: Domain | None, scope: "Scope") -> Term:
    """The sequence of what becomes of each element."""
    target = node.clauses[0].target
    made: tuple[Definition, ...] = ()
    if not isinstance(elements, Word | Index):
        name = speak.local("elements", scope)
        made = (Definition(name, (), elements),)
        sequence: Term = Word(name)
        scope = scope.knowing(name, sequence, None, name)
    else:
        sequence = elements
    position = speak.local("i", scope)
    at = Index(sequence, Word(position))
    value = speak.term(node.element, scope.knowing(target, at, element, position))
    if value == at:
        return elements
    found = Function(Bind((position,), Prefix("DOMAIN", sequence)), value)
    return LetIn(made, found) if made else found
