"""Temporal properties decided in a graph: as if what bounds prune could not happen, and as if it could.

What is found where it could violates the property without the bounds, too. What is found only where it could not is a
behaviour that some bound stops: neither a violation nor none.

The fairness of steps: of fair actions, and of the environments that a run chooses.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from isrcheck.catalogue import kin_with
from isrcheck.engines.common.behaviours import (
    BehaviourGraph,
    ExploredBehaviours,
    FairnessCondition,
    Formula,
    FormulaKind,
    Lasso,
)
from isrcheck.errors import UsageError, blame, nearest, quantity
from isrcheck.ir.model import Method
from isrcheck.ir.show import show
from isrcheck.lang.declare import Taken
from isrcheck.lang.instance import blank, with_sort_sizes
from isrcheck.liveness.naive import ShortestLasso, is_small, steps_of
from isrcheck.passes.bind import BoundModel
from isrcheck.passes.choices import MOST_INSTANCES, MOST_LISTED, Choice, Ground
from isrcheck.process.budget import OutOfBudget, poll

_AT_ONCE = 1 << 16  # instances between two looks at the clock: 2 ms
OF_THE_END = (FormulaKind.ALWAYS_EVENTUALLY, FormulaKind.EVENTUALLY_ALWAYS)  # no beginning decides them
Find = Callable[[BehaviourGraph, Sequence[FairnessCondition], Formula, bool], Lasso | None]  # such as find_lasso
Stranded = Callable[[BehaviourGraph, Sequence[FairnessCondition]], int | None]  # of liveness/naive.py


@dataclass
class BehaviourFindings:
    """The findings by property; `cut` says, as a phrase, why the rest are not decided."""

    violated: dict[str, Lasso] = field(default_factory=dict)
    stopped: dict[str, Lasso] = field(default_factory=dict)  # a behaviour that some bound stops
    decided: set[str] = field(default_factory=set)  # those of which all behaviours were looked at
    cut: str | None = None
    interrupted: bool = False
    none_is_fair: bool = False  # of the behaviours within the bounds
    unseen: set[str] = field(default_factory=set)  # what becomes of them is beyond the bounds,
    unseen_after: int = 0  # after so many steps, in all fair behaviours
    never_enabled: frozenset[str] = frozenset()  # conditions


def decide(
    explored: ExploredBehaviours, conditions: Sequence[FairnessCondition], find: Find, stranded: Stranded
) -> BehaviourFindings:
    """Decide temporal properties in an explored graph. An interrupt keeps the findings so far."""
    findings = BehaviourFindings(cut=explored.cut)
    is_whole = explored.cut is None
    is_pruned = is_whole and len(explored.graph.pruned_instance) > 0

    def first(formulas: Iterable[Formula], pruned_counts: bool) -> Lasso | None:
        """The shortest lasso in a small graph, else the lasso of the first formula that has one."""
        graph, best = explored.graph, None
        for each in formulas:
            lasso = find(graph, conditions, each, pruned_counts)
            if lasso is not None and not is_small(graph):
                return lasso
            if lasso is not None:
                shortest = ShortestLasso(graph, conditions, each, pruned_counts).shorten(lasso)
                best = shortest if best is None else min(best, shortest, key=steps_of)
        return best

    try:
        for name, formulas in explored.formulas.items():
            # What is fair while pruned steps count is fair while they do not: where the latter search finds nothing,
            # the former would not either.
            stopped = first(formulas, False) if is_pruned else None
            if (stopped or not is_pruned) and (lasso := first(formulas, True)):
                findings.violated[name] = lasso
            elif stopped:
                findings.stopped[name] = stopped
            elif is_whole and not explored.is_constrained:
                findings.decided.add(name)
        if is_whole:
            findings.never_enabled = _never_enabled(explored.graph, conditions)
            if findings.decided and not findings.violated:
                never = Formula(FormulaKind.EVENTUALLY, bytearray(len(explored.graph.first) - 1))
                findings.none_is_fair = find(explored.graph, conditions, never, True) is None
            of_the_end = {n for n in findings.decided if any(f.kind in OF_THE_END for f in explored.formulas[n])}
            if is_pruned and of_the_end and (steps := stranded(explored.graph, conditions)) is not None:
                findings.unseen, findings.unseen_after = of_the_end, steps
                findings.decided -= of_the_end
    except OutOfBudget as over:
        findings.cut = str(over)
    except KeyboardInterrupt:
        findings.cut, findings.interrupted = "by the user", True
    return findings


def _distinct(instances: Sequence[int]) -> set[int]:
    distinct = set[int]()
    for first in range(0, len(instances), _AT_ONCE):
        poll()
        distinct.update(instances[first : first + _AT_ONCE])
    return distinct


def _never_enabled(graph: BehaviourGraph, conditions: Sequence[FairnessCondition]) -> frozenset[str]:
    enabled = _distinct(graph.instance) | _distinct(graph.pruned_instance)
    return frozenset(each.name for each in conditions if each.instances.isdisjoint(enabled))


def fairness_conditions(model: BoundModel, environments: Sequence[str]) -> tuple[FairnessCondition, ...]:
    """The fairness conditions, by positions among all choices of parameters. Raises UsageError or ModelError."""
    return tuple(each for method in fair_methods(model, environments) for each in conditions_of(model, method))


def fair_methods(model: BoundModel, environments: Sequence[str]) -> Iterator[Method]:
    """The fair actions, and these environments."""
    yield from (action for action in model.ir.actions if action.fair)
    yield from (environment(model, name) for name in environments)


def conditions_of(model: BoundModel, method: Method) -> Iterator[FairnessCondition]:
    kind, _, together = method.fair.partition("-")
    positions = _positions(model, method)
    is_strong, every = kind == "strong", Ground(model)
    if not together:
        _refuse_many(method, len(positions))
        for position in positions:
            name = f"{kind} fairness of {_call_text(model, every[position])}"
            yield FairnessCondition(name, is_strong, frozenset({position}))
    elif chosen := frozenset(positions):
        yield FairnessCondition(f"{kind} fairness of {method.name}", is_strong, chosen)


def _positions(model: BoundModel, method: Method) -> Sequence[int]:
    """The positions of an action's choices, or of an environment's. Raises UsageError for too many."""
    every = Ground(model)
    is_action = method in model.ir.actions
    place = model.ir.actions.index(method) if is_action else 0
    count = every.size(place) if is_action else len(every)
    if count > MOST_LISTED:
        about = "speaks of" if is_action else "is asked of"
        sentence = f"{method.name} {about} {quantity(count, 'choice')} of parameters; {MOST_LISTED:,} are the most"
        raise UsageError(f"{sentence}: use smaller constants.")
    return range(every.first[place], every.first[place + 1]) if is_action else list(_environment_choices(model, method))


def environment(model: BoundModel, name: str) -> Method:
    """Find an environment of the model by name. Raises UsageError."""
    known = {method.name: method for method in model.ir.environments}
    if name not in known:
        says = nearest(name, known) if known else " Write def NAME(self, taken: Taken) -> bool, marked @fairness."
        if kin := kin_with(model.ir.cls, name, lambda role: role == "fairness"):
            says = f" {kin} has it."
        raise UsageError(f"{model.ir.name} has no fairness {name}.{says}")
    return known[name]


def _call_text(model: BoundModel, choice: Choice) -> str:
    """The call of an action instance as text, for instance fetch(leader=r0)."""
    action, arguments = choice
    method = model.ir.actions[action]
    given = (f"{p.name}={show(value)}" for p, value in zip(method.parameters, arguments, strict=True))
    return f"{method.name}({', '.join(given)})"


def _environment_choices(model: BoundModel, method: Method) -> Iterator[int]:
    instance = blank(model.ir.cls, model.constants)
    with with_sort_sizes(model.sizes):
        for position, (action, arguments) in enumerate(Ground(model)):
            taken = model.ir.actions[action]
            names = (parameter.name for parameter in taken.parameters)
            try:
                if getattr(instance, method.name)(Taken(taken.name, dict(zip(names, arguments, strict=True)))):
                    yield position
            except Exception as error:
                raise blame(error, method.at, method.name) from None


def _refuse_many(method: Method, count: int) -> None:
    if count > MOST_INSTANCES:
        sentence = f"{method.name} speaks of {quantity(count, 'choice')} of parameters, each with a fairness of its own"
        raise UsageError(f'{sentence}: write fair="{method.fair}-any", or use smaller constants.')
