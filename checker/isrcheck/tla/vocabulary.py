"""The names and sets of one model: what each declaration is called in TLA+, and domains and values as terms."""

import ast
from collections.abc import Iterable, Iterator
from enum import Enum
from functools import reduce
from typing import Any, assert_never

from isrcheck.errors import UsageError
from isrcheck.ir import domains
from isrcheck.ir import nodes as ir
from isrcheck.ir.domains import Domain, inner_domains
from isrcheck.ir.model import Method, ModelIR, VariableIR
from isrcheck.ir.show import show
from isrcheck.ir.traversal import walk
from isrcheck.lang.declare import Each, Members
from isrcheck.tla import terms as tla
from isrcheck.tla.names import allot, field, free_local, lower, upper
from isrcheck.tla.terms import FALSE, TRUE, Apply, Infix, Prefix, Term, Word, braces, chosen, number

NONE = Word("None")
Names = frozenset[str]
_SIGNS: dict[type[ast.operator], str] = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.FloorDiv: "\\div"}


class Vocabulary:
    """What the declarations of a model are called. Names of the classes in `first` are chosen before all others."""

    def __init__(self, model: ModelIR, first: Names) -> None:
        self.ir = model
        taken: set[str] = set()
        self.variables: dict[str, str] = {}
        self.constants: dict[str, str] = {}
        self.methods: dict[str, str] = {}
        self.types: dict[str, str] = {}
        for early in (True, False):
            self._allot(model, first, early, taken)
        self.taken = frozenset(taken)

    def _allot(self, model: ModelIR, first: Names, early: bool, taken: set[str]) -> None:
        methods = [m for m in _methods(model) if (m[1].owner in first) == early]
        variables = [v for v in model.variables if (v.owner in first) == early]
        constants = [c for c in model.constants if (c.owner in first) == early]
        self.variables |= allot(((v.name, lower(v.name)) for v in variables), taken)
        self.constants |= allot(((c.name, upper(c.name)) for c in constants), taken)
        of_variables = [d for v in variables for d in inner_domains(v.domain)]
        self._name_types((d for d in of_variables if isinstance(d, domains.SortDomain)), taken)
        self.methods |= allot(((name, upper(name)) for name, _ in methods), taken)
        of_methods = [d for _, method in methods for d in _named_in(method)]
        of_constants = [d for c in (constants if early else model.constants) for d in inner_domains(c.domain)]
        self._name_types(
            [*of_variables, *of_constants, *of_methods] if early else [*of_variables, *of_methods, *of_constants], taken
        )

    def _name_types(self, named: Iterable[Domain], taken: set[str]) -> None:
        for domain in named:
            if not isinstance(domain, domains.SortDomain | domains.EnumDomain | domains.RecordDomain):
                continue
            if domain.name not in self.types:
                self.types |= allot([(domain.name, upper(domain.name))], taken)

    # Sets

    def set_of(self, domain: Domain, bounded: bool) -> Term:
        """All values of a domain. `bounded`: integers end where the run ends them; otherwise they are Nat."""
        match domain:
            case domains.IntDomain(high=high):
                return Word("Nat") if not bounded or high is None else Infix("..", Word("0"), self.bound(high))
            case domains.BoolDomain():
                return Word("BOOLEAN")
            case domains.EnumDomain(name=name, members=members) if self.types[name] != upper(name):
                return braces(map(value_term, members))  # a constant goes by its name
            case domains.RecordDomain() if bounded:
                return self._record_set(domain, bounded)
            case domains.SortDomain(name=name) | domains.EnumDomain(name=name) | domains.RecordDomain(name=name):
                return Word(self.types[name])
            case domains.OptionalDomain(of=of):
                return braces([NONE]) if of is None else Infix("\\cup", self.set_of(of, bounded), braces([NONE]))
            case domains.MapDomain(key=key, value=value):
                return tla.Listing("[", (self.set_of(key, True), self.set_of(value, bounded)))
            case domains.SequenceDomain(of=of):
                return Apply("Seq", (self._set_or_empty(of, bounded),))
            case domains.SetDomain(of=of):
                return Prefix("SUBSET", self._set_or_empty(of, bounded))
            case _:
                assert_never(domain)

    def _set_or_empty(self, domain: Domain | None, bounded: bool) -> Term:
        return tla.EMPTY_SET if domain is None else self.set_of(domain, bounded)

    def _record_set(self, domain: domains.RecordDomain, bounded: bool) -> Term:
        return tla.Fields(":", tuple((field(name), self.set_of(of, bounded)) for name, of in domain.fields))

    def bound(self, high: int | str) -> Term:
        """A bound's expression."""
        return number(high) if isinstance(high, int) else self._bound(ast.parse(high, mode="eval").body)

    def _bound(self, node: ast.expr) -> Term:
        match node:
            case ast.Constant(value=int() as value):
                return number(value)
            case ast.Name(id=name):
                return Word(self.constants[name])
            case ast.BinOp(left=left, op=op, right=right):
                return Infix(_SIGNS[type(op)], self._bound(left), self._bound(right))
            case ast.Call(func=ast.Name(id=name), args=arguments):
                return applied(upper(name), map(self._bound, arguments))
        raise AssertionError(f"{ast.dump(node)} in a bound")

    def type_definition(self, domain: Domain) -> tla.Definition | None:
        """The definition of an enumeration's or a record's set; a sort's is a constant."""
        match domain:
            case domains.EnumDomain(name=name, members=members) if self.types[name] == upper(name):
                return tla.Definition(self.types[name], (), braces(map(value_term, members)))
            case domains.RecordDomain(name=name):
                return tla.Definition(self.types[name], (), self._record_set(domain, False))
        return None

    # Initial values

    def initial(self, variable: VariableIR) -> Term:
        return self._initial(variable.initial, variable.domain, frozenset())

    def _initial(self, value: Any, domain: Domain, used: Names) -> Term:
        match value, domain:
            case Each(value=inner), domains.MapDomain(key=key, value=of):
                bound = self.letter(key, used)
                return tla.function(bound, self.set_of(key, True), self._initial(inner, of, used | {bound}))
            case Members(), domains.SetDomain(of=of) if of is not None:
                return self.set_of(of, True)
            case dict(), domains.MapDomain(key=key, value=of):
                return self._written_out(value, key, of, used)
            case tuple(), domains.RecordDomain(fields=fields):
                given = zip(fields, value, strict=True)
                return tla.Fields("|->", tuple((field(n), self._initial(v, of, used)) for (n, of), v in given))
            case _, domains.OptionalDomain(of=of) if value is not None and of is not None:
                return self._initial(value, of, used)
        return value_term(value)

    def _written_out(self, value: dict[Any, Any], key: Domain, of: Domain, used: Names) -> Term:
        """A map with a value for each key: the last one stands in ELSE."""
        bound = self.letter(key, used)
        *others, (_, image) = [(value_term(k), self._initial(v, of, used | {bound})) for k, v in value.items()]
        for k, v in reversed(others):
            image = chosen(Infix("=", Word(bound), k), v, image)
        return tla.function(bound, self.set_of(key, True), image)

    def letter(self, domain: Domain, used: Names = frozenset()) -> str:
        """A short bound name for the members of a domain."""
        name = getattr(domain, "name", "") or "k"
        return free_local(lower(name)[0], self.taken | used, self.variables.values())


def applied(operator: str, operands: Iterable[Term]) -> Term:
    """An operator of two operands, applied to the first two, then to the result and the next."""
    return reduce(lambda one, other: Apply(operator, (one, other)), operands)


def value_term(value: Any) -> Term:
    """A model's value as a term: members of enumerations are strings, those of sorts model values."""
    match value:
        case None:
            return NONE
        case bool():
            return TRUE if value else FALSE
        case int():
            return number(value)
        case Enum():
            return Word(f'"{show(value)}"')
        case frozenset():
            return braces(map(value_term, sorted(value, key=lambda v: (len(show(v)), show(v)))))
        case tuple() if hasattr(value, "_fields"):
            return tla.Fields("|->", tuple((field(n), value_term(getattr(value, n))) for n in value._fields))
        case tuple():
            return tla.sequence(map(value_term, value))
        case dict():
            raise UsageError("a map stands in a place where the export to TLA+ has no word for it.")
    return Word(show(value))


def _named_in(method: Method) -> Iterator[Domain]:
    """The domains that a method's parameters and text name."""
    for parameter in method.parameters:
        yield from inner_domains(parameter.domain)
    for piece in walk(method.body):
        if isinstance(piece, ir.Everything | ir.MakeRecord | ir.Literal) and piece.domain is not None:
            yield from inner_domains(piece.domain)


def _methods(model: ModelIR) -> Iterator[tuple[str, Method]]:
    """Everything that becomes an operator, under the name that it is called by."""
    yield from ((m.name, m) for m in (*model.assumptions, *model.actions, *model.properties, *model.lemmas))
    yield from model.helpers.items()
