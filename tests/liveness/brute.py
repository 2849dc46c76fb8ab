"""What temporal properties mean, tried out: every set of states in which a behaviour could stay for ever.

A behaviour visits some set of states again and again, and may then as well take every step within it. With fair steps
that is a condition on the set alone: no search for components, no refinement of them.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations

from isrcheck.engines.common.behaviours import BehaviourGraph, FairnessCondition, Formula, FormulaKind, Lasso

Edge = tuple[int, int, int]


def edges(graph: BehaviourGraph) -> list[Edge]:
    return [
        (source, graph.instance[at], graph.target[at])
        for source in range(len(graph.first) - 1)
        for at in range(graph.first[source], graph.first[source + 1])
    ]


def enabled(graph: BehaviourGraph, state: int) -> set[int]:
    pruned = graph.pruned_instance[graph.pruned_first[state] : graph.pruned_first[state + 1]]
    return {i for s, i, _ in edges(graph) if s == state} | {*pruned}


def reached(starts: set[int], steps: Sequence[Edge], inside: set[int]) -> set[int]:
    found = starts & inside
    while new := {t for s, _, t in steps if s in found and t in inside} - found:
        found |= new
    return found


def is_fair(graph: BehaviourGraph, conditions: Sequence[FairnessCondition], states: set[int], taken: set[int]) -> bool:
    """Of a behaviour that visits these states, and takes steps of these instances, without end."""
    for condition in conditions:
        asked = [bool(condition.instances & enabled(graph, state)) for state in states]
        put_off = any(asked) if condition.is_strong else all(asked)
        if put_off and not condition.instances & taken:
            return False
    return True


def recurring(graph: BehaviourGraph, conditions: Sequence[FairnessCondition]) -> Iterator[set[int]]:
    """The sets of states that some fair behaviour visits without end, and no others."""
    every, steps = range(len(graph.first) - 1), edges(graph)
    for size in range(1, len(every) + 1):
        for chosen in map(set, combinations(every, size)):
            inner = [(s, i, t) for s, i, t in steps if s in chosen and t in chosen]
            if all(reached({state}, inner, chosen) == chosen for state in chosen):
                if is_fair(graph, conditions, chosen, {i for _, i, _ in inner}):
                    yield chosen


def violated(graph: BehaviourGraph, conditions: Sequence[FairnessCondition], formula: Formula) -> bool:
    steps, everything = edges(graph), set(range(len(graph.first) - 1))
    not_p = {s for s in everything if not formula.p[s]}
    reachable = reached({*graph.starts}, steps, everything)
    for states in recurring(graph, conditions):
        match formula.kind:
            case FormulaKind.EVENTUALLY:
                found = states <= not_p and bool(states & reached({*graph.starts}, steps, not_p))
            case FormulaKind.ALWAYS_EVENTUALLY:
                found = states <= not_p and bool(states & reachable)
            case FormulaKind.EVENTUALLY_ALWAYS:
                found = bool(states & not_p) and bool(states & reachable)
            case FormulaKind.LEADS_TO:
                not_q = {s for s in everything if not formula.q[s]}
                asked = (everything - not_p) & not_q & reachable
                found = states <= not_q and bool(states & reached(asked, steps, not_q))
        if found:
            return True
    return False


def is_witness(graph: BehaviourGraph, conditions: Sequence[FairnessCondition], formula: Formula, lasso: Lasso) -> bool:
    """Whether a lasso is a fair behaviour of the graph, and the formula false of it."""
    stem, steps = lasso.stem, edges(graph)
    path = [(s, i, t) for s, i, t in zip(stem, lasso.stem_instances, stem[1:], strict=False)]
    cycle = [(s, i, t) for s, i, t in zip((stem[-1], *lasso.cycle), lasso.cycle_instances, lasso.cycle, strict=False)]
    states = {stem[-1], *lasso.cycle}
    pairs = {(s, t) for s, _, t in cycle}
    taken = {i for s, i, t in steps if (s, t) in pairs}  # a step is of every instance that makes it
    if stem[0] not in graph.starts or not {*path, *cycle} <= {*steps}:
        return False
    if (lasso.cycle and lasso.cycle[-1] != stem[-1]) or not is_fair(graph, conditions, states, taken):
        return False
    match formula.kind:
        case FormulaKind.EVENTUALLY:
            return not any(formula.p[s] for s in (*stem, *lasso.cycle))
        case FormulaKind.ALWAYS_EVENTUALLY:
            return not any(formula.p[s] for s in states)
        case FormulaKind.EVENTUALLY_ALWAYS:
            return not all(formula.p[s] for s in states)
    whole = (*stem, *lasso.cycle)
    return any(formula.p[s] and not any(formula.q[t] for t in (*whole[at:], *states)) for at, s in enumerate(whole))
