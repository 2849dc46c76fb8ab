"""The Python interface: one call decides a model's properties."""

import resource
import secrets
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from isrcheck.catalogue import find_model, name_of
from isrcheck.engines.contract import DEADLOCK, Checkpoint, Exploration, FoundFault, Limits, Progress, Request
from isrcheck.engines.equivariance import check_symmetry
from isrcheck.engines.registry import engine as engine_named
from isrcheck.errors import UsageError, nearest
from isrcheck.evidence.outcome import ActionCount, Outcome, PropertyOutcome, Sample, Verdict
from isrcheck.evidence.replay import replay, replay_fault
from isrcheck.evidence.trace import Trace, encode
from isrcheck.evidence.vacuity import guards_that_never_held, unused
from isrcheck.ir.flatten import scalars
from isrcheck.lang.declare import Model
from isrcheck.lang.read import read_model
from isrcheck.passes import bind, check_domains, lower
from isrcheck.passes.bind import BoundModel
from isrcheck.passes.constants import word
from isrcheck.version import __version__


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
    vacuity: bool = False,
    progress: Callable[[Progress], None] | None = None,
    constants: Mapping[str, Any] | None = None,
    **more_constants: Any,
) -> Outcome:
    """Decide the properties of a model for these constants.

    `model` is a class, a name from the list, or FILE.py:Class; `properties` are names (all by default; none of them
    explores the whole graph). `max_memory` is in bytes. `vacuity` also looks, by a second search, for guards that are
    never false and properties that speak of nothing. Constants are given by name, or in `constants` where a name is
    that of an option. Raises UsageError, AssumptionFalse, ModelError or Disagreement.
    """
    started = time.monotonic()
    cls = find_model(model) if isinstance(model, str) else model
    text = read_model(cls)
    check_domains(text)
    bound = bind(text, {**(constants or {}), **more_constants})
    request = Request(
        properties=chosen_properties(bound, properties),
        deadlock=deadlock,
        stop_at_first=stop_at_first,
        limits=Limits(max_states, max_depth, max_seconds, max_memory),
        workers=workers,
        symmetry=symmetry,
        checkpoint=checkpoint,
        progress=progress or (lambda _: None),
    )
    name = model if isinstance(model, str) else name_of(cls)
    search = engine_named(engine)
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
    return replace(outcome, unused=unused(bound, exploration, request.limits)) if vacuity else outcome


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
    bound = bind(read_model(cls), {**(constants or {}), **more_constants})
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
            raise UsageError(f"{bound.text.name} has no property {name}.{nearest(name, known)}")
        if name in bound.not_asked:
            raise UsageError(
                f"{name} does not apply to {bound.text.name} with these constants: {bound.not_asked[name]}"
            )
    return tuple(name for name in known if name in wanted)


def _outcome(
    bound: BoundModel, name: str, engine: str, request: Request, exploration: Exploration, startup: float
) -> Outcome:
    kinds = {p.name: p.role for p in bound.text.properties}
    asked = [(p, kinds[p]) for p in request.properties]
    if request.deadlock:
        asked.append((DEADLOCK, DEADLOCK))
    traces = {p: replay(bound, p, path, name, engine) for p, path in exploration.found.items()}
    counts = zip(bound.text.actions, exploration.action_generated, exploration.action_distinct, strict=False)
    return Outcome(
        version=__version__,
        model=name,
        constants={n: encode(v) for n, v in bound.constants.items()},
        engine=engine,
        workers=request.workers,
        symmetry=request.symmetry,
        distinct=exploration.distinct,
        generated=exploration.generated,
        depth=exploration.depth,
        levels=exploration.levels,
        pruned=exploration.pruned,
        digest=exploration.digest,
        cut=exploration.cut,
        interrupted=exploration.interrupted,
        properties=tuple(_decided(p, kind, traces.get(p), exploration) for p, kind in asked),
        actions=tuple(ActionCount(action.name, g, d) for action, g, d in counts),
        seconds=exploration.seconds,
        startup_seconds=startup,
        peak_rss_bytes=peak_rss_bytes(),
        state_bits=sum(s.bits for n, d in bound.domains.items() for s in scalars(d, n)),
        not_asked=bound.not_asked,
        notes=bound.notes,
        asleep=guards_that_never_held(bound, exploration),
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
    return " ".join(parts)


def _again(command: str, name: str, bound: BoundModel, request: Request) -> str:
    """What every command that runs a model is given."""
    parts = [f"isrcheck {command} {name}"]
    parts += [f"-c {n}={word(v)}" for n, v in bound.constants.items()]
    if request.properties != tuple(p.name for p in bound.properties):
        parts += [f"--property {p}" for p in request.properties or ("none",)]
    if request.deadlock:
        parts.append("--deadlock")
    if request.workers != 1:
        parts.append(f"--workers {request.workers}")
    return " ".join(parts)


def peak_rss_bytes() -> int:
    """The largest resident size of this process so far."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
