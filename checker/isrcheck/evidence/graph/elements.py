"""Nodes and edges: states and steps of a model, with the properties that they violate or meet."""

from dataclasses import dataclass
from typing import Any

from isrcheck.engines.reference import ReferenceStepper, State
from isrcheck.evidence.graph.view import ViewEdge, ViewNode
from isrcheck.run.trace import encode


@dataclass(frozen=True)
class GraphElements:
    """Makes them, asking these properties."""

    stepper: ReferenceStepper
    properties: tuple[str, ...]

    def targets(self, state: State) -> tuple[list[str], list[str]]:
        """The invariants that a state violates, and the reachability properties that it meets."""
        violated, met = list[str](), list[str]()
        for name in self.properties:
            kind = self.stepper.roles[name].kind
            if not kind.is_of_steps and kind.is_target(self.stepper.holds(name, state)):
                (violated if kind.is_violation else met).append(name)
        return violated, met

    def violated_by(self, before: State, instance: int, after: State) -> tuple[str, ...]:
        """The step properties that a step violates."""
        asked = (name for name in self.properties if self.stepper.roles[name].kind.is_of_steps)
        return tuple(name for name in asked if not self.stepper.step_holds(name, before, instance, after))

    def node(self, state: State, **more: Any) -> ViewNode:
        """The node of one state."""
        violated, met = self.targets(state)
        values = {name: encode(value) for name, value in self.stepper.values(state).items()}
        initial = state == self.stepper.initial
        return ViewNode(
            values=values, initial=initial, violates=dict.fromkeys(violated, 1), meets=dict.fromkeys(met, 1), **more
        )

    def edge(
        self, source: int, before: State, instance: int, target: int, after: State, numbers: tuple[int, ...] = ()
    ) -> ViewEdge:
        """The edge of one step."""
        return ViewEdge(
            source=source,
            target=target,
            action=self.stepper.actions[self.stepper.action_of[instance]],
            arguments={n: encode(v) for n, v in self.stepper.arguments(instance).items()},
            violates=self.violated_by(before, instance, after),
            numbers=numbers,
        )
