"""A scalar system searched in plain Python, the slow and obvious way: what the native engine is held against."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from isrcheck.engines.contract import DEADLOCK
from isrcheck.ir.pack import digest, pack_scalars
from isrcheck.ir.scalar import Node, Op, ScalarProperty, ScalarSystem

State = tuple[int, ...]
Paths = dict[State, tuple[tuple[int, ...], State]]  # by representative: the path, and the state it leads to
Hits = dict[str, list[tuple[int, ...]]]


def value(node: Node, state: Sequence[int], known: dict[Node, int] | None = None) -> int:
    """A node's value in a state."""
    known = {} if known is None else known
    if node not in known:
        known[node] = _compute(node, state, known)
    return known[node]


def _compute(node: Node, state: Sequence[int], known: dict[Node, int]) -> int:
    if node.op is Op.CONST:
        return node.value
    if node.op is Op.VAR:
        return state[node.value]
    args = [value(each, state, known) for each in node.args]
    operations: dict[Op, Callable[..., int]] = {
        Op.NOT: lambda a: 1 - a,
        Op.AND: lambda *a: int(all(a)),
        Op.OR: lambda *a: int(any(a)),
        Op.EQ: lambda a, b: int(a == b),
        Op.LT: lambda a, b: int(a < b),
        Op.ADD: lambda a, b: a + b,
        Op.SUB: lambda a, b: a - b,
        Op.MUL: lambda a, b: a * b,
        Op.DIV: lambda a, b: a // b,
        Op.MOD: lambda a, b: a % b,
        Op.ITE: lambda c, a, b: a if c else b,
        Op.BAND: lambda a, b: a & b,
        Op.BOR: lambda a, b: a | b,
        Op.BANDNOT: lambda a, b: a & ~b,
        Op.SHL: lambda a, b: a << b,
        Op.SHR: lambda a, b: a >> b,
        Op.POPCOUNT: lambda a: a.bit_count(),
    }
    result = operations[node.op](*args)
    assert node.low <= result <= node.high, (node, result)
    return result


class TooLarge(Exception):
    """The graph has more states than this search is meant for."""


class ModelFault(Exception):
    """A fault's condition is 1."""


@dataclass
class Answer:
    """What the native engine must say too."""

    distinct: int = 0
    generated: int = 1
    depth: int = 0
    levels: list[int] = field(default_factory=list)
    pruned: int = 0
    digest: str | None = None
    found: dict[str, tuple[int, ...]] = field(default_factory=dict)
    action_generated: list[int] = field(default_factory=list)
    action_distinct: list[int] = field(default_factory=list)
    cut: bool = False


def canonical(system: ScalarSystem, state: State) -> State:
    """The state of the least packed words in the orbit."""
    layout = pack_scalars(system.scalars)
    orbit, fresh = {state}, [state]
    while fresh:
        each = fresh.pop()
        for symmetry in system.symmetries:
            for swap in symmetry.swaps:
                known: dict[Node, int] = {}
                other = tuple(value(node, each, known) for node in swap)
                if other not in orbit:
                    orbit.add(other)
                    fresh.append(other)
    return min(orbit, key=layout.pack)


def explore(
    system: ScalarSystem,
    names: Sequence[str] = (),
    deadlock: bool = False,
    stop_at_first: bool = False,
    symmetry: bool = False,
    largest: int = 100_000,
) -> Answer:
    """Breadth-first; every state keeps its least shortest path."""
    same = (lambda state: canonical(system, state)) if symmetry else (lambda state: state)
    chosen = [each for each in system.properties if each.name in names]
    answer = Answer(action_generated=[0] * len(system.actions), action_distinct=[0] * len(system.actions))
    first = same(system.initial)
    paths: dict[State, tuple[tuple[int, ...], State]] = {first: ((), system.initial)}
    level = [first]
    answer.depth, answer.levels = 1, [1]
    _judge(chosen, paths, level, answer)
    while True:
        if _decided(system, chosen, deadlock, stop_at_first, answer):
            answer.cut = True
            break
        fresh: dict[State, tuple[tuple[int, ...], State]] = {}
        least: dict[State, int] = {}
        hits: dict[str, list[tuple[int, ...]]] = {}
        for state in level:
            _expand(system, chosen, deadlock, same, paths, state, fresh, least, hits, answer)
        for name, candidates in hits.items():
            answer.found.setdefault(name, min(candidates))
        if not fresh:
            break
        for state in fresh:
            answer.action_distinct[least[state]] += 1
        paths |= fresh
        level = list(fresh)
        if len(paths) > largest:
            raise TooLarge
        answer.depth += 1
        answer.levels.append(len(level))
        _judge(chosen, paths, level, answer)
    answer.distinct = len(paths)
    layout = pack_scalars(system.scalars)
    answer.digest = None if answer.cut else digest(layout.pack(state) for state in paths)
    return answer


def _decided(
    system: ScalarSystem, chosen: list[ScalarProperty], deadlock: bool, stop_at_first: bool, answer: Answer
) -> bool:
    claims = {each.name for each in system.properties if each.kind.holds_by_target}
    if stop_at_first and set(answer.found) - claims:
        return True
    return len(answer.found) == len(chosen) + deadlock > 0


def _judge(chosen: list[ScalarProperty], paths: Paths, level: list[State], answer: Answer) -> None:
    for each in chosen:
        if each.kind.is_of_steps or each.name in answer.found:
            continue
        condition = each.conditions[0]
        wanted = int(each.kind.holds_by_target)
        hits = []
        for state in level:
            path, concrete = paths[state]
            if any(value(fault.condition, concrete) for fault in condition.faults):
                raise ModelFault
            if value(condition.node, concrete) == wanted:
                hits.append(path)
        if hits:
            answer.found[each.name] = min(hits)


def _expand(
    system: ScalarSystem,
    chosen: list[ScalarProperty],
    deadlock: bool,
    same: Callable[[State], State],
    paths: Paths,
    representative: State,
    fresh: Paths,
    least: dict[State, int],
    hits: Hits,
    answer: Answer,
) -> None:
    path, state = paths[representative]
    alive = False
    for position, instance in enumerate(system.instances):
        known: dict[Node, int] = {}
        if any(value(fault.condition, state, known) for fault in instance.faults):
            raise ModelFault
        if not value(instance.guard, state, known):
            continue
        alive = True
        if value(instance.pruned, state, known):
            answer.pruned += 1
            continue
        after = list(state)
        for target, node in instance.updates:
            after[target] = value(node, state, known)
        answer.generated += 1
        answer.action_generated[instance.action] += 1
        _judge_step(chosen, position, tuple(after), state, (*path, position), hits)
        other = same(tuple(after))
        if other not in paths:
            least[other] = min(least.get(other, instance.action), instance.action)
            way = (*path, position)
            if other not in fresh or way < fresh[other][0]:
                fresh[other] = (way, tuple(after))
    if not alive and deadlock:
        hits.setdefault(DEADLOCK, []).append(path)


def _judge_step(
    chosen: list[ScalarProperty], position: int, after: State, before: State, way: tuple[int, ...], hits: Hits
) -> None:
    for each in chosen:
        if each.kind.is_of_steps:
            condition = each.conditions[position]
            if any(value(fault.condition, (*after, *before)) for fault in condition.faults):
                raise ModelFault
            if not value(condition.node, (*after, *before)):
                hits.setdefault(each.name, []).append(way)
