"""The reachable graph, on the reference; and a state graph before it has a form."""

import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from isrcheck.engines.contract import Progress
from isrcheck.engines.frozen_values import State
from isrcheck.engines.reference.stepper import ReferenceStepper
from isrcheck.errors import quantity
from isrcheck.ir.codec import codec
from isrcheck.ir.domains import MapDomain, RecordDomain
from isrcheck.ir.show import show
from isrcheck.run.trace import Value, constant_options, encode


@dataclass(frozen=True, kw_only=True)
class ViewNode:
    """A state or a group of them."""

    values: Mapping[str, Value]  # encoded
    states: int = 1
    initial: bool = False
    violates: Mapping[str, int] = field(default_factory=dict)  # by property how many states
    meets: Mapping[str, int] = field(default_factory=dict)
    stuck: bool = False  # without steps
    unexpanded: int = 0  # states whose steps were not looked at


@dataclass(frozen=True, kw_only=True)
class ViewEdge:
    """Steps of one action."""

    source: int
    target: int
    action: str
    arguments: Mapping[str, Value] = field(default_factory=dict)  # of a single step
    steps: int = 1
    violates: tuple[str, ...] = ()  # step properties that one of the steps violates


@dataclass(frozen=True, kw_only=True)
class View:
    """A state graph to draw: nodes and edges, a title, and `about`, the lines of its caption."""

    title: str
    about: tuple[str, ...]
    nodes: tuple[ViewNode, ...]
    edges: tuple[ViewEdge, ...]
    actions: tuple[str, ...]
    grouped: bool = False
    advice: str = ""  # if it is too large
    cut: str | None = None  # if not whole


MAX_STATES = 100_000  # by default
LIMIT = 150  # nodes of a readable drawing
_BEST = 12  # groups at a glance
_SECONDS = 0.5  # between reports


@dataclass
class Explored:
    """States in breadth-first order, and steps as (source, instance, target), without pruned ones.

    The first `looked_at` states have all their steps. `generated` is TLC's: the steps, and 1 for the initial state.
    """

    stepper: ReferenceStepper
    properties: tuple[str, ...]
    states: list[State] = field(default_factory=list)
    steps: list[tuple[int, int, int]] = field(default_factory=list)
    looked_at: int = 0
    depth: int = 0
    pruned: int = 0
    stuck: set[int] = field(default_factory=set)
    cut: str | None = None

    @property
    def generated(self) -> int:
        return len(self.steps) + 1

    def targets(self, state: State) -> tuple[list[str], list[str]]:
        """The properties that a state violates, and the reachability properties that it meets."""
        violated: list[str] = []
        met: list[str] = []
        for name in self.properties:
            kind = self.stepper.roles[name].kind
            if not kind.is_of_steps and kind.is_target(self.stepper.holds(name, state)):
                (violated if kind.is_violation else met).append(name)
        return violated, met

    def violations_of_step(self, source: int, instance: int, target: int) -> tuple[str, ...]:
        ask = self.stepper
        asked = (n for n in self.properties if ask.roles[n].kind.is_of_steps)
        before, after = self.states[source], self.states[target]
        return tuple(n for n in asked if not ask.step_holds(n, before, instance, after))

    @property
    def about(self) -> tuple[str, ...]:
        counts = f"{quantity(len(self.states), 'state')}, {quantity(len(self.steps), 'step')}, depth {self.depth}"
        constants = " ".join(constant_options({n: encode(v) for n, v in self.stepper.model.constants.items()}))
        cut = f"Not the whole graph: the search was cut off {self.cut}." if self.cut else ""
        return constants, f"{counts}, {self.pruned:,} pruned", cut


def explore(
    stepper: ReferenceStepper,
    properties: Iterable[str],
    max_states: int = MAX_STATES,
    progress: Callable[[Progress], None] = lambda _: None,
) -> Explored:
    """Every state and step; cut off at the end of a level with `max_states`."""
    graph = Explored(stepper, tuple(properties), [*stepper.initials])
    place = {state: number for number, state in enumerate(stepper.initials)}
    said = started = time.monotonic()
    while graph.looked_at < len(graph.states):
        graph.depth += 1
        if len(graph.states) >= max_states:
            graph.cut = f"after {quantity(len(graph.states), 'state')}"
            break
        for source in range(graph.looked_at, len(graph.states)):
            _expand(graph, source, place)
            now = time.monotonic()
            if now - said > _SECONDS:
                said = now
                waiting = len(graph.states) - source
                progress(Progress(graph.depth, len(graph.states), graph.generated, waiting, now - started))
        graph.looked_at = source + 1
    return graph


def _expand(graph: Explored, source: int, place: dict[State, int]) -> None:
    enabled = False
    for instance, after in graph.stepper.steps(graph.states[source]):
        enabled = True
        if after is None:
            graph.pruned += 1
            continue
        target = place.setdefault(after, len(graph.states))
        if target == len(graph.states):
            graph.states.append(after)
        graph.steps.append((source, instance, target))
    if not enabled:
        graph.stuck.add(source)


def advice(graph: Explored) -> str:
    """The --by options that would make the graph small enough; empty if there are none."""
    if len(graph.states) <= LIMIT:
        return ""
    known = [(name, source, values, len(set(values))) for name, source, values in _candidates(graph)]
    # of two variables, nearest to `_BEST`
    best: dict[str, tuple[str, list[object], int]] = {}
    for name, expr, values, groups in sorted(known, key=lambda one: abs(math.log(one[3] / _BEST))):
        if 2 <= groups <= LIMIT:
            best.setdefault(name, (f"--by {expr}", values, groups))
    singles = list(best.values())[:2]
    options = [(words, groups) for words, _, groups in singles]
    both = len(set(zip(*(values for _, values, _ in singles), strict=True)))
    if len(singles) == 2 and both <= LIMIT:
        options.append((" ".join(words for words, _ in options), both))
    return ", or ".join(f"{words} ({quantity(groups, 'group')})" for words, groups in options)


def _candidates(graph: Explored) -> Iterator[tuple[str, str, list[object]]]:
    for place, (name, domain) in enumerate(graph.stepper.model.domains.items()):
        first = next(codec(domain.key).values(), None) if isinstance(domain, MapDomain) else None
        if first is not None:
            yield name, f"'{name}[{show(first)}]'", [state[place][0] for state in graph.states]
        if not isinstance(domain, MapDomain):
            yield name, name, [state[place] for state in graph.states]
        for at, (field_name, _) in enumerate(domain.fields if isinstance(domain, RecordDomain) else ()):
            yield name, f"{name}.{field_name}", [state[place][at] for state in graph.states]
