"""What temporal properties mean, tried out: every set of states in which a behaviour could stay for ever.

A behaviour visits some set of states again and again, and may then as well take every step within it. With fair steps
that is a condition on the set alone: no search for components, no refinement of them.
"""

from array import array
from collections.abc import Iterator, Sequence
from itertools import combinations

from hypothesis import strategies as st

from isrcheck.engines.common.behaviours import BehaviourGraph, FairnessCondition, Formula, FormulaKind, Lasso

Edge = tuple[int, int, int]


def edges(graph: BehaviourGraph) -> list[Edge]:
    return [
        (source, graph.instance[at], graph.target[at])
        for source in range(len(graph.first) - 1)
        for at in range(graph.first[source], graph.first[source + 1])
    ]


def pruned_steps(graph: BehaviourGraph) -> list[tuple[int, int]]:
    return [
        (state, instance)
        for state in range(len(graph.first) - 1)
        for instance in graph.pruned_instance[graph.pruned_first[state] : graph.pruned_first[state + 1]]
    ]


def enabled(graph: BehaviourGraph, state: int) -> set[int]:
    return {i for s, i, *_ in (*edges(graph), *pruned_steps(graph)) if s == state}


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
            one, back = {min(chosen)}, [(t, i, s) for s, i, t in inner]
            if reached(one, inner, chosen) == chosen == reached(one, back, chosen):
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


Question = tuple[BehaviourGraph, list[FairnessCondition], Formula]


def graph_of(
    size: int, steps: list[tuple[int, int, int]], pruned: list[tuple[int, int]], starts: list[int]
) -> BehaviourGraph:
    """Of steps (source, instance, target), and of pruned ones (source, instance)."""
    first, target, instance = array("Q", [0]), array("I"), array("I")
    pruned_first, pruned_instance = array("Q", [0]), array("I")
    for state in range(size):
        own = sorted({(i, t) for s, i, t in steps if s == state and t != state})
        instance.extend(i for i, _ in own)
        target.extend(t for _, t in own)
        first.append(len(target))
        pruned_instance.extend(sorted({i for s, i in pruned if s == state}))
        pruned_first.append(len(pruned_instance))
    return BehaviourGraph(first, target, instance, starts, pruned_first, pruned_instance)


def renumbered(question: Question, order: Sequence[int]) -> tuple[list[int], Question]:
    """The new number of each state, and the question about the states by these numbers."""
    graph, conditions, formula = question
    size = len(formula.p)
    number = [each for each in order if each < size]
    steps = [(number[s], i, number[t]) for s, i, t in edges(graph)]
    pruned = [(number[s], i) for s, i in pruned_steps(graph)]
    flags = [bytearray(of[number.index(s)] for s in range(size)) if of else of for of in (formula.p, formula.q)]
    other = graph_of(size, steps, pruned, [number[s] for s in graph.starts])
    return number, (other, conditions, Formula(formula.kind, *flags))


# All choices of parameters are many, and few occur.
NUMBERS = ((0, 1, 2, 3, 4), (3, 1, 5, 9_006_001, 2**32 - 1), (4, 2**32 - 1, 0, 1, 9_006_001, 2, 3, 5))


@st.composite
def questions(draw: st.DrawFn, most: int = 6) -> Question:
    size, (out, *instances) = draw(st.integers(1, most)), draw(st.sampled_from(NUMBERS))
    state, instance = st.integers(0, size - 1), st.sampled_from(instances[: draw(st.integers(1, len(instances)))])
    steps = draw(st.lists(st.tuples(state, instance, state), max_size=3 * size))
    ring = draw(st.integers(0, size))
    steps += [(s, draw(instance), (s + 1) % ring) for s in range(ring)]  # where a behaviour may stay
    leaves = [(s, out, draw(st.integers(ring, size - 1))) for s in range(ring if ring < size else 0)]
    steps += leaves if draw(st.booleans()) else leaves[1:]  # and from where a step of its own may always lead out
    pruned = draw(st.lists(st.tuples(state, instance), max_size=3))
    starts = sorted(draw(st.sets(state, min_size=1, max_size=2)))
    fair = st.tuples(st.booleans(), st.frozensets(instance, min_size=1, max_size=3))
    of_none, of_out = frozenset[int](), frozenset({out})
    last = [[], [(False, of_none), (True, of_none)], [(False, of_out)], [(True, of_out)]]
    chosen = draw(st.lists(fair, max_size=3)) + draw(st.sampled_from(last))
    conditions = [FairnessCondition(f"fair {n}", strong, of) for n, (strong, of) in enumerate(chosen)]
    somewhere = st.lists(st.booleans(), min_size=size, max_size=size).map(bytearray)
    never, beyond = bytearray(size), bytearray(state >= ring for state in range(size))
    bits = st.one_of(somewhere, st.just(never), st.just(beyond))  # of these, fairness alone decides
    kind = draw(st.sampled_from(FormulaKind))
    q = draw(bits) if kind is FormulaKind.LEADS_TO else bytearray()
    return graph_of(size, steps, pruned, starts), conditions, Formula(kind, draw(bits), q)
