"""Temporal formulas on a small graph: whether a fair behaviour violates one, by strongly connected components."""

from collections.abc import Callable, Iterable
from typing import Any

Steps = list[list[tuple[int, int | None]]]  # by state: the call and where it leads; None where a bound prunes it


class Graph:
    """`fair` is what each call demands, `groups` which calls are demanded together."""

    def __init__(self, starts: list[int], steps: Steps, fair: list[str], groups: list[Any]) -> None:
        self.starts, self.steps, self.fair, self.groups = starts, steps, fair, groups

    def demands(self) -> list[tuple[bool, set[int]]]:
        """Whether strong, and the calls of each demand."""
        together: dict[Any, set[int]] = {}
        for call, fair in enumerate(self.fair):
            if fair:
                together.setdefault(self.groups[call], set()).add(call)
        return [(self.fair[min(calls)].startswith("strong"), calls) for calls in together.values()]

    def is_enabled(self, state: int, calls: set[int], with_pruned: bool) -> bool:
        return any(c in calls and (with_pruned if to is None else to != state) for c, to in self.steps[state])

    def reach(self, starts: Iterable[int], may: Callable[[int], bool]) -> set[int]:
        """The states that are reached from these by way of those that may be."""
        known = {s for s in starts if may(s)}
        waiting = list(known)
        while waiting:
            for _, to in self.steps[waiting.pop()]:
                if to is not None and to not in known and may(to):
                    known.add(to)
                    waiting.append(to)
        return known

    def has_fair_cycle(self, states: set[int], again: Callable[[int], bool], with_pruned: bool) -> bool:
        """Whether some behaviour stays in these states for ever, fairly, and is again and again in one of `again`."""
        waiting = self._components(states)
        while waiting:
            component = waiting.pop()
            if not any(map(again, component)):
                continue
            taken = {c for s in component for c, to in self.steps[s] if to in component and to != s}
            removed: set[int] = set()
            stuck = False
            for strong, calls in self.demands():
                if calls & taken:
                    continue
                enabled = {s for s in component if self.is_enabled(s, calls, with_pruned)}
                if strong:
                    removed |= enabled
                elif enabled == component:
                    stuck = True
            if stuck:
                continue
            if not removed:
                return True
            waiting += self._components(component - removed)
        return False

    def _components(self, states: set[int]) -> list[set[int]]:
        """The strongly connected components, by searches forwards and backwards. A state alone may stutter."""
        back: dict[int, set[int]] = {s: set() for s in states}
        for s in states:
            for _, to in self.steps[s]:
                if to in back:
                    back[to].add(s)
        left, components = set(states), []
        while left:
            one = next(iter(left))
            inside = left
            ahead = self.reach([one], inside.__contains__)
            behind, waiting = {one}, [one]
            while waiting:
                new = {s for s in back[waiting.pop()] if s in ahead} - behind
                behind |= new
                waiting += new
            components.append(behind)
            left = left - behind
        return components


def judge(graph: Graph, asked: tuple[str, list[tuple[bool, ...]]]) -> set[str]:
    """The verdicts that are right for a formula: where a bound decides, undetermined is one of them."""
    violated = [_is_violated(graph, *asked, with_pruned=which) for which in (True, False)]
    prunes = any(to is None for out in graph.steps for _, to in out)
    right = {"violated"} if violated[0] else {"undetermined"} if violated[1] else {"holds"}
    endings = asked[0] in ("always_eventually", "eventually_always")
    return right | ({"undetermined"} if prunes and endings and not violated[0] else set())


def _is_violated(graph: Graph, kind: str, truth: list[tuple[bool, ...]], with_pruned: bool) -> bool:
    every = graph.reach(graph.starts, lambda s: True)

    def lacks(state: int) -> bool:
        return not truth[state][-1]

    match kind:
        case "eventually":
            return graph.has_fair_cycle(graph.reach(graph.starts, lacks), lacks, with_pruned)
        case "leads_to":
            begun = [s for s in every if truth[s][0] and lacks(s)]
            return graph.has_fair_cycle(graph.reach(begun, lacks), lacks, with_pruned)
        case "always_eventually":
            return graph.has_fair_cycle({s for s in every if lacks(s)}, lacks, with_pruned)
    return graph.has_fair_cycle(every, lacks, with_pruned)
