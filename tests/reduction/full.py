"""What is so in the complete graph of a system, whatever comes first: what a search that puts steps off must say."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from tests.native import naive

from isrcheck.engines.contract import DEADLOCK, Request, Searched
from isrcheck.engines.evaluator import ScalarStepper, explorer_of
from isrcheck.errors import ModelError
from isrcheck.ir.scalar import Condition, ScalarSystem

State = tuple[int, ...]


class TooLarge(Exception):
    """There are more states than a test has time for."""


@dataclass
class Facts:
    """The `seen` properties have a target somewhere; `wrong`: something has no value somewhere."""

    states: set[State]
    seen: set[str] = field(default_factory=set)
    wrong: bool = False
    pruned: bool = False
    actions: set[int] = field(default_factory=set)


def facts(system: ScalarSystem, names: Sequence[str], most: int = 20_000) -> Facts:
    found = Facts(set(system.initials))
    waiting = list(found.states)
    asked = [each for each in system.properties if each.name in names]
    for state in waiting:
        for each in asked:
            if not each.kind.is_of_steps:
                _judge(found, each.name, each.conditions[0], state, each.kind.target)
        alive = False
        for position, instance in enumerate(system.instances):
            if any(naive.value(fault.condition, state) for fault in instance.faults):
                found.wrong = True
                continue
            if not naive.value(instance.guard, state):
                continue
            alive = True
            if naive.value(instance.pruned, state):
                found.pruned = True
                continue
            found.actions.add(instance.action)
            after = list(state)
            for target, node in instance.updates:
                after[target] = naive.value(node, state)
            for each in asked:
                if each.kind.is_of_steps:
                    _judge(found, each.name, each.conditions[position], (*after, *state), each.kind.target)
            if tuple(after) not in found.states:
                found.states.add(tuple(after))
                waiting.append(tuple(after))
        if not alive:
            found.seen.add(DEADLOCK)
        if len(found.states) > most:
            raise TooLarge
    return found


def _judge(found: Facts, name: str, condition: Condition, state: State, target: bool) -> None:
    if any(naive.value(fault.condition, state) for fault in condition.faults):
        found.wrong = True
    elif bool(naive.value(condition.node, state)) is target:
        found.seen.add(name)


def reduced(system: ScalarSystem, names: Sequence[str], deadlock: bool = True) -> Searched | None:
    """What the evaluator says under reduction; None where it meets an error of the model."""
    kinds = {each.name: each.kind for each in system.properties}
    request = Request(properties=tuple(names), deadlock=deadlock, reduce=True)
    try:
        return explorer_of(ScalarStepper(system), kinds, request).run()
    except ModelError:
        return None


def differences(system: ScalarSystem, names: Sequence[str], most: int = 20_000) -> list[str]:
    """How a search that puts steps off contradicts the complete graph."""
    whole, seen = facts(system, names, most), reduced(system, names)
    if seen is None:
        return [] if whole.wrong else ["an error that the model does not have"]
    asked = {*names, DEADLOCK} & whole.seen
    found = set(seen.found)
    if seen.cut is not None:
        return [] if found == {*names, DEADLOCK} else [f"cut {seen.cut} with {found}"]
    told = [f"{name} differs" for name in asked ^ found]
    if whole.wrong and not asked:
        told.append("an error is missed")
    if whole.pruned is not (seen.pruned > 0):
        told.append("whether a step is pruned differs")
    if whole.actions != {action for action, times in enumerate(seen.action_generated) if times}:
        told.append("which actions happen differs")
    if seen.distinct > len(whole.states):
        told.append("more states")
    return told
