"""State graphs of a search or a trace, and the expressions by which states are grouped."""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from isrcheck.engines.frozen_values import State
from isrcheck.engines.reference.stepper import ReferenceStepper
from isrcheck.errors import UsageError, nearest, quantity
from isrcheck.evidence.graph.explored import MAX_STATES, Explored, GraphElements, View, ViewEdge, ViewNode, advice
from isrcheck.ir.codec import codec
from isrcheck.ir.domains import BOOL, Domain, MapDomain, OptionalDomain, RecordDomain, describe
from isrcheck.ir.frozen import replace
from isrcheck.ir.show import show
from isrcheck.passes.bind import bind_domain
from isrcheck.run.replay import states_along, trace_path
from isrcheck.run.trace import Trace, Value, constant_options, encode
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


Steps = list[tuple[int, State]]  # instances with the states they lead to


def complete_view(graph: Explored, title: str) -> View:
    elements = graph.elements
    states = graph.states
    nodes = (
        elements.node(state, stuck=n in graph.stuck, unexpanded=int(n >= graph.looked_at))
        for n, state in enumerate(states)
    )
    edges = (elements.edge(source, states[source], i, target, states[target]) for source, i, target in graph.steps)
    return _of_explored(graph, title, nodes, edges)


def quotient(graph: Explored, by: Sequence[GroupExpression], title: str) -> View:
    groups: dict[str, list[int]] = {}  # positions, by what is alike
    for n, state in enumerate(graph.states):
        values = [expression.value(state) for expression in by]
        groups.setdefault(json.dumps(values, ensure_ascii=False), []).append(n)
    alike = ", ".join(expression.source for expression in by)
    group_of = {place: number for number, places in enumerate(groups.values()) for place in places}
    nodes = (_group(graph, by, places) for places in groups.values())
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


def _group(graph: Explored, by: Sequence[GroupExpression], places: Sequence[int]) -> ViewNode:
    targets = [graph.elements.targets(graph.states[place]) for place in places]
    return ViewNode(
        values={expression.source: expression.value(graph.states[places[0]]) for expression in by},
        states=len(places),
        initial=places[0] == 0,
        violates=Counter(name for violated, _ in targets for name in violated),
        meets=Counter(name for _, met in targets for name in met),
        unexpanded=sum(place >= graph.looked_at for place in places),
    )


def _edges(graph: Explored, group_of: dict[int, int]) -> tuple[ViewEdge, ...]:
    steps: Counter[tuple[int, int, int]] = Counter()
    broken: dict[tuple[int, int, int], dict[str, None]] = {}
    for source, instance, target in graph.steps:
        edge = (group_of[source], group_of[target], graph.stepper.action_of[instance])
        steps[edge] += 1
        names = graph.elements.violations_of_step(graph.states[source], instance, graph.states[target])
        broken.setdefault(edge, {}).update(dict.fromkeys(names))
    actions = graph.stepper.actions
    return tuple(
        ViewEdge(source=s, target=t, action=actions[a], steps=steps[s, t, a], violates=tuple(broken[s, t, a]))
        for s, t, a in sorted(steps)
    )


def neighbourhood(
    stepper: ReferenceStepper,
    properties: tuple[str, ...],
    trace: Trace,
    radius: int,
    title: str,
    max_states: int = MAX_STATES,
) -> View:
    """The states of a trace, and those within `radius` steps, or fewer if these are more than `max_states`.

    Raises UsageError for a trace that is not one of this model.
    """
    path = trace_path(stepper.model, trace, "the trace")
    along = states_along(stepper, path, trace.name, "reference")
    steps, reached_from, reached = _within(stepper, along, radius, max_states)
    place = {state: number for number, state in enumerate(steps)}
    numbers: dict[State, list[int]] = {}
    taken: dict[tuple[State, int], list[int]] = {}
    for number, state in enumerate(along):
        numbers.setdefault(state, []).append(number)
        if number:
            taken.setdefault((along[number - 1], path[number - 1]), []).append(number)
    elements = GraphElements(stepper, properties)
    nodes = (
        elements.node(
            state,
            numbers=tuple(numbers.get(state, ())),
            since=place[reached_from[state]] if state in reached_from else None,
            hidden=len({after for _, after in successors if after not in place}),
        )
        for state, successors in steps.items()
    )
    edges = (
        elements.edge(place[state], state, instance, place[after], after, tuple(taken.get((state, instance), ())))
        for state, steps_out in steps.items()
        for instance, after in steps_out
        if after in place
    )
    near = (
        f"the {quantity(trace.length, 'state')} of a trace of {trace.name}, and all within {quantity(reached, 'step')}"
    )
    less = "" if reached == radius else f"Not the {quantity(radius, 'step')} asked for: there would be too many states."
    return View(
        title=title,
        about=(
            " ".join(constant_options(trace.constants)),
            f"{near}: {quantity(len(steps), 'state')} in all",
            less,
            "a state beside the trace shows how it differs from the one that first leads to it",
        ),
        nodes=tuple(nodes),
        edges=tuple(edges),
        actions=stepper.actions,
        advice=f"--radius {reached - 1}" if reached else "",
        cut=None if reached == radius else f"{quantity(reached, 'step')} from the trace",
    )


def _within(
    stepper: ReferenceStepper, states: list[State], radius: int, max_states: int
) -> tuple[dict[State, Steps], dict[State, State], int]:
    """All states within so many steps, with their steps; where others were reached from; and the radius taken."""
    steps: dict[State, Steps] = {}
    reached_from: dict[State, State] = {}
    level, distance = list(dict.fromkeys(states)), 0
    while True:
        for state in level:
            steps[state] = [(instance, after) for instance, after in stepper.steps(state) if after is not None]
        near: dict[State, State] = {}
        for before, after in ((state, after) for state in level for _, after in steps[state] if after not in steps):
            near.setdefault(after, before)
        if distance == radius or len(steps) + len(near) > max_states:
            return steps, reached_from, distance
        reached_from |= near
        level, distance = list(near), distance + 1
