"""Temporal formulas on a small graph: whether a fair behaviour violates one, by strongly connected components."""

import re
from collections.abc import Callable, Iterable, Mapping
from random import Random
from typing import Any

from tools.fuzz.expressions import Expressions
from tools.fuzz.readings import Impossible, Scope
from tools.fuzz.types import BOOL, Type, Types

NOTHING: Mapping[str, Type] = {}
_LARGE = re.compile(r"\b(Packet|Letter)\b")


class Declared:
    """The names that the methods of one model can use."""

    def __init__(self, rng: Random, features: frozenset[str]) -> None:
        self.rng, self.features = rng, features
        self.types = Types(rng, features)
        self.pen = Expressions(rng, self.types)
        self.variables: dict[str, tuple[Type, str]] = {}
        self.histories: set[str] = set()
        self.helpers: dict[str, tuple[list[Type], Type]] = {}
        self.effects: dict[str, list[Type]] = {}
        self.actions: dict[str, dict[str, Type]] = {}
        self.methods: dict[str, list[str]] = {}

    def has(self, feature: str) -> bool:
        return feature in self.features

    def _declare_variables(self) -> None:
        sums = self.has("union") and self.has("slots_everywhere")  # in few other variables, so that graphs are small
        types = [self.types.value() for _ in range(self.rng.choice((0, 1) if sums else (1, 2, 3)))]
        types += [self.types.map()] * self.rng.choice((0, 0, 1) if sums else (0, 1, 1))
        words = {"network": "Network", "bag": "Bag", "channels": "Channels"}
        types += [self.types.in_flight(container) for feature, container in words.items() if self.has(feature)]
        types += self.types.sets_in_slots() if self.has("slots") else []
        types += self.types.set_of_a_sum() if sums else []
        for of in [*types, self.types.ints[0], BOOL]:
            try:
                self.variables[f"v{len(self.variables)}"] = of, self._first(of)
            except Impossible:
                continue
        if self.has("history"):
            of = self.rng.choice((BOOL, self.types.ints[0]))
            self.variables["past"] = of, f"history({self._plain(of)})"
            self.histories = {"past"}

    def _first(self, of: Type) -> str:
        if of.kind == "int" and self.rng.random() < 0.2:
            return f'start("max(0, min({of.high}, 1))")'
        if of.kind == "set" and of.element.kind in ("sort", "enum") and self.rng.random() < 0.5:
            return f"members({of.element.spelling})"
        if of.kind == "map":
            return f"each({of.parts[0].spelling}, {self._first(of.parts[1])})"
        if of.kind in ("bag", "channels"):
            return f"{(of.names or ('Channels',))[0]}()"
        if of.kind == "record":
            return f"{of.spelling}({', '.join(self._plain(each) for each in of.parts)})"
        return self._plain(of)

    def _plain(self, of: Type) -> str:
        """A value that may stand outside methods."""
        match of.kind:
            case "int" | "bool":
                return "0" if of.kind == "int" else self.rng.choice(("False", "True"))
            case "record":
                return f"{of.spelling}({', '.join(self._plain(each) for each in of.parts)})"
            case "union":
                return self._plain(self.rng.choice(of.parts))
            case "sort" if "symmetric" not in of.names and not self.has("empty"):
                return f"{of.spelling}[0]"
            case "sort":
                raise Impossible(of.spelling)
        return self.pen.literal(of, Scope({}))

    def scope(self, names: Mapping[str, Type] = NOTHING, histories: bool = False) -> Scope:
        variables = {n: t for n, (t, _) in self.variables.items() if histories or n not in self.histories}
        return Scope(variables, dict(names), helpers=dict(self.helpers))

    def _parameters(self, most: int) -> dict[str, Type]:
        options: list[Callable[[], Type]] = [
            self.types.small,
            self.types.small,
            lambda: self.rng.choice(self.types.sorts),
        ]
        if self.has("optional"):
            options.append(lambda: self.types.optional(self.types.small()))
        if self.has("set") and self.has("subsets"):
            options.append(lambda: self.types.set_of(self.rng.choice(self.types.sorts)))
        if self.types.records or self.types.unions:
            options.append(lambda: self.rng.choice((*self.types.records, *self.types.unions)))
        in_flight = [t.element for t, _ in self.variables.values() if t.kind == "bag" or (t.kind == "set" and t.high)]
        if in_flight:
            options += [lambda: self.rng.choice(self.types.relatives(self.rng.choice(in_flight)))] * 2
        chosen = [self.rng.choice(options)() for _ in range(self.rng.choice((0, 1, 1, 2)[: most + 2]))]
        large = next((p for p in chosen if _LARGE.search(p.spelling)), None)
        return {f"p{i}": p for i, p in enumerate([large] if large else chosen)}

    def _method(
        self,
        mark: str,
        name: str,
        parameters: dict[str, Type],
        body: Callable[[Scope], list[str]],
        returns: str = "None",
        extra: str = "",
    ) -> None:
        scope = self.scope(parameters)
        lines = body(scope)
        given = "".join(f", {n}: {t.spelling}" for n, t in parameters.items())
        head = ["", *([mark] if mark else []), f"def {name}(self{given}{extra}) -> {returns}:"]
        self.methods[name] = head + ["    " + line for line in lines or ["pass"]]


Steps = list[list[tuple[int, int | None]]]  # by state: the call and where it leads; None where a bound prunes it


class Graph:
    """A graph with fairness: `fair` is what each call demands, `groups` which calls are demanded together."""

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
