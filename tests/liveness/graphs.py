"""Random graphs with random fairness and formulas."""

from array import array

from hypothesis import strategies as st

from isrcheck.engines.common.behaviours import BehaviourGraph, FairnessCondition, Formula, FormulaKind

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


@st.composite
def questions(draw: st.DrawFn, most: int = 6) -> Question:
    size, instances = draw(st.integers(1, most)), draw(st.integers(1, 4))
    state, instance = st.integers(0, size - 1), st.integers(0, instances - 1)
    steps = draw(st.lists(st.tuples(state, instance, state), max_size=3 * size))
    ring, out = draw(st.integers(0, size)), instances
    steps += [(s, draw(instance), (s + 1) % ring) for s in range(ring)]  # where a behaviour may stay
    leaves = [(s, out, draw(st.integers(ring, size - 1))) for s in range(ring if ring < size else 0)]
    steps += leaves if draw(st.booleans()) else leaves[1:]  # and from where a step of its own may always lead out
    pruned = draw(st.lists(st.tuples(state, instance), max_size=2))
    starts = sorted(draw(st.sets(state, min_size=1, max_size=2)))
    chosen = draw(st.lists(st.tuples(st.booleans(), st.frozensets(instance, min_size=1, max_size=2)), max_size=3))
    if draw(st.booleans()):
        chosen.append((draw(st.booleans()), frozenset({out})))
    conditions = [FairnessCondition(f"fair {n}", strong, of) for n, (strong, of) in enumerate(chosen)]
    somewhere = st.lists(st.booleans(), min_size=size, max_size=size).map(bytearray)
    bits = st.one_of(somewhere, st.just(bytearray(size)))  # of what never holds, fairness alone decides
    kind = draw(st.sampled_from(FormulaKind))
    q = draw(bits) if kind is FormulaKind.LEADS_TO else bytearray()
    return graph_of(size, steps, pruned, starts), conditions, Formula(kind, draw(bits), q)
