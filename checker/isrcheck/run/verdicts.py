"""The outcome of a search: its findings replayed, each property's verdict, and the line that runs it again."""

import shlex
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from isrcheck.budget import OutOfBudget, alarmed, overtime, phase
from isrcheck.engines.contract import DEADLOCK, Exploration, Request
from isrcheck.engines.explore import SECONDS_FOR_TRACES
from isrcheck.ir import property_kinds as kinds
from isrcheck.ir.codec import codec
from isrcheck.ir.property_kinds import PropertyKind, Verdict
from isrcheck.lang.read import read_model
from isrcheck.passes.bind import BoundModel
from isrcheck.passes.constants import word
from isrcheck.run.outcome import ActionCount, Outcome, PropertyOutcome
from isrcheck.run.replay import replay
from isrcheck.run.resources import peak_rss_bytes
from isrcheck.run.trace import Trace, encode
from isrcheck.version import __version__


def outcome_of(
    bound: BoundModel,
    name: str,
    engine: str,
    request: Request,
    exploration: Exploration,
    startup: float,
    traces: dict[str, Trace] | None = None,
) -> Outcome:
    """The outcome of a search, once what it found was replayed; `traces` are given where that was done already."""
    counts_states = engine != "symbolic"
    of = {p.name: p.kind for p in bound.ir.properties}
    asked = [(p, of[p]) for p in request.properties]
    if request.deadlock:
        asked.append((DEADLOCK, kinds.DEADLOCK))
    if traces is None:
        traces, exploration = _replayed(bound, name, engine, exploration)
    counts = zip(bound.ir.actions, exploration.action_generated, exploration.action_distinct, strict=False)
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
        state_bits=sum(s.bits for n, d in bound.domains.items() for s in codec(d).scalars(n)),
        not_asked={n: why for n, why in bound.not_asked.items() if exploration.action_generated or n in of},
        notes=bound.notes,
        asleep=(),
        command=command_of_check(name, bound.constants, named(bound, request), engine, request),
    )


def _replayed(
    bound: BoundModel, name: str, engine: str, exploration: Exploration
) -> tuple[dict[str, Trace], Exploration]:
    """The traces of all that was found, and the exploration: cut off there if not all of it could be replayed."""
    traces: dict[str, Trace] = {}
    try:
        with overtime(SECONDS_FOR_TRACES), alarmed():
            phase("replaying what was found")
            for found, path in exploration.found.items():
                traces[found] = replay(bound, found, path, name, engine)
    except OutOfBudget as over:
        exploration = replace(exploration, cut=exploration.cut or str(over), digest=None)
    except KeyboardInterrupt:
        exploration = replace(exploration, cut=exploration.cut or "by the user", digest=None, interrupted=True)
    return traces, exploration


def _decided(name: str, kind: PropertyKind, trace: Trace | None, exploration: Exploration) -> PropertyOutcome:
    """What a search says of one property, and how it is known; what was found and not replayed is not known."""
    if trace is None and name in exploration.found:
        steps = max(len(exploration.found[name]) - 1, 0)
        return PropertyOutcome(name, kind, Verdict.UNDETERMINED, f"bounded({steps})")
    known = (trace is not None, exploration.complete)
    assurance = kind.assurance(*known, steps=max(exploration.depth - 1, 0))
    return PropertyOutcome(name, kind, kind.verdict(*known), assurance, trace)


def command_of_check(
    name: str, constants: Mapping[str, Any], names: tuple[str, ...] | None, engine: str, request: Request
) -> str:
    """The line that runs a check again."""
    parts = [command_of("check", name, constants, names, request), f"--engine {engine}"]
    flags = {"--symmetry": request.symmetry, "--stop-at-first": request.stop_at_first}
    parts += [flag for flag, on in flags.items() if on]
    limits = request.limits
    cuts = {"states": limits.states, "depth": limits.depth, "seconds": limits.seconds, "memory": limits.memory}
    parts += [f"--max-{n} {v:g}" if n == "seconds" else f"--max-{n} {v}" for n, v in cuts.items() if v is not None]
    if request.cluster is not None:
        parts += [f"--master {shlex.quote(request.cluster.master)}"] if request.cluster.master else []
        parts += [f"--spark-conf {shlex.quote(f'{key}={value}')}" for key, value in request.cluster.conf]
    return " ".join(parts)


def named(bound: BoundModel, request: Request) -> tuple[str, ...] | None:
    """The names of the properties asked for; None where these are all."""
    everything = tuple(p.name for p in read_model(bound.ir.cls).properties if p in bound.properties)
    return None if request.properties == everything else request.properties


def command_of(
    command: str, name: str, constants: Mapping[str, Any], names: tuple[str, ...] | None, request: Request
) -> str:
    """What every command that runs a model is given."""
    parts = [f"isrcheck {command} {name}"]
    parts += [f"-c {n}={word(v)}" for n, v in constants.items()]
    if names is not None:
        parts += [f"--property {p}" for p in names or ("none",)]
    if request.deadlock:
        parts.append("--deadlock")
    if request.workers != 1:
        parts.append(f"--workers {request.workers}")
    return " ".join(parts)
