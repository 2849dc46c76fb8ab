"""The state and the constants of a model as symbols, and its initial state as values."""

from collections.abc import Callable, Mapping
from typing import Any

from isrcheck.ir import domains as d
from isrcheck.ir.check.fit import fits
from isrcheck.ir.model import ConstantIR, VariableIR
from isrcheck.lang.annotations import to_domain
from isrcheck.lang.declare import Each, Members, Start
from isrcheck.proofs.relational import terms as t
from isrcheck.proofs.relational import values as v
from isrcheck.proofs.relational.bounds import Bounds, negative
from isrcheck.proofs.relational.faults import place_refusals
from isrcheck.proofs.relational.terms import Logic, Symbol
from isrcheck.proofs.relational.values import Unsupported, Value


def constant(declared: ConstantIR, given: Mapping[str, Any]) -> Value:
    """The value of a constant: as given, else a symbol of its own."""
    name, domain = declared.name, declared.domain
    if name in given:
        return v.literal(given[name], domain)
    match domain:
        case d.BoolDomain():
            return v.Truth(Symbol(name, (), t.BOOL, "constant")())
        case d.EnumDomain(members=members):
            return v.Atom(Symbol(name, (), t.INT, "constant", 0, len(members) - 1)(), domain)
    return v.Number(Symbol(name, (), t.INT, "constant", declared.at_least, declared.at_most)())


class Stored:
    """The symbols, by name, of what is stored in variables or given as an argument."""

    def __init__(self, role: str) -> None:
        self.role, self.symbols = role, dict[str, Symbol]()

    def variable(self, declared: VariableIR) -> Value:
        with place_refusals(declared, f"the variable {declared.name}"):
            value = self.value(declared.name, declared.domain, (), (declared.name,))
            negative(value, declared.domain)  # reads every part of it, of which one may be refused
            return value

    def value(self, name: str, domain: d.Domain, given: tuple[Logic, ...], path: tuple[Any, ...]) -> Value:
        """Return a stored value as terms over the arguments `given`; `path` is the way to CPython's value."""
        match domain:
            case d.IntDomain():
                return v.Number(self._term(name, v.sort_name(domain), given, path, low=0))
            case d.BoolDomain():
                return v.Truth(self._term(name, t.BOOL, given, path))
            case d.EnumDomain(members=members):
                return v.Atom(self._term(name, t.INT, given, path, 0, len(members) - 1), domain)
            case d.SortDomain():
                return v.Atom(self._term(name, domain.name, given, path), domain)
            case d.OptionalDomain(of) if of is not None:
                present = self._term(f"{name} is known", t.BOOL, given, (*path, ("present",)))
                return v.Maybe(present, self.value(name, of, given, path))
            case d.RecordDomain(fields=fields):
                named = enumerate(fields)
                parts = (self.value(f"{name}.{n}", kind, given, (*path, ("field", i))) for i, (n, kind) in named)
                return v.Row(domain, tuple(parts))
        return self._container(name, domain, given, path)

    def _container(self, name: str, domain: d.Domain, given: tuple[Logic, ...], path: tuple[Any, ...]) -> Value:
        match domain:
            case d.SequenceDomain(of) if of is not None:
                length = self._term(f"length of {name}", t.INT, given, (*path, ("length",)), low=0)
                element: d.Domain = of

                def element_at(i: Logic) -> Value:
                    return self.value(f"{name}[]", element, (*given, i), (*path, ("index",)))

                return v.Elements(length, element_at)
            case d.MapDomain(key, kind, total=None):
                v.element_sorts(key)

                def at(x: Value) -> Value:
                    return self.value(name, kind, (*given, *v.element_terms(x, key)), (*path, ("key", key)))

                return v.Function(key, at)
            case d.SetDomain(d.SumDomain() as of):
                return v.Predicate(of, self._has_member(name, of, given, path))
            case d.SetDomain(of) if of is not None:
                v.element_sorts(of)

                def has(x: Value) -> Logic:
                    further = (*path, ("has", of))
                    return v.apply_predicate(lambda terms: self._term(name, t.BOOL, (*given, *terms), further), x, of)

                return v.Predicate(of, has)
        raise Unsupported(f"values of {d.describe(domain)}")

    def _has_member(
        self, name: str, of: d.SumDomain, given: tuple[Logic, ...], path: tuple[Any, ...]
    ) -> Callable[[Value], Logic]:
        """A predicate for each member of a union, which is a sort or an enumeration."""
        if not all(isinstance(member, d.SortDomain | d.EnumDomain) for member in of.members):
            raise Unsupported(f"{d.describe(of)} as a key, or as an element of a set")

        def has(x: Value) -> Logic:
            if not isinstance(x, v.Atom):
                raise Unsupported(f"{d.describe(of)} of an unknown member as an element of a set")
            further = (*path, ("has", x.domain))
            return self._term(f"{name} of {x.domain.name}", t.BOOL, (*given, x.term), further)

        return has

    def _term(
        self, name: str, sort: str, given: tuple[Logic, ...], path: tuple[Any, ...], low: int | None = None,
        high: int | None = None,
    ) -> Logic:  # fmt: skip
        symbol = self.symbols.get(name)
        if symbol is None:
            sorts = tuple(a.sort for a in given)
            symbol = self.symbols[name] = Symbol(name, sorts, sort, self.role, low, high, path=path)
        return symbol(*given)


class Given(Stored):
    """The symbols of arguments: a set is one term, and there are neither maps nor sequences."""

    def _container(self, name: str, domain: d.Domain, given: tuple[Logic, ...], path: tuple[Any, ...]) -> Value:
        return v.of_terms(domain, (self._term(name, v.sort_name(domain), given, path),))


def initial(declared: VariableIR, bounds: Bounds) -> Value:
    with place_refusals(declared, f"the initial value of {declared.name}"):
        return v.fit(_initial_value(declared.initial, declared.domain, declared, bounds), declared.domain)


def _initial_value(value: Any, domain: d.Domain, declared: VariableIR, bounds: Bounds) -> Value:
    match value, domain:
        case Each(keys, inner), d.MapDomain(key, of):
            _domain_of_members(keys, key, declared)
            value = v.fit(_initial_value(inner, of, declared, bounds), of)
            return v.Function(key, lambda _: value)
        case Members(kind), d.SetDomain(of) if of is not None:
            every = _domain_of_members(kind, of, declared)
            return v.Predicate(every, lambda x: t.and_(t.not_(negative(x, every)), bounds.inside(x, every)))
        case Start(expression), _:
            number = bounds.highest(expression)
            assert number is not None
            return v.Number(number)
        case tuple(), d.RecordDomain(fields=fields, make=make) if type(value) is make:
            parts = zip(value, fields, strict=True)
            return v.Row(domain, tuple(v.fit(_initial_value(p, of, declared, bounds), of) for p, (_, of) in parts))
    return v.literal(value, domain)


def _domain_of_members(kind: Any, wanted: d.Domain, declared: VariableIR) -> d.Domain:
    """The domain that each() or members() is of; of int, as in passes/bind.py, that of the variable's own keys.

    Raises Unsupported if it does not fit the one that is wanted.
    """
    own = declared.domain
    domain = own.key if kind is int and isinstance(own, d.MapDomain) else to_domain(kind, declared.at, {})
    if not fits(wanted, domain):
        raise Unsupported(f"members of {d.describe(domain)} where those of {d.describe(wanted)} are declared")
    return domain
