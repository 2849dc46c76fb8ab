"""A model as modules: what its family shares, the model itself, and the bounds of the run apart from both.

What a variant shares with others is the line of classes up to the last that declares a variable, or a policy that its
variants fill: that class's module has everything that does not depend on a policy. The variant's module extends it.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from isrcheck.ir.check import check_domains
from isrcheck.ir.domains import Domain, EnumDomain, IntDomain, RecordDomain, SortDomain, bound_names, inner_domains
from isrcheck.ir.model import ConstantIR, Method, ModelIR, Property
from isrcheck.ir.nodes import TakenAction, TakenArgument
from isrcheck.ir.traversal import walk
from isrcheck.tla.actions import Actions
from isrcheck.tla.decide import pruned
from isrcheck.tla.expressions import Expressions
from isrcheck.tla.library import needed
from isrcheck.tla.names import module
from isrcheck.tla.page import assumed, comment, declared, from_library, module_text, paragraph, rule
from isrcheck.tla.properties import predicate, some_step, step_property
from isrcheck.tla.sharing import called, every_method, reached, shared_classes
from isrcheck.tla.terms import Apply, Box, Definition, Infix, Prefix, Term, Word, both, either, sequence, words
from isrcheck.tla.vocabulary import Vocabulary

STANDARD = "Integers, Sequences, FiniteSets"
Commented = tuple[str, Definition]


@dataclass(frozen=True)
class Module:
    """A module's name and text."""

    name: str
    text: str
    constants: tuple[str, ...] = ()  # the names that whoever extends it has, beside its definitions
    declared: tuple[str, ...] = ()  # those that a configuration gives a value


@dataclass
class Contents:
    """What one module is to hold, in order: sections of definitions with their comments."""

    name: str
    sections: list[tuple[str, list[Commented]]] = field(default_factory=list)

    def add(self, title: str, definitions: Iterable[Commented]) -> None:
        listed = list(definitions)
        if listed:
            self.sections.append((title, listed))

    @property
    def definitions(self) -> list[Definition]:
        return [definition for _, listed in self.sections for _, definition in listed]


class Writer:
    """Writes the modules of one model."""

    def __init__(self, ir: ModelIR) -> None:
        check_domains(ir)
        self.shared = shared_classes(ir)
        self._calls = {(m.name, m.owner): called(m) for m in every_method(ir)}
        self.vocabulary = Vocabulary(ir, self.shared)
        self.ir = pruned(ir, Expressions(ir, self.vocabulary))
        self.expressions = Expressions(self.ir, self.vocabulary)
        self.actions = Actions(self.expressions)
        self._policies = {n for n, m in self.ir.helpers.items() if m.role == "policy"}
        self._depending = self._on_policies()
        self._conjunctions = {a.name: self.actions.action(a) for a in ir.actions}
        self._effects = self._performed()
        self._unwritten = self._for_lemmas_alone()

    @property
    def name(self) -> str:
        """The model's module."""
        return module(self.ir.name)

    @property
    def shared_name(self) -> str:
        """The module that it extends; empty if there is none."""
        line = [c.__name__ for c in self.ir.cls.__mro__ if c.__name__ in self.shared]
        return module(line[0]) if line and line[0] != self.ir.name else ""

    def modules(self) -> tuple[Module, ...]:
        """The module of what is shared, if there is one, and the model's own."""
        if not self.shared_name:
            return (self._module(self._contents(self.name, True, True), "", frozenset(), self.ir.doc),)
        base = self._contents(self.shared_name, True, False)
        shared = next(c for c in self.ir.cls.__mro__ if module(c.__name__) == self.shared_name)
        common = self._module(base, "", frozenset(), (shared.__doc__ or "").strip())
        given = {*needed(_words(base.definitions)), *(d.name for d in base.definitions), *common.constants}
        own = self._contents(self.name, False, True)
        return common, self._module(own, self.shared_name, frozenset(given), self.ir.doc)

    # Which definition goes where

    def calls(self, method: Method) -> set[str]:
        """The helpers that a method calls as it is written, whatever a policy decides."""
        return self._calls[method.name, method.owner]

    def _on_policies(self) -> set[str]:
        """The helpers that depend on a policy, or stand in a class that is not shared."""
        helpers = self.ir.helpers
        first = {n for n, m in helpers.items() if m.role == "policy" or m.owner not in self.shared}
        return reached(first, lambda name: (n for n, m in helpers.items() if name in self.calls(m)))

    def _for_lemmas_alone(self) -> set[str]:
        """The helpers that nothing but lemmas and conditions on constants calls."""
        used = self._called_from(*self.ir.actions, *self.ir.properties, *self.ir.assumptions)
        return self._called_from(*self.ir.lemmas, *self.ir.applicability) - used - self._policies

    def _called_from(self, *methods: Method) -> set[str]:
        return reached((n for m in methods for n in called(m)), lambda name: called(self.ir.helpers[name]))

    def _is_shared(self, method: Method) -> bool:
        if method.owner not in self.shared or method.role == "policy":
            return False
        if any(isinstance(p, TakenAction | TakenArgument) for p in walk(method.body)):
            return False
        functions = {n for n in self.calls(method) if self._is_function(n)}
        if (self.calls(method) - functions) & self._depending:
            return False
        return not any(self.calls(self.ir.helpers[n]) & self._policies for n in functions)

    def _is_function(self, name: str) -> bool:
        """Whether a helper is a function of a module, and not a method."""
        return not any(self.ir.helpers[name].owner == c.__name__ for c in self.ir.cls.__mro__)

    def _performed(self) -> dict[str, Term]:
        """The helpers with effects that are operators: those that actions use, and those that these use."""
        if self.shared_name:
            effects = (n for n, m in self.ir.helpers.items() if m.returns is None and m.body)
            self.actions.performed |= {n for n in effects if self._is_shared(self.ir.helpers[n])}
        written: dict[str, Term] = {}
        while missing := sorted(self.actions.performed - written.keys()):
            written |= {name: self.actions.effect(self.ir.helpers[name]) for name in missing}
        return written

    # What a module holds

    def _contents(self, name: str, early: bool, late: bool) -> Contents:
        """A module of what is shared (`early`), of what is not (`late`), or of both."""
        contents = Contents(name)
        helpers = {
            n: m
            for n, m in self.ir.helpers.items()
            if n not in self._unwritten and ((early and late) or early == self._goes_early(n))
        }
        if early:
            contents.add("", self._state())
        ordered = _ordered(helpers)
        pure = [n for n in ordered if helpers[n].returns is not None]
        asked = reached(self._policies & helpers.keys(), lambda n: called(helpers[n]) & helpers.keys())
        contents.add("Decisions", (self._helper(n) for n in pure if n in asked))
        contents.add("Who knows what", (self._helper(n) for n in pure if n not in asked))
        effects = (n for n in ordered if n in self._effects)
        contents.add("What they do", (self._commented(helpers[n], n, self._effects[n]) for n in effects))
        actions = (a for a in self.ir.actions if self._belongs(a, early, late))
        contents.add("Steps", (self._commented(a, a.name, self._conjunctions[a.name]) for a in actions))
        if late:
            contents.add("", self._behaviour())
        properties = (p for p in self.ir.properties if self._belongs(p, early, late))
        contents.add("Properties", (d for p in properties for d in self._property(p)))
        return contents

    def _belongs(self, method: Method, early: bool, late: bool) -> bool:
        return (early and late) or early == self._is_shared(method)

    def _goes_early(self, name: str) -> bool:
        if not self._is_function(name):
            return self._is_shared(self.ir.helpers[name])
        methods = [m for n, m in self.ir.helpers.items() if not self._is_function(n)]
        methods += [*self.ir.actions, *self.ir.properties]
        return any(name in self.calls(m) for m in methods if self._is_shared(m))

    def _state(self) -> Iterator[Commented]:
        named = {v: Word(self.vocabulary.variables[v.name]) for v in self.ir.variables}
        yield "", Definition("vars", (), sequence(named.values()))
        typed = (Infix("\\in", name, self.vocabulary.set_of(v.domain, False)) for v, name in named.items())
        yield "", Definition("TypeOk", (), both(*typed))
        yield "", Definition("Init", (), both(*(Infix("=", n, self.vocabulary.initial(v)) for v, n in named.items())))

    def _helper(self, name: str) -> Commented:
        method = self.ir.helpers[name]
        value = self.expressions.value_of(method.body, self.expressions.parameters(method))
        return self._commented(method, name, value)

    def _commented(self, method: Method, name: str, value: Term) -> Commented:
        scope = self.expressions.parameters(method)
        parameters = tuple(t.text for t in scope.locals.values() if isinstance(t, Word))
        return method.doc, Definition(self.vocabulary.methods[name], parameters, value)

    def _behaviour(self) -> Iterator[Commented]:
        yield "", Definition("Next", (), either(*(some_step(self.vocabulary, a) for a in self.ir.actions)))
        yield "", Definition("Spec", (), both(Word("Init"), Box(Word("Next"), "vars")))

    def _property(self, method: Property) -> Iterator[Commented]:
        name, write = self.vocabulary.methods[method.name], step_property if method.kind.is_of_steps else predicate
        yield method.doc, Definition(name, (), write(self.expressions, method))
        if method.kind.holds_by_target:
            yield "", Definition(never(name), (), Prefix("~", Word(name)))

    # Text

    def _module(self, contents: Contents, extends: str, given: frozenset[str], doc: str) -> Module:
        early = not extends
        assumptions = [a for a in self.ir.assumptions if (a.owner in self.shared or not self.shared_name) == early]
        conditions = [(a.doc, predicate(self.expressions, a)) for a in assumptions]
        used = _words(contents.definitions) | words(tuple(term for _, term in conditions))
        types = self._types(used, given)
        used |= _words(types)
        constants = [c for c in self.ir.constants if self.vocabulary.constants[c.name] in used - given]
        ranges = [self._range(c) for c in constants]
        types += self._types(words(tuple(ranges)), given | {d.name for d in types})
        sorts = [s for s in self.ir.sorts if self.vocabulary.types.get(s.name) in used - given]
        has_none = early and "None" in used
        rows = [*self._rows(sorts, constants), *([("None", "no value")] if has_none else [])]
        lines = [*comment(doc), "", *declared("CONSTANT", rows)]
        ranges += self._sizes(sorts, constants)
        lines += assumed("", both(*ranges)) if ranges else []
        for said, condition in conditions:
            lines += assumed(said, condition)
        if early:
            variables = [(self.vocabulary.variables[v.name], v.comment) for v in self.ir.variables]
            lines += declared("VARIABLE", variables)
        lines += from_library(needed(used, given))
        for definition in types:
            lines += paragraph(definition)
        for said_of, section in contents.sections:
            lines += rule(said_of)
            for said, definition in section:
                lines += paragraph(definition, said)
        none = ("None",) if has_none else ()
        named = tuple(name for name, _ in self._rows(constants=constants)) + tuple(n for n, _ in self._rows(sorts))
        text = module_text(contents.name, extends or STANDARD, lines)
        return Module(contents.name, text, (*named, *{d.name for d in types}, *none), (*named, *none))

    def _types(self, used: set[str], given: frozenset[str]) -> list[Definition]:
        """The definitions of enumerations and records among these names, and what they are made of, first."""
        defined: dict[str, Definition] = {}
        for domain in self._domains():
            if isinstance(domain, EnumDomain | RecordDomain):
                definition = self.vocabulary.type_definition(domain)
                if definition is not None and definition.name not in given:
                    defined.setdefault(definition.name, definition)
        wanted = set(used)
        for definition in reversed(defined.values()):
            if definition.name in wanted:
                wanted |= words(definition.value)
        return [definition for definition in defined.values() if definition.name in wanted]

    def _domains(self) -> Iterator[Domain]:
        methods = (*self.ir.actions, *self.ir.helpers.values())
        yield from (d for variable in self.ir.variables for d in inner_domains(variable.domain))
        yield from (d for constant in self.ir.constants for d in inner_domains(constant.domain))
        yield from (d for m in methods for parameter in m.parameters for d in inner_domains(parameter.domain))
        for piece in walk(tuple(m.body for m in (*methods, *self.ir.properties))):
            yield from inner_domains(getattr(piece, "domain", None))

    def _rows(self, sorts: Iterable[SortDomain] = (), constants: Iterable[ConstantIR] = ()) -> list[tuple[str, str]]:
        """What a module declares as constants, and what each is."""
        rows = [(self.vocabulary.types[s.name], _first_line(s.sort.__doc__)) for s in sorts]
        return rows + [(self.vocabulary.constants[c.name], c.sentence) for c in constants]

    def _sizes(self, sorts: list[SortDomain], constants: list[ConstantIR]) -> Iterator[Term]:
        """The sizes of the sorts that these constants determine."""
        names = {c.name for c in constants}
        for sort in sorts:
            if isinstance(sort.size, str) and bound_names(sort.size) <= names:
                members = Apply("Cardinality", (Word(self.vocabulary.types[sort.name]),))
                yield Infix("=", members, self.vocabulary.bound(sort.size))

    def _range(self, constant: ConstantIR) -> Term:
        name = Word(self.vocabulary.constants[constant.name])
        if not isinstance(constant.domain, IntDomain):
            return Infix("\\in", name, self.vocabulary.set_of(constant.domain, True))
        low = "0" if constant.at_least is None else str(constant.at_least)
        if constant.at_most is not None:
            return Infix("\\in", name, Infix("..", Word(low), Word(str(constant.at_most))))
        inside = Infix("\\in", name, Word("Nat"))
        return inside if low == "0" else both(inside, Infix(">=", name, Word(low)))


def _ordered(helpers: dict[str, Method]) -> list[str]:
    """Helpers in the author's order, but each behind those that it calls."""
    ordered: dict[str, None] = {}

    def visit(name: str) -> None:
        if name not in ordered:
            further = called(helpers[name])
            for each in helpers:
                if each in further:
                    visit(each)
            ordered[name] = None

    for name in helpers:
        visit(name)
    return list(ordered)


def _words(definitions: Iterable[Definition]) -> set[str]:
    return {word for definition in definitions for word in words(definition.value)}


def never(name: str) -> str:
    """The invariant that a reachability property is not met: a run that reaches it violates this."""
    return f"Never{name}"


def _first_line(text: str | None) -> str:
    return " ".join((text or "").split("\n\n")[0].split())
