"""The bounds that a model declares, as conditions on a state; a step that would leave one is pruned."""

import ast
from collections.abc import Callable, Mapping

from isrcheck.ir import domains as d
from isrcheck.proofs.relational import terms as t
from isrcheck.proofs.relational import values as v
from isrcheck.proofs.relational.terms import Logic
from isrcheck.proofs.relational.values import Unsupported, Value

Keep = Callable[[frozenset[str]], bool]  # whether a bound that names these constants stays one


class Bounds:
    def __init__(self, constants: Mapping[str, Value], keep: Keep) -> None:
        self.constants, self.keep = constants, keep

    def highest(self, high: int | str | None) -> Logic | None:
        """The bound; None if there is none, or it is not kept."""
        return None if high is None or not self.keep(d.bound_names(str(high))) else self.evaluate(high)

    def evaluate(self, expression: int | str) -> Logic:
        """The number that a bound or the size of a sort is. Raises Unsupported."""
        return d.evaluate(str(expression), t.number, self._constant, _OPERATIONS)

    def _constant(self, name: str) -> Logic:
        match self.constants[name]:
            case v.Number(term):
                return term
            case v.Truth(term):
                return t.ite(term, t.number(1), t.number(0))
        raise Unsupported(f"a bound that names {name}, which is not a number")

    def inside(self, value: Value, domain: d.Domain) -> Logic:
        """The condition that no number and no sequence in a value is above its bound."""
        match value, domain:
            case v.Number(term), d.IntDomain(high=high):
                return self._below(term, high)
            case v.Maybe(present, of), d.OptionalDomain(kind) if of is not None and kind is not None:
                return t.implies(present, self.inside(of, kind))
            case v.Row(_, fields), d.RecordDomain():
                return t.and_(*(self.inside(f, of) for f, (_, of) in zip(fields, domain.fields, strict=True)))
            case v.Function(key, at), d.MapDomain(value=of):
                variables, element, such = v.fresh(key, "k")
                return t.forall(variables, t.implies(such, self.inside(at(element), of)))
            case v.Predicate(), d.SetDomain(d.SumDomain()):  # of sorts and enumerations: no numbers
                return t.TRUE
            case v.Predicate(of, has), d.SetDomain(kind) if of is not None and kind is not None:
                variables, element, such = v.fresh(of, "e")
                return t.forall(variables, t.implies(t.and_(such, has(element)), self.inside(element, kind)))
            case v.Elements(length), _ if length is t.number(0):
                return t.TRUE
            case v.Elements(length, at_), d.SequenceDomain(of, high) if of is not None:
                variables, i, such = v.index(length, "o")
                elements = t.forall(variables, t.implies(such, self.inside(at_(i), of)))
                return t.and_(self._below(length, high), elements)
        return t.TRUE

    def _below(self, term: Logic, high: int | str | None) -> Logic:
        most = self.highest(high)
        return t.TRUE if most is None else t.compare("<=", term, most)


def negative(value: Value, domain: d.Domain) -> Logic:
    """The condition that some number in a value is below 0."""
    match value, domain:
        case v.Number(term), d.IntDomain():
            return t.FALSE if v.is_natural(term) else t.compare("<", term, t.number(0))
        case v.Maybe(present, of), d.OptionalDomain(kind) if of is not None and kind is not None:
            return t.and_(present, negative(of, kind))
        case v.Row(_, fields), d.RecordDomain():
            return t.or_(*(negative(f, of) for f, (_, of) in zip(fields, domain.fields, strict=True)))
        case v.Function(key, at), d.MapDomain(value=of):
            variables, element, such = v.fresh(key, "k")
            return t.exists(variables, t.and_(such, negative(at(element), of)))
        case v.Predicate(of, has), d.SetDomain(kind) if kind is not None and _has_numbers(kind) and of is not None:
            variables = tuple(t.variable("e", sort) for sort in v.element_sorts(of))
            element = v.of_terms(of, variables)
            return t.exists(variables, t.and_(has(element), negative(element, kind)))
        case v.Elements(length), _ if length is t.number(0):
            return t.FALSE
        case v.Elements(length, at_), d.SequenceDomain(of) if of is not None:
            variables, i, such = v.index(length, "o")
            return t.exists(variables, t.and_(such, negative(at_(i), of)))
    return t.FALSE


def names_in_keys(domain: d.Domain) -> frozenset[str]:
    """The constants that bound the numbers in the keys of its maps."""
    keys = (of for one in d.inner_domains(domain) if isinstance(one, d.MapDomain) for of in d.inner_domains(one.key))
    return frozenset[str]().union(*(d.names_in_bound(of) for of in keys if isinstance(of, d.IntDomain)))


def _has_numbers(domain: d.Domain) -> bool:
    return any(isinstance(inner, d.IntDomain) for inner in d.inner_domains(domain))


def least(a: Logic, b: Logic) -> Logic:
    return t.ite(t.compare("<=", a, b), a, b)


def greatest(a: Logic, b: Logic) -> Logic:
    return t.ite(t.compare("<=", b, a), a, b)


def _quotient(a: Logic, b: Logic) -> Logic:
    if b.op != "const" or b.value <= 0:
        raise Unsupported("a bound that is divided by what is not a positive number")
    return t.arithmetic("div", a, b)


_OPERATIONS: dict[type[ast.operator] | str, Callable[[Logic, Logic], Logic]] = {
    ast.Add: lambda a, b: t.arithmetic("+", a, b),
    ast.Sub: lambda a, b: t.arithmetic("-", a, b),
    ast.Mult: lambda a, b: t.arithmetic("*", a, b),
    ast.FloorDiv: _quotient,
    "min": least,
    "max": greatest,
}
