"""The Python interface: one call decides a model's properties, walks through it, or proves."""

import secrets
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from isrcheck.engines.contract import NO_LIMITS, NO_OPTIONS, Limits, Options, Progress
from isrcheck.failures import blames_exits
from isrcheck.lang.declare import Model
from isrcheck.run.deciding import Deciding, invoked
from isrcheck.run.invocation import Invocation, ProofInvocation, SimulationInvocation, names_or_none
from isrcheck.run.outcome import Outcome

if TYPE_CHECKING:  # what proves imports z3, when first used
    from isrcheck.run.proving import ProofRun

_OPTIONS = frozenset(f.name for f in fields(Options))


@blames_exits
def check(
    model: type[Model] | str,
    *,
    properties: Iterable[str] | None = None,
    engine: str = "native",
    limits: Limits = NO_LIMITS,
    options: Options = NO_OPTIONS,
    certificate: Path | None = None,
    vacuity: bool | float = False,
    on_verdict: Callable[[Outcome], object] = lambda _: None,
    progress: Callable[[Progress], None] = lambda _: None,
    constants: Mapping[str, Any] | None = None,
    **more: Any,
) -> Outcome:
    """Decide the properties of a model for these constants.

    `model` is a class, a name from the list, or FILE.py:Class; `properties` are names: all by
    default, and with none the whole graph is explored. What `limits` cut off is undetermined, and
    `cut` says when; their seconds and bytes count from here on. A complete run writes its
    certificate into the directory `certificate`. `vacuity` (True, or the most seconds) also looks
    for what is vacuous; whatever ends that look, the verdict stays, and `on_verdict` is given the
    outcome before it.

    Constants and single options may be given by name (`workers=2`), and in `constants` where a name
    is that of an option. The symbolic engine takes ranges (`1..8`, `free,every-tick`), and finds the
    smallest choice that violates a property, or with the option `all_choices` every one.

    Raises UsageError, AssumptionFalse, ModelError or Disagreement.
    """
    asked = _asked(model, properties, limits, options, {**(constants or {}), **more})
    run = Deciding(model, Invocation(**asked, engine=engine), progress)
    return run.check(certificate, vacuity, on_verdict)


@blames_exits
def simulate(
    model: type[Model] | str,
    *,
    walks: int = 10_000,
    steps: int = 100,
    seed: int | None = None,
    properties: Iterable[str] | None = None,
    limits: Limits = NO_LIMITS,
    options: Options = NO_OPTIONS,
    progress: Callable[[Progress], None] = lambda _: None,
    constants: Mapping[str, Any] | None = None,
    **more: Any,
) -> Outcome:
    """Take seeded random walks, the same for any number of workers; a violation is replayed."""
    asked = _asked(model, properties, limits, options, {**(constants or {}), **more})
    chosen = secrets.randbits(32) if seed is None else seed
    run = Deciding(model, SimulationInvocation(**asked, walks=walks, steps=steps, seed=chosen), progress)
    return run.simulate()


@blames_exits
def prove(
    model: type[Model] | str,
    *,
    properties: Iterable[str] | None = None,
    lemmas: Iterable[str] | None = None,
    k: int = 2,
    search_lemmas: bool = False,
    limits: Limits = NO_LIMITS,
    constants: Mapping[str, Any] | None = None,
    **more_constants: Any,
) -> "ProofRun":
    """Prove properties for any number of steps, and for every value of constants not given.

    Constants may be ranges (1..8, 0..) or lists; those that shape the state have their defaults
    otherwise. `lemmas` are names of lemmas or invariants, all lemmas by default. `k` is the longest
    induction tried. Raises UsageError, AssumptionFalse, ModelError or Disagreement.
    """
    from isrcheck.run import proving

    asked = _asked(model, properties, limits, NO_OPTIONS, {**(constants or {}), **more_constants})
    used = names_or_none(lemmas)
    return proving.prove(model, ProofInvocation(**asked, lemmas=used, k=k, search_lemmas=search_lemmas))


def _asked(
    model: type[Model] | str, names: Iterable[str] | None, limits: Limits, options: Options, given: dict[str, Any]
) -> dict[str, Any]:
    return {
        "model": invoked(model),
        "constants": {name: value for name, value in given.items() if name not in _OPTIONS},
        "properties": names_or_none(names),
        "limits": limits,
        "options": replace(options, **{name: value for name, value in given.items() if name in _OPTIONS}),
    }
