"""A refinement asked of CPython: the author's mapping, and the abstract model's own methods."""

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Any, Protocol

from isrcheck.engines.frozen_values import State
from isrcheck.errors import ModelError
from isrcheck.ir.codec import Above, Outside, codec
from isrcheck.ir.model import Refinement
from isrcheck.lang.instance import blank, with_sort_sizes
from isrcheck.passes.bind import BoundModel
from isrcheck.passes.refinement import bound_abstract


class ModelStepper(Protocol):
    """The reference on one model, as a refinement uses it."""

    model: BoundModel
    names: tuple[str, ...]  # of the variables

    @property
    def initials(self) -> Sequence[State]: ...

    def steps(self, state: State) -> Iterator[tuple[int, State | None]]: ...

    def values(self, state: State) -> dict[str, Any]: ...

    def state_of(self, values: dict[str, Any]) -> State: ...

    def map_state(self, state: State, name: str, target: Any) -> None: ...

    def call(self, position: int) -> str: ...


class ReferenceRefinement:
    """A model, `concrete`, and the one that it refines, side by side."""

    def __init__(
        self, concrete: ModelStepper, stepper_of: Callable[[BoundModel], ModelStepper], method: Refinement
    ) -> None:
        self._concrete, self._stepper_of, self.method = concrete, stepper_of, method
        self._known: dict[State, State] = {}
        self._successors: dict[State, dict[State, int]] = {}

    @cached_property
    def abstract(self) -> ModelStepper:
        return self._stepper_of(bound_abstract(self._concrete.model, self.method))

    def check_beginning(self) -> None:
        """Check that each initial state is an abstract one, whether or not a step leaves it. Raises ModelError."""
        if not {self.map_state(first) for first in self._concrete.initials} <= {*self.abstract.initials}:
            sentence = f"an initial state of {self._concrete.model.ir.name} is not one of {self.name}"
            raise ModelError(self.method.at, f"{sentence} under {self.method.name}().")

    def map_state(self, state: State) -> State:
        """Return the abstract state. Raises ModelError where a value is outside its domain."""
        if state not in self._known:
            self._known[state] = self._map_state(state, self.abstract)
        return self._known[state]

    def _map_state(self, state: State, abstract: ModelStepper) -> State:
        target = blank(abstract.model.ir.cls, abstract.model.constants)
        values: dict[str, Any] = {**self._concrete.values(state)}
        with with_sort_sizes(self._concrete.model.sizes):
            self._concrete.map_state(state, self.method.name, target)
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
