"""What a state graph shows, before it has a form."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from isrcheck.engines.reference import ReferenceStepper, State
from isrcheck.run.trace import Value, encode


@dataclass(frozen=True, kw_only=True)
class ViewNode:
    """A state, or a group of them; `values` are in the JSON form of `trace.encode`."""

    values: Mapping[str, Value]
    states: int = 1
    initial: bool = False
    violates: Mapping[str, int] = field(default_factory=dict)  # by property how many states
    meets: Mapping[str, int] = field(default_factory=dict)
    stuck: bool = False  # a state without steps
    unexpanded: int = 0  # states whose steps were not looked at
    numbers: tuple[int, ...] = ()  # the steps of the trace that lead to it; 0 is the beginning
    hidden: int = 0  # successors that are not shown
    since: int | None = None  # the node that it is compared with: only what differs is drawn


@dataclass(frozen=True, kw_only=True)
class ViewEdge:
    """Steps of one action between two nodes; `arguments` of a single step."""

    source: int
    target: int
    action: str
    arguments: Mapping[str, Value] = field(default_factory=dict)
    steps: int = 1
    violates: tuple[str, ...] = ()  # step properties that one of the steps violates
    numbers: tuple[int, ...] = ()  # its steps in the trace, from 1


@dataclass(frozen=True, kw_only=True)
class View:
    """`about` are lines of the caption, if not empty."""

    title: str
    about: tuple[str, ...]
    nodes: tuple[ViewNode, ...]
    edges: tuple[ViewEdge, ...]
    actions: tuple[str, ...]
    grouped: bool = False
    advice: str = ""  # what to ask for if there are too many nodes to draw
    cut: str | None = None  # why the graph is not whole


@dataclass(frozen=True)
class GraphElements:
    """Makes nodes and edges of states and steps, asking these properties."""

    stepper: ReferenceStepper
    properties: tuple[str, ...]

    def targets(self, state: State) -> tuple[list[str], list[str]]:
        violated, met = list[str](), list[str]()
        for name in self.properties:
            kind = self.stepper.roles[name].kind
            if not kind.is_of_steps and kind.is_target(self.stepper.holds(name, state)):
                (violated if kind.is_violation else met).append(name)
        return violated, met

    def violated_by(self, before: State, instance: int, after: State) -> tuple[str, ...]:
        asked = (name for name in self.properties if self.stepper.roles[name].kind.is_of_steps)
        return tuple(name for name in asked if not self.stepper.step_holds(name, before, instance, after))

    def node(self, state: State, **more: Any) -> ViewNode:
        violated, met = self.targets(state)
        return ViewNode(
            values={name: encode(value) for name, value in self.stepper.values(state).items()},
            initial=state == self.stepper.initial,
            violates=dict.fromkeys(violated, 1),
            meets=dict.fromkeys(met, 1),
            **more,
        )

    def edge(
        self, source: int, before: State, instance: int, target: int, after: State, numbers: tuple[int, ...] = ()
    ) -> ViewEdge:
        return ViewEdge(
            source=source,
            target=target,
            action=self.stepper.actions[self.stepper.action_of[instance]],
            arguments={n: encode(v) for n, v in self.stepper.arguments(instance).items()},
            violates=self.violated_by(before, instance, after),
            numbers=numbers,
        )
