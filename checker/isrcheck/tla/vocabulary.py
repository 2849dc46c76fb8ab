"""The names and sets of one model: what each declaration is called in TLA+, and domains and values as terms."""

import ast
from collections.abc import Iterable, Iterator
from enum import Enum
from typing import Any, assert_never

from isrcheck.errors import UsageError
from isrcheck.ir.domains import (
    BoolDomain,
    Domain,
    EnumDomain,
    IntDomain,
    MapDomain,
    OptionalDomain,
    RecordDomain,
    SequenceDomain,
    SetDomain,
    SortDomain,
)
from isrcheck.ir.nodes import Everything, Literal, MakeRecord, Method, ModelIR, VariableIR
from isrcheck.ir.show import show
from isrcheck.ir.traversal import walk
from isrcheck.lang.declare import Each, Members
from isrcheck.tla.names import allot, field, free_local, lower, upper
from isrcheck.tla.terms import (
    FALSE,
    TRUE,
    Apply,
    Bind,
    Braces,
    Definition,
    Function,
    FunctionSet,
    Infix,
    Prefix,
    Record,
    RecordSet,
    Term,
    Tuple,
    Word,
    chosen,
    number,
)

NONE = Word("None")
_SIGNS: dict[type[ast.operator], str] = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.FloorDiv: "\\div"}


class Vocabulary:
    """What the declarations of a model are called. Names of the classes in `first` are chosen before all others."""

    def __init__(self, ir: ModelIR, first: frozenset[str]) -> None:
        self.ir = ir
        taken: set[str] = set()
        self.variables: dict[str, str] = {}
        self.constants: dict[str, str] = {}
        self.methods: dict[str, str] = {}
        self.types: dict[str, str] = {}
        self._record_types: dict[str, RecordDomain] = {}
        for early in (True, False):
            self._allot(ir, first, early, taken)
        self.taken = frozenset(taken)

    def _allot(self, ir: ModelIR, first: frozenset[str], early: bool, taken: set[str]) -> None:
        methods = [m for m in _methods(ir) if (m[1].owner in first) == early]
        variables = [v for v in ir.variables if (v.owner in first) == early]
        constants = [c.name for c in ir.constants if (c.owner in first) == early]
        self.variables |= allot(((v.name, lower(v.name)) for v in variables), taken)
        self.constants |= allot(((name, upper(name)) for name in constants), taken)
        domains = [d for v in variables for d in inner_domains(v.domain)]
        self._name_types([d for d in domains if isinstance(d, SortDomain)], taken)
        self.methods |= allot(((name, upper(name)) for name, _ in methods), taken)
        if not early:
            domains += [d for _, method in methods for d in _named_in(method)]
            domains += [d for c in ir.constants for d in inner_domains(c.domain)]
        else:
            domains += [d for c in ir.constants if c.owner in first for d in inner_domains(c.domain)]
            domains += [d for _, method in methods for d in _named_in(method)]
        self._name_types(domains, taken)

    def _name_types(self, domains: Iterable[Domain], taken: set[str]) -> None:
        for domain in domains:
            if isinstance(domain, SortDomain | EnumDomain | RecordDomain) and domain.name not in self.types:
                self.types |= allot([(domain.name, upper(domain.name))], taken)
                if isinstance(domain, RecordDomain):
                    self._record_types[domain.name] = domain

    # Sets

    def set_of(self, domain: Domain, bounded: bool) -> Term:
        """All values of a domain. `bounded`: integers end where the run ends them; otherwise they are Nat."""
        match domain:
            case IntDomain(high=high):
                if not bounded or high is None:
                    return Word("Nat")
                return Infix("..", Word("0"), self.bound(high))
            case BoolDomain():
                return Word("BOOLEAN")
            case EnumDomain(name=name, members=members) if self.types[name] != upper(name):
                return Braces(tuple(map(value_term, members)))  # a constant goes by its name
            case SortDomain(name=name) | EnumDomain(name=name):
                return Word(self.types[name])
            case RecordDomain(name=name) if not bounded:
                return Word(self.types[name])
            case RecordDomain():
                return self.record_set(domain, bounded)
            case OptionalDomain(of=of):
                return Braces((NONE,)) if of is None else Infix("\\cup", self.set_of(of, bounded), Braces((NONE,)))
            case MapDomain(key=key, value=value):
                return FunctionSet(self.set_of(key, True), self.set_of(value, bounded))
            case SequenceDomain(of=of):
                return Apply("Seq", (self.set_of(of, bounded) if of is not None else Braces(()),))
            case SetDomain(of=of):
                return Prefix("SUBSET", self.set_of(of, bounded) if of is not None else Braces(()))
            case _:
                assert_never(domain)

    def record_set(self, domain: RecordDomain, bounded: bool = False) -> Term:
        return RecordSet(tuple((field(name), self.set_of(of, bounded)) for name, of in domain.fields))

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
            case ast.Call(func=ast.Name(id=name), args=[first, *rest]):
                found = self._bound(first)
                for part in rest:
                    found = Apply(upper(name), (found, self._bound(part)))
                return found
        raise AssertionError(f"{ast.dump(node)} in a bound")

    def type_definition(self, domain: Domain) -> Definition | None:
        """The definition of an enumeration's or a record's set; a sort's is a constant."""
        match domain:
            case EnumDomain(name=name, members=members) if self.types[name] == upper(name):
                return Definition(self.types[name], (), Braces(tuple(map(value_term, members))))
            case RecordDomain(name=name):
                return Definition(self.types[name], (), self.record_set(domain))
        return None

    # Initial values

    def initial(self, variable: VariableIR) -> Term:
        return self._initial(variable.initial, variable.domain, frozenset())

    def _initial(self, value: Any, domain: Domain, used: frozenset[str]) -> Term:
        match value, domain:
            case Each(value=inner), MapDomain(key=key, value=of):
                bound = self.letter(key, used)
                return Function(Bind((bound,), self.set_of(key, True)), self._initial(inner, of, used | {bound}))
            case Members(), SetDomain(of=of) if of is not None:
                return self.set_of(of, True)
            case dict(), MapDomain(key=key, value=of):
                return self._written_out(value, key, of, used)
            case tuple(), RecordDomain(fields=fields):
                parts = zip(fields, value, strict=True)
                return Record(tuple((field(name), self._initial(part, of, used)) for (name, of), part in parts))
            case _, OptionalDomain(of=of) if value is not None and of is not None:
                return self._initial(value, of, used)
        return value_term(value)

    def _written_out(self, value: dict[Any, Any], key: Domain, of: Domain, used: frozenset[str]) -> Term:
        """A map with a value for each key: the last one stands in ELSE."""
        bound = self.letter(key, used)
        entries = [(value_term(k), self._initial(v, of, used | {bound})) for k, v in value.items()]
        found = entries[-1][1]
        for k, v in reversed(entries[:-1]):
            found = chosen(Infix("=", Word(bound), k), v, found)
        return Function(Bind((bound,), self.set_of(key, True)), found)

    def letter(self, domain: Domain, used: frozenset[str] = frozenset()) -> str:
        """A short bound name for the members of a domain."""
        name = getattr(domain, "name", "") or "k"
        return free_local(lower(name)[0], self.taken | used, self.variables.values())


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
            return Braces(tuple(map(value_term, sorted(value, key=lambda v: (len(show(v)), show(v))))))
        case tuple() if hasattr(value, "_fields"):
            fields = zip(value._fields, value, strict=True)
            return Record(tuple((field(n), value_term(v)) for n, v in fields))
        case tuple():
            return Tuple(tuple(map(value_term, value)))
        case dict():
            raise UsageError("a map stands in a place where the export to TLA+ has no word for it.")
    return Word(show(value))


def inner_domains(domain: Domain | None) -> Iterator[Domain]:
    """The domains that a domain is made of, the innermost first."""
    match domain:
        case OptionalDomain(of=of) | SequenceDomain(of=of) | SetDomain(of=of):
            yield from inner_domains(of)
        case MapDomain(key=key, value=value):
            yield from inner_domains(key)
            yield from inner_domains(value)
        case RecordDomain(fields=fields):
            for _, of in fields:
                yield from inner_domains(of)
    if domain is not None:
        yield domain


def _named_in(method: Method) -> Iterator[Domain]:
    """The domains that a method's parameters and text name."""
    for parameter in method.parameters:
        yield from inner_domains(parameter.domain)
    for piece in walk(method.body):
        if isinstance(piece, Everything | MakeRecord | Literal) and piece.domain is not None:
            yield from inner_domains(piece.domain)


def _methods(ir: ModelIR) -> Iterator[tuple[str, Method]]:
    """Everything that becomes an operator, under the name that it is called by."""
    yield from ((m.name, m) for m in (*ir.assumptions, *ir.actions, *ir.properties, *ir.lemmas))
    yield from ir.helpers.items()
