"""Fair behaviours that never end: the fast search for them, against their definition on small graphs."""

from collections.abc import Sequence
from threading import Event

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from tests.liveness.brute import Question, edges, graph_of, pruned_steps, questions, renumbered
from tests.native.systems import Builder, counter, kip320, mutex, random_system, stopper
from tests.slow import quick_sample

from isrcheck.engines.common.behaviours import FairnessCondition, Formula, FormulaKind, Lasso
from isrcheck.engines.common.evaluate import Values
from isrcheck.engines.contract import FoundFault, Limits, Request
from isrcheck.engines.evaluator import ScalarStepper, State
from isrcheck.engines.native.behaviours import lassos
from isrcheck.engines.native.behaviours.graph import explore
from isrcheck.engines.native.behaviours.lassos import find_lasso
from isrcheck.engines.native.codegen import program
from isrcheck.engines.native.kernel_text import text_of
from isrcheck.ir.frozen import replace
from isrcheck.ir.scalar import ScalarSystem
from isrcheck.liveness import naive
from isrcheck.process.budget import OutOfBudget, budget


def weak(*instances: int) -> FairnessCondition:
    return FairnessCondition("weak", False, frozenset(instances))


def strong(*instances: int) -> FairnessCondition:
    return FairnessCondition("strong", True, frozenset(instances))


def formula(kind: FormulaKind, size: int, p: Sequence[int], q: Sequence[int] = ()) -> Formula:
    return Formula(kind, *(bytearray(state in states for state in range(size)) for states in (p, q)))


@settings(max_examples=300, deadline=None)
@given(questions(), some.permutations(range(6)))
def test_the_lasso_does_not_depend_on_how_states_are_numbered(question: Question, order: list[int]) -> None:
    graph, conditions, asked = question
    steps = {(source, instance): target for source, instance, target in edges(graph)}  # one a state and instance
    one = [(source, instance, target) for (source, instance), target in steps.items()]
    graph = graph_of(len(asked.p), one, pruned_steps(graph), [*graph.starts])
    number, (other, _, permuted) = renumbered((graph, conditions, asked), order)
    lasso, theirs = find_lasso(graph, conditions, asked), find_lasso(other, conditions, permuted)
    if lasso is not None:
        stem, cycle = (tuple(number[state] for state in states) for states in (lasso.stem, lasso.cycle))
        lasso = lasso._replace(stem=stem, cycle=cycle)
    assert lasso == theirs


def found(
    steps: list[tuple[int, int, int]],
    conditions: list[FairnessCondition],
    asked: Formula,
    pruned: Sequence[tuple[int, int]] = (),
    counts_pruned: bool = True,
) -> Lasso | None:
    """From state 0, by the search in Python, too."""
    graph = graph_of(len(asked.p), steps, [*pruned], [0])
    lasso = find_lasso(graph, conditions, asked, counts_pruned)
    assert (naive.find_lasso(graph, conditions, asked, counts_pruned) is None) == (lasso is None)
    return lasso


A, B = 0, 1
THERE_AND_BACK = [(0, A, 1), (1, B, 0)]
NEVER_P = formula(FormulaKind.EVENTUALLY, 3, [])
UNTIL_2 = formula(FormulaKind.EVENTUALLY, 3, [2])


def test_an_instance_has_no_fairness_of_another_one_with_its_place_in_the_table() -> None:
    first = found([(0, 3, 1)], [weak(0)], NEVER_P)
    assert first is not None
    assert first.stem == (0,)


def test_without_fairness_a_behaviour_stops_where_it_begins() -> None:
    assert found(THERE_AND_BACK, [], UNTIL_2) == Lasso((0,), (), (), ())


def test_a_behaviour_does_not_stop_where_a_fair_step_is_enabled() -> None:
    assert found([(0, A, 2)], [weak(A)], UNTIL_2) is None
    assert found([(0, A, 2)], [strong(A)], UNTIL_2) is None
    assert found([(0, A, 2)], [weak(B)], UNTIL_2) == Lasso((0,), (), (), ())


def test_a_step_that_is_taken_for_ever_is_fair() -> None:
    assert found(THERE_AND_BACK, [weak(A), weak(B)], UNTIL_2) == Lasso((0,), (), (1, 0), (A, B))


def test_a_cycle_whose_every_state_has_a_fair_step_out_of_it_is_left() -> None:
    leaving = [*THERE_AND_BACK, (0, 2, 2), (1, 2, 2)]
    assert found(leaving, [weak(A), weak(B), weak(2)], UNTIL_2) is None
    assert found(leaving[:-1], [weak(A), weak(B), weak(2)], UNTIL_2) is not None  # state 1 has it not enabled
    assert found(leaving[:-1], [weak(A), weak(B), strong(2)], UNTIL_2) is None


def test_weak_fairness_of_several_instances_is_served_by_any_of_them() -> None:
    leaving = [*THERE_AND_BACK, (0, 2, 2), (1, 2, 2)]
    assert found(leaving, [weak(A, B, 2)], UNTIL_2) == Lasso((0,), (), (1, 0), (A, B))


def test_strong_fairness_leaves_a_part_that_never_enables_it() -> None:
    steps = [(0, A, 1), (1, B, 0), (1, 2, 2), (2, 3, 1), (0, 4, 3)]
    asked = formula(FormulaKind.EVENTUALLY, 4, [3])
    fair = [weak(each) for each in range(4)]
    assert found(steps, [*fair, strong(4)], asked) == Lasso((0, 1), (A,), (2, 1), (2, 3))


def test_strong_conditions_undone_one_after_the_other() -> None:
    steps = [(0, A, 1), (1, B, 2), (2, 2, 0), (0, 3, 3), (1, 4, 3)]
    asked = formula(FormulaKind.EVENTUALLY, 4, [3])
    assert found(steps, [strong(3), weak(2)], asked) is not None  # it stops in state 1
    assert found(steps, [strong(3), strong(4), weak(2)], asked) is None
    assert found(steps, [strong(3), strong(4)], asked) == Lasso((0, 1, 2), (A, B), (), ())


def test_what_strong_fairness_leaves_is_looked_at_again_wherever_it_is() -> None:
    steps = [*THERE_AND_BACK, (1, 2, 2)]
    assert found(steps, [strong(2)], UNTIL_2) == Lasso((0,), (), (), ())
    assert found(steps, [strong(2), weak(A)], UNTIL_2) is None


def test_a_pruned_step_is_enabled_until_it_is_asked_not_to_be() -> None:
    assert found([], [weak(A)], NEVER_P, pruned=[(0, A)]) is None
    assert found([], [weak(A)], NEVER_P, pruned=[(0, A)], counts_pruned=False) == Lasso((0,), (), (), ())
    assert found([], [strong(A)], NEVER_P, pruned=[(0, A)]) is None


def test_a_pruned_step_does_not_serve_its_condition() -> None:
    assert found(THERE_AND_BACK, [weak(2)], NEVER_P, pruned=[(0, 2), (1, 2)]) is None
    assert found(THERE_AND_BACK, [weak(2), weak(A)], NEVER_P, pruned=[(0, 2)]) is not None


def test_leads_to_is_served_in_the_state_that_asks() -> None:
    assert found([], [], formula(FormulaKind.LEADS_TO, 1, [0], [0])) is None
    assert found([], [], formula(FormulaKind.LEADS_TO, 1, [0])) == Lasso((0,), (), (), ())


def test_a_cycle_without_q_counts_only_if_reached_without_it() -> None:
    steps = [(0, A, 1), (1, A, 2), (2, B, 0)]
    asked = formula(FormulaKind.LEADS_TO, 3, p=[0], q=[1])
    assert found(steps, [weak(A)], asked) is None
    assert found([*steps, (0, 2, 2)], [weak(A), weak(B)], asked) == Lasso((0,), (), (2, 0), (2, B))


def test_leads_to_is_asked_wherever_p_is_true_and_nowhere_else() -> None:
    steps = [(0, A, 1), (1, A, 2)]
    assert found(steps, [], formula(FormulaKind.LEADS_TO, 3, p=[2])) == Lasso((0, 1, 2), (A, A), (), ())
    assert found(steps, [], formula(FormulaKind.LEADS_TO, 4, p=[3])) is None  # not reached


def test_what_once_was_is_eventually_so_and_need_not_be_again() -> None:
    steps = [(0, A, 1), (1, A, 2)]
    assert found(steps, [weak(A)], formula(FormulaKind.EVENTUALLY, 3, [1])) is None
    assert found(steps, [weak(A)], formula(FormulaKind.ALWAYS_EVENTUALLY, 3, [1])) == Lasso((0, 1, 2), (A, A), (), ())


def test_eventually_always_is_broken_by_a_cycle_that_touches() -> None:
    steps = [*THERE_AND_BACK, (1, 2, 2)]
    fair = [weak(A), weak(B), weak(2)]
    asked = formula(FormulaKind.EVENTUALLY_ALWAYS, 3, [1, 2])
    assert found(steps, fair, asked) == Lasso((0,), (), (1, 0), (A, B))
    assert found(THERE_AND_BACK, [weak(A)], asked) == Lasso((0,), (), (1, 0), (A, B))
    assert found([(0, A, 1)], [weak(A)], asked) is None


def test_more_conditions_than_a_word_has_bits() -> None:
    size = 150
    around = [(state, state, (state + 1) % size) for state in range(size)]
    asked = formula(FormulaKind.EVENTUALLY, size + 1, [size])
    fair = [weak(each) for each in range(size)]
    lasso = found(around, fair, asked)
    assert lasso is not None
    assert len(lasso.cycle) == size
    out = [(state, 149 + 1, size) for state in range(size)]
    assert found([*around, *out], [*fair, weak(150)], asked) is None


def test_a_cycle_stays_short_beside_a_long_one() -> None:
    long = [(state, A, (state + 1) % 50) for state in range(50)]
    asked = formula(FormulaKind.EVENTUALLY, 51, [50])
    lasso = found([*long, (5, B, 4), (6, 2, 0)], [weak(A)], asked)
    assert lasso == Lasso((0, 1, 2, 3, 4), (A,) * 4, (5, 4), (A, B))


def test_a_search_that_goes_on_in_the_kernel_ends_with_the_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    is_over = Event()
    monkeypatch.setattr(lassos, "_function", lambda _: lambda _: is_over.wait(60))
    with budget(0.1), pytest.raises(OutOfBudget):
        find_lasso(graph_of(1, [], [], [0]), [], formula(FormulaKind.EVENTUALLY, 1, []))
    is_over.set()


def taken(stepper: ScalarStepper, state: State) -> tuple[dict[int, State], set[int]]:
    """The steps that change something by instance, and the instances that are pruned."""
    steps, pruned = {}, set()
    for position, after in stepper.steps(state):
        if after is None:
            pruned.add(position)
        elif after != state:
            steps[position] = after
    return steps, pruned


def compare(system: ScalarSystem, request: Request) -> None:
    """Walk the graph beside the system from its initial states."""
    stepper = ScalarStepper(system)
    watched = [each.conditions[0] for each in system.properties if not each.kind.is_of_steps]
    explored = explore(system, {"p": [(FormulaKind.EVENTUALLY, [each]) for each in watched]}, request)
    graph = explored.graph
    number = dict(zip(system.initials, graph.starts, strict=True))
    waiting = list(number)
    while waiting:
        state = waiting.pop()
        row = number[state]
        places = range(graph.first[row], graph.first[row + 1])
        steps, pruned = taken(stepper, state)
        assert [graph.instance[place] for place in places] == sorted(steps)
        for place in places:
            after = steps[graph.instance[place]]
            if after not in number:
                number[after] = graph.target[place]
                waiting.append(after)
            assert number[after] == graph.target[place]
        lost = graph.pruned_instance[graph.pruned_first[row] : graph.pruned_first[row + 1]]
        assert list(lost) == sorted(pruned)
        assert [each.p[row] for each in explored.formulas["p"]] == [Values(state).of(each.node) for each in watched]
    assert len(set(number.values())) == len(number)
    assert sum(len(taken(stepper, state)[0]) for state in number) == graph.first[len(graph.first) - 1]


@pytest.mark.parametrize("workers", [1, 3])
@pytest.mark.parametrize("system", [mutex(4), counter(9, 5), stopper(6), kip320(2, 1, 1, 1)])
def test_the_graph_is_that_of_the_system(system: ScalarSystem, workers: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("isrcheck.engines.native.workers.SHARED_FROM", 1)
    compare(system, Request(workers=workers))


@pytest.mark.parametrize("seed", quick_sample(range(30)))
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
