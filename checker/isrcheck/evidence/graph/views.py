"""State graphs of a search, and the expressions by which states are grouped."""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from isrcheck.engines.frozen_values import State
from isrcheck.engines.reference.stepper import ReferenceStepper
from isrcheck.errors import UsageError, nearest, quantity
from isrcheck.evidence.graph.explored import Explored, View, ViewEdge, ViewNode, advice
from isrcheck.ir.codec import codec
from isrcheck.ir.domains import BOOL, Domain, MapDomain, OptionalDomain, RecordDomain, describe
from isrcheck.ir.frozen import replace
from isrcheck.ir.show import show
from isrcheck.passes.bind import bind_domain
from isrcheck.run.trace import Value, encode
from isrcheck.wrap import plain

_EXPRESSION = re.compile(r"([^\W\d]\w*)((?:\.[^\W\d]\w*|\[[^\[\]]+\])*)")
_ACCESS = re.compile(r"\.(\w+)|\[([^\[\]]+)\]")


@dataclass(frozen=True)
class GroupExpression:
    """An expression of --by, and the function that evaluates it in a state to an encoded value."""

    source: str
    value: Callable[[State], Value]


def expression(stepper: ReferenceStepper, source: str) -> GroupExpression:
    """Reads NAME, NAME.field, NAME[key] or NAME[key].field. Raises UsageError."""
    match = _EXPRESSION.fullmatch(source.strip())
    if not match:
        raise UsageError(
            f"--by {source} cannot group states: write a variable, a field of one (a.b), an "
            "entry of a map (a[r0]), or a method without parameters."
        )
    base, domain = _base(stepper, match[1])
    parts: list[Callable[[Any], Any]] = []
    for named in _ACCESS.finditer(match[2]):
        access, domain = (
            _field(domain, named[1], source) if named[1] else _value_under_key(domain, named[2].strip(), source)
        )
        parts.append(access)

    def value(state: State) -> Value:
        reached = base(state)
        for step in parts:
            reached = step(reached)
        return encode(frozenset(reached) if isinstance(reached, set) else reached)

    return GroupExpression(plain(source.strip()), value)


def _base(stepper: ReferenceStepper, name: str) -> tuple[Callable[[State], Any], Domain]:
    model = stepper.model
    if name in model.domains:
        return lambda state: stepper.values(state)[name], model.domains[name]
    if name in stepper.roles and not stepper.roles[name].kind.is_of_steps:
        return lambda state: stepper.holds(name, state), BOOL
    askable = {n: (m.returns, m.at) for n, m in model.ir.helpers.items() if not m.parameters and m.returns is not None}
    if name in askable:
        returns, at = askable[name]
        return lambda state: stepper.ask(name, state), bind_domain(returns, model.constants, at)
    if name in model.ir.helpers:
        raise UsageError(
            f"--by {name} cannot be asked of a state: {name} of {model.ir.name} takes parameters, or changes "
            "the state. Name a variable, or a method without parameters that returns a value."
        )
    asked = [n for n, p in stepper.roles.items() if not p.kind.is_of_steps]
    raise UsageError(
        f"{model.ir.name} has no variable or method {name} to group by."
        f"{nearest(name, [*model.domains, *askable, *asked])}"
    )


def _field(domain: Domain, name: str, source: str) -> tuple[Callable[[Any], Any], Domain]:
    record = domain.of if isinstance(domain, OptionalDomain) else domain
    if not isinstance(record, RecordDomain):
        raise UsageError(f"--by {source}: {name} is not a field of {describe(domain)}.")
    fields = dict(record.fields)
    if name not in fields:
        raise UsageError(f"--by {source}: {record.name} has no field {name}.{nearest(name, fields)}")
    return lambda value: None if value is None else getattr(value, name), fields[name]


def _value_under_key(domain: Domain, key: str, source: str) -> tuple[Callable[[Any], Any], Domain]:
    if not isinstance(domain, MapDomain):
        raise UsageError(f"--by {source}: [{key}] is not an entry of {describe(domain)}.")
    keys = {show(value): value for value in codec(domain.key).values()}
    if key not in keys:
        raise UsageError(f"--by {source}: there is no key {key}.{nearest(key, keys)}")
    return lambda value: value[keys[key]], domain.value


def complete_view(graph: Explored, title: str) -> View:
    values = ({n: encode(v) for n, v in graph.stepper.values(state).items()} for state in graph.states)
    nodes = (replace(_node(graph, [n], each), stuck=n in graph.stuck) for n, each in enumerate(values))
    return _of_explored(graph, title, nodes, (_edge(graph, *each) for each in graph.steps))


def _node(graph: Explored, places: Sequence[int], values: Mapping[str, Value]) -> ViewNode:
    targets = [graph.targets(graph.states[place]) for place in places]
    return ViewNode(
        values=values,
        states=len(places),
        initial=places[0] < len(graph.stepper.initials),
        violates=Counter(name for violated, _ in targets for name in violated),
        meets=Counter(name for _, met in targets for name in met),
        unexpanded=sum(place >= graph.looked_at for place in places),
    )


def _edge(graph: Explored, source: int, instance: int, target: int) -> ViewEdge:
    stepper = graph.stepper
    return ViewEdge(
        source=source,
        target=target,
        action=stepper.actions[stepper.action_of[instance]],
        arguments={n: encode(v) for n, v in stepper.arguments(instance).items()},
        violates=graph.violations_of_step(source, instance, target),
    )


def quotient(graph: Explored, by: Sequence[GroupExpression], title: str) -> View:
    groups: dict[str, list[int]] = {}  # positions, by what is alike, as JSON
    for n, state in enumerate(graph.states):
        values = {expression.source: expression.value(state) for expression in by}
        groups.setdefault(json.dumps(values), []).append(n)
    alike = ", ".join(expression.source for expression in by)
    group_of = {place: number for number, places in enumerate(groups.values()) for place in places}
    nodes = (_node(graph, places, json.loads(values)) for values, places in groups.items())
    said = f"{quantity(len(groups), 'group')} of states alike in {alike}"
    return replace(_of_explored(graph, title, nodes, _edges(graph, group_of), said), grouped=True)


def _of_explored(graph: Explored, title: str, nodes: Iterable[ViewNode], edges: Iterable[ViewEdge], *more: str) -> View:
    return View(
        title=title,
        about=(*graph.about, *more),
        nodes=tuple(nodes),
        edges=tuple(edges),
        actions=graph.stepper.actions,
        advice=advice(graph),
        cut=graph.cut,
    )


def _edges(graph: Explored, group_of: dict[int, int]) -> tuple[ViewEdge, ...]:
    steps: Counter[tuple[int, int, int]] = Counter()
    broken: dict[tuple[int, int, int], dict[str, None]] = {}
    for source, instance, target in graph.steps:
        edge = (group_of[source], group_of[target], graph.stepper.action_of[instance])
        steps[edge] += 1
        names = graph.violations_of_step(source, instance, target)
        broken.setdefault(edge, {}).update(dict.fromkeys(names))
    actions = graph.stepper.actions
    return tuple(
        ViewEdge(source=s, target=t, action=actions[a], steps=steps[s, t, a], violates=tuple(broken[s, t, a]))
        for s, t, a in sorted(steps)
    )
