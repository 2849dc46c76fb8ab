"""The relational system run in plain Python, at given sizes: what is proved of it is checked against the reference.

Quantifiers run over all members of a sort, and over numbers from below 0 to a horizon that no number of it reaches.
Reading what is nobody's business (an element beyond a length, the value of None) is an error here.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import Enum
from itertools import chain, combinations, product
from typing import Any, cast

from isrcheck.errors import ModelError
from isrcheck.ir import domains as d
from isrcheck.ir.codec import codec
from isrcheck.lang.instance import with_sort_sizes
from isrcheck.passes.bind import BoundModel
from isrcheck.passes.choices import Ground
from isrcheck.proofs.relational import terms as t
from isrcheck.proofs.relational import values as v
from isrcheck.proofs.relational.faults import TextFault
from isrcheck.proofs.relational.script import laws as laws_of
from isrcheck.proofs.relational.system import ActionStep, RelationalSystem
from isrcheck.proofs.relational.terms import Logic, Symbol

State = tuple[int, ...]
Evaluated = Callable[..., Any]

_INFIX = {"and": " and ", "or": " or ", "=": " == ", "<": " < ", "<=": " <= ", "+": " + ", "-": " - ", "*": " * "}
_INFIX |= {"div": " // ", "mod": " % "}

_BELOW = 3  # numbers below 0 that quantifiers run over: a text that goes wrong goes wrong with these


class Unconstrained(Exception):
    """Something was read of which the system says nothing."""


class Interpretation:
    """The meaning of symbols: constants and sorts of one bound model, and the state and arguments of the moment."""

    def __init__(self, model: BoundModel) -> None:
        self.model = model
        self.state: dict[str, Any] = {}
        self.arguments: dict[str, Any] = {}
        numbers = [value for value in model.constants.values() if type(value) is int]
        self.numbers = range(-_BELOW, max([*numbers, *model.sizes.values(), 0]) + 4)
        self.members = {sort.__name__: tuple(range(size)) for sort, size in model.sizes.items()}
        with with_sort_sizes(model.sizes):
            self.objects = {sort.__name__: tuple(sort) for sort in model.sizes}
        self._functions: dict[Symbol, str] = {}
        self._names: dict[str, Any] = {"range_": self._range, "unconstrained": Unconstrained}

    def _range(self, sort: str) -> Sequence[Any]:
        if sort == "Int":
            return self.numbers
        if sort == "Bool":
            return (False, True)
        if sort.startswith("set of "):
            of = self.members[sort.removeprefix("set of ")]
            return [frozenset(c) for n in range(len(of) + 1) for c in combinations(of, n)]
        return self.members[sort]

    def compile_term(self, term: Logic, variables: Sequence[Logic] = ()) -> Evaluated:
        """A function of the variables."""
        names = {variable: f"v{i}" for i, variable in enumerate(variables)}
        source = f"lambda {', '.join(names.values())}: {self._source(term, names)}"
        return cast(Evaluated, eval(source, self._names))

    def _source(self, term: Logic, names: dict[Logic, str]) -> str:
        match term.op:
            case "const":
                return repr(term.value)
            case "var":
                return names[term]
            case "app":
                return f"{self._function(term.value)}({', '.join(self._source(a, names) for a in term.args)})"
            case "forall" | "exists":
                inner = {**names, **{variable: f"v{len(names) + i}" for i, variable in enumerate(term.value)}}
                loops = " ".join(f"for {inner[variable]} in range_({variable.sort!r})" for variable in term.value)
                return f"{'all' if term.op == 'forall' else 'any'}({self._source(term.args[0], inner)} {loops})"
        parts = [self._source(a, names) for a in term.args]
        match term.op:
            case "not":
                return f"(not {parts[0]})"
            case "=>":
                return f"(not {parts[0]} or {parts[1]})"
            case "ite":
                return f"({parts[1]} if {parts[0]} else {parts[2]})"
        return f"({_INFIX[term.op].join(parts)})"

    def _function(self, symbol: Symbol) -> str:
        if symbol not in self._functions:
            name = self._functions[symbol] = f"f{len(self._functions)}"
            self._names[name] = self._meaning(symbol)
        return self._functions[symbol]

    def _meaning(self, symbol: Symbol) -> Evaluated:
        match symbol.role:
            case "constant":
                value = _as_number(self.model.constants[symbol.name])
                return lambda: value
            case "argument":
                return lambda: self.arguments[symbol.name]
            case "member":
                return lambda one, members: one in members
            case "inhabited":
                return lambda: bool(self.members[symbol.name.removeprefix("there is a ")])
            case "count":
                of, such = symbol.path
                test = self.compile_term(such, (*symbol.parameters, *of))
                return lambda *given: sum(test(*given, *each) for each in product(*(self._range(v.sort) for v in of)))
            case "chosen":
                assert symbol.body is not None
                assert symbol.result is not None
                said = self.compile_term(symbol.body, (*symbol.parameters, symbol.result))
                return lambda *given: self._only(symbol, [n for n in self.numbers if said(*given, n)])
        return self._reader_of(symbol)

    @staticmethod
    def _only(symbol: Symbol, numbers: list[int]) -> int:
        if len(numbers) != 1:
            raise Unconstrained(f"{symbol.name} may be any of {numbers}")
        return numbers[0]

    def _reader_of(self, symbol: Symbol) -> Evaluated:
        variable, *steps = symbol.path
        initial = self.model.initial[variable]

        def read(*given: Any) -> Any:
            value, unwritten, rest = self.state[variable], initial, list(given)
            for kind, *detail in steps:
                if kind == "present":
                    return value is not None
                if value is None:
                    raise Unconstrained(f"{symbol.name} of None")
                match kind:
                    case "key":
                        key = self._object(detail[0], rest)
                        default = next(iter(unwritten.values()))
                        value, unwritten = value.get(key, default), unwritten.get(key, default)
                    case "field":
                        value, unwritten = value[detail[0]], None if unwritten is None else unwritten[detail[0]]
                    case "length":
                        return len(value)
                    case "index":
                        place = rest.pop(0)
                        if not 0 <= place < len(value):
                            raise Unconstrained(f"{symbol.name} at {place}")
                        value, unwritten = value[place], None
                    case "has":
                        try:
                            return self._object(detail[0], rest) in value
                        except IndexError:  # a number that is not a position in an enumeration
                            return False
            if value is None:
                raise Unconstrained(f"{symbol.name} of None")
            return _as_number(value)

        return read

    def _object(self, domain: d.Domain, given: list[Any]) -> Any:
        """The value of CPython's that the first of these terms are; they are taken from the list."""
        match domain:
            case d.RecordDomain(fields=fields, make=make):
                return make(*(self._object(of, given) for _, of in fields))
            case d.SortDomain(name):
                return self.objects[name][given.pop(0)]
            case d.EnumDomain(members=members):
                return members[given.pop(0)]
            case d.SetDomain(d.SortDomain(name)):
                return frozenset(self.objects[name][place] for place in given.pop(0))
        return given.pop(0)

    def terms(self, value: Any, domain: d.Domain) -> tuple[Any, ...]:
        """The terms that a key or an element of CPython's is."""
        match domain:
            case d.RecordDomain(fields=fields):
                return tuple(chain(*(self.terms(p, of) for p, (_, of) in zip(value, fields, strict=True))))
            case d.SetDomain():
                return (frozenset(each.index for each in value),)
        return (_as_number(value),)

    def builder(self, value: v.Value, domain: d.Domain, variables: tuple[Logic, ...] = ()) -> Evaluated:
        """A function of the variables that makes CPython's value; the domain is bound."""
        match value, domain:
            case ((v.Number(term) | v.Truth(term)), _):
                return self.compile_term(term, variables)
            case v.Atom(term, d.SortDomain(name)), _:
                place, objects = self.compile_term(term, variables), self.objects[name]
                return lambda *given: objects[place(*given)]
            case v.Atom(term, d.EnumDomain(members=members)), _:
                place = self.compile_term(term, variables)
                return lambda *given: members[place(*given)]
            case v.Maybe(present, inner), d.OptionalDomain(of):
                test = self.compile_term(present, variables)
                if inner is None or of is None:
                    return lambda *_: None
                build = self.builder(inner, of, variables)
                return lambda *given: build(*given) if test(*given) else None
            case v.Row(_, parts), d.RecordDomain(fields=fields, make=make):
                builders = [self.builder(p, of, variables) for p, (_, of) in zip(parts, fields, strict=True)]
                return lambda *given: make(*(each(*given) for each in builders))
            case v.Elements(length, at_), d.SequenceDomain(of) if of is not None:
                count = self.compile_term(length, variables)
                variables_, place_, _ = v.index(length, "i")
                if length.op == "const" and not length.value:
                    return lambda *_: ()
                element = self.builder(at_(place_), of, (*variables, *variables_))
                return lambda *given: tuple(element(*given, i) for i in range(count(*given)))
        return self._container(value, domain, variables)

    def _container(self, value: v.Value, domain: d.Domain, variables: tuple[Logic, ...]) -> Evaluated:
        match value, domain:
            case v.Function(_, at), d.MapDomain(key, of):
                symbols, element, _ = v.fresh(key, "k")
                build = self.builder(at(element), of, (*variables, *symbols))
                keys = [(each, self.terms(each, key)) for each in codec(key).values()]
                return lambda *given: {each: build(*given, *flat) for each, flat in keys}
            case v.Predicate() as among, d.SetDomain(of) if of is not None:
                tested = [one for kind in d.members(of) for one in self._elements(among.has, kind, variables)]
                return lambda *given: frozenset(each for each, flat, test in tested if test(*given, *flat))
        raise AssertionError(f"{type(value).__name__} as a {type(domain).__name__}")

    def _elements(
        self, has: Callable[[v.Value], Logic], kind: d.Domain, variables: tuple[Logic, ...]
    ) -> Iterator[tuple[Any, tuple[Any, ...], Evaluated]]:
        """Each possible element of a set, its terms, and the test of those of its kind."""
        symbols, element, _ = v.fresh(kind, "e")
        test = self.compile_term(has(element), (*variables, *symbols))
        return ((each, self.terms(each, kind), test) for each in codec(kind).values())


class RelationalStepper:
    """States are scalars in declaration order, as in the canonical packing."""

    def __init__(self, model: BoundModel) -> None:
        self.model = model
        self.system = RelationalSystem(model.ir, {}, bounded=True)
        self.meaning = Interpretation(model)
        with with_sort_sizes(model.sizes):
            self.instances = list(Ground(model))
            self._taken = [self._compile_step(step) for step in self.system.steps]
        self.action_of: Sequence[int] = [action for action, _ in self.instances]
        self._methods = {p.name: p for p in (*model.ir.properties, *model.ir.lemmas)}
        self._claims: dict[tuple[str, int], tuple[Evaluated, list[tuple[TextFault, Evaluated]]]] = {}
        self.initial = self._flat(
            {n: self.meaning.builder(self.system.initial[n], of)() for n, of in model.domains.items()}
        )

    def _compile_step(
        self, step: ActionStep
    ) -> tuple[Evaluated, Evaluated, list[tuple[TextFault, Evaluated]], dict[str, Evaluated]]:
        changed = {n: of for n, of in self.model.domains.items() if step.after[n] is not self.system.state[n]}
        after = {name: self.meaning.builder(step.after[name], of) for name, of in changed.items()}
        guard, kept = self.meaning.compile_term(step.guard), self.meaning.compile_term(step.kept)
        return guard, kept, self._compile_faults(step.faults), after

    def _flat(self, values: dict[str, Any]) -> State:
        return tuple(n for name, of in self.model.domains.items() for n in codec(of).flatten(values[name]))

    def load(self, state: State) -> dict[str, Any]:
        scalars = iter(state)
        return {name: codec(of).unflatten(scalars) for name, of in self.model.domains.items()}

    def give(self, instance: int) -> None:
        action, given = self.instances[instance]
        self.meaning.arguments = {}
        for (name, of), value in zip(self.model.parameters(action), given, strict=True):
            self._give(f"given {name}", of, value)

    def _give(self, name: str, domain: d.Domain, value: Any) -> None:
        arguments = self.meaning.arguments
        match domain:
            case d.RecordDomain(fields=fields):
                for (field, kind), inner in zip(fields, value, strict=True):
                    self._give(f"{name}.{field}", kind, inner)
            case d.OptionalDomain(of) if of is not None:
                arguments[f"{name} is known"] = value is not None
                if value is not None:
                    self._give(name, of, value)
            case _:
                (arguments[name],) = self.meaning.terms(value, domain)

    def successors(self, instance: int) -> list[State | None]:
        """The successor of the state that is loaded: none if the instance is not enabled; None if it leaves a bound."""
        self.give(instance)
        guard, kept, faults, after = self._taken[self.action_of[instance]]
        _demand_none(faults)
        if not guard():
            return []
        if not kept():
            return [None]
        values = {**self.meaning.state, **{name: build() for name, build in after.items()}}
        return [self._flat(values)]

    def holds(self, name: str, state: State) -> bool:
        return self._answer(name, -1, state)

    def step_holds(self, name: str, before: State, instance: int, after: State) -> bool:
        self.give(instance)
        return self._answer(name, self.action_of[instance], before)

    def _answer(self, name: str, action: int, state: State) -> bool:
        if (name, action) not in self._claims:
            step = self.system.steps[action] if action >= 0 else None
            claim = self.system.claim(self._methods[name], step.after if step else self.system.state, step)
            self._claims[name, action] = self.meaning.compile_term(claim.holds), self._compile_faults(claim.faults)
        holds, faults = self._claims[name, action]
        self.enter(state)
        _demand_none(faults)
        return bool(holds())

    def _compile_faults(self, faults: Iterable[TextFault]) -> list[tuple[TextFault, Evaluated]]:
        return [(fault, self.meaning.compile_term(fault.condition)) for fault in faults]

    def enter(self, state: State) -> None:
        """Makes it the state of the moment."""
        with with_sort_sizes(self.model.sizes):
            self.meaning.state = self.load(state)

    def assumptions(self) -> list[Evaluated]:
        """The conditions that proofs assert of every state that is reached, and of symbols wherever they stand."""
        system = self.system
        population, assumed = system.sort_population(), system.assumptions()
        terms = [system.natural(system.state), population, assumed, system.inside(system.state)]
        claims = [system.claim(p, system.state).sound for p in self.model.ir.properties if not p.before]
        symbols = t.symbols_of([*terms, *claims, *(step.guard for step in system.steps)])
        laws = [law for symbol in symbols if symbol.role not in ("argument", "state") for law in laws_of(symbol)]
        return [self.meaning.compile_term(term) for term in (*terms, *laws)]


def _demand_none(faults: Iterable[tuple[TextFault, Evaluated]]) -> None:
    for fault, happens in faults:
        if happens():
            raise ModelError(fault.place, f"{fault.sentence}.")


def _as_number(value: Any) -> Any:
    """A member as its index or position; numbers and truth values as they are."""
    if isinstance(value, Enum):
        return list(type(value)).index(value)
    return value if isinstance(value, int | bool) else value.index
