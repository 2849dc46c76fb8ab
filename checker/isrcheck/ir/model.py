"""A model as read: declarations, domains and bodies, with their places."""

from collections.abc import Collection, Iterable
from enum import Enum
from functools import cached_property
from operator import attrgetter
from typing import Any

from isrcheck.ir.domains import Domain, SortDomain
from isrcheck.ir.frozen import ComparedStruct, FrozenStruct, field_names, replace
from isrcheck.ir.nodes import (
    Clause,
    Comprehension,
    Expression,
    Operation,
    Return,
    Statement,
    close_under,
    helpers_called,
)
from isrcheck.ir.property_kinds import INVARIANT, PropertyKind
from isrcheck.place import Place

PROPERTY = "property"  # the role of every kind of property


class Parameter(FrozenStruct):
    name: str
    domain: Domain
    at: Place


class Method(FrozenStruct, dict=True):
    """A method of a model, read. `returns` is None if it has effects."""

    name: str
    role: str  # action, policy, property, lemma, constraint, initial, fairness, assume, applies or helper
    doc: str
    parameters: tuple[Parameter, ...]
    body: tuple[Statement, ...]
    returns: Domain | None
    owner: str  # the class or module it is written in
    at: Place
    before: str = ""  # in a step property or an action constraint, the name of the state before
    taken: str = ""  # there, the name of the action taken
    about: tuple[str, ...] = ()  # the properties that an `applies` speaks of
    internal: bool = False  # of an action: the protocol's own, which a schedule of the environment leaves out
    fair: str = ""  # of an action or a fairness: what lang/declare.py knows as Fair
    sentence: str = ""  # of an action: what a story says of its step
    fault: bool = False  # of an action: something that breaks, and no step of the protocol

    @cached_property
    def calls(self) -> frozenset[str]:
        """The helpers that its body names."""
        return frozenset(helpers_called(self.body))


class Property(Method, kw_only=True):
    kind: PropertyKind


def as_invariant(method: Method, **changes: Any) -> Property:
    """Return an invariant with the text of a method, but for these fields."""
    own = {name: getattr(method, name) for name in field_names(Method)}
    return Property(**{**own, "role": PROPERTY, "kind": INVARIANT, **changes})


class Refinement(Property, kw_only=True):
    """A refinement of `abstract`. Its body gives each abstract variable x a value, as a local `abstract.x`."""

    abstract: "ModelIR"


class TemporalOperator(Enum):
    EVENTUALLY = "eventually"
    ALWAYS_EVENTUALLY = "always_eventually"
    EVENTUALLY_ALWAYS = "eventually_always"
    LEADS_TO = "leads_to"


class TemporalProperty(Property, kw_only=True):
    """A temporal property: for all of `clauses`, `operator` over conditions of states.

    It stands apart from the properties that a search of states decides, so that none takes it for an invariant.
    """

    operator: TemporalOperator

    @property
    def clauses(self) -> tuple[Clause, ...]:
        return self._quantified.clauses

    @property
    def operands(self) -> tuple[Expression, ...]:
        """Return the condition of the operator, or the two of `leads_to`."""
        element = self._quantified.element
        if self.operator is not TemporalOperator.LEADS_TO:
            return (element,)
        assert isinstance(element, Operation)
        return (element.left, element.right)

    @property
    def _quantified(self) -> Comprehension:
        (only,) = self.body
        assert isinstance(only, Return)
        assert isinstance(only.value, Comprehension)
        return only.value


ABSTRACT = "abstract."  # begins the locals of a refinement that are variables of the abstract model


class ConstantIR(FrozenStruct):
    name: str
    default: Any
    sentence: str
    domain: Domain  # an IntDomain without bound, BoolDomain or EnumDomain
    at_least: int | None
    at_most: int | None
    owner: str
    at: Place
    setting: str = ""  # the setting of the modelled system that it stands for
    measure: str = "value"  # how: value, ticks or many


class VariableIR(ComparedStruct):
    """A variable of a model. `initial` may hold an Each or Members, which `passes/bind.py` makes a value."""

    name: str
    domain: Domain
    initial: Any
    is_history: bool
    comment: str
    owner: str
    at: Place
    group: str = ""  # the comment above the declarations among which it stands

    compared = attrgetter("name", "domain", "is_history", "comment", "owner", "at")


class ModelIR(ComparedStruct):
    name: str
    doc: str
    constants: tuple[ConstantIR, ...]
    variables: tuple[VariableIR, ...]
    actions: tuple[Method, ...]
    properties: tuple[Property, ...]
    assumptions: tuple[Method, ...]
    applicability: tuple[Method, ...]  # conditions on constants under which properties are asked
    helpers: dict[str, Method]  # policies as filled, and helpers, by the name they are called under
    sorts: tuple[SortDomain, ...]
    filled: tuple[str, ...]  # the policies that the last class of the line fills: what a variant changes
    cls: Any
    at: Place
    lemmas: tuple[Method, ...] = ()  # auxiliary invariants, for proofs; not among the properties
    initials: tuple[Method, ...] = ()  # each chooses initial states
    constraints: tuple[Method, ...] = ()  # where a search ends; those with `before` are of steps
    canonical: Method | None = None  # rewrites a state to the one that stands for it
    temporal: tuple[TemporalProperty, ...] = ()
    environments: tuple[Method, ...] = ()  # each says which steps are fair, if it is chosen

    @property
    def methods(self) -> tuple[Method, ...]:
        """All methods but helpers."""
        asked = (*self.properties, *self.lemmas, *self.constraints, *filter(None, [self.canonical]))
        behaviours = (*self.temporal, *self.environments)
        return (*self.actions, *asked, *behaviours, *self.assumptions, *self.applicability)

    def helpers_reached(self, names: Iterable[str]) -> list[str]:
        """Return the names of these helpers and of those that they call, sorted."""
        return sorted(close_under(names, lambda name: self.helpers[name].calls))

    def with_helpers(self, nodes: object) -> tuple[object, ...]:
        """Return nodes, and the bodies of the helpers that they reach."""
        return (nodes, *(self.helpers[name].body for name in self.helpers_reached(helpers_called(nodes))))

    @property
    def constant_names(self) -> frozenset[str]:
        """The names of the constants, and of the settings that they stand for."""
        return frozenset(name for c in self.constants for name in (c.name, c.setting) if name)

    def with_lemmas(self, names: Collection[str]) -> "ModelIR":
        """The model with these lemmas asked as invariants."""
        asked = tuple(as_invariant(lemma) for lemma in self.lemmas if lemma.name in names)
        if not asked:
            return self
        rest = tuple(lemma for lemma in self.lemmas if lemma.name not in names)
        return replace(self, properties=self.properties + asked, lemmas=rest)


ModelIR.compared = attrgetter(*(name for name in field_names(ModelIR) if name != "cls"))
