"""The reference engine as it is asked: a search; and a graph of behaviours, with what the author asks of each state."""

from array import array
from collections.abc import Iterable, Sequence
from itertools import chain

from isrcheck.engines.common.behaviours import BehaviourGraph, ExploredBehaviours, Formula, FormulaKind
from isrcheck.engines.contract import Request, Searched
from isrcheck.engines.explore import Explorer
from isrcheck.engines.frozen_values import State
from isrcheck.engines.reference.stepper import ReferenceRefinement, ReferenceStepper
from isrcheck.errors import ModelError
from isrcheck.passes.bind import BoundModel
from isrcheck.process.budget import phase, poll, poll_by_timer


def search(model: BoundModel, request: Request) -> Searched:
    """Explore a model with the author's own methods. Raises ModelError."""
    kinds = {p.name: p.kind for p in model.ir.properties}
    stepper = ReferenceStepper(model)
    for refined in filter(None, map(stepper.refinement, request.properties)):
        _check_beginning(refined)
    return Explorer(stepper, kinds, request).run()


def _check_beginning(refined: ReferenceRefinement) -> None:
    """Check that each initial state is an abstract one, whether or not a step leaves it. Raises ModelError."""
    concrete, method = refined.concrete, refined.method
    if not {refined.map_state(first) for first in concrete.initials} <= {*refined.abstract.initials}:
        sentence = f"an initial state of {concrete.model.ir.name} is not one of {refined.name}"
        raise ModelError(method.at, f"{sentence} under {method.name}().")


def behaviours(model: BoundModel, names: Sequence[str], request: Request) -> ExploredBehaviours:
    """The graph of its behaviours, and the formulas of these temporal properties. Raises ModelError."""
    stepper = ReferenceStepper(model)
    explorer = Explorer(stepper, {}, Request(limits=request.limits, progress=request.progress))
    exploration = explorer.run()
    if exploration.interrupted:
        raise KeyboardInterrupt  # the graph so far may take seconds to write
    phase("writing the graph of behaviours")
    known = explorer.levels if exploration.cut is None else explorer.levels[: max(exploration.depth - 1, 0)]
    states = dict.fromkeys(chain(*known))
    with poll_by_timer():
        graph = _graph(stepper, states)
        formulas = {name: _formulas(stepper, name, states) for name in names}
    return ExploredBehaviours(graph, formulas, exploration.cut, exploration.outside > 0)


def _graph(stepper: ReferenceStepper, states: Iterable[State]) -> BehaviourGraph:
    """The graph of these states; steps that lead to others are pruned."""
    numbers = {state: number for number, state in enumerate(states)}
    first, target, instance = array("Q", [0]), array("I"), array("I")
    pruned_first, pruned_instance = array("Q", [0]), array("I")
    for before in numbers:
        poll()
        for position, after in stepper.steps(before):
            if after == before:
                continue
            if after is None or after not in numbers or not stepper.keeps((before, position), after):
                pruned_instance.append(position)
            else:
                instance.append(position)
                target.append(numbers[after])
        first.append(len(target))
        pruned_first.append(len(pruned_instance))
    starts = [numbers[start] for start in stepper.initials if start in numbers]
    return BehaviourGraph(first, target, instance, starts, pruned_first, pruned_instance)


def _formulas(stepper: ReferenceStepper, name: str, states: Iterable[State]) -> list[Formula]:
    method = next(each for each in stepper.model.ir.temporal if each.name == name)
    answers = [stepper.formula_answers(name, state) for state in states]
    count = len(answers[0]) if answers else 0
    sides = [[bytearray(row[n][side] for row in answers) for side in range(len(method.operands))] for n in range(count)]
    return [Formula(FormulaKind(method.operator.value), *each) for each in sides]
