"""A state graph before it has a form."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from isrcheck.engines.reference.stepper import ReferenceStepper, State
from isrcheck.run.trace import Value, encode


@dataclass(frozen=True, kw_only=True)
class ViewNode:
    """A state or a group of them."""

    values: Mapping[str, Value]  # encoded
    states: int = 1
    initial: bool = False
    violates: Mapping[str, int] = field(default_factory=dict)  # by property how many states
    meets: Mapping[str, int] = field(default_factory=dict)
    stuck: bool = False  # without steps
    # states whose steps were not looked at
    unexpanded: int = 0
    # steps of the trace to it; 0: the start
    numbers: tuple[int, ...] = ()
    hidden: int = 0  # successors left out
    # the node it is compared with, if any
    since: int | None = None


@dataclass(frozen=True, kw_only=True)
class ViewEdge:
    """Steps of one action."""

    source: int
    target: int
    action: str
    arguments: Mapping[str, Value] = field(default_factory=dict)  # of a single step
    steps: int = 1
    violates: tuple[str, ...] = ()  # step properties that one of the steps violates
    # steps of the trace, from 1
    numbers: tuple[int, ...] = ()


@dataclass(frozen=True, kw_only=True)
class View:
    """`about` is the caption."""

    title: str
    about: tuple[str, ...]
    nodes: tuple[ViewNode, ...]
    edges: tuple[ViewEdge, ...]
    actions: tuple[str, ...]
    grouped: bool = False
    advice: str = ""  # if it is too large
    cut: str | None = None  # if not whole


@dataclass(frozen=True)
class GraphElements:
    """Makes nodes and edges."""

    stepper: ReferenceStepper
    properties: tuple[str, ...]

    def targets(self, state: State) -> tuple[list[str], list[str]]:
        violated: list[str] = []
        met: list[str] = []
        for name in self.properties:
            kind = self.stepper.roles[name].kind
            if not kind.is_of_steps and kind.is_target(self.stepper.holds(name, state)):
                (violated if kind.is_violation else met).append(name)
        return violated, met

    def violations_of_step(self, before: State, instance: int, after: State) -> tuple[str, ...]:
        ask = self.stepper
        asked = (n for n in self.properties if ask.roles[n].kind.is_of_steps)
        return tuple(n for n in asked if not ask.step_holds(n, before, instance, after))

    def node(self, state: State, **more: Any) -> ViewNode:
        violated, met = self.targets(state)
        return ViewNode(
            values={name: encode(value) for name, value in self.stepper.values(state).items()},
            initial=state in self.stepper.initials,
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
            violates=self.violations_of_step(before, instance, after),
            numbers=numbers,
        )
