"""The reference engine: CPython runs the author's own methods, and what they do is what the model means."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from typing import Any

from isrcheck.engines.common.evaluate import ActionOf
from isrcheck.engines.frozen_values import Frozen, State, freeze, has_keys, key_order, melt
from isrcheck.errors import ModelError, blame
from isrcheck.ir.codec import Above, NeedsSlots, Outside, codec
from isrcheck.ir.domains import MapDomain
from isrcheck.ir.frozen import replace
from isrcheck.ir.model import Method, Refinement
from isrcheck.ir.nodes import VariableTarget, walk
from isrcheck.ir.pack import pack_scalars
from isrcheck.ir.show import show
from isrcheck.lang.declare import Model, NotEnabled, Taken
from isrcheck.lang.formulas import answers
from isrcheck.lang.instance import Map, WroteAbove, blank, thaw, undo, unwrap_counts, watch_maps, with_sort_sizes
from isrcheck.lang.network import InFlight
from isrcheck.lang.read import refuse_changed
from isrcheck.passes.bind import BoundModel, layout_of, scalars_of_constraints
from isrcheck.passes.canonical import FormUse
from isrcheck.passes.choices import Choice, Ground, actors_of
from isrcheck.passes.lowering import without_idle_form
from isrcheck.passes.refinement import bound_abstract
from isrcheck.passes.update import Arguments

Call = tuple[Callable[..., object], Arguments]


class ReferenceStepper:
    """Runs the author's own text."""

    def __init__(self, model: BoundModel) -> None:
        refuse_changed(model.ir.cls)
        self.model = model
        self.names = tuple(model.domains)
        self.domains = tuple(model.domains.values())
        self.actions = tuple(action.name for action in model.ir.actions)
        self.instances = Ground(model)
        self.action_of: Sequence[int] = ActionOf(self.instances.first)
        self.actors = actors_of(model)
        self.packing = pack_scalars(layout_of(model))
        self.roles = {p.name: p for p in model.ir.properties}
        constraints = model.ir.constraints
        self._of_states, self._of_steps = ([c for c in constraints if bool(c.before) is of] for of in (False, True))
        self._methods: dict[str, Method] = {**self.roles, **{m.name: m for m in (*constraints, *model.ir.temporal)}}
        self._refined: dict[str, ReferenceRefinement] = {}
        self._written: list[tuple[Map, Any, Any]] = []
        cls = model.ir.cls
        if _assigns_whole_maps(model):
            cls = watch_maps(cls, model.domains, self._written)
        self._own = blank(cls, model.constants, self._is_enabled)
        self._other = blank(model.ir.cls, model.constants, self._is_enabled)
        self._flat: list[dict[Frozen, tuple[int, ...] | None]] = [{} for _ in self.names]
        self._networks = [name for name, domain in model.domains.items() if getattr(domain, "total", None) is not None]
        self._keys = [key_order(domain) for domain in self.domains]
        model = without_idle_form(model)
        self._form = model.ir.canonical if model.form.use is FormUse.APPLIED else None
        self._rewritten = blank(cls, model.constants)
        initials = map(self.state_of, (model.initial, *model.others))
        self.initials: tuple[State, ...] = tuple(dict.fromkeys(map(self.canonical, initials)))
        self.initial = self.initials[0]
        self.started = model.started

    def values(self, state: State) -> dict[str, Any]:
        values = {name: melt(keys, value) for name, keys, value in zip(self.names, self._keys, state, strict=True)}
        for name in self._networks:
            values[name] = InFlight((message, count) for message, count in values[name].items() if count)
        return values

    def _load(self, instance: Any, state: State) -> dict[str, Any]:
        loaded = {
            name: thaw(domain, melt(keys, value), self._written) if keys else value
            for name, domain, keys, value in zip(self.names, self.domains, self._keys, state, strict=True)
        }
        instance.__dict__.update(loaded)
        return loaded

    def steps(self, state: State, only: Iterable[int] | None = None) -> Iterator[tuple[int, State | None]]:
        """Yield the enabled instances, of all or only of some, and the state after each; None if a bound prunes it."""
        own = enumerate(self._calls) if only is None else ((i, self._call(self.instances[i])) for i in only)
        with with_sort_sizes(self.model.sizes):
            steps = list(self._steps_of(state, own)) if self._is_inside(state) else []
        yield from steps

    def _is_inside(self, state: State) -> bool:
        if self._of_states:
            self._load(self._own, state)
        return all(self._ask(each.name) for each in self._of_states)

    def keeps(self, step: tuple[State, int] | None, after: State) -> bool:
        if step is not None and not all(self.step_holds(each.name, step[0], step[1], after) for each in self._of_steps):
            return False
        with with_sort_sizes(self.model.sizes):
            return self._is_inside(after)

    @cached_property
    def _calls(self) -> tuple[Call, ...]:
        return tuple(map(self._call, self.instances))

    def _call(self, choice: Choice) -> Call:
        return getattr(self._own, self.actions[choice[0]]), choice[1]

    def _steps_of(self, state: State, calls: Iterable[tuple[int, Call]]) -> Iterator[tuple[int, State | None]]:
        loaded = self._load(self._own, state)
        attributes = self._own.__dict__
        written = self._written
        for position, (method, arguments) in calls:
            try:
                method(*arguments)
            except NotEnabled:
                pass
            except WroteAbove:
                yield position, None
            except Exception as error:
                raise self._blame(error, position) from None
            else:
                after = self._successor(state, loaded, attributes, position)
                yield position, after if after is None else self.canonical(after)
            if written:
                undo(written)
            attributes.update(loaded)

    def step(self, state: State, instance: int) -> State | None:
        """The state after an instance; None if it is not enabled or is pruned."""
        with with_sort_sizes(self.model.sizes):
            return next(
                (after for _, after in self._steps_of(state, [(instance, self._call(self.instances[instance]))])), None
            )

    def _is_enabled(self, asked: Model, action: str) -> bool:
        """Whether an action has a step in the state of an object: a pruned step counts, an error does not."""
        state = self.state_of({name: unwrap_counts(vars(asked)[name]) for name in self.names})
        first, end = self.instances.first[self.actions.index(action) :][:2]
        return any(self.as_written.has_step(state, instance) for instance in range(first, end))

    def has_step(self, state: State, instance: int) -> bool:
        with suppress(ModelError):
            return bool(list(self._steps_of(state, [(instance, self._call(self.instances[instance]))])))
        return False

    @cached_property
    def as_written(self) -> "ReferenceStepper":
        """A stepper of the same model without its canonical form."""
        return ReferenceStepper(replace(self.model, ir=replace(self.model.ir, canonical=None)))

    def canonical(self, state: State) -> State:
        """The state itself in a model without a canonical form, or where nothing renumbers it. Raises ModelError."""
        if self._form is None:
            return state
        with with_sort_sizes(self.model.sizes):
            loaded = self._load(self._rewritten, state)
            try:
                getattr(self._rewritten, self._form.name)()
            except WroteAbove:
                after = None
            except Exception as error:
                raise blame(error, self._form.at, self._form.name) from None
            else:
                after = self._successor(state, loaded, self._rewritten.__dict__, None)
            undo(self._written)
        if after is None:
            sentence = f"{self._form.name}() puts a variable above its bound."
            raise ModelError(self._form.at, sentence, "Every state has a canonical form.")
        return after

    def _successor(
        self, state: State, loaded: dict[str, Any], attributes: dict[str, Any], position: int | None
    ) -> State | None:
        """The state that the attributes hold after a step; None if it is above a bound."""
        after, above = list(state), False
        dirty = bool(self._written)
        for place, name in enumerate(self.names):
            value = attributes[name]
            if value is loaded[name] and not (dirty and self._keys[place]):
                continue
            value = unwrap_counts(value)
            try:
                if self._keys[place] and not has_keys(self._keys[place], value):
                    above |= self._is_above(place, value)
                    continue
                frozen = freeze(self._keys[place], value)
                if self._scalars_of(place, frozen, value) is None:
                    above = True
                after[place] = frozen
            except (Outside, KeyError, TypeError, AttributeError) as error:
                raise self._outside(name, error, position) from None
        return None if above else tuple(after)

    def _is_above(self, place: int, value: Any) -> bool:
        """Whether a value of one variable is above a bound. Raises Outside if it is not in its domain otherwise."""
        try:
            codec(self.domains[place]).flatten(value)
        except Above:
            return True
        except NeedsSlots:
            return False
        return False

    def _scalars_of(self, place: int, frozen: Frozen, value: Any) -> tuple[int, ...] | None:
        """The scalars of one variable; None if it is above a bound, empty if it needs more slots."""
        known = self._flat[place]
        try:
            return known[frozen]
        except KeyError:
            pass
        try:
            flat: tuple[int, ...] | None = codec(self.domains[place]).flatten(value)
        except Above:
            flat = None
        except NeedsSlots:
            flat = ()
        known[frozen] = flat
        return flat

    def scalars(self, state: State) -> Sequence[int]:
        """The scalars of a state, in declaration order. Raises NeedsSlots."""
        flat: list[int] = []
        for place, frozen in enumerate(state):
            own = self._scalars_of(place, frozen, melt(self._keys[place], frozen))
            assert own is not None
            flat.extend(own or codec(self.domains[place]).flatten(melt(self._keys[place], frozen)))
        return [*flat, *(0 for _ in scalars_of_constraints(self.model))]

    def holds(self, name: str, state: State) -> bool:
        with with_sort_sizes(self.model.sizes):
            self._load(self._own, state)
            return self._ask(name)

    def state_of(self, values: Mapping[str, Any]) -> State:
        return tuple(freeze(keys, values[name]) for name, keys in zip(self.names, self._keys, strict=True))

    def ask(self, name: str, state: State, **arguments: Any) -> Any:
        """Return a method's answer in a state, given those of the arguments that it takes."""
        taken = {p.name: arguments[p.name] for p in self.model.ir.helpers[name].parameters if p.name in arguments}
        with with_sort_sizes(self.model.sizes):
            self._load(self._own, state)
            try:
                return getattr(self._own, name)(**taken)
            except Exception as error:
                raise blame(error, self.model.ir.helpers[name].at, name) from None

    def formula_answers(self, name: str, state: State) -> list[tuple[bool, ...]]:
        """The truth of each condition within a temporal property in a state, formula by formula."""
        with with_sort_sizes(self.model.sizes), answers() as formulas:
            self._load(self._own, state)
            self._ask(name)
        return formulas

    def above(self, state: State, instance: int) -> tuple[str, ...]:
        """The variables, of those assigned, that a pruned step would put above their bounds."""
        method, arguments = self._call(self.instances[instance])
        with with_sort_sizes(self.model.sizes), suppress(WroteAbove):
            loaded = self._load(self._own, state)
            method(*arguments)
        own = self._own.__dict__
        names = tuple(name for place, name in enumerate(self.names) if self._is_above(place, unwrap_counts(own[name])))
        undo(self._written)
        own.update(loaded)
        return names

    def refinement(self, name: str) -> "ReferenceRefinement | None":
        """The refinement that the property of this name asks for; None if it asks for none."""
        method = self._methods[name]
        if not isinstance(method, Refinement):
            return None
        return self._refined.setdefault(name, ReferenceRefinement(self, method))

    def map_state(self, state: State, name: str, target: Any) -> None:
        """Have the method of a refinement write into `target`."""
        self._load(self._own, state)
        self._ask(name, target)

    def step_holds(self, name: str, before: State, instance: int, after: State) -> bool:
        if (refined := self.refinement(name)) is not None:
            return refined.step(before, after) is not None
        with with_sort_sizes(self.model.sizes):
            self._load(self._own, after)
            self._load(self._other, before)
            if not self._methods[name].taken:
                return self._ask(name, self._other)
            return self._ask(name, self._other, self.step_taken(instance))

    def step_taken(self, instance: int) -> Taken:
        return Taken(self.actions[self.action_of[instance]], self.arguments(instance))

    def arguments(self, instance: int) -> dict[str, Any]:
        action, arguments = self.instances[instance]
        parameters = self.model.ir.actions[action].parameters
        return {p.name: value for p, value in zip(parameters, arguments, strict=True)}

    def _ask(self, name: str, *arguments: object) -> bool:
        try:
            answer = getattr(self._own, name)(*arguments)
        except Exception as error:
            raise blame(error, self._methods[name].at, name) from None
        return bool(answer)

    def _blame(self, error: Exception, position: int) -> ModelError:
        action, _ = self.instances[position]
        return blame(error, self.model.ir.actions[action].at, self.call(position))

    def _outside(self, variable: str, error: Exception, position: int | None) -> ModelError:
        """The error for a value outside its domain, after a step or in a canonical form."""
        if position is None:
            assert self._form is not None
            at, call = self._form.at, f"{self._form.name}()"
        else:
            at, call = self.model.ir.actions[self.instances[position][0]].at, self.call(position)
        return ModelError(
            at,
            f"after {call}, {variable} is outside its domain: {error}.",
            "Guard the action with require(), or widen the domain.",
        )

    def call(self, position: int) -> str:
        """The call of an instance, for example fetch(leader=r0)."""
        name = self.actions[self.action_of[position]]
        given = (f"{p}={show(value)}" for p, value in self.arguments(position).items())
        return f"{name}({', '.join(given)})"


class ReferenceRefinement:
    """A model, `concrete`, and the one that it refines, side by side."""

    def __init__(self, concrete: ReferenceStepper, method: Refinement) -> None:
        self.concrete, self.method = concrete, method
        self._known: dict[State, State] = {}
        self._successors: dict[State, dict[State, int]] = {}

    @cached_property
    def abstract(self) -> ReferenceStepper:
        return ReferenceStepper(bound_abstract(self.concrete.model, self.method))

    def map_state(self, state: State) -> State:
        """Return the abstract state. Raises ModelError where a value is outside its domain."""
        if state not in self._known:
            self._known[state] = self._map_state(state, self.abstract)
        return self._known[state]

    def _map_state(self, state: State, abstract: ReferenceStepper) -> State:
        target = blank(abstract.model.ir.cls, abstract.model.constants)
        values: dict[str, Any] = {**self.concrete.values(state)}
        with with_sort_sizes(self.concrete.model.sizes):
            self.concrete.map_state(state, self.method.name, target)
            values |= target.__dict__
            for name, domain in abstract.model.domains.items():
                try:
                    codec(domain).flatten(values[name])
                except (Above, Outside, KeyError, TypeError, AttributeError) as error:
                    sentence = f"{name} is outside its domain in {abstract.model.ir.name}: {error}."
                    raise ModelError(self.method.at, sentence, "Change the mapping, or widen the domain.") from None
        return abstract.state_of({name: values[name] for name in abstract.names})

    def step(self, before: State, after: State) -> int | None:
        """The first instance of the abstract model that this step is; -1 if nothing changes there, None if none is."""
        old, new = self.map_state(before), self.map_state(after)
        if old == new:
            return -1
        if old not in self._successors:
            successors = self._successors[old] = {}
            for instance, successor in self.abstract.steps(old):
                if successor is not None:
                    successors.setdefault(successor, instance)
        return self._successors[old].get(new)

    @property
    def name(self) -> str:
        return self.abstract.model.ir.name

    def values(self, state: State) -> dict[str, Any]:
        return self.abstract.values(self.map_state(state))

    def name_step(self, before: State, after: State) -> str:
        """Name the abstract step that this step is, in words."""
        instance = self.step(before, after)
        if instance is None:
            return "no step leads there"
        return "nothing changes" if instance < 0 else self.abstract.call(instance)


def _assigns_whole_maps(model: BoundModel) -> bool:
    """Whether some method replaces a whole map, and does not only write under its keys."""
    forms = filter(None, [model.ir.canonical])
    bodies = tuple(method.body for method in (*model.ir.actions, *forms, *model.ir.helpers.values()))
    targets = (node for node in walk(bodies) if isinstance(node, VariableTarget))
    return any(not target.keys and isinstance(model.domains[target.variable], MapDomain) for target in targets)
