"""Options of a run, and the command line that runs it again."""

import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from msgspec import structs

from isrcheck.engines.contract import NO_LIMITS, NO_OPTIONS, Cluster, Limits, Options
from isrcheck.passes.constants import literal


def line(*words: str, **options: Any) -> str:
    """A line for a shell, with the options that have a value: `max_states=5` is --max-states 5."""
    parts = ["isrcheck", *words]
    for name, value in options.items():
        dashed = "-c" if name == "c" else f"--{name.replace('_', '-')}"
        if value is True:
            parts.append(dashed)
            continue
        several = value if isinstance(value, tuple | list) else (value,)
        parts += [
            argument for one in several if one is not None and one is not False for argument in (dashed, _argument(one))
        ]
    return shlex.join(parts)


def _argument(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def assignments(constants: Mapping[str, Any]) -> list[str]:
    """Constants as the command line takes them: replicas=3, pace=every-tick."""
    return [f"{name}={literal(value)}" for name, value in constants.items()]


def limits_as_options(limits: Limits) -> dict[str, Any]:
    return {f"max_{name}": limit for name, limit in structs.asdict(limits).items()}


@dataclass(frozen=True, kw_only=True)
class Invocation:
    """One call of check; `properties` None stands for all. `constants` may be ranges.

    Of a model that was made of another one, `made_of` is the other one's name and the options that made it.
    """

    model: str
    constants: Mapping[str, Any] = field(default_factory=dict)
    properties: tuple[str, ...] | None = None
    engine: str = "native"
    limits: Limits = NO_LIMITS
    options: Options = NO_OPTIONS
    made_of: tuple[str, Mapping[str, Any]] | None = None

    def __getstate__(self) -> dict[str, Any]:
        """Pickle the constants as text: another process may lack the classes of a user's file."""
        constants = {n: v if isinstance(v, int) else literal(v) for n, v in self.constants.items()}
        return {**self.__dict__, "constants": constants}

    @property
    def line(self) -> str:
        options = self.options
        cluster = options.cluster or Cluster()
        return self._line(
            "check",
            engine=self.engine,
            symmetry=options.symmetry,
            stop_at_first=options.stop_at_first,
            **limits_as_options(self.limits),
            disk=options.disk,
            master=cluster.master,
            spark_conf=[f"{key}={value}" for key, value in cluster.conf],
            all_choices=options.all_choices,
            fairness=options.fairness,
        )

    def _line(self, command: str, **more: Any) -> str:
        model, how = self.made_of or (self.model, {})
        return line(
            command,
            model,
            **how,
            c=assignments(self.constants),
            property=None if self.properties is None else self.properties or ("none",),
            deadlock=self.options.deadlock,
            **more,
        )

    def to_dict(self) -> dict[str, Any]:
        return {"properties": None if self.properties is None else list(self.properties), "line": self.line}


@dataclass(frozen=True, kw_only=True)
class SimulationInvocation(Invocation):
    """One call of simulate."""

    walks: int
    steps: int
    seed: int

    @property
    def line(self) -> str:
        return self._line(
            "simulate", walks=self.walks, steps=self.steps, seed=self.seed, max_seconds=self.limits.seconds
        )


@dataclass(frozen=True, kw_only=True)
class ProofInvocation(Invocation):
    """One call of prove."""

    engine: str = "symbolic"
    lemmas: tuple[str, ...] | None = None

    @property
    def line(self) -> str:
        return line(
            "prove",
            self.model,
            c=assignments(self.constants),
            property=self.properties,
            lemma=self.lemmas,
            no_lemmas=self.lemmas == (),
            **limits_as_options(self.limits),
        )


def names_or_none(names: Iterable[str] | None) -> tuple[str, ...] | None:
    """Return the names in order, each once; a text is one name, and None stands for all."""
    return None if names is None else tuple(dict.fromkeys((names,) if isinstance(names, str) else names))
