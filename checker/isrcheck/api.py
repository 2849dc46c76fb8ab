"""The Python interface: one call decides a model's properties, walks through it, or proves."""

import os
import sys
import traceback
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack
from contextvars import Context
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from isrcheck.catalogue import decide, find_model
from isrcheck.engines.contract import NO_LIMITS, NO_OPTIONS, Limits, Options, Progress
from isrcheck.evidence.progress import progress_in_cell
from isrcheck.ir.frozen import field_names, replace
from isrcheck.lang.declare import Model
from isrcheck.passes.constants import literal
from isrcheck.process.budget import budget
from isrcheck.process.failures import error_of_exit
from isrcheck.run.deciding import Deciding, name_of_source
from isrcheck.run.invocation import Invocation, ProofInvocation, SimulationInvocation, names_or_none
from isrcheck.run.outcome import Outcome

if TYPE_CHECKING:  # what proves imports z3, when first used
    from isrcheck.proofs.prover import ProofRun

P = ParamSpec("P")
T = TypeVar("T")
Hearer = Callable[[Outcome], object]
_OPTIONS = frozenset(field_names(Options))


def blames_exits(call: Callable[P, T]) -> Callable[P, T]:
    """A call about a `model`; a SystemExit of the model's own text is a ModelError."""

    @wraps(call)
    def call_with_blame(*args: P.args, **options: P.kwargs) -> T:
        try:
            return call(*args, **options)
        except SystemExit as error:
            model = args[0] if args else options["model"]
            if any(frame.filename in _files(model) for frame in traceback.extract_tb(error.__traceback__)):
                raise error_of_exit(error) from None
            raise

    return call_with_blame


def _files(model: object) -> set[str | None]:
    cls = find_model(model) if isinstance(model, str) else model
    classes = cls.__mro__ if isinstance(cls, type) else ()
    return {getattr(sys.modules.get(each.__module__), "__file__", None) for each in classes}


@blames_exits
def check(
    model: type[Model] | str,
    *,
    properties: Iterable[str] | None = None,
    engine: str = "native",
    limits: Limits = NO_LIMITS,
    options: Options = NO_OPTIONS,
    certificate: Path | None = None,
    controller_jars: Path | None = None,
    controller_release: str | None = None,
    vacuity: bool | float = False,
    on_verdict: Callable[[Outcome], object] = lambda _: None,
    on_states: Callable[[Outcome], object] = lambda _: None,
    progress: Callable[[Progress], None] | None = None,
    constants: Mapping[str, Any] | None = None,
    **more: Any,
) -> Outcome:
    """Decide the properties of a model for these constants.

    `model` is a class, a name from the list, or FILE.py:Class; `properties` are names (all by default; none of them
    explores the whole graph). The seconds and bytes of `limits` are those of everything from here on, reading and
    compiling included; what they cut off is undetermined, and `cut` says when. A complete run writes its certificate
    into the directory `certificate`; one that was cut off has none. `vacuity` (True, or the most seconds) also looks
    for guards that are never false, vacuous properties, and reachability properties not asked that no state meets;
    whatever ends that look, the verdict stays. `on_verdict` is given the outcome before the look begins, `on_states`
    what is decided before temporal properties are looked at; `progress` hears where the run stands. Without it a
    notebook shows that in a line below the cell, and nobody else is told. With `controller_jars` or
    `controller_release` Kafka's classes decide what the model's controller does; they are asked again for each decision
    of a violation.

    Constants are given by name, or in `constants` where a name is that of an option; single options may be given by
    name as well (`workers=2`). To the symbolic engine constants may be ranges (`1..8`, or `free,every-tick`), of which
    it finds the smallest choice that violates a property, or with the option `all_choices` every one.

    Raises UsageError, AssumptionFalse, ModelError or Disagreement.
    """
    arguments = {**(constants or {}), **more}
    with ExitStack() as stack:
        tell, made_of = stack.enter_context(progress_in_cell(progress)), None
        if controller_jars or controller_release:
            stack.enter_context(budget(limits.seconds, limits.memory))
            how = {"controller_jars": controller_jars, "controller_release": controller_release}
            made_of = name_of_source(model), how
            model, confirm = _let_jars_decide(model, arguments, controller_jars, controller_release, tell)
            on_verdict, on_states = (confirm(each) for each in (on_verdict, on_states))
        asked = _invocation_fields(model, properties, limits, options, arguments)
        run = Deciding(model, Invocation(**asked, engine=engine, made_of=made_of), tell, on_states)
        return run.check(certificate, vacuity, on_verdict)


def _let_jars_decide(
    model: type[Model] | str,
    arguments: Mapping[str, Any],
    folder: Path | None,
    release: str | None,
    tell: Callable[[Progress], object],
) -> tuple[str, Callable[[Hearer], Hearer]]:
    """The variant whose controller is Kafka's, and who is told of an outcome only once its traces were confirmed."""
    constants = {name: literal(value) for name, value in arguments.items() if name not in _OPTIONS}

    def say(phase: str) -> None:
        tell(Progress(0, 0, 0, 0, 0.0, phase))

    decided = decide(name_of_source(model), constants, folder=folder, release=release, say=say)
    tell(Progress(0, 0, 0, 0, 0.0, remark=f"{decided}."))

    def confirm_first(hearer: Hearer) -> Hearer:
        def hear(outcome: Outcome) -> None:
            traces = [each.trace for each in outcome.properties if each.trace is not None]
            behaviours = [[step.call for step in trace.steps[1:]] for trace in traces]
            Context().run(decided.confirm, behaviours)  # without limits: a violation is known, and to be shown
            hearer(outcome)

        return hear

    return decided.source, confirm_first


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
    progress: Callable[[Progress], None] | None = None,
    constants: Mapping[str, Any] | None = None,
    **more: Any,
) -> Outcome:
    """Take seeded random walks through a model: a violation found is replayed; without one nothing is decided.

    Each of `walks` walks has at most `steps` steps, each chosen evenly among those that can be taken. The same seed
    makes the same walks for any number of workers.
    """
    asked = _invocation_fields(model, properties, limits, options, {**(constants or {}), **more})
    chosen = int.from_bytes(os.urandom(4)) if seed is None else seed
    with progress_in_cell(progress) as tell:
        run = Deciding(model, SimulationInvocation(**asked, walks=walks, steps=steps, seed=chosen), tell)
        return run.simulate()


@blames_exits
def prove(
    model: type[Model] | str,
    *,
    properties: Iterable[str] | None = None,
    lemmas: Iterable[str] | None = None,
    limits: Limits = NO_LIMITS,
    constants: Mapping[str, Any] | None = None,
    **more_constants: Any,
) -> "ProofRun":
    """Prove properties of a model for any number of steps and members, and every value of the constants not given.

    `lemmas` are names, all of the model's by default; an invariant may serve as one. Raises UsageError,
    AssumptionFalse, ModelError or Disagreement.
    """
    from isrcheck.proofs import prover

    asked = _invocation_fields(model, properties, limits, NO_OPTIONS, {**(constants or {}), **more_constants})
    return prover.prove(model, ProofInvocation(**asked, lemmas=names_or_none(lemmas)))


def _invocation_fields(
    model: type[Model] | str, names: Iterable[str] | None, limits: Limits, options: Options, arguments: dict[str, Any]
) -> dict[str, Any]:
    return {
        "model": name_of_source(model),
        "constants": {name: value for name, value in arguments.items() if name not in _OPTIONS},
        "properties": names_or_none(names),
        "limits": limits,
        "options": replace(options, **{name: value for name, value in arguments.items() if name in _OPTIONS}),
    }
