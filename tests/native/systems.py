"""Small systems made by hand, random ones and KIP-320's; and what the scalar evaluator says of a system."""

import random
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from isrcheck.engines.contract import Request, Searched
from isrcheck.engines.evaluator import ScalarStepper, State, compile_values
from isrcheck.engines.explore import Explorer
from isrcheck.engines.native.disk import memory, search
from isrcheck.engines.native.disk.memory import MemoryPlan
from isrcheck.engines.native.disk.search import explore
from isrcheck.engines.native.workers import WorkerPool
from isrcheck.ir.frozen import replace
from isrcheck.ir.property_kinds import kind_by_name
from isrcheck.ir.scalar import (
    ActionRole,
    Actors,
    Condition,
    Fault,
    Instance,
    Node,
    Scalar,
    ScalarProperty,
    ScalarSystem,
    Symmetry,
)
from isrcheck.lang.read import read_model
from isrcheck.passes import bind, lower
from isrcheck.passes.fold import Nodes
from isrcheck.place import NOWHERE
from isrmodel.published.kip_320 import Kip320


class Builder:
    """Scalars and instances, added one at a time."""

    def __init__(self, *sizes: int) -> None:
        self.k = Nodes()
        self.scalars = tuple(Scalar(f"s{i}", size) for i, size in enumerate(sizes))
        self.vars = [self.k.var(i, size) for i, size in enumerate(sizes)]
        self.before = [self.k.var(len(sizes) + i, size) for i, size in enumerate(sizes)]
        self.instances: list[Instance] = []
        self.properties: list[ScalarProperty] = []
        self.symmetries: tuple[Symmetry, ...] = ()

    def step(
        self, action: int, guard: Node, updates: dict[int, Node], pruned: Node | None = None, fault: Node | None = None
    ) -> None:
        faults = () if fault is None else (Fault(fault, NOWHERE, "wrong"),)
        self.instances.append(
            Instance(action, (), guard, pruned or self.k.false, tuple(sorted(updates.items())), faults)
        )

    def claim(self, name: str, kind: str, *nodes: Node, fault: Node | None = None) -> None:
        faults = () if fault is None else (Fault(fault, NOWHERE, "wrong"),)
        self.properties.append(
            ScalarProperty(name, kind_by_name(kind), tuple(Condition(node, faults) for node in nodes))
        )

    def system(self, initial: Sequence[int] | None = None) -> ScalarSystem:
        actions = 1 + max((each.action for each in self.instances), default=0)
        places = range(len(self.instances))
        roles = tuple(ActionRole(f"actor {place % 3}", is_fault=place % 4 == 3) for place in places)
        return ScalarSystem(
            self.scalars,
            tuple(initial or [0] * len(self.scalars)),
            tuple(f"a{i}" for i in range(actions)),
            tuple(self.instances),
            tuple(self.properties),
            self.symmetries,
            actors=Actors(tuple(places), roles),
        )


def counter(size: int, bound: int | None = None) -> ScalarSystem:
    """Counts up to the bound and stops there; a step above it is pruned."""
    b = Builder(size)
    k, (n,) = b.k, b.vars
    bound = size - 1 if bound is None else bound
    b.step(0, k.true, {0: k.add(n, k.const(1))}, pruned=k.le(k.const(bound), n))
    b.claim("small", "invariant", k.lt(n, k.const(min(3, size))))
    b.claim("arrives", "reachable", k.eq(n, k.const(bound)))
    b.claim("never", "reachable", k.lt(k.const(bound), n))
    b.claim("grows", "step", k.lt(b.before[0], n))
    return b.system()


def stopper(size: int) -> ScalarSystem:
    """Counts up and then has no step; from 2 on it may also jump back to 0."""
    b = Builder(size)
    k, (n,) = b.k, b.vars
    b.step(0, k.lt(n, k.const(size - 1)), {0: k.add(n, k.const(1))})
    b.step(1, k.and_(k.lt(k.const(1), n), k.lt(n, k.const(size - 1))), {0: k.const(0)})
    b.claim("grows", "step", k.lt(b.before[0], n), k.lt(b.before[0], n))
    b.claim("begins", "invariant", k.lt(k.const(0), n))
    return b.system()


def mutex(members: int) -> ScalarSystem:
    return mutex_builder(members).system()


def mutex_builder(members: int) -> Builder:
    """Members idle, wait and enter; nothing keeps two of them out."""
    b = Builder(*[3] * members, members + 1)
    k, *_ = b.k, b.vars
    lock = b.vars[members]
    for m in range(members):
        b.step(0, k.eq(b.vars[m], k.const(0)), {m: k.const(1)})
    for m in range(members):
        b.step(1, k.and_(k.eq(b.vars[m], k.const(1)), k.eq(lock, k.const(0))), {m: k.const(2), members: k.const(m + 1)})
    for m in range(members):
        b.step(2, k.eq(b.vars[m], k.const(2)), {m: k.const(0), members: k.const(0)})
    inside = [k.eq(b.vars[m], k.const(2)) for m in range(members)]
    some = [k.and_(inside[a], inside[c]) for a in range(members) for c in range(a)]
    b.claim("exclusive", "invariant", k.not_(k.or_(*some)))
    b.claim("entered", "reachable", inside[-1])
    b.claim("both", "reachable", k.or_(*some))
    b.symmetries = (Symmetry("Member", members, tuple(_swap(b, i, members) for i in range(members - 1))),)
    return b


def _swap(b: Builder, i: int, members: int) -> tuple[Node, ...]:
    k, lock = b.k, b.vars[members]
    here, there = k.const(i + 1), k.const(i + 2)
    order = list(b.vars[:members])
    order[i], order[i + 1] = order[i + 1], order[i]
    return (*order, k.ite(k.eq(lock, here), there, k.ite(k.eq(lock, there), here, lock)))


def wide(scalars: int, size: int) -> ScalarSystem:
    """Many scalars in several words: a token goes round, counts each scalar up, and may skip one in eight."""
    b = Builder(*[size] * scalars, scalars)
    k, token = b.k, b.vars[-1]
    for p in range(scalars):
        up = {p: k.mod(k.add(b.vars[p], k.const(size // 2)), size), scalars: k.const((p + 1) % scalars)}
        b.step(0, k.eq(token, k.const(p)), up, pruned=k.eq(b.vars[0], k.const(size - 1)))
    for p in range(0, scalars, 8):
        b.step(1, k.eq(token, k.const(p)), {scalars: k.const((p + 1) % scalars)})
    b.claim("low", "invariant", k.lt(b.vars[scalars // 2], k.const(size - 1)))
    b.claim("away", "reachable", k.and_(k.lt(k.const(0), b.vars[0]), k.lt(k.const(1), b.vars[1])))
    return b.system()


def counters(words: int, bound: int) -> ScalarSystem:
    """Counters of a word each, which go up in any order."""
    b = Builder(*[1 << 40] * words)
    for p, n in enumerate(b.vars):
        b.step(p % 3, b.k.lt(n, b.k.const(bound)), {p: b.k.add(n, b.k.const(1))})
    b.claim("bounded", "invariant", b.k.lt(b.vars[0], b.k.const(bound + 1)))
    b.claim("all", "reachable", b.k.lt(b.k.const(bound - 1), b.vars[-1]))
    return b.system()


def race(seed: int) -> ScalarSystem:
    """Three counters that grow in any order, each by two actions of random actors, some of which are faults."""
    rng = random.Random(seed)
    b = Builder(*(rng.choice([2, 2, 3]) for _ in range(3)))
    k = b.k
    for action in range(6):
        n, other = b.vars[action // 2], rng.choice(b.vars)
        free = k.or_(k.lt(other, k.const(1)), k.lt(k.const(0), n), k.const(action % 2))
        b.step(action, k.and_(k.lt(n, k.const(n.high)), free), {action // 2: k.add(n, k.const(1))})
    b.claim("all", "reachable", k.and_(*(k.eq(n, k.const(n.high)) for n in b.vars)))
    two = k.and_(*(k.lt(k.const(0), n) for n in b.vars[:2]))
    b.claim("shrinks", "step", *[k.not_(k.and_(two, k.eq(b.before[i // 2], k.const(0)))) for i in range(6)])
    roles = tuple(ActionRole(rng.choice("abc"), rng.random() < 0.4) for _ in range(6))
    return replace(b.system(), actors=Actors(tuple(range(6)), roles))


def random_system(seed: int) -> ScalarSystem:
    """A system of a few scalars with random nodes of every kind in its guards, updates and properties."""
    rng = random.Random(seed)
    sizes = [rng.choice([1, 2, 2, 3, 4, 5, 8, 9]) for _ in range(rng.randint(1, 5))]
    if rng.random() < 0.3:
        sizes += [rng.choice([130, 1000, 1 << 20, 1 << 40, 1 << 60])] * rng.randint(1, 2)
    b = Builder(*sizes)
    pool = _Pool(b, rng, b.vars)
    for action in range(rng.randint(1, 4)):
        for _ in range(rng.randint(1, 3)):
            guard = b.k.or_(pool.truth(2), pool.truth(2))
            b.step(action, guard, _updates(b, rng, pool), pool.truth(2) if rng.random() < 0.3 else None)
    b.claim("inv", "invariant", b.k.or_(pool.truth(3), pool.truth(3)))
    b.claim("goal", "reachable", b.k.and_(pool.truth(3), pool.truth(2)))
    both = _Pool(b, rng, [*b.vars, *b.before])
    one = both.truth(3)
    b.claim("move", "step", *[one if rng.random() < 0.5 else both.truth(3) for _ in b.instances])
    return b.system([rng.randrange(min(size, 8)) for size in sizes])


def _updates(b: Builder, rng: random.Random, pool: "_Pool") -> dict[int, Node]:
    result = {}
    for position in rng.sample(range(len(b.scalars)), rng.randint(1, min(3, len(b.scalars)))):
        size = b.scalars[position].size
        number = pool.number(3) if rng.random() < 0.5 else b.k.add(b.vars[position], pool.number(1))
        small = b.k.mod(number, min(size, 6)) if number.high < 1 << 62 else b.k.const(0)
        result[position] = small if size > 1 else b.k.const(0)
    return result


class _Pool:
    """Random nodes of bounded depth whose values stay in 62 bits."""

    def __init__(self, b: Builder, rng: random.Random, leaves: list[Node]) -> None:
        self.k, self.rng, self.leaves = b.k, rng, leaves

    def truth(self, depth: int) -> Node:
        k, rng = self.k, self.rng
        if depth == 0:
            return k.eq(rng.choice(self.leaves), k.const(rng.randrange(3)))
        make: Callable[[], Node] = rng.choice(
            [
                lambda: k.not_(self.truth(depth - 1)),
                lambda: k.and_(self.truth(depth - 1), self.truth(depth - 1)),
                lambda: k.or_(self.truth(depth - 1), self.truth(depth - 1), self.truth(0)),
                lambda: k.eq(self.number(depth - 1), self.number(depth - 1)),
                lambda: k.lt(self.number(depth - 1), self.number(depth - 1)),
                lambda: k.ite(self.truth(depth - 1), self.truth(depth - 1), self.truth(depth - 1)),
                lambda: k.bit(self.set(depth - 1), rng.randrange(5)),
            ]
        )
        return make()

    def set(self, depth: int) -> Node:
        """A number that is not negative and small enough to shift."""
        number = self.number(depth)
        return self.k.mod(number, 200)

    def number(self, depth: int) -> Node:
        k, rng = self.k, self.rng
        if depth == 0:
            return rng.choice([*self.leaves, k.const(rng.randint(-3, 9))])
        make: Callable[[], Node] = rng.choice(
            [
                lambda: k.add(self.number(depth - 1), self.number(depth - 1)),
                lambda: k.sub(self.number(depth - 1), self.number(depth - 1)),
                lambda: k.mul(self.number(depth - 1), k.const(rng.randint(-3, 5))),
                lambda: k.div(self.number(depth - 1), rng.randint(1, 7)),
                lambda: k.mod(self.number(depth - 1), rng.randint(1, 7)),
                lambda: k.ite(self.truth(depth - 1), self.number(depth - 1), self.number(depth - 1)),
                lambda: k.bit_and(self.set(depth - 1), self.set(depth - 1)),
                lambda: k.bit_or(self.set(depth - 1), self.set(depth - 1)),
                lambda: k.bit_and_not(self.set(depth - 1), self.set(depth - 1)),
                lambda: k.shift_left(self.set(depth - 1), k.mod(self.number(depth - 1), rng.randint(1, 9))),
                lambda: k.shift_right(self.set(depth - 1), k.mod(self.number(depth - 1), rng.randint(1, 40))),
                lambda: k.popcount(self.set(depth - 1)),
                lambda: k.max_(self.number(depth - 1), self.number(depth - 1)),
                lambda: k.min_(self.number(depth - 1), self.number(depth - 1)),
            ]
        )
        return make()


@cache
def kip320(replicas: int, log_size: int, max_records: int, max_leader_epoch: int) -> ScalarSystem:
    """The design at these constants, with two invariants; both hold."""
    constants = {"replicas": replicas, "log_size": log_size, "max_records": max_records}
    model = bind(read_model(Kip320), {**constants, "max_leader_epoch": max_leader_epoch})
    return lower(model, ("weak_isr", "strong_isr"))


def names_of(system: ScalarSystem) -> tuple[str, ...]:
    return tuple(each.name for each in system.properties)


def timeless(found: Searched) -> Searched:
    return replace(found, seconds=0.0)


def evaluated(system: ScalarSystem, request: Request) -> Searched:
    """The evaluator's answer; with symmetry its paths are of representatives, and only their lengths mean something."""
    stepper = CanonicalStepper(system) if request.symmetry else ScalarStepper(system)
    return timeless(Explorer(stepper, {each.name: each.kind for each in system.properties}, request).run())


class CanonicalStepper(ScalarStepper):
    """Steps between representatives: the states of the least packed words in their orbits."""

    def __init__(self, system: ScalarSystem) -> None:
        super().__init__(system)
        swaps = (swap for symmetry in system.symmetries for swap in symmetry.swaps)
        self._exchanges = [compile_values([*swap]) for swap in swaps]
        self.initial = self.representative(system.initial)
        self.initials = (self.initial,)

    def steps(self, state: State) -> Iterator[tuple[int, State | None]]:
        for instance, after in super().steps(state):
            yield instance, after and self.representative(after)

    def representative(self, state: State) -> State:
        orbit = [state]
        for each in orbit:
            others = (tuple(map(int, exchange(each))) for exchange in self._exchanges)
            orbit += {*others} - {*orbit}
        return min(orbit, key=self.packing.pack)


FEW_FILES = 4
Planning = Callable[[WorkerPool], MemoryPlan]


def little(block: int = 3, piece: int = 50, merged: int = 5, batches: int = 1, in_memory: int = 0) -> Planning:
    """Blocks of so many states, pieces of so many bytes, a buffer for `batches` a worker; what memory holds before."""

    def plan(pool: WorkerPool) -> MemoryPlan:
        workers = len(pool.workers)
        capacity = workers * (batches * pool.machine.largest_batch + 2 * memory._WORKER_BLOCK)
        return MemoryPlan(block, piece, merged, capacity, 1 << (2 * capacity).bit_length(), in_memory)

    return plan


@pytest.fixture
def tight(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few files at once, and every level shared by all workers."""
    monkeypatch.setattr(search, "FILES", FEW_FILES)
    monkeypatch.setattr("isrcheck.engines.native.workers.SHARED_FROM", 1)
    monkeypatch.setattr(memory, "_WORKER_BLOCK", 2)


def on_disk(
    system: ScalarSystem, request: Request, directory: Path | None = None, plan: Planning | None = None
) -> Searched:
    """A search in a directory, of its own if none is given."""
    if directory is not None:
        return timeless(explore(system, directory, request, plan or little()))
    with TemporaryDirectory() as folder:
        return timeless(explore(system, Path(folder), request, plan or little()))
