"""A model as modules: what its family shares, the model itself, and the bounds of the run apart from both.

What a variant shares with others is the line of classes up to the last that leaves a policy open or declares a
variable: that class's module has everything that does not depend on a policy. The variant's module extends it.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from isrcheck.ir.check import check_domains
from isrcheck.ir.domains import Domain, EnumDomain, IntDomain, RecordDomain, SortDomain, bound_names
from isrcheck.ir.nodes import ConstantIR, Method, ModelIR, Property, TakenAction, TakenArgument
from isrcheck.ir.traversal import walk
from isrcheck.tla.actions import Actions
from isrcheck.tla.decide import pruned
from isrcheck.tla.expressions import Expressions
from isrcheck.tla.layout import definition
from isrcheck.tla.library import LIBRARY, needed
from isrcheck.tla.names import module
from isrcheck.tla.page import assumed, comment, declared, rule, title
from isrcheck.tla.properties import predicate, some_step, step_property
from isrcheck.tla.sharing import called, every_method, shared_classes
from isrcheck.tla.terms import (
    Apply,
    Box,
    Definition,
    Infix,
    Prefix,
    Term,
    Tuple,
    Word,
    both,
    either,
    words,
)
from isrcheck.tla.vocabulary import Vocabulary, inner_domains

STANDARD = "Integers, Sequences, FiniteSets"


@dataclass(frozen=True)
class Module:
    """A module's name and text."""

    name: str
    text: str
    constants: tuple[str, ...] = ()  # the names that whoever extends it has, beside its definitions
    declared: tuple[str, ...] = ()  # those that a configuration gives a value


@dataclass
class Part:
    """What one module is to hold, in order: sections of (comment, definition)."""

    name: str
    sections: list[tuple[str, list[tuple[str, Definition]]]] = field(default_factory=list)

    def add(self, title: str, made: Iterable[tuple[str, Definition]]) -> None:
        found = list(made)
        if found:
            self.sections.append((title, found))

    @property
    def words(self) -> set[str]:
        return {w for _, made in self.sections for _, d in made for w in words(d.value)}


class Writer:
    """Writes the modules of one model."""

    def __init__(self, ir: ModelIR) -> None:
        check_domains(ir)
        self.shared = shared_classes(ir)
        self._calls = {(m.name, m.owner): called(m) for m in every_method(ir)}
        self.vocabulary = Vocabulary(ir, self.shared)
        self.ir = pruned(ir, Expressions(ir, self.vocabulary))
        self.speak = Expressions(self.ir, self.vocabulary)
        self.actions = Actions(self.speak)
        self._open = self._depending()
        self._made = {a.name: self.actions.action(a) for a in ir.actions}
        self._effects = self._performed()
        self._aside = self._for_lemmas_alone()

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
            return (self._module(self._part(self.name, "", True, True), "", frozenset(), self.ir.doc),)
        base = self._part(self.shared_name, "", True, False)
        common = self._module(base, "", frozenset(), self._shared_doc())
        given = frozenset(needed(base.words)) | {d.name for _, made in base.sections for _, d in made}
        own = self._part(self.name, self.shared_name, False, True)
        return common, self._module(own, self.shared_name, given | set(common.constants), self.ir.doc)

    def _shared_doc(self) -> str:
        cls = next(c for c in self.ir.cls.__mro__ if module(c.__name__) == self.shared_name)
        return (cls.__doc__ or "").strip()

    # Which definition goes where

    def calls(self, method: Method) -> set[str]:
        """The helpers that a method calls as it is written, whatever a policy decides."""
        return self._calls[method.name, method.owner]

    def _depending(self) -> frozenset[str]:
        """The helpers that depend on a policy, or stand in a class that is not shared."""
        found = {n for n, m in self.ir.helpers.items() if m.role == "policy" or m.owner not in self.shared}
        waiting = True
        while waiting:
            more = {n for n, m in self.ir.helpers.items() if n not in found and self.calls(m) & found}
            found |= more
            waiting = bool(more)
        return frozenset(found)

    def _for_lemmas_alone(self) -> frozenset[str]:
        """The helpers that nothing but lemmas and conditions on constants calls."""
        asked = (*self.ir.actions, *self.ir.properties, *self.ir.assumptions)
        used, aside = self._called_from(asked), self._called_from((*self.ir.lemmas, *self.ir.applicability))
        return frozenset(n for n in aside - used if self.ir.helpers[n].role != "policy")

    def _called_from(self, methods: tuple[Method, ...]) -> set[str]:
        found: set[str] = set()
        waiting = [name for m in methods for name in called(m)]
        while waiting:
            name = waiting.pop()
            if name not in found:
                found.add(name)
                waiting += called(self.ir.helpers[name])
        return found

    def _is_shared(self, method: Method) -> bool:
        if method.owner not in self.shared or method.role == "policy":
            return False
        asks = any(isinstance(p, TakenAction | TakenArgument) for p in walk(method.body))
        calls = self.calls(method) - {n for n in self.calls(method) if self._is_function(n)}
        functions = {n for n in self.calls(method) if self._is_function(n)}
        return (
            not asks
            and not calls & self._open
            and not any(self.calls(self.ir.helpers[n]) & self._policies() for n in functions)
        )

    def _policies(self) -> set[str]:
        return {n for n, m in self.ir.helpers.items() if m.role == "policy"}

    def _is_function(self, name: str) -> bool:
        """Whether a helper is a function of a module, and no method."""
        return not any(self.ir.helpers[name].owner == c.__name__ for c in self.ir.cls.__mro__)

    def _performed(self) -> dict[str, Term]:
        """The helpers with effects that are operators: those that actions use, and those that these use."""
        if self.shared_name:
            effects = (n for n, m in self.ir.helpers.items() if m.returns is None and m.body)
            self.actions.performed |= {n for n in effects if self._is_shared(self.ir.helpers[n])}
        found: dict[str, Term] = {}
        while self.actions.performed - found.keys():
            for name in sorted(self.actions.performed - found.keys()):
                found[name] = self.actions.effect(self.ir.helpers[name])
        return found

    # What a module holds

    def _part(self, name: str, extends: str, early: bool, late: bool) -> Part:
        part = Part(name)
        chosen = {
            n: m
            for n, m in self.ir.helpers.items()
            if n not in self._aside
            if (early and self._goes_early(n)) or (late and not (self.shared_name and self._goes_early(n)))
        }
        if early:
            part.add("", self._state())
        ordered = self._ordered(chosen)
        pure = [n for n in ordered if chosen[n].returns is not None]
        part.add("Decisions", (self._helper(n) for n in pure if chosen[n].role == "policy" or self._feeds(n, chosen)))
        done = {d.name for _, made in part.sections for _, d in made}
        part.add("Who knows what", (self._helper(n) for n in pure if self.vocabulary.methods[n] not in done))
        part.add("What they do", (self._effect(n) for n in ordered if n in self._effects))
        mine = [a for a in self.ir.actions if self._mine(a, early, late)]
        part.add("Steps", (self._action(a) for a in mine))
        if late:
            part.add("", self._behaviour())
        promises = [p for p in self.ir.properties if self._mine(p, early, late)]
        part.add("Promises", (d for p in promises for d in self._property(p)))
        return part

    def _mine(self, method: Method, early: bool, late: bool) -> bool:
        is_early = bool(self.shared_name) and self._is_shared(method)
        return (early and late) or (early and is_early) or (late and not is_early)

    def _goes_early(self, name: str) -> bool:
        if not self.shared_name:
            return True
        method = self.ir.helpers[name]
        if self._is_function(name):
            return any(name in self.calls(m) for m in self._early_methods())
        return self._is_shared(method)

    def _early_methods(self) -> list[Method]:
        methods = [m for n, m in self.ir.helpers.items() if not self._is_function(n)]
        return [m for m in (*methods, *self.ir.actions, *self.ir.properties) if self._is_shared(m)]

    def _feeds(self, name: str, chosen: dict[str, Method]) -> bool:
        """Whether a policy calls this helper, so that it stands before it."""
        policies = [n for n, m in chosen.items() if m.role == "policy"]
        reached: set[str] = set()
        waiting = list(policies)
        while waiting:
            for further in called(chosen[waiting.pop()]) & chosen.keys():
                if further not in reached:
                    reached.add(further)
                    waiting.append(further)
        return name in reached

    def _ordered(self, chosen: dict[str, Method]) -> list[str]:
        """Helpers in the author's order, but each behind those that it calls."""
        found: list[str] = []

        def visit(name: str) -> None:
            if name in found:
                return
            for further in (n for n in chosen if n in called(chosen[name])):
                visit(further)
            found.append(name)

        for name in chosen:
            visit(name)
        return found

    def _state(self) -> Iterator[tuple[str, Definition]]:
        variables = self.ir.variables
        names = tuple(Word(self.vocabulary.variables[v.name]) for v in variables)
        yield "", Definition("vars", (), Tuple(names))
        typed = (
            Infix("\\in", Word(self.vocabulary.variables[v.name]), self.vocabulary.set_of(v.domain, False))
            for v in variables
        )
        yield "", Definition("TypeOk", (), both(*typed))
        first = (Infix("=", Word(self.vocabulary.variables[v.name]), self.vocabulary.initial(v)) for v in variables)
        yield "", Definition("Init", (), both(*first))

    def _helper(self, name: str) -> tuple[str, Definition]:
        method = self.ir.helpers[name]
        scope = self.speak.parameters(method)
        return method.doc, self._defined(name, method, self.speak.value_of(method.body, scope))

    def _effect(self, name: str) -> tuple[str, Definition]:
        method = self.ir.helpers[name]
        return method.doc, self._defined(name, method, self._effects[name])

    def _action(self, method: Method) -> tuple[str, Definition]:
        return method.doc, self._defined(method.name, method, self._made[method.name])

    def _defined(self, name: str, method: Method, value: Term) -> Definition:
        scope = self.speak.parameters(method)
        parameters = tuple(t.text for t in scope.locals.values() if isinstance(t, Word))
        return Definition(self.vocabulary.methods[name], parameters, value)

    def _behaviour(self) -> Iterator[tuple[str, Definition]]:
        yield "", Definition("Next", (), either(*(some_step(self.vocabulary, a) for a in self.ir.actions)))
        yield "", Definition("Spec", (), both(Word("Init"), Box(Word("Next"), "vars")))

    def _property(self, method: Property) -> Iterator[tuple[str, Definition]]:
        name = self.vocabulary.methods[method.name]
        if method.kind.is_of_steps:
            yield method.doc, Definition(name, (), step_property(self.speak, method))
            return
        yield method.doc, Definition(name, (), predicate(self.speak, method))
        if method.kind.holds_by_target:
            yield "", Definition(never(name), (), Prefix("~", Word(name)))

    # Text

    def _module(self, part: Part, extends: str, given: frozenset[str], doc: str) -> Module:
        early = not extends
        used = part.words
        assumptions = [a for a in self.ir.assumptions if (a.owner in self.shared or not self.shared_name) == early]
        conditions = [(a.doc, predicate(self.speak, a)) for a in assumptions]
        used |= {w for _, term in conditions for w in words(term)}
        types = self._types(used, given)
        used |= {w for d in types for w in words(d.value)}
        constants = [c for c in self.ir.constants if self.vocabulary.constants[c.name] in used - given]
        types += self._types({w for c in constants for w in words(self._range(c))}, given | {d.name for d in types})
        sorts = [s for s in self.ir.sorts if self.vocabulary.types.get(s.name) in used - given]
        sized = [s for s in sorts if isinstance(s.size, str) and _whole_bound(s.size, constants)]
        lines = [title(part.name), f"EXTENDS {extends or STANDARD}", "", *comment(doc), ""]
        lines += self._constants(sorts, constants, early and "None" in used)
        lines += self._assumptions(sorts, constants, conditions, sized)
        if early:
            lines += self._variables()
        for name in needed(used, given):
            lines += [*LIBRARY[name], ""]
        for made in types:
            lines += [*definition(made), ""]
        for said_of, section in part.sections:
            lines += rule(said_of)
            for said, made in section:
                lines += [*comment(said), *definition(made), ""]
        lines.append("=" * 78)
        named = (
            *(self.vocabulary.constants[c.name] for c in constants),
            *(self.vocabulary.types[s.name] for s in sorts),
        )
        known = {made.name for made in types}
        none = ("None",) if early and "None" in used else ()
        return Module(part.name, "\n".join(lines) + "\n", (*named, *known, *none), (*named, *none))

    def _types(self, used: set[str], given: frozenset[str]) -> list[Definition]:
        """The definitions of enumerations and records among these names, and what they are made of, first."""
        found: dict[str, Definition] = {}
        for domain in self._domains():
            if isinstance(domain, EnumDomain | RecordDomain):
                made = self.vocabulary.type_definition(domain)
                if made is not None and made.name not in given:
                    found.setdefault(made.name, made)
        wanted = set(used)
        for made in reversed(found.values()):
            if made.name in wanted:
                wanted |= words(made.value)
        return [made for made in found.values() if made.name in wanted]

    def _domains(self) -> Iterator[Domain]:
        for variable in self.ir.variables:
            yield from inner_domains(variable.domain)
        for constant in self.ir.constants:
            yield from inner_domains(constant.domain)
        for method in (*self.ir.actions, *self.ir.helpers.values()):
            for parameter in method.parameters:
                yield from inner_domains(parameter.domain)
        for piece in walk(tuple(m.body for m in (*self.ir.actions, *self.ir.helpers.values(), *self.ir.properties))):
            domain = getattr(piece, "domain", None)
            if domain is not None:
                yield from inner_domains(domain)

    def _constants(self, sorts: list[SortDomain], constants: list[ConstantIR], none: bool) -> list[str]:
        rows = [(self.vocabulary.types[s.name], _first_line(s.sort.__doc__)) for s in sorts]
        rows += [(self.vocabulary.constants[c.name], c.sentence) for c in constants]
        rows += [("None", "no value")] if none else []
        return declared("CONSTANT", rows)

    def _variables(self) -> list[str]:
        return declared("VARIABLE", [(self.vocabulary.variables[v.name], v.comment) for v in self.ir.variables])

    def _assumptions(
        self,
        sorts: list[SortDomain],
        constants: list[ConstantIR],
        conditions: list[tuple[str, Term]],
        sized: list[SortDomain],
    ) -> list[str]:
        ranges = [self._range(c) for c in constants]
        ranges += [
            Infix("=", Apply("Cardinality", (Word(self.vocabulary.types[s.name]),)), self.vocabulary.bound(s.size))
            for s in sized
        ]
        lines = assumed("", both(*ranges)) if ranges else []
        for said, condition in conditions:
            lines += assumed(said, condition)
        return lines

    def _range(self, constant: ConstantIR) -> Term:
        name = Word(self.vocabulary.constants[constant.name])
        if not isinstance(constant.domain, IntDomain):
            return Infix("\\in", name, self.vocabulary.set_of(constant.domain, True))
        low = "0" if constant.at_least is None else str(constant.at_least)
        if constant.at_most is not None:
            return Infix("\\in", name, Infix("..", Word(low), Word(str(constant.at_most))))
        inside = Infix("\\in", name, Word("Nat"))
        return inside if low == "0" else both(inside, Infix(">=", name, Word(low)))


def never(name: str) -> str:
    """The invariant that says that a claim is never met: a run that reaches it violates this."""
    return f"Never{name}"


def _whole_bound(size: str, constants: list[ConstantIR]) -> bool:
    return bound_names(size) <= {c.name for c in constants}


def _first_line(text: str | None) -> str:
    return " ".join((text or "").split("\n\n")[0].split())
