"""The Python interface: one call decides a model's properties."""

import secrets
import shlex
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from isrcheck.catalogue import find_model, name_of
from isrcheck.engines.contract import DEADLOCK, Checkpoint, Cluster, Exploration, FoundFault, Limits, Progress, Request
from isrcheck.engines.equivariance import check_symmetry
from isrcheck.engines.registry import engine as engine_named
from isrcheck.errors import UsageError, nearest
from isrcheck.evidence.certificate import save_states
from isrcheck.evidence.outcome import ActionCount, Outcome, PropertyOutcome, Sample, Verdict
from isrcheck.evidence.replay import replay, replay_fault
from isrcheck.evidence.resources import peak_rss_bytes
from isrcheck.evidence.trace import Trace, encode
from isrcheck.evidence.vacuity import guards_that_never_held, parts
from isrcheck.failures import blames_exits
from isrcheck.ir.flatten import scalars
from isrcheck.lang.declare import Model
from isrcheck.lang.read import read_model
from isrcheck.passes import bind, check_domains, lower
from isrcheck.passes.bind import BoundModel
from isrcheck.passes.constants import word
from isrcheck.passes.open import OpenModel, bind_each, open_constants
from isrcheck.version import __version__

if TYPE_CHECKING:
    from isrcheck.evidence.proving import ProofRun


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
    progress: Callable[[Progress], None] | None = None,
    constants: Mapping[str, Any] | None = None,
    **more_constants: Any,
) -> Outcome:
    """Decide the properties of a model for these constants.

    `model` is a class, a name from the list, or FILE.py:Class; `properties` are names (all by default; none of them
    explores the whole graph). `max_memory` is in bytes; `cluster` says where the engine spark runs. A complete run
    writes its certificate into the directory `certificate`; one that was cut off has none. `vacuity` also looks, by a
    second search of at most `vacuity_seconds`, for guards that are never false, properties that speak of nothing and
    claims not asked that no state meets. Constants are given by name,
    or in `constants` where a name is that of an option; to the symbolic engine also as ranges (`1..8`, or
    `free,every-tick`), of which it finds the smallest choice that violates a property, or with `all_choices` every one.
    Raises UsageError, AssumptionFalse, ModelError or Disagreement.
    """
    started = time.monotonic()
    if cluster is not None and engine != "spark":
        raise UsageError(f"--master and --spark-conf are for --engine spark, and this is --engine {engine}.")
    cls = find_model(model) if isinstance(model, str) else model
    properties = None if properties is None else list(properties)
    text = read_model(cls).asking(properties or ())
    check_domains(text)
    given = {**(constants or {}), **more_constants}
    models = bind_each(text, given) if engine == "symbolic" and open_constants(text, given) else []
    if all_choices and not models:
        raise UsageError("--all-choices needs --engine symbolic and a constant left open, as in -c NAME=1..8.")
    bound = _any_of(models) if models else bind(text, given)
    visited: list[bytes] = []
    request = Request(
        properties=chosen_properties(bound, properties),
        deadlock=deadlock,
        stop_at_first=stop_at_first,
        limits=Limits(max_states, max_depth, max_seconds, max_memory),
        workers=workers,
        symmetry=symmetry,
        checkpoint=checkpoint,
        cluster=cluster,
        progress=progress or (lambda _: None),
        visited=None if certificate is None else visited.append,
    )
    name = model if isinstance(model, str) else name_of(cls)
    if certificate is not None:
        _refuse_certificate(name, engine, symmetry)
    search = engine_named(engine)
    if models:
        return _check_choices(name, models, given, request, all_choices, started)
    if symmetry:
        check_symmetry(bound, lower(bound), request.properties)
    ready = time.monotonic()
    try:
        exploration = search(bound, request)
    except FoundFault as fault:
        raise replay_fault(bound, fault, engine) from None
    total = time.monotonic() - ready
    startup = ready - started + max(0.0, total - exploration.seconds)
    outcome = _outcome(bound, name, engine, request, exploration, startup)
    if certificate is not None and outcome.cut is None:
        save_states(outcome, bound, visited, certificate)
    if not vacuity:
        return outcome
    ends = [s for s in (max_seconds, vacuity_seconds) if s is not None]
    limits = replace(request.limits, seconds=min(ends, default=None))
    found, ended = parts(bound, exploration, limits, request.properties)
    return replace(outcome, parts=found, interrupted=outcome.interrupted or ended)


def _refuse_certificate(name: str, engine: str, symmetry: bool) -> None:
    """Raises UsageError where no certificate could be written or checked."""
    if engine == "spark":
        raise UsageError("the spark engine leaves its states on the cluster: leave --certificate out.")
    if symmetry:
        raise UsageError("a run with symmetry keeps one state of each kind, which certifies nothing: leave it out.")
    find_model(name)


def _any_of(models: list[OpenModel]) -> OpenModel:
    """The first of several models of one text, of which nothing is asked that applies to none of them."""
    everywhere = {n: why for n, why in models[0].not_asked.items() if all(n in m.not_asked for m in models)}
    return replace(models[0], not_asked=everywhere)


def _check_choices(
    name: str, models: list[OpenModel], given: Mapping[str, Any], request: Request, every: bool, started: float
) -> Outcome:
    """A bounded search over open constants; each way that it finds is replayed with its own constants."""
    from isrcheck.engines.symbolic.choices import FaultWithConstants, search_choices
    from isrcheck.evidence.chosen import replay_choices

    bound = _any_of(models)
    ranges = open_constants(bound.text, given)
    try:
        seen = search_choices(models, ranges, request, every)
    except FaultWithConstants as wrong:
        raise replay_fault(bind(bound.text, wrong.constants), wrong.fault, "symbolic") from None
    choices, traces = replay_choices(bound.text, name, request, ranges, seen, every)
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
    outcome = _outcome(bound, name, "symbolic", request, exploration, startup, traces)
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
    from isrcheck.engines.native.simulate import simulate as walk

    started = time.monotonic()
    cls = find_model(model) if isinstance(model, str) else model
    properties = None if properties is None else list(properties)
    bound = bind(read_model(cls).asking(properties or ()), {**(constants or {}), **more_constants})
    request = Request(
        properties=chosen_properties(bound, properties),
        deadlock=deadlock,
        limits=Limits(seconds=max_seconds),
        workers=workers,
        progress=progress or (lambda _: None),
    )
    name = model if isinstance(model, str) else name_of(cls)
    seed = secrets.randbits(32) if seed is None else seed
    try:
        seen = walk(lower(bound), request, seed, walks, steps)
    except FoundFault as fault:
        raise replay_fault(bound, fault, "native") from None
    exploration = Exploration(
        distinct=0,
        generated=seen.steps,
        depth=0,
        levels=(),
        pruned=0,
        digest=None,
        cut=seen.cut or f"after {seen.walks:,} random walks of at most {steps:,} steps",
        interrupted=seen.interrupted,
        found=seen.found,
        action_generated=(),
        action_distinct=(),
        seconds=seen.seconds,
    )
    startup = time.monotonic() - started - seen.seconds
    outcome = _outcome(bound, name, "native", request, exploration, startup)
    command = f"{_again('simulate', name, bound, request)} --walks {walks} --steps {steps} --seed {seed}"
    sampled = tuple(_sampled(p, seen.walks) for p in outcome.properties)
    sample = Sample(seed, seen.walks, seen.steps)
    return replace(outcome, distinct=None, properties=sampled, sample=sample, command=command)


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
    from isrcheck.evidence.proving import ProofRequest, names_or_none, run_proofs

    cls = find_model(model) if isinstance(model, str) else model
    given = {**(constants or {}), **more_constants}
    name = model if isinstance(model, str) else name_of(cls)
    chosen, used = names_or_none(properties), names_or_none(lemmas)
    return run_proofs(
        read_model(cls), name, ProofRequest(given, chosen, used, k, search_lemmas, max_seconds, __version__)
    )


def chosen_properties(bound: BoundModel, names: Iterable[str] | None) -> tuple[str, ...]:
    """The names asked for, in declaration order; without any, all that apply.

    Raises UsageError for a name that the model does not have, or that means nothing with these constants.
    """
    known = [p.name for p in bound.text.properties]
    if names is None:
        return tuple(p.name for p in bound.properties)
    wanted = set(names)
    for name in wanted:
        if name not in known:
            lemmas = (lemma.name for lemma in bound.text.lemmas)
            raise UsageError(f"{bound.text.name} has no property {name}.{nearest(name, (*known, *lemmas))}")
        if name in bound.not_asked:
            raise UsageError(
                f"{name} does not apply to {bound.text.name} with these constants: {bound.not_asked[name]}"
            )
    return tuple(name for name in known if name in wanted)


def _outcome(
    bound: BoundModel,
    name: str,
    engine: str,
    request: Request,
    exploration: Exploration,
    startup: float,
    traces: dict[str, Trace] | None = None,
) -> Outcome:
    counts_states = engine != "symbolic"
    kinds = {p.name: p.role for p in bound.text.properties}
    asked = [(p, kinds[p]) for p in request.properties]
    if request.deadlock:
        asked.append((DEADLOCK, DEADLOCK))
    if traces is None:
        traces = {p: replay(bound, p, path, name, engine) for p, path in exploration.found.items()}
    counts = zip(bound.text.actions, exploration.action_generated, exploration.action_distinct, strict=False)
    return Outcome(
        version=__version__,
        model=name,
        constants={n: encode(v) for n, v in bound.constants.items()},
        engine=engine,
        workers=request.workers,
        symmetry=request.symmetry,
        distinct=exploration.distinct if counts_states else None,
        generated=exploration.generated if counts_states else None,
        depth=exploration.depth,
        levels=exploration.levels,
        pruned=exploration.pruned if counts_states else None,
        digest=exploration.digest,
        cut=exploration.cut,
        interrupted=exploration.interrupted,
        properties=tuple(_decided(p, kind, traces.get(p), exploration) for p, kind in asked),
        actions=tuple(ActionCount(action.name, g, d) for action, g, d in counts),
        seconds=exploration.seconds,
        startup_seconds=startup,
        peak_rss_bytes=peak_rss_bytes(),
        state_bits=sum(s.bits for n, d in bound.domains.items() for s in scalars(d, n)),
        not_asked={n: why for n, why in bound.not_asked.items() if exploration.action_generated or n in kinds},
        notes=bound.notes,
        asleep=guards_that_never_held(bound, exploration, request.limits),
        command=_command(name, bound, engine, request),
    )


def _decided(name: str, kind: str, trace: Trace | None, exploration: Exploration) -> PropertyOutcome:
    """What a search says of one property, and how it is known."""
    if kind == "reachable":
        if trace:
            return PropertyOutcome(name, kind, Verdict.HOLDS, "proved", trace)
        if exploration.complete:
            return PropertyOutcome(name, kind, Verdict.VIOLATED, "exhaustive")
    elif trace:
        return PropertyOutcome(name, kind, Verdict.VIOLATED, "replayed", trace)
    elif exploration.complete:
        return PropertyOutcome(name, kind, Verdict.HOLDS, "exhaustive")
    return PropertyOutcome(name, kind, Verdict.UNDETERMINED, f"bounded({max(exploration.depth - 1, 0)})")


def _command(name: str, bound: BoundModel, engine: str, request: Request) -> str:
    """The line that runs this again."""
    parts = [_again("check", name, bound, request), f"--engine {engine}"]
    flags = {"--symmetry": request.symmetry, "--stop-at-first": request.stop_at_first}
    parts += [flag for flag, on in flags.items() if on]
    limits = request.limits
    cuts = {"states": limits.states, "depth": limits.depth, "seconds": limits.seconds, "memory": limits.memory}
    parts += [f"--max-{n} {v:g}" if n == "seconds" else f"--max-{n} {v}" for n, v in cuts.items() if v is not None]
    if request.cluster is not None:
        parts += [f"--master {shlex.quote(request.cluster.master)}"] if request.cluster.master else []
        parts += [f"--spark-conf {shlex.quote(f'{key}={value}')}" for key, value in request.cluster.conf]
    return " ".join(parts)


def _again(command: str, name: str, bound: BoundModel, request: Request) -> str:
    """What every command that runs a model is given."""
    parts = [f"isrcheck {command} {name}"]
    parts += [f"-c {n}={word(v)}" for n, v in bound.constants.items()]
    if request.properties != tuple(p.name for p in read_model(bound.text.cls).properties if p in bound.properties):
        parts += [f"--property {p}" for p in request.properties or ("none",)]
    if request.deadlock:
        parts.append("--deadlock")
    if request.workers != 1:
        parts.append(f"--workers {request.workers}")
    return " ".join(parts)
