"""The Python interface: one call decides a model's properties."""

import secrets
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from isrcheck.budget import OutOfBudget, Tell, alarmed, budget, phase
from isrcheck.catalogue import find_model, listed_name, name_of
from isrcheck.engines.contract import Checkpoint, Cluster, Exploration, FoundFault, Limits, Progress, Request
from isrcheck.engines.equivariance import check_symmetry
from isrcheck.engines.registry import Engine
from isrcheck.engines.registry import engine as engine_named
from isrcheck.errors import UsageError, nearest
from isrcheck.failures import blames_exits
from isrcheck.ir.property_kinds import Verdict
from isrcheck.ir.symbolic_constant import ValueRange
from isrcheck.lang.declare import Model
from isrcheck.lang.read import read_model
from isrcheck.passes import bind, check_domains, lower
from isrcheck.passes.bind import BoundModel
from isrcheck.passes.symbolic import SymbolicModel, bind_each, symbolic_constants
from isrcheck.run.certificate import save_states
from isrcheck.run.outcome import Outcome, PropertyOutcome, Sample
from isrcheck.run.replay import replay_fault
from isrcheck.run.unfinished import nothing_seen, unread
from isrcheck.run.vacuity import look
from isrcheck.run.verdicts import command_of, command_of_check, named, outcome_of
from isrcheck.version import __version__

if TYPE_CHECKING:
    from isrcheck.run.proving import ProofRun


@blames_exits
def check(
    model: type[Model] | str,
    *,
    properties: Iterable[str] | None = None,
    engine: str = "native",
    workers: int = 1,
    symmetry: bool = False,
    deadlock: bool = False,
    stop_at_first: bool = False,
    max_states: int | None = None,
    max_depth: int | None = None,
    max_seconds: float | None = None,
    max_memory: int | None = None,
    checkpoint: Checkpoint | None = None,
    all_choices: bool = False,
    certificate: Path | None = None,
    cluster: Cluster | None = None,
    vacuity: bool = False,
    vacuity_seconds: float | None = None,
    on_verdict: Callable[[Outcome], object] | None = None,
    progress: Callable[[Progress], None] | None = None,
    constants: Mapping[str, Any] | None = None,
    **more_constants: Any,
) -> Outcome:
    """Decide the properties of a model for these constants.

    `model` is a class, a name from the list, or FILE.py:Class; `properties` are names (all by default; none of them
    explores the whole graph). `max_seconds` and `max_memory` (bytes) limit everything from here on, reading and
    compiling included; what they cut off is undetermined, and `cut` says when. `cluster` says where the engine spark
    runs. A complete run writes its certificate into the directory `certificate`; one that was cut off has none.
    `vacuity` also looks, for at most `vacuity_seconds`, for guards that are never false, properties that speak of
    nothing and claims not asked that no state meets; whatever ends that look, the verdict stays. `on_verdict` is given
    the outcome before the look begins. Constants are given by name,
    or in `constants` where a name is that of an option; to the symbolic engine also as ranges (`1..8`, or
    `free,every-tick`), of which it finds the smallest choice that violates a property, or with `all_choices` every one.
    Raises UsageError, AssumptionFalse, ModelError or Disagreement.
    """
    started = time.monotonic()
    if cluster is not None and engine != "spark":
        raise UsageError(f"--master and --spark-conf are for --engine spark, and this is --engine {engine}.")
    request = Request(
        properties=() if properties is None else tuple(properties),
        deadlock=deadlock,
        stop_at_first=stop_at_first,
        limits=Limits(max_states, max_depth, max_seconds, max_memory),
        workers=workers,
        symmetry=symmetry,
        checkpoint=checkpoint,
        cluster=cluster,
        progress=progress or (lambda _: None),
    )
    given = {**(constants or {}), **more_constants}
    with budget(max_seconds, max_memory, _teller(request)):
        run = _Run(model, given, engine, request, started, names=None if properties is None else request.properties)
        outcome = run.decide(all_choices, certificate)
        if on_verdict is not None:
            on_verdict(outcome)
        if vacuity and run.bound is not None and run.exploration is not None:
            found = look(run.bound, run.exploration, request.limits, run.request.properties, vacuity_seconds)
            outcome = replace(outcome, parts=found.parts, asleep=found.asleep, vacuity_cut=found.cut)
    return outcome


def _teller(request: Request) -> Tell:
    """Shows a phase as progress."""
    return lambda phase, seconds: request.progress(Progress(0, 0, 0, 0, seconds, phase))


@dataclass
class _Run:
    """One run of `check`: what is known of it so far."""

    model: type[Model] | str
    given: dict[str, Any]
    engine: str
    request: Request
    started: float
    names: tuple[str, ...] | None  # of the properties asked for; None for all
    bound: BoundModel | None = None
    exploration: Exploration | None = None

    def decide(self, all_choices: bool, certificate: Path | None) -> Outcome:
        """The verdicts; where the budget ends first, an outcome that says so."""
        try:
            with alarmed():
                phase("reading the model")
                cls = find_model(self.model) if isinstance(self.model, str) else self.model
                ir = read_model(cls).asking(self.names or ())
                check_domains(ir)
                is_open = self.engine == "symbolic" and symbolic_constants(ir, self.given)
                models = bind_each(ir, self.given) if is_open else []
                if all_choices and not models:
                    raise UsageError(
                        "--all-choices needs --engine symbolic and a symbolic constant, as in -c NAME=1..8."
                    )
                bound = _any_of(models) if models else bind(ir, self.given)
                self.request = replace(self.request, properties=chosen_properties(bound, self.names))
                _refuse_engine(bound, self.request, self.engine)
            if certificate is not None:
                _refuse_certificate(self.name, self.engine, self.request.symmetry)
            search = engine_named(self.engine)
            self.bound = bound
            if models:
                return _check_choices(self.name, models, self.given, self.request, all_choices, self.started)
            return self._searched(search, bound, certificate)
        except OutOfBudget as over:
            return self._cut_off(str(over))

    @property
    def name(self) -> str:
        return listed_name(self.model) if isinstance(self.model, str) else name_of(self.model)

    def _searched(self, search: Engine, bound: BoundModel, certificate: Path | None) -> Outcome:
        visited: list[bytes] = []
        request = replace(self.request, visited=None if certificate is None else visited.append)
        if request.symmetry:
            with alarmed():
                check_symmetry(bound, lower(bound), request.properties)
        ready = time.monotonic()
        try:
            exploration = search(bound, request)
        except FoundFault as fault:
            raise replay_fault(bound, fault, self.engine) from None
        total = time.monotonic() - ready
        startup = ready - self.started + max(0.0, total - exploration.seconds)
        outcome = outcome_of(bound, self.name, self.engine, request, exploration, startup)
        self.exploration = replace(exploration, cut=outcome.cut)
        if certificate is not None and outcome.digest is not None:
            save_states(outcome, bound, visited, certificate)
        return outcome

    def walked(self, seed: int, walks: int, steps: int) -> Outcome:
        """What random walks find."""
        from isrcheck.engines.native.simulate import Walks, simulate

        seen = Walks(seed, 0, 0, None, False, {}, 0.0)
        try:
            with alarmed():
                phase("reading the model")
                cls = find_model(self.model) if isinstance(self.model, str) else self.model
                bound = bind(read_model(cls).asking(self.names or ()), self.given)
                self.request = replace(self.request, properties=chosen_properties(bound, self.names))
            self.bound = bound
            seen = simulate(lower(bound), self.request, seed, walks, steps)
        except FoundFault as fault:
            assert self.bound is not None
            raise replay_fault(self.bound, fault, "native") from None
        except OutOfBudget as over:
            seen = replace(seen, cut=str(over))
        if self.bound is None:
            outcome = self._cut_off(str(seen.cut))
        else:
            walked = f"after {seen.walks:,} random walks of at most {steps:,} steps"
            exploration = replace(
                nothing_seen(seen.cut or walked),
                generated=seen.steps,
                interrupted=seen.interrupted,
                found=seen.found,
                seconds=seen.seconds,
            )
            startup = time.monotonic() - self.started - seen.seconds
            outcome = outcome_of(self.bound, self.name, "native", self.request, exploration, startup)
        known = self.given if self.bound is None else self.bound.constants
        asked = self.names if self.bound is None else named(self.bound, self.request)
        command = f"{command_of('simulate', self.name, known, asked, self.request)} --walks {walks} --steps {steps}"
        sampled = tuple(_sampled(p, seen.walks) for p in outcome.properties)
        sample = Sample(seed, seen.walks, seen.steps)
        command = f"{command} --seed {seed}"
        return replace(outcome, distinct=None, properties=sampled, sample=sample, command=command)

    def _cut_off(self, cut: str) -> Outcome:
        if self.bound is None:
            command = command_of_check(self.name, self.given, self.names, self.engine, self.request)
            return unread(self.name, self.given, self.engine, self.request, cut, self.started, command)
        startup = time.monotonic() - self.started
        outcome = outcome_of(self.bound, self.name, self.engine, self.request, nothing_seen(cut), startup, {})
        given = {n: str(v) for n, v in self.bound.constants.items() if isinstance(v, ValueRange)}
        return replace(outcome, constants={**outcome.constants, **given})


def _refuse_certificate(name: str, engine: str, symmetry: bool) -> None:
    """Raises UsageError where no certificate could be written or checked."""
    if engine == "spark":
        raise UsageError("the spark engine leaves its states on the cluster: leave --certificate out.")
    if symmetry:
        raise UsageError("a run with symmetry keeps one state of each kind, which certifies nothing: leave it out.")
    find_model(name)


def _refuse_engine(bound: BoundModel, request: Request, engine: str) -> None:
    """Raises UsageError for an engine that there is not, or a property of a kind that it does not decide."""
    engine_named(engine)
    for asked in bound.properties:
        if asked.name in request.properties and engine not in asked.kind.engines:
            able = " or ".join(sorted(asked.kind.engines)) or "none yet"
            raise UsageError(
                f"the {engine} engine does not decide {asked.name}, a {asked.kind.title}: use --engine {able}."
            )


def _any_of(models: list[SymbolicModel]) -> SymbolicModel:
    """The first of several models of one text, of which nothing is asked that applies to none of them."""
    everywhere = {n: why for n, why in models[0].not_asked.items() if all(n in m.not_asked for m in models)}
    return replace(models[0], not_asked=everywhere)


def _check_choices(
    name: str, models: list[SymbolicModel], given: Mapping[str, Any], request: Request, every: bool, started: float
) -> Outcome:
    """A bounded search over symbolic constants; each way that it finds is replayed with its own constants."""
    from isrcheck.engines.symbolic.choices import FaultWithConstants, search_choices
    from isrcheck.run.chosen import replay_choices

    bound = _any_of(models)
    ranges = symbolic_constants(bound.ir, given)
    try:
        seen = search_choices(models, ranges, request, every)
    except FaultWithConstants as wrong:
        raise replay_fault(bind(bound.ir, wrong.constants), wrong.fault, "symbolic") from None
    choices, traces = replay_choices(bound.ir, name, request, ranges, seen, every)
    exploration = Exploration(
        distinct=0,
        generated=0,
        depth=seen.depth,
        levels=(),
        pruned=0,
        digest=None,
        cut=seen.cut,
        interrupted=seen.interrupted,
        found={},
        action_generated=(),
        action_distinct=(),
        seconds=seen.seconds,
    )
    startup = time.monotonic() - started - seen.seconds
    outcome = outcome_of(bound, name, "symbolic", request, exploration, startup, traces)
    command = f"{outcome.command} --all-choices" if every else outcome.command
    return replace(outcome, choices=choices, constants={**outcome.constants, **choices.ranges}, command=command)


@blames_exits
def simulate(
    model: type[Model] | str,
    *,
    walks: int = 10_000,
    steps: int = 100,
    seed: int | None = None,
    properties: Iterable[str] | None = None,
    workers: int = 1,
    deadlock: bool = False,
    max_seconds: float | None = None,
    progress: Callable[[Progress], None] | None = None,
    constants: Mapping[str, Any] | None = None,
    **more_constants: Any,
) -> Outcome:
    """Take seeded random walks through a model: a violation found is replayed; without one nothing is decided.

    Each of `walks` walks has at most `steps` steps, each chosen evenly among those that can be taken. The same seed
    makes the same walks for any number of workers.
    """
    started = time.monotonic()
    request = Request(
        properties=() if properties is None else tuple(properties),
        deadlock=deadlock,
        limits=Limits(seconds=max_seconds),
        workers=workers,
        progress=progress or (lambda _: None),
    )
    names = None if properties is None else request.properties
    run = _Run(model, {**(constants or {}), **more_constants}, "native", request, started, names)
    with budget(max_seconds, None, _teller(request)):
        return run.walked(secrets.randbits(32) if seed is None else seed, walks, steps)


def _sampled(found: PropertyOutcome, walks: int) -> PropertyOutcome:
    return replace(found, assurance=f"sampled({walks})") if found.verdict is Verdict.UNDETERMINED else found


@blames_exits
def prove(
    model: type[Model] | str,
    *,
    properties: Iterable[str] | None = None,
    lemmas: Iterable[str] | None = None,
    k: int = 2,
    search_lemmas: bool = False,
    max_seconds: float | None = None,
    constants: Mapping[str, Any] | None = None,
    **more_constants: Any,
) -> "ProofRun":
    """Prove properties of a model for any number of steps, and for every value of the constants that are not given.

    Constants may be given as ranges (1..8, 0..) or lists; those that shape the state have their defaults otherwise.
    `lemmas` are names, all of the model's by default; an invariant may serve as one. `k` is the longest induction
    tried. Raises UsageError, AssumptionFalse, ModelError or Disagreement.
    """
    from isrcheck.run.proving import ProofRequest, ProofRun, command_of_proof, names_or_none, run_proofs

    started = time.monotonic()
    given = {**(constants or {}), **more_constants}
    chosen, used = names_or_none(properties), names_or_none(lemmas)
    request = ProofRequest(given, chosen, used, k, search_lemmas, max_seconds, __version__)
    with budget(max_seconds):
        try:
            with alarmed():
                phase("reading the model")
                cls = find_model(model) if isinstance(model, str) else model
                ir, name = read_model(cls), model if isinstance(model, str) else name_of(cls)
            return run_proofs(ir, name, request)
        except OutOfBudget as over:
            name = model if isinstance(model, str) else model.__name__
            limits = Request(limits=Limits(seconds=max_seconds))
            outcome = unread(name, given, "symbolic", limits, str(over), started, command_of_proof(name, request))
            return ProofRun(replace(outcome, distinct=None, generated=None, pruned=None), (), {})


def chosen_properties(bound: BoundModel, names: Iterable[str] | None) -> tuple[str, ...]:
    """The names asked for, in declaration order; without any, all that apply.

    Raises UsageError for a name that the model does not have, or that means nothing with these constants.
    """
    known = [p.name for p in bound.ir.properties]
    if names is None:
        return tuple(p.name for p in bound.properties)
    wanted = set(names)
    for name in wanted:
        if name not in known:
            lemmas = (lemma.name for lemma in bound.ir.lemmas)
            raise UsageError(f"{bound.ir.name} has no property {name}.{nearest(name, (*known, *lemmas))}")
        if name in bound.not_asked:
            raise UsageError(f"{name} does not apply to {bound.ir.name} with these constants: {bound.not_asked[name]}")
    return tuple(name for name in known if name in wanted)
