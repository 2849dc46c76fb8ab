"""The TLA+ name of each declaration; and domains and values as terms.

Operators and constants are in CamelCase, variables and parameters in camelCase. A name that is taken, by TLA+ too, has
an underscore behind it; a parameter named like a variable has `the` before it.
"""

import ast
from collections.abc import Collection, Iterable, Iterator
from enum import Enum
from functools import partial, reduce
from itertools import chain
from typing import Any, assert_never

from isrcheck.errors import UsageError
from isrcheck.ir import domains
from isrcheck.ir.domains import Domain, inner_domains
from isrcheck.ir.model import Method, ModelIR
from isrcheck.ir.nodes import Literal, walk
from isrcheck.ir.show import show
from isrcheck.lang.declare import Each, Members, Sort, Start
from isrcheck.lang.network import Bag, Channels
from isrcheck.tla import terms as tla
from isrcheck.tla.page import LIBRARY
from isrcheck.tla.terms import FALSE, TRUE, Apply, Infix, Lexeme, Prefix, Term, braces, choose, number

NONE = Lexeme("None")
TAG = "type"  # the field that says which member of a sum it is
NAME = "name"  # of an enumeration's member that is a record, since its sum has values that TLC compares with no string
Names = frozenset[str]
_SIGNS: dict[type[ast.operator], str] = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.FloorDiv: "\\div"}
MODULES = ("Integers", "Naturals", "Reals", "Sequences", "FiniteSets", "Bags", "RealTime", "TLC", "TLCExt", "Json")
KEYWORDS = frozenset(
    """
    ASSUME ASSUMPTION AXIOM CASE CHOOSE CONSTANT CONSTANTS DOMAIN ELSE ENABLED EXCEPT EXTENDS IF IN INSTANCE LAMBDA LET
    LOCAL MODULE OTHER SUBSET THEN THEOREM UNCHANGED UNION VARIABLE VARIABLES WITH ACTION BY COROLLARY DEF DEFINE DEFS
    HAVE HIDE LEMMA NEW OBVIOUS OMITTED ONLY PICK PROOF PROPOSITION PROVE QED RECURSIVE STATE SUFFICES TAKE TEMPORAL USE
    WITNESS TRUE FALSE BOOLEAN STRING
    """.split()  # noqa: SIM905  # a list of words reads best as words
)
STANDARD = frozenset("Nat Int Seq Len Head Tail Append SubSeq SelectSeq IsFiniteSet Cardinality".split())  # noqa: SIM905  # words
BAGS = frozenset(  # of the modules Bags and TLC
    """
    IsABag BagToSet SetToBag BagIn EmptyBag BagUnion SubBag BagOfAll BagCardinality CopiesIn Print PrintT Assert
    JavaTime TLCGet TLCSet Permutations SortSeq RandomElement Any ToString TLCEval
    """.split()  # noqa: SIM905  # likewise
)
OWN = frozenset(("None", "Init", "Next", "Spec", "Fairness", "FairSpec", "TypeOk", "vars", *LIBRARY))
RESERVED = KEYWORDS | STANDARD | OWN


class Vocabulary:
    """The TLA+ names of a model's declarations; declarations of the classes in `first` are named first."""

    def __init__(self, model: ModelIR, first: Names, related: Iterable[ModelIR] = ()) -> None:
        self.ir = model
        self.variables, self.constants, self.methods, self.types = (dict[str, str]() for _ in range(4))
        self.has_bags = any(is_bag(v.domain) for v in model.variables)
        self.taken: set[str] = {*(BAGS if self.has_bags else ())}
        sums = [d for each in (model, *related) for d in _every_domain(each) if isinstance(d, domains.SumDomain)]
        self.wrapped = frozenset(name for each in sums for name in _enums_as_records(each))
        self.members = _members_by_number(model)
        self.taken |= {*map(show, self.members)}
        self.tagged = frozenset(m.name for each in sums for m in each.members if isinstance(m, domains.RecordDomain))
        for early in (True, False):
            self._allot(model, first, early)

    def _allot(self, model: ModelIR, first: Names, early: bool) -> None:
        asked = (*model.properties, *model.lemmas, *model.constraints)
        asked += (*model.temporal, *model.environments)
        named = {m.name: m for m in (*model.assumptions, *model.actions, *asked)}
        methods = [m for m in (*named.items(), *model.helpers.items()) if (m[1].owner in first) == early]
        variables = [v for v in model.variables if (v.owner in first) == early]
        constants = [c for c in model.constants if (c.owner in first) == early]
        self.variables |= allot(((v.name, lower(v.name)) for v in variables), self.taken)
        self.constants |= allot(((c.name, upper(c.name)) for c in constants), self.taken)
        of_variables = [d for v in variables for d in inner_domains(v.domain)]
        self._name_types(d for d in of_variables if isinstance(d, domains.SortDomain))
        self.methods |= allot(((name, upper(name)) for name, _ in methods), self.taken)
        of_methods = [d for _, method in methods for d in _domains_named_in(method)]
        of_constants = [d for c in (constants if early else model.constants) for d in inner_domains(c.domain)]
        others = (of_constants, of_methods) if early else (of_methods, of_constants)
        self._name_types(chain(of_variables, *others))

    def _name_types(self, named: Iterable[Domain]) -> None:
        for domain in named:
            kinds = domains.SortDomain | domains.EnumDomain | domains.RecordDomain
            if isinstance(domain, kinds) and domain.name not in self.types:
                self.types |= allot([(domain.name, upper(domain.name))], self.taken)

    def variable(self, name: str) -> Lexeme:
        return Lexeme(self.variables[name])

    def prime_variables(self, names: Iterable[str]) -> dict[str, Term]:
        return {n: tla.Prime(self.variable(n)) for n in names}

    def set_of(self, domain: Domain, bounded: bool) -> Term:
        """All values of a domain. `bounded`: with the bounds of integers, otherwise Nat."""
        match domain:
            case domains.IntDomain(high, low=low):
                every = Lexeme("Nat") if low == 0 else Lexeme("Int")
                return every if not bounded or high is None else Infix("..", self.bound(low), self.bound(high))
            case domains.BoolDomain():
                return Lexeme("BOOLEAN")
            case domains.EnumDomain(name, members) if self.types[name] != upper(name):
                return braces(map(self.atom, members))  # a constant goes by its name
            case domains.RecordDomain() if bounded:
                return self._record_set(domain, bounded)
            case domains.SortDomain(name) | domains.EnumDomain(name) | domains.RecordDomain(name):
                return Lexeme(self.types[name])
            case domains.OptionalDomain(of):
                return braces([NONE]) if of is None else Infix("\\cup", self.set_of(of, bounded), braces([NONE]))
            case domains.MapDomain(key, of):
                return tla.Listing("[", (self.set_of(key, True), self.set_of(of, bounded)))
            case domains.SumDomain(members):
                return reduce(partial(Infix, "\\cup"), (self.set_of(member, bounded) for member in members))
            case domains.SequenceDomain(of) | domains.SetDomain(of):
                elements = tla.EMPTY_SET if of is None else self.set_of(of, bounded)
                is_set = isinstance(domain, domains.SetDomain)
                return Prefix("SUBSET", elements) if is_set else Apply("Seq", (elements,))
            case _:
                assert_never(domain)

    def _record_set(self, domain: domains.RecordDomain, bounded: bool) -> Term:
        tag = ((TAG, braces([tag_term(domain.name)])),) if domain.name in self.tagged else ()
        return tla.Fields(": ", (*tag, *((field(name), self.set_of(of, bounded)) for name, of in domain.fields)))

    def is_of(self, name: Term, domain: Domain) -> Term:
        """The condition that a variable has a value of its domain, whatever the bounds."""
        if isinstance(domain, domains.MapDomain) and is_bag(domain):
            elements = Infix("\\subseteq", Apply("BagToSet", (name,)), self.set_of(domain.key, False))
            return tla.both(Apply("IsABag", (name,)), elements)
        return Infix("\\in", name, self.set_of(domain, False))

    def is_member(self, term: Term, of: domains.Domain, known: domains.Domain | None) -> Term:
        """The condition that a value, of the domain `known` if given, is of one class or one of several."""
        plain = isinstance(known, domains.SumDomain) and all(map(self._has_tag, known.members))
        return tla.either(*(self._is_one(term, member, plain) for member in domains.members(of)))

    def _is_one(self, term: Term, member: domains.Domain, plain: bool) -> Term:
        if plain and isinstance(member, domains.RecordDomain | domains.EnumDomain):
            return Infix("=", tla.Dot(term, TAG), tag_term(member.name))
        return Infix("\\in", term, self.set_of(member, False))

    def _has_tag(self, member: domains.Member) -> bool:
        return isinstance(member, domains.RecordDomain) or member.name in self.wrapped

    def atom(self, value: Any) -> Term:
        """A value that has no parts."""
        if isinstance(value, Enum) and type(value).__name__ in self.wrapped:
            named = ((TAG, tag_term(type(value).__name__)), (NAME, value_term(value)))
            return tla.Fields(" |-> ", named)
        return value_term(value)

    def fields(self, name: str, given: Iterable[tuple[str, Term]]) -> Term:
        """A record of this class; of a sum it says which."""
        tag = ((TAG, tag_term(name)),) if name in self.tagged else ()
        return tla.Fields(" |-> ", (*tag, *((field(own), value) for own, value in given)))

    def value(self, value: Any) -> Term:
        """Members of sorts by their names."""
        match value:
            case frozenset():
                return braces(map(self.value, sorted(value, key=lambda v: (len(show(v)), show(v)))))
            case tuple() if hasattr(value, "_fields"):
                parts = ((n, self.value(getattr(value, n))) for n in value._fields)
                return self.fields(type(value).__name__, parts)
            case tuple():
                return tla.sequence(map(self.value, value))
        return self.atom(value)

    def bound(self, top: int | str) -> Term:
        return number(top) if isinstance(top, int) else self._size(ast.parse(top, mode="eval").body)

    def _size(self, node: ast.expr) -> Term:
        match node:
            case ast.Constant(value=int() as value):
                return number(value)
            case ast.Name(id=name):
                constant = Lexeme(self.constants[name])
                is_bool = any(c.name == name and c.domain == domains.BOOL for c in self.ir.constants)
                return tla.If(constant, number(1), number(0)) if is_bool else constant
            case ast.UnaryOp(operand=operand):
                return Prefix("-", self._size(operand))
            case ast.BinOp(left=left, op=op, right=right):
                return Infix(_SIGNS[type(op)], self._size(left), self._size(right))
            case ast.Call(func=ast.Name(id=name), args=arguments):
                return apply_from_left(upper(name), map(self._size, arguments))
        raise AssertionError(f"{ast.dump(node)} in a bound")

    def type_definition(self, domain: Domain) -> tla.Definition | None:
        """A sort's set is a constant."""
        match domain:
            case domains.EnumDomain(name, members) if self.types[name] == upper(name):
                return tla.Definition(self.types[name], (), braces(map(self.atom, members)))
            case domains.RecordDomain(name):
                return tla.Definition(self.types[name], (), self._record_set(domain, False))
        return None

    def initial(self, value: Any, domain: Domain, used: Names = frozenset()) -> Term:
        """Return an initial value as a term; names in `used` are bound around it."""
        match value, domain:
            case Each(value=inner), domains.MapDomain(key, of):
                bound = self.letter(key, used)
                return tla.function(bound, self.set_of(key, True), self.initial(inner, of, used | {bound}))
            case Bag(), _:
                return Lexeme("EmptyBag")
            case Channels(), domains.MapDomain(key):
                return tla.function(self.letter(key, used), self.set_of(key, True), tla.EMPTY)
            case Start(expression), _:
                return self.bound(expression)
            case Members(), domains.SetDomain(of) if of is not None:
                return self.set_of(of, True)
            case dict(), domains.MapDomain(key, of):
                return self._map_by_cases(value, key, of, used)
            case tuple(), domains.RecordDomain(fields=fields):
                given = zip(fields, value, strict=True)
                parts = ((n, self.initial(v, of, used)) for (n, of), v in given)
                return self.fields(type(value).__name__, parts)
            case _, domains.OptionalDomain(of) if value is not None and of is not None:
                return self.initial(value, of, used)
        return self.value(value)

    def _map_by_cases(self, value: dict[Any, Any], key: Domain, of: Domain, used: Names) -> Term:
        bound = self.letter(key, used)
        *others, (_, image) = [(self.value(k), self.initial(v, of, used | {bound})) for k, v in value.items()]
        for k, v in reversed(others):
            image = choose(Infix("=", Lexeme(bound), k), v, image)
        return tla.function(bound, self.set_of(key, True), image)

    def letter(self, domain: Domain, used: Names = frozenset()) -> str:
        return self.local(lower(getattr(domain, "name", "") or "k")[0], used)

    def local(self, name: str, used: Names) -> str:
        """A bound name, not of `used`."""
        name = lower(name)
        if name in self.variables.values():
            name = f"the{name[:1].upper()}{name[1:]}"
        return free(name, self.taken | used)


def apply_from_left(operator: str, operands: Iterable[Term]) -> Term:
    """Apply a binary operator to operands from the left, two at a time."""
    return reduce(lambda one, other: Apply(operator, (one, other)), operands)


def value_term(value: Any) -> Term:
    """The term of a value that has no elements."""
    match value:
        case None:
            return NONE
        case bool():
            return TRUE if value else FALSE
        case int():
            return number(value)
        case Enum():
            return Lexeme(f'"{show(value)}"')
        case dict():
            raise UsageError("a map stands in a place where the export to TLA+ has no word for it.")
    return Lexeme(show(value))


def _every_domain(model: ModelIR) -> Iterator[Domain]:
    yield from (d for v in model.variables for d in inner_domains(v.domain))
    methods = (*model.actions, *model.helpers.values(), *model.properties, *model.temporal, *model.lemmas)
    yield from (d for method in methods for d in _domains_named_in(method))
    yield from (d for method in methods for d in inner_domains(method.returns))


def is_bag(domain: Domain | None) -> bool:
    return isinstance(domain, domains.MapDomain) and domain.total is not None


def _enums_as_records(of: domains.SumDomain) -> Iterator[str]:
    """TLC compares a record with no string, and two strings by their letters."""
    enums = [member for member in of.members if isinstance(member, domains.EnumDomain)]
    shown = [show(value) for member in enums for value in member.members]
    if len(enums) < len(of.members) or len({*shown}) < len(shown):
        yield from (member.name for member in enums)


def _members_by_number(model: ModelIR) -> dict[Any, domains.SortDomain]:
    """Members of sorts that the text names, such as Node[0]: constants of the module."""
    literals = {
        p.value: p.domain for m in (*model.methods, *model.initials) for p in walk(m.body) if isinstance(p, Literal)
    }
    known = {member: of for member, of in literals.items() if isinstance(of, domains.SortDomain)}
    sorts = {sort.sort: sort for sort in model.sorts}
    known |= {member: sorts[type(member)] for v in model.variables for member in _sort_members(v.initial)}
    return {member: known[member] for member in sorted(known, key=lambda member: (len(show(member)), show(member)))}


def _sort_members(value: Any) -> Iterator[Sort]:
    match value:
        case Sort():
            yield value
        case tuple() | frozenset():
            for element in value:
                yield from _sort_members(element)
        case Each(value=inner):
            yield from _sort_members(inner)


def tag_term(name: str) -> Term:
    return Lexeme(f'"{name}"')


def _domains_named_in(method: Method) -> Iterator[Domain]:
    for of in (*method.parameters, *walk(method.body)):
        yield from inner_domains(getattr(of, "domain", None))


def module(name: str) -> str:
    """The module name in camel case, with an underscore if a standard module has that name."""
    camel_case = upper(name)
    return f"{camel_case}_" if camel_case in MODULES else camel_case


def plain(name: str) -> str:
    """Return a name in ASCII; other letters by their number."""
    ascii_name = "".join(c if c == "_" or (c.isascii() and c.isalnum()) else f"u{ord(c):04x}" for c in name)
    return ascii_name if any(c.isalpha() for c in ascii_name) else f"{ascii_name}x"


def upper(name: str) -> str:
    """Return a name in camel case with a capital: IsTrueLeader for is_true_leader."""
    return "".join(syllable[:1].upper() + syllable[1:] for syllable in plain(name).split("_") if syllable)


def lower(name: str) -> str:
    """Return a name in camel case: leaderEpoch for leader_epoch."""
    first, *rest = [syllable for syllable in plain(name).split("_") if syllable]
    head = first if len(first) > 1 and first.isupper() else first[:1].lower() + first[1:]
    return head + "".join(other[:1].upper() + other[1:] for other in rest)


def field(name: str) -> str:
    camel_case = lower(name)
    return f"{camel_case}_" if camel_case in KEYWORDS or camel_case == TAG else camel_case


def free(name: str, taken: Collection[str]) -> str:
    """The name, with underscores behind it until nobody has it."""
    while name in RESERVED or name in taken or name.startswith(("WF_", "SF_")):
        name += "_"
    return name


def allot(names: Iterable[tuple[str, str]], taken: set[str]) -> dict[str, str]:
    """(name, wished) pairs, each with a name of its own, which is then taken."""
    names_given = {}
    for name, wished in names:
        names_given[name] = free(wished, taken)
        taken.add(names_given[name])
    return names_given
