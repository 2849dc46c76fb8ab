"""One step of the reference engine at a time: of a state only what differs from the one before is loaded and frozen.

The values of a run's logs get long; what a step does not touch costs nothing here, neither to load nor to compare.
"""

from typing import Any

from isrcheck import ModelError
from isrcheck.stepping import (
    Above,
    AskingStepper,
    Bound,
    BoundModel,
    Domain,
    Frozen,
    Guard,
    IntDomain,
    Map,
    MapDomain,
    NeedsSlots,
    NotEnabled,
    SequenceDomain,
    SetDomain,
    State,
    WroteAbove,
    codec,
    number,
    span,
    thaw,
    undo,
    with_sort_sizes,
)

_NOTHING: Any = object()
_KEPT = 10_000  # values that are known to be within their bounds


class OneStep(AskingStepper):
    """Keeps what is loaded from one question to the next."""

    def __init__(self, model: BoundModel) -> None:
        super().__init__(model)
        self._here: list[Frozen] = [_NOTHING] * len(self.names)
        self._now: dict[str, Any] = {}
        self._fitting: set[tuple[int, Frozen]] = set()  # values of domains, that are within their bounds
        self._places: dict[int, int] = {}  # of a map that is loaded, the variable to which it belongs

    def _load(self, instance: Any, state: State) -> dict[str, Any]:
        if instance is not self._own:
            return super()._load(instance, state)
        for place, frozen in enumerate(state):
            if self._here[place] is not frozen:
                self._here[place] = frozen
                self._now[self.names[place]] = self._thaw(place, frozen)
        instance.__dict__.update(self._now)
        return self._now

    def _thaw(self, place: int, frozen: Frozen) -> Any:
        value = self.melt(place, frozen)
        if self._keys[place]:
            value = thaw(self.domains[place], value, self._written)
            self._places.update((id(each), place) for each in _maps(value))
        return value

    def melt(self, place: int, frozen: Frozen) -> Any:
        """A variable's value as people see it: maps as maps."""
        return _melt(self._keys[place], frozen)

    def successor(self, state: State, instance: int) -> State | None:
        """The state after a step; None if it is not possible, or exceeds a bound. Raises ModelError."""
        method, arguments = self._calls[instance]
        with with_sort_sizes(self.model.sizes):
            loaded = self._load(self._own, state)
            attributes = self._own.__dict__
            try:
                method(*arguments)
                return self._successor(state, loaded, attributes, instance)
            except (NotEnabled, WroteAbove):
                return None
            except ModelError:
                raise
            except Exception as error:
                raise self._blame(error, instance) from None
            finally:
                undo(self._written)
                attributes.update(loaded)

    def _successor(
        self, state: State, loaded: dict[str, Any], attributes: dict[str, Any], position: int | None
    ) -> State | None:
        written = {self._places.get(id(target)) for target, _, _ in self._written}
        after = list(state)
        for place, name in enumerate(self.names):
            value = attributes[name]
            if value is loaded[name] and place not in written:
                continue
            frozen = self._freeze_within_bounds(place, value, state, loaded, attributes, position)
            if frozen is _NOTHING:
                return None
            after[place] = frozen
        return tuple(after)

    def _freeze_within_bounds(
        self,
        place: int,
        value: Any,
        state: State,
        loaded: dict[str, Any],
        attributes: dict[str, Any],
        position: int | None,
    ) -> Frozen:
        """A variable's new value, _NOTHING if it is above a bound."""
        keys = self._keys[place]
        if getattr(self.domains[place], "total", None) is not None or (keys and len(value) != len(keys[0])):
            after = super()._successor(state, loaded, attributes, position)
            return _NOTHING if after is None else after[place]
        frozen = _freeze(keys, value)
        try:
            return frozen if self._fits(self.domains[place], frozen, state[place]) else _NOTHING
        except Exception as error:
            raise self._outside(self.names[place], error, position) from None

    def _fits(self, domain: Domain, value: Frozen, before: Frozen) -> bool:
        """Whether a value is within its bounds, as the one before was. Raises Outside if it is not in its domain."""
        if value is before:
            return True
        match domain:
            case MapDomain():
                return all(self._fits(domain.value, image, old) for image, old in zip(value, before, strict=True))
            case SequenceDomain(of=IntDomain() as of):
                low, high = span(of)
                return len(value) <= number(domain.high) and (not value or low <= min(value) <= max(value) <= high)
            case SetDomain(of=of) if of is not None and type(value) is frozenset is type(before):
                return all(self._fits(of, each, _NOTHING) for each in value - before)
        if (id(domain), value) in self._fitting:
            return True
        try:
            codec(domain).flatten(value)
        except Above:
            return False
        except NeedsSlots:
            return True
        if len(self._fitting) > _KEPT:
            self._fitting.clear()
        self._fitting.add((id(domain), value))
        return True

    def refusal(self, state: State, instance: int) -> tuple[int, str]:
        """Why a step cannot be taken, and how far down its text that is said."""
        with with_sort_sizes(self.model.sizes):
            answer = self._answer(state, self._load(self._own, state), instance)
        match answer:
            case Guard():
                return answer.reached, f"{self.call(instance)} needs {answer.conjunct or answer.condition}"
            case Bound():
                return 0, f"{self.call(instance)} would exceed the bound of {answer.variable}"
            case ModelError():
                raise answer
        return 0, f"{self.call(instance)} is possible"


def _maps(value: Any) -> list[Map]:
    """A map, and those in it."""
    inner = [each for image in value.values() if isinstance(image, Map) for each in _maps(image)]
    return [value, *inner] if isinstance(value, Map) else inner


def _freeze(keys: Any, value: Any) -> Frozen:
    if keys is None:
        return value
    order, inner = keys
    return tuple([_freeze(inner, value[key]) for key in order] if inner else [value[key] for key in order])


def _melt(keys: Any, frozen: Frozen) -> Any:
    if keys is None:
        return frozen
    order, inner = keys
    pairs = zip(order, frozen, strict=True)
    return {key: _melt(inner, image) for key, image in pairs} if inner else dict(pairs)
