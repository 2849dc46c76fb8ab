"""The graph of groups: states that are alike in chosen expressions become one node."""

from collections import Counter
from collections.abc import Sequence

from isrcheck.errors import counted
from isrcheck.evidence.graph.advice import advice
from isrcheck.evidence.graph.explored import Explored
from isrcheck.evidence.graph.expressions import GroupExpression, group_key
from isrcheck.evidence.graph.view import View, ViewEdge, ViewNode
from isrcheck.evidence.graph.whole import about
from isrcheck.run.trace import Value


def quotient(found: Explored, by: Sequence[GroupExpression], title: str) -> View:
    """Groups in the order in which the search met them; an edge for each action between two groups."""
    groups: dict[str, _StateGroup] = {}
    of_state: list[int] = []
    for place, state in enumerate(found.states):
        values = [expression.value(state) for expression in by]
        group = groups.setdefault(group_key(values), _StateGroup(len(groups), values))
        group.add(found, place)
        of_state.append(group.place)
    alike = ", ".join(expression.text for expression in by)
    return View(
        title=title,
        about=(*about(found), f"{counted(len(groups), 'group')} of states alike in {alike}"),
        nodes=tuple(group.node(by) for group in groups.values()),
        edges=_edges(found, of_state),
        actions=found.stepper.actions,
        grouped=True,
        advice=advice(found),
        cut=found.cut,
    )


class _StateGroup:
    """The states of one node, counted."""

    def __init__(self, place: int, values: list[Value]) -> None:
        self.place, self.values = place, values
        self.states = self.unexpanded = 0
        self.initial = False
        self.violates: Counter[str] = Counter()
        self.meets: Counter[str] = Counter()

    def add(self, found: Explored, place: int) -> None:
        violated, met = found.elements.targets(found.states[place])
        self.states += 1
        self.unexpanded += place >= found.looked_at
        self.initial |= not place
        self.violates.update(violated)
        self.meets.update(met)

    def node(self, by: Sequence[GroupExpression]) -> ViewNode:
        return ViewNode(
            values={expression.text: value for expression, value in zip(by, self.values, strict=True)},
            states=self.states,
            initial=self.initial,
            violates=dict(self.violates),
            meets=dict(self.meets),
            unexpanded=self.unexpanded,
        )


def _edges(found: Explored, of_state: list[int]) -> tuple[ViewEdge, ...]:
    """Edges by source, target and action, in that order."""
    stepper = found.stepper
    steps: Counter[tuple[int, int, int]] = Counter()
    broken: dict[tuple[int, int, int], dict[str, None]] = {}
    for source, instance, target in found.steps:
        edge = (of_state[source], of_state[target], stepper.action_of[instance])
        steps[edge] += 1
        names = found.elements.violated_by(found.states[source], instance, found.states[target])
        broken.setdefault(edge, {}).update(dict.fromkeys(names))
    return tuple(
        ViewEdge(source=s, target=t, action=stepper.actions[a], steps=steps[s, t, a], violates=tuple(broken[s, t, a]))
        for s, t, a in sorted(steps)
    )
