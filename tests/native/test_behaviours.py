"""The native graph of behaviours: the states, steps, pruned steps and truths that a slow walk finds, no others."""

import pytest
from tests.native.kip320 import kip320
from tests.native.naive import State, value
from tests.native.systems import Builder, counter, mutex, random_system, stopper

from isrcheck.engines.common.behaviours import FormulaKind
from isrcheck.engines.contract import FoundFault, Limits, Request
from isrcheck.engines.native import search
from isrcheck.engines.native.behaviours.graph import explore
from isrcheck.engines.native.codegen import program
from isrcheck.engines.native.kernel_text import text_of
from isrcheck.ir.frozen import replace
from isrcheck.ir.scalar import ScalarSystem


def taken(system: ScalarSystem, state: State) -> tuple[dict[int, State], set[int]]:
    """The steps that change something by instance, and the instances that are pruned."""
    steps, pruned = {}, set()
    for position, instance in enumerate(system.instances):
        if value(instance.guard, state):
            updates = dict(instance.updates)
            after = tuple(value(updates[i], state) if i in updates else old for i, old in enumerate(state))
            if value(instance.pruned, state):
                pruned.add(position)
            elif after != state:
                steps[position] = after
    return steps, pruned


def compare(system: ScalarSystem, request: Request) -> None:
    """Walk the graph beside the system from its initial states."""
    watched = [each.conditions[0] for each in system.properties if not each.kind.is_of_steps]
    explored = explore(system, {"p": [(FormulaKind.EVENTUALLY, [each]) for each in watched]}, request)
    graph = explored.graph
    number = dict(zip(system.initials, graph.starts, strict=True))
    waiting = list(number)
    while waiting:
        state = waiting.pop()
        row = number[state]
        places = range(graph.first[row], graph.first[row + 1])
        steps, pruned = taken(system, state)
        assert [graph.instance[place] for place in places] == sorted(steps)
        for place in places:
            after = steps[graph.instance[place]]
            if after not in number:
                number[after] = graph.target[place]
                waiting.append(after)
            assert number[after] == graph.target[place]
        lost = graph.pruned_instance[graph.pruned_first[row] : graph.pruned_first[row + 1]]
        assert list(lost) == sorted(pruned)
        assert [each.p[row] for each in explored.formulas["p"]] == [value(each.node, state) for each in watched]
    assert len(set(number.values())) == len(number)
    assert sum(len(taken(system, state)[0]) for state in number) == graph.first[len(graph.first) - 1]


@pytest.mark.parametrize("workers", [1, 3])
@pytest.mark.parametrize("system", [mutex(4), counter(9, 5), stopper(6), kip320(2, 1, 1, 1)])
def test_the_graph_is_that_of_the_system(system: ScalarSystem, workers: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "_ALONE_BELOW", 1)
    compare(system, Request(workers=workers))


@pytest.mark.parametrize("seed", range(30))
def test_random_graphs_are_those_of_their_systems(seed: int) -> None:
    compare(random_system(seed), Request())


def test_a_condition_without_a_value_is_a_fault_after_a_shortest_path() -> None:
    b = Builder(9)
    (n,) = b.vars
    b.step(0, b.k.true, {0: b.k.mod(b.k.add(n, b.k.const(1)), 9)})
    b.claim("asked", "invariant", b.k.true, fault=b.k.eq(n, b.k.const(4)))
    joined = {"asked": [(FormulaKind.EVENTUALLY, [b.properties[0].conditions[0]])]}
    with pytest.raises(FoundFault) as raised:
        explore(b.system(), joined, Request())
    assert (raised.value.path, raised.value.property) == ((0,) * 4, "asked")


def test_of_a_search_that_was_cut_short_the_steps_beyond_are_pruned() -> None:
    explored = explore(counter(50), {}, Request(limits=Limits(depth=4)))
    graph = explored.graph
    assert explored.cut == "after 4 levels"
    assert (list(graph.first), list(graph.pruned_first)) == ([0, 1, 2, 2], [0, 0, 0, 1])


def test_steps_to_where_a_constraint_ends_the_search_are_pruned() -> None:
    system = counter(50)
    k, (instance,) = Builder(50).k, system.instances
    outside = k.lt(k.const(2), k.var(0, 50))
    inside = replace(instance, guard=k.not_(outside))
    explored = explore(replace(system, outside=outside, instances=(inside,)), {}, Request())
    graph = explored.graph
    assert explored.is_constrained
    assert (list(graph.target), list(graph.first[:4])) == ([1, 2], [0, 1, 2, 2])
    assert list(graph.pruned_first[:4]) == [0, 0, 0, 1]


def test_a_search_without_temporal_properties_has_nothing_of_this_in_its_code() -> None:
    system = mutex(4)
    text = text_of(program(system, ["exclusive"]))
    observing = text_of(program(system, ["exclusive"], watched=[]))
    names = ("@observe", "@write_steps", "@leave_out", "@position")
    assert [name in text for name in names] == [False] * 4
    assert [name in observing for name in names] == [True] * 4
