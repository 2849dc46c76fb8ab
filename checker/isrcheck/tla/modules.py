"""A model as modules: what its family shares, the model itself, and the bounds of the run.

The classes up to the last that declares a variable, or a policy that variants fill, are shared: their module has what
does not depend on a policy, and the variant's extends it.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from isrcheck.ir.check import check_domains
from isrcheck.ir.domains import Domain, IntDomain, SortDomain, bound_names, inner_domains
from isrcheck.ir.model import ConstantIR, Method, ModelIR, Property
from isrcheck.ir.nodes import Enabled, TakenAction, TakenArgument, close_under, helpers_called, walk
from isrcheck.ir.show import show
from isrcheck.tla.actions import Actions
from isrcheck.tla.comprehensions import Risks
from isrcheck.tla.decide import remove_dead_branches
from isrcheck.tla.expressions import Expressions
from isrcheck.tla.page import assume_lines, comment, declare, from_library, module_text, operators_for, paragraph, rule
from isrcheck.tla.terms import TRUE, Apply, Box, Definition, Infix, Lexeme, Prefix, Term, both, either, sequence, words
from isrcheck.tla.vocabulary import Vocabulary, module
from isrcheck.wrap import first_paragraph

STANDARD = "Integers, Sequences, FiniteSets"
Noted = tuple[str, Definition]
Sections = list[tuple[str, list[Noted]]]


class Module(NamedTuple):
    name: str
    source: str
    names: frozenset[str] = frozenset()  # all that whoever extends it has
    declared: tuple[str, ...] = ()  # those that a configuration gives a value


class Writer:
    """The writer of a model's TLA+ modules. Values of `related` models, written beside it, have the same form."""

    def __init__(self, ir: ModelIR, related: Iterable[ModelIR] = ()) -> None:
        check_domains(ir)
        self.shared = classes_of_base_module(ir)
        self._base = next((c for c in ir.cls.__mro__ if c.__name__ in self.shared), None)
        self._calls = {(m.name, m.owner): m.calls for m in (*ir.helpers.values(), *ir.methods)}  # before it is pruned
        self.names = Vocabulary(ir, self.shared, related)
        self.ir = remove_dead_branches(ir, Expressions(ir, self.names, Risks()))
        self.root = Expressions(self.ir, self.names, Risks())
        self.actions = Actions(self.root)
        self._policies = {n for n, m in self.ir.helpers.items() if m.role == "policy"}
        self._depending = self._on_policy()
        self._conjunctions = {a.name: self.actions.action(a) for a in ir.actions}
        self._effects = self._effect_terms()
        self._unwritten = self._of_lemmas()

    @property
    def name(self) -> str:
        return module(self.ir.name)

    def modules(self) -> tuple[Module, ...]:
        if self._base is None:
            return (self._module(self.name, self._sections(True, True), None, self.ir.doc),)
        doc = (self._base.__doc__ or "").strip()
        common = self._module(module(self._base.__name__), self._sections(True, False), None, doc)
        return common, self._module(self.name, self._sections(False, True), common, self.ir.doc)

    def calls(self, method: Method) -> frozenset[str]:
        return self._calls[method.name, method.owner]

    def _on_policy(self) -> set[str]:
        """The helpers that depend on a policy or a class that is not shared."""
        every = self.ir.helpers.items()
        first = (n for n, m in every if m.role == "policy" or m.owner not in self.shared)
        return close_under(first, lambda name: (n for n, m in every if name in self.calls(m)))

    def _of_lemmas(self) -> set[str]:
        asked = (*self.ir.properties, *self.ir.temporal, *self.ir.environments, *self.ir.constraints)
        used = self._helpers_called_by(*self.ir.actions, *self.ir.initials, *asked, *self.ir.assumptions)
        return self._helpers_called_by(*self.ir.lemmas, *self.ir.applicability) - used - self._policies

    def _helpers_called_by(self, *methods: Method) -> set[str]:
        return {*self.ir.helpers_reached(helpers_called(tuple(m.body for m in methods)))}

    def _is_shared(self, method: Method) -> bool:
        if method.owner not in self.shared or method.role == "policy":
            return False
        if any(isinstance(p, Enabled | TakenAction | TakenArgument) for p in walk(method.body)):
            return False
        functions = {n for n in self.calls(method) if self._is_global(n)}
        if (self.calls(method) - functions) & self._depending:
            return False
        return not any(self.calls(self.ir.helpers[n]) & self._policies for n in functions)

    def _is_global(self, name: str) -> bool:
        return not any(self.ir.helpers[name].owner == c.__name__ for c in self.ir.cls.__mro__)

    def _effect_terms(self) -> dict[str, Term]:
        if self._base is not None:
            effects = (n for n, m in self.ir.helpers.items() if m.returns is None and m.body)
            self.actions.operators.performed |= {n for n in effects if self._is_shared(self.ir.helpers[n])}
        written: dict[str, Term] = {}
        while missing := sorted(self.actions.operators.performed - written.keys()):
            for name in missing:
                written[name] = self.actions.conjunction(self.ir.helpers[name]).term()
        return written

    def _sections(self, early: bool, late: bool) -> Sections:
        """Titled sections of the definitions that are shared (`early`), of those that are not (`late`), or of both."""
        every = self.ir.helpers.items()
        helpers = {n: m for n, m in every if n not in self._unwritten and (early if self._goes_early(n) else late)}
        ordered = _order_by_calls(helpers)
        pure = [n for n in ordered if helpers[n].returns is not None]
        asked = close_under(self._policies & helpers.keys(), lambda n: helpers[n].calls & helpers.keys())
        effects = (n for n in ordered if n in self._effects)
        actions = (a for a in self.ir.actions if (early if self._is_shared(a) else late))
        properties = (p for p in self.ir.properties if (early if self._is_shared(p) else late))
        constraints = (c for c in self.ir.constraints if (early if self._is_shared(c) else late))
        temporal = (p for p in self.ir.temporal if (early if self._is_shared(p) else late))
        environments = self.ir.environments if late else ()
        sections: list[tuple[str, Iterable[Noted]]] = [
            ("", self._state() if early else ()),
            ("Decisions", (self._helper(n) for n in pure if n in asked)),
            ("Who knows what", (self._helper(n) for n in pure if n not in asked)),
            ("What they do", (self._define(helpers[n], self._effects[n], n) for n in effects)),
            ("Steps", (self._define(a, self._conjunctions[a.name]) for a in actions)),
            ("", self._behaviour() if late else ()),
            ("Properties", (d for p in properties for d in self._property(p))),
            ("What happens in the end", (self._define(p, self.actions.formula(p)) for p in temporal)),
            ("Environments", (self._define(m, self.actions.environment(m)) for m in environments)),
            ("Where a search goes on", (self._define(c, self._condition(c, bool(c.before))) for c in constraints)),
        ]
        return [(title, listed) for title, definitions in sections if (listed := list(definitions))]

    def _goes_early(self, name: str) -> bool:
        if not self._is_global(name):
            return self._is_shared(self.ir.helpers[name])
        methods = [m for n, m in self.ir.helpers.items() if not self._is_global(n)]
        methods += [*self.ir.actions, *self.ir.properties, *self.ir.temporal, *self.ir.constraints]
        return any(name in self.calls(m) for m in methods if self._is_shared(m))

    def _state(self) -> Iterator[Noted]:
        named = {v: Lexeme(self.names.variables[v.name]) for v in self.ir.variables}
        yield "", Definition("vars", (), sequence(named.values()))
        typed = (self.names.is_of(name, v.domain) for v, name in named.items())
        yield "", Definition("TypeOk", (), both(*typed))
        initial = {v.name: self.names.initial(v.initial, v.domain) for v in named}
        chosen = (self.actions.start(method, initial) for method in self.ir.initials)
        each = (Infix("=", name, initial[v.name]) for v, name in named.items())
        yield "", Definition("Init", (), either(*chosen) if self.ir.initials else both(*each))

    def _helper(self, name: str) -> Noted:
        method = self.ir.helpers[name]
        scope = self.root.parameters(method)
        return self._define(method, scope.value_of(method.body), name)

    def _define(self, method: Method, value: Term, name: str = "") -> Noted:
        parameters = self.root.params(method)
        return method.doc, Definition(self.names.methods[name or method.name], (*parameters.values(),), value)

    def _behaviour(self) -> Iterator[Noted]:
        yield "", Definition("Next", (), either(*map(self.root.some_step, self.ir.actions)))
        yield "", Definition("Spec", (), both(Lexeme("Init"), Box(Lexeme("Next"), "vars")))
        if (fairness := self.actions.fairness()) != TRUE:
            yield "", Definition("Fairness", (), fairness)
            yield "", Definition("FairSpec", (), both(Lexeme("Spec"), Lexeme("Fairness")))

    def _property(self, method: Property) -> Iterator[Noted]:
        condition, name = self._condition(method, method.kind.is_of_steps), self.names.methods[method.name]
        yield self._define(method, Box(condition, "vars") if method.kind.is_of_steps else condition)
        if method.kind.holds_by_target:
            yield "", Definition(never(name), (), Prefix("~", Lexeme(name)))

    def _condition(self, method: Method, is_of_steps: bool) -> Term:
        return self.actions.step_condition(method) if is_of_steps else self.root.value_of(method.body)

    def _module(self, name: str, sections: Sections, base: Module | None, doc: str) -> Module:
        early, given = base is None, base.names if base else frozenset()
        definitions = [definition for _, listed in sections for _, definition in listed]
        assumptions = [a for a in self.ir.assumptions if (a.owner in self.shared or self._base is None) == early]
        conditions = [(a.doc, self.root.value_of(a.body)) for a in assumptions]
        used = words((*definitions, *(term for _, term in conditions)))
        types = self._types(used, given)
        used |= words((*types,))
        constants = [c for c in self.ir.constants if self.names.constants[c.name] in used - given]
        ranges = [self._range(c) for c in constants]
        types += self._types(words(tuple(ranges)), given | {d.name for d in types})
        sorts = [s for s in self.ir.sorts if self.names.types.get(s.name) in used - given]
        rows = [(self.names.types[s.name], first_paragraph(s.sort.__doc__ or "")) for s in sorts]
        rows += [(self.names.constants[c.name], c.sentence) for c in constants]
        rows += [("None", "no value")] if early and "None" in used else []
        by_number = {show(m): self.names.types[of.name] for m, of in self.names.members.items()}
        by_number = {member: of for member, of in by_number.items() if member in used - given}
        rows += [(member, f"one of {of}") for member, of in by_number.items()]
        lines = [*comment(doc), "", *declare("CONSTANT", rows)]
        ranges += self._sizes(sorts, constants)
        ranges += [Infix("\\in", Lexeme(member), Lexeme(of)) for member, of in by_number.items()]
        lines += assume_lines("", both(*ranges)) if ranges else []
        for said, test in conditions:
            lines += assume_lines(said, test)
        if early:
            variables = [(self.names.variables[v.name], v.comment) for v in self.ir.variables]
            lines += declare("VARIABLE", variables)
        lines += from_library(used, given)
        for definition in types:
            lines += paragraph(definition)
        for title, listed in sections:
            lines += rule(title)
            for said, definition in listed:
                lines += paragraph(definition, said)
        source = module_text(name, base.name if base else STANDARD + ", Bags" * self.names.has_bags, lines)
        own = tuple(n for n, _ in rows)
        names = given.union(own, operators_for(used, given), (d.name for d in (*types, *definitions)))
        return Module(name, source, names, own)

    def _types(self, used: set[str], given: frozenset[str]) -> list[Definition]:
        defined: dict[str, Definition] = {}
        for domain in self._domains():
            definition = self.names.type_definition(domain)
            if definition and definition.name not in given:
                defined.setdefault(definition.name, definition)
        wanted = set(used)
        for definition in reversed(defined.values()):
            if definition.name in wanted:
                wanted |= words(definition.value)
        return [each for each in defined.values() if each.name in wanted]

    def _domains(self) -> Iterator[Domain]:
        methods = (*self.ir.actions, *self.ir.initials, *self.ir.helpers.values())
        parameters = (p for m in methods for p in m.parameters)
        asked = (*self.ir.properties, *self.ir.temporal, *self.ir.constraints)
        parts = walk(tuple(m.body for m in (*methods, *asked)))
        for of in (*self.ir.variables, *self.ir.constants, *parameters, *parts):
            yield from inner_domains(getattr(of, "domain", None))

    def _sizes(self, sorts: list[SortDomain], constants: list[ConstantIR]) -> Iterator[Term]:
        names = {c.name for c in constants}
        for sort in sorts:
            if isinstance(sort.size, str) and bound_names(sort.size) <= names:
                members = Apply("Cardinality", (Lexeme(self.names.types[sort.name]),))
                yield Infix("=", members, self.names.bound(sort.size))

    def _range(self, constant: ConstantIR) -> Term:
        name = Lexeme(self.names.constants[constant.name])
        if not isinstance(constant.domain, IntDomain):
            return Infix("\\in", name, self.names.set_of(constant.domain, True))
        low = "0" if constant.at_least is None else str(constant.at_least)
        if constant.at_most is not None:
            return Infix("\\in", name, Infix("..", Lexeme(low), Lexeme(str(constant.at_most))))
        inside = Infix("\\in", name, Lexeme("Nat"))
        return inside if low == "0" else both(inside, Infix(">=", name, Lexeme(low)))


def _order_by_calls(helpers: dict[str, Method]) -> list[str]:
    """Sort helpers so that each stands after those that it calls."""
    ordered: dict[str, None] = {}

    def visit(name: str) -> None:
        if name not in ordered:
            further = helpers[name].calls
            for each in helpers:
                if each in further:
                    visit(each)
            ordered[name] = None

    for name in helpers:
        visit(name)
    return list(ordered)


def classes_of_base_module(ir: ModelIR) -> frozenset[str]:
    """The names of the classes whose module the model's own extends."""
    mro = ir.cls.__mro__[::-1]
    known = [c for c in mro if c.__module__ != "isrcheck.lang.declare"]
    owners = {v.owner for v in ir.variables}
    for name, method in ir.helpers.items():
        if method.role == "policy":
            owners.add(next(c for c in known if name in vars(c)).__name__)
    methods = (*ir.actions, *ir.properties, *ir.temporal, *ir.environments, *ir.constraints, *ir.assumptions)
    methods += (*ir.applicability, *ir.helpers.values())
    declaring = {m.owner for m in methods} | {c.owner for c in ir.constants} | owners | {ir.name}
    line = [c for c in mro if c.__name__ in declaring]
    while line and line[-1].__name__ not in owners:
        line.pop()
    if ir.cls in line:
        return frozenset()
    return frozenset(c.__name__ for c in line)


def never(name: str) -> str:
    """The invariant that a run which meets a reachability property violates."""
    return f"Never{name}"
