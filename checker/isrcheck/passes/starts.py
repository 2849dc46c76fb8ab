"""The initial states that `@initial` methods choose: CPython runs them once, before the first state."""

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

from isrcheck.errors import ModelError, UsageError
from isrcheck.ir.codec import Above, Outside, codec
from isrcheck.ir.domains import Domain
from isrcheck.ir.model import Method, ModelIR
from isrcheck.ir.show import show
from isrcheck.lang.declare import Model, NotEnabled
from isrcheck.lang.instance import Map, WroteAbove, blank, thaw, unwrap_counts, watch_maps

Values = dict[str, Any]
Parameters = Mapping[str, Sequence[Domain]]  # by method
MOST_STARTS = 1_000_000
_GUARD = "Guard it with require(), or give it another value."


class Starts:
    """The initial states of a model, whose sorts have members now, from variables at `initial`. Raises ModelError."""

    def __init__(
        self, ir: ModelIR, constants: Values, domains: dict[str, Domain], initial: Values, parameters: Parameters
    ) -> None:
        self.ir, self.constants, self.domains, self.initial = ir, constants, domains, initial
        self.parameters = parameters
        self.states: dict[tuple[int, ...], Values] = {}  # by their scalars, each once
        self.generated = 0
        for method in ir.initials:
            self._choose(method)
        if not self.states:
            method = ir.initials[0]
            sentence = f"no choice of {method.name}() gives an initial state."
            raise ModelError(method.at, sentence, "Change its require().")

    def _choose(self, method: Method) -> None:
        every = [tuple(codec(domain).values()) for domain in self.parameters[method.name]]
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
