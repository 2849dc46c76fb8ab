"""First pass: constants become numbers, and with them domains, sorts and initial values.

The initial states that `@initial` methods choose: CPython runs them once, before the first state.

The scalars of a model: its variables in order, and what its constraints need besides.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from isrcheck.errors import AssumptionFalse, ModelError, UsageError
from isrcheck.ir.codec import Above, NeedsSlots, Outside, codec
from isrcheck.ir.domains import (
    Domain,
    IntDomain,
    MapDomain,
    OptionalDomain,
    SequenceDomain,
    SetDomain,
    bound,
    describe,
    evaluate_number,
    parts,
)
from isrcheck.ir.frozen import replace
from isrcheck.ir.interval import ValueRange
from isrcheck.ir.model import Method, ModelIR, Property, TemporalProperty, VariableIR
from isrcheck.ir.pack import WORD_BITS
from isrcheck.ir.scalar import Scalar
from isrcheck.ir.show import show
from isrcheck.ir.slots import refuse_many_elements, widen, with_slots
from isrcheck.lang.annotations import to_domain
from isrcheck.lang.declare import Each, Members, Model, NotEnabled, Sort, Start
from isrcheck.lang.instance import Map, WroteAbove, blank, thaw, unwrap_counts, watch_maps, with_sort_sizes
from isrcheck.lang.network import Bag, Channels
from isrcheck.lang.read import refuse_changed
from isrcheck.lang.source import class_tree, place_of
from isrcheck.passes.canonical import CheckedForm
from isrcheck.passes.constants import choose_constants, literal
from isrcheck.place import Place
from isrcheck.wrap import first_paragraph

Values = dict[str, Any]
MOST_STARTS = 1_000_000
_GUARD = "Guard it with require(), or give it another value."


class Starts:
    """The initial states of a model, whose sorts have members now, from variables at `initial`. Raises ModelError."""

    def __init__(self, ir: ModelIR, constants: Values, domains: dict[str, Domain], initial: Values) -> None:
        self.ir, self.constants, self.domains, self.initial = ir, constants, domains, initial
        self.states: dict[tuple[int, ...], Values] = {}  # by their scalars, each once
        self.generated = 0
        for method in ir.initials:
            self._choose(method)
        if not self.states:
            method = ir.initials[0]
            sentence = f"no choice of {method.name}() gives an initial state."
            raise ModelError(method.at, sentence, "Change its require().")

    def _choose(self, method: Method) -> None:
        listed = (bind_domain(p.domain, self.constants, p.at) for p in method.parameters)
        every = [tuple(codec(domain).values()) for domain in listed]
        for arguments in product(*every):
            values = self._values(method, arguments)
            if values is None:
                continue
            self.generated += 1
            if self.generated > MOST_STARTS:
                raise ModelError(method.at, f"{method.name}() gives more than {MOST_STARTS:,} states.", "Choose fewer.")
            self.states.setdefault(self._flat(method, arguments, values), values)

    def _values(self, method: Method, arguments: tuple[Any, ...]) -> Values | None:
        """The values after an initial action; None where a guard is false."""
        written: list[tuple[Map, Any, Any]] = []
        state: Model = blank(watch_maps(self.ir.cls, self.domains, written), self.constants)
        state.__dict__.update({n: thaw(of, self.initial[n], written) for n, of in self.domains.items()})
        try:
            getattr(state, method.name)(*arguments)
        except NotEnabled:
            return None
        except WroteAbove:
            raise self._wrong(method, arguments, "writes a map above the bound of its keys") from None
        except Exception as error:
            raise self._wrong(method, arguments, f"raised {type(error).__name__}: {error}") from None
        return {name: _plain(unwrap_counts(state.__dict__[name])) for name in self.domains}

    def _flat(self, method: Method, arguments: tuple[Any, ...], values: Values) -> tuple[int, ...]:
        flat: list[int] = []
        for name, domain in self.domains.items():
            try:
                flat += codec(domain).flatten(values[name])
            except Above:
                raise self._wrong(method, arguments, f"leaves {name} above its bound") from None
            except (Outside, KeyError, TypeError, AttributeError) as error:
                raise self._wrong(method, arguments, f"leaves {name} outside its domain: {error}") from None
        return tuple(flat)

    def _wrong(self, method: Method, arguments: tuple[Any, ...], what: str) -> ModelError:
        given = ", ".join(f"{p.name}={show(value)}" for p, value in zip(method.parameters, arguments, strict=True))
        return ModelError(method.at, f"{method.name}({given}) {what}.", _GUARD)


def _plain(value: Any) -> Any:
    return {key: _plain(inner) for key, inner in value.items()} if isinstance(value, Mapping) else value


def refuse_several(name: str, count: int, what: str) -> None:
    """Refuse a model that has several initial states. Raises UsageError."""
    if count > 1:
        raise UsageError(f"{name} has {count:,} initial states, and {what}: use isrcheck check with --engine native.")


_UNSAID = CheckedForm()
_LESS = "Use smaller constants, or say the same with less."
MOST_SCALARS = 10_000  # at which lowering one instance takes a second, and LLVM does not come back


@dataclass(frozen=True, eq=False)
class BoundModel:
    """A model with its constants chosen. Domains have numbers for bounds.

    Symbolic constants are a Span or a OneOf; domains are then as large as any choice makes them.
    """

    ir: ModelIR
    constants: dict[str, Any]
    sizes: dict[type[Sort], int]
    domains: dict[str, Domain]  # in order
    initial: dict[str, Any]
    not_asked: dict[str, str]  # properties and actions that mean nothing with these constants, and why
    notes: tuple[str, ...] = ()  # what settings of the modelled system became, and what was lost
    watched: frozenset[str] = frozenset()  # actions whose guards become claims of reachability
    others: tuple[dict[str, Any], ...] = ()  # further initial states
    form: CheckedForm = _UNSAID  # what is done with the canonical form, if there is one
    any_order: frozenset[Place] = frozenset()  # each `all` and `any` whose errors are those of every order of members
    started: int = 1  # initial states as generated: choices of the parameters of `@initial`

    @property
    def properties(self) -> tuple[Property, ...]:
        """The properties that apply, in order of declaration."""
        return tuple(p for p in self.ir.properties if p.name not in self.not_asked)

    @property
    def temporal(self) -> tuple[TemporalProperty, ...]:
        """The temporal properties that apply, in order of declaration."""
        return tuple(p for p in self.ir.temporal if p.name not in self.not_asked)

    @property
    def symbolic(self) -> dict[str, ValueRange]:
        return {name: value for name, value in self.constants.items() if isinstance(value, ValueRange)}

    def grow(self, variable: str) -> bool:
        """More slots for a variable, in place, since a search has shown that it needs them; whether it has others."""
        before = self.domains[variable]
        self.domains[variable] = widen(before)
        return self.domains[variable] is not before

    def choose(self, positions: Collection[int]) -> dict[str, Any]:
        """The constants, where a symbolic one has the value at its position in its range."""
        chosen = {n: choice.value(p) for (n, choice), p in zip(self.symbolic.items(), positions, strict=True)}
        return {**self.constants, **chosen}

    def parameters(self, action: int) -> tuple[tuple[str, Domain], ...]:
        method = self.ir.actions[action]
        return tuple((p.name, bind_domain(p.domain, self.constants, p.at)) for p in method.parameters)


def bind(ir: ModelIR, given: Mapping[str, Any], slots: bool = True) -> BoundModel:
    """The model with these constants, which may be given as text; the rest have their defaults.

    With `slots`, sets and maps over many have slots (ir/slots.py), few until a search needs more.

    Raises UsageError for a constant that does not fit, AssumptionFalse if they contradict an
    assumption, and ModelError for a domain or an initial value that they make impossible.
    """
    refuse_changed(ir.cls)
    constants, notes = choose_constants(ir, given)
    not_asked = _not_asked(ir, constants)
    sizes = sort_sizes(ir, constants)
    domains = {v.name: bind_domain(v.domain, constants, v.at) for v in ir.variables}
    if slots:
        chosen = [bind_domain(p.domain, constants, p.at) for action in ir.actions for p in action.parameters]
        domains = {v.name: _with_slots(v, domains[v.name], constants, chosen) for v in ir.variables}
    refuse_many_scalars(ir, domains)
    for variable in ir.variables:
        _refuse_wide(variable, domains[variable.name])
    initial = {v.name: initial_value(v, domains[v.name], constants) for v in ir.variables}
    model = BoundModel(ir, constants, sizes, domains, initial, not_asked, notes=notes)
    if not ir.initials:
        return model
    with with_sort_sizes(sizes):
        starts = _starts(ir, constants, domains, initial)
    first, *others = starts.states.values()
    return replace(model, initial=first, others=tuple(others), started=starts.generated)


def _starts(ir: ModelIR, constants: Values, domains: dict[str, Domain], initial: Values) -> Starts:
    """The initial states; domains in slots get as many slots as these states need."""
    while True:
        try:
            return Starts(ir, constants, domains, initial)
        except NeedsSlots as needs:
            domains[needs.variable] = widen(domains[needs.variable])


def _with_slots(
    variable: VariableIR, domain: Domain, constants: Mapping[str, Any], parameters: Collection[Domain]
) -> Domain:
    """The domain, in slots if it is over many. Raises ModelError for one that the constants make impossible."""
    try:
        refuse_many_elements(domain)
        values = [_expand(variable.initial, variable, constants)]
        return with_slots(variable.name, domain, values, parameters)
    except ValueError as error:
        raise ModelError(variable.at, f"{error}.", _LESS) from None


def sort_sizes(ir: ModelIR, constants: Mapping[str, Any]) -> dict[type[Sort], int]:
    return {s.sort: codec(bind_domain(s, constants, place_of(*class_tree(s.sort)))).count() for s in ir.sorts}


def bind_domain(domain: Domain, constants: Mapping[str, Any], at: Place) -> Domain:
    """The domain with numbers as its bounds. Raises ModelError at this place."""
    try:
        return bound(domain, constants)
    except ValueError as error:
        raise ModelError(at, f"{error}.", "Bounds are expressions of the model's integer constants.") from None


def refuse_many_scalars(ir: ModelIR, domains: Mapping[str, Domain]) -> None:
    """Refuse a model with too many scalars, before they are listed. Raises ModelError."""
    total = 0
    for variable in ir.variables:
        try:
            size = codec(domains[variable.name]).width
        except ValueError as error:
            raise ModelError(variable.at, f"{error}.", _LESS) from None
        total += size
        if total > MOST_SCALARS:
            most = f"the {MOST_SCALARS:,} that all variables together may have"
            what = f"{variable.name} has {size:,} scalars, which makes more than {most}"
            sentence = f"{what}: each key of a map and each place of a sequence is one or more."
            raise ModelError(variable.at, sentence, "Use smaller constants; one integer may be as large as you like.")


def _refuse_wide(variable: VariableIR, domain: Domain, most: int = 1 << WORD_BITS) -> None:
    """More than a packed word holds."""
    if isinstance(domain, IntDomain) and isinstance(domain.high, int) and domain.high >= most:
        sentence = f"{variable.name} holds numbers up to {domain.high:,}, and a state holds none beyond 64 bits."
        raise ModelError(variable.at, sentence, "Use a smaller bound.")
    for inner in parts(domain) if not isinstance(domain, SetDomain) else ():
        _refuse_wide(variable, inner, (1 << WORD_BITS) - isinstance(domain, OptionalDomain))


def _not_asked(ir: ModelIR, constants: dict[str, Any]) -> dict[str, str]:
    """The reason for each property that does not apply. Raises AssumptionFalse, or ModelError for a condition."""
    model = blank(ir.cls, constants)
    for assumption in ir.assumptions:
        if not _answer(model, assumption):
            chosen = ", ".join(f"{name}={literal(value)}" for name, value in constants.items())
            raise false_assumption(assumption, f"does not hold for {chosen}")
    refused = [condition for condition in ir.applicability if not _answer(model, condition)]
    return {name: first_paragraph(c.doc) or c.name for c in reversed(refused) for name in c.about}


def false_assumption(assumption: Method, how: str) -> AssumptionFalse:
    reason = first_paragraph(assumption.doc) or "its condition is false."
    return AssumptionFalse(f"{assumption.at}: the assumption {assumption.name} {how}: {reason}")


def _answer(model: Model, method: Method) -> bool:
    try:
        return bool(getattr(model, method.name)())
    except Exception as error:
        sentence = f"{method.name}() raised {type(error).__name__}: {error}."
        raise ModelError(method.at, sentence, "It may read constants only.") from None


def initial_value(variable: VariableIR, domain: Domain, constants: Mapping[str, Any]) -> Any:
    """The value that a variable has at first. Raises ModelError if it is outside the domain."""
    value = _expand(variable.initial, variable, constants)
    try:
        codec(domain).flatten(value)
    except Above:
        sentence = f"the initial value of {variable.name} is above its bound."
        raise ModelError(variable.at, sentence, "Choose larger constants, or a smaller initial value.") from None
    except Outside as error:
        sentence = f"the initial value of {variable.name} is not a valid {describe(variable.domain)}: {error}."
        remedy = _REMEDIES.get(type(variable.domain), "Begin with a value of its domain.")
        raise ModelError(variable.at, sentence, remedy) from None
    except ValueError as error:
        raise ModelError(variable.at, f"{error}.", _LESS) from None
    return value


_REMEDIES: dict[type, str] = {
    MapDomain: "Begin with each(keys, value).",
    SetDomain: "Begin with frozenset() or members(...).",
    SequenceDomain: "Begin with ().",
}


def _expand(value: Any, variable: VariableIR, constants: Mapping[str, Any]) -> Any:
    """The value with each(), members() and start() written out. Raises ModelError."""
    if isinstance(value, Each):
        keys = _members(value.keys, variable, constants)
        return {key: _expand(value.value, variable, constants) for key in keys}
    if isinstance(value, Bag | Channels):
        assert isinstance(variable.domain, MapDomain)
        key = bind_domain(variable.domain.key, constants, variable.at)
        return dict.fromkeys(codec(key).values(), 0 if isinstance(value, Bag) else ())
    if isinstance(value, Start):
        try:
            return evaluate_number(value.expression, constants)
        except ValueError as error:
            remedy = "Write start() with an expression of the model's integer constants."
            raise ModelError(variable.at, f"{error}.", remedy) from None
    if isinstance(value, Members):
        return frozenset(_members(value.of, variable, constants))
    if isinstance(value, tuple):
        parts = [_expand(element, variable, constants) for element in value]
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    return value


def _members(kind: Any, variable: VariableIR, constants: Mapping[str, Any]) -> list[Any]:
    """The members of a kind; for int those of the map's key."""
    domain = variable.domain.key if isinstance(variable.domain, MapDomain) and kind is int else None
    return list(codec(bind_domain(domain or to_domain(kind, variable.at, {}), constants, variable.at)).values())


DROPPED = Scalar("(dropped)", 2)  # after the variables: whether an action constraint dropped the step to this state


def scalars_of_constraints(model: BoundModel) -> tuple[Scalar, ...]:
    return (DROPPED,) if any(each.before for each in model.ir.constraints) else ()


def layout_of(model: BoundModel) -> tuple[Scalar, ...]:
    own = (s for name, domain in model.domains.items() for s in codec(domain).scalars(name))
    return (*own, *scalars_of_constraints(model))


def decode(model: BoundModel, state: Sequence[int]) -> dict[str, Any]:
    """The variables from the scalars."""
    source = iter(state)
    return {name: codec(domain).unflatten(source) for name, domain in model.domains.items()}
