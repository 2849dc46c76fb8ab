"""Random systems of processes that have much of their own and share a little: some of their steps may be put off."""

import random
from collections.abc import Callable

from tests.native.systems import Builder

from isrcheck.ir.scalar import Node, ScalarSystem


def random_processes(seed: int) -> ScalarSystem:
    """Each has a place in its program and a number; there are a shared number and a set with a bit for each process."""
    rng = random.Random(seed)
    count = rng.choice([2, 2, 3, 3, 4])
    places, values = rng.choice([2, 3, 4]), rng.choice([2, 3])
    b = Builder(*[places] * count, *[values] * count, rng.choice([2, 3]), 1 << count)
    alike = rng.random() < 0.5  # all run one program
    programs = [_program(rng, places, values) for _ in range(1 if alike else count)]
    for p in range(count):
        for action, step in enumerate(programs[p % len(programs)]):
            step(b, p, count, action)
    for kind in ("invariant", "reachable"):
        b.claim(kind, kind, _about_states(b, rng, count, places, values))
    b.claim("broken", "invariant", b.k.not_(b.k.eq(b.vars[0], b.k.const(places - 1))), fault=_rarely(b, rng, count))
    one = _about_steps(b, rng, count, places)
    per_step = [one if rng.random() < 0.6 else _about_steps(b, rng, count, places) for _ in b.instances]
    b.claim("move", "step", *per_step)
    return b.system()


Step = Callable[[Builder, int, int, int], None]


def _program(rng: random.Random, places: int, values: int) -> list[Step]:
    return [_step(rng, place, places, values) for place in range(places) for _ in range(rng.choice([1, 1, 1, 2]))]


def _step(rng: random.Random, place: int, places: int, values: int) -> Step:
    after = min(place + 1, places - 1) if rng.random() < 0.7 else rng.randrange(places)
    asks, does = (
        rng.choice(["", "", "", "shared", "set", "own"]),
        rng.choice(["", "own", "own", "shared", "set", "unset"]),
    )
    number, prunes, fails = rng.randrange(values), rng.random() < 0.1, rng.random() < 0.06

    def add(b: Builder, p: int, count: int, action: int) -> None:
        k, here, own, shared, members = b.k, b.vars[p], b.vars[count + p], b.vars[2 * count], b.vars[2 * count + 1]
        guard = [k.eq(here, k.const(place))]
        guard += {
            "shared": [k.eq(shared, k.const(number % 2))],
            "set": [k.bit(members, (p + number) % count)],
            "own": [k.lt(own, k.const(max(1, number)))],
        }.get(asks, [])
        updates = {p: k.const(after)}
        updates |= {
            "own": {count + p: k.const(number) if number else k.mod(k.add(own, k.const(1)), values)},
            "shared": {2 * count: k.const(number % 2)},
            "set": {2 * count + 1: k.bit_or(members, k.const(1 << p))},
            "unset": {2 * count + 1: k.bit_and_not(members, k.const(1 << p))},
        }.get(does, {})
        wrong = k.and_(*guard, k.eq(shared, k.const(1)), k.eq(b.vars[(p + 1) % count], k.const(places - 1)))
        pruned = k.eq(b.vars[(p + 1) % count], k.const(number % places))
        b.step(action, k.and_(*guard), updates, pruned if prunes else None, wrong if fails else None)

    return add


def _about_states(b: Builder, rng: random.Random, count: int, places: int, values: int) -> Node:
    k = b.k
    parts = [
        k.eq(b.vars[rng.randrange(count)], k.const(rng.randrange(places))),
        k.eq(b.vars[count + rng.randrange(count)], k.const(rng.randrange(values))),
        k.bit(b.vars[2 * count + 1], rng.randrange(count)),
        k.eq(b.vars[2 * count], k.const(rng.randrange(2))),
    ]
    chosen = rng.sample(parts, rng.choice([1, 2, 2, 3]))
    return k.and_(*chosen) if rng.random() < 0.6 else k.or_(*chosen)


def _about_steps(b: Builder, rng: random.Random, count: int, places: int) -> Node:
    k, p = b.k, rng.randrange(count)
    forms = [
        k.le(b.before[p], b.vars[p]),
        k.le(b.before[count + p], b.vars[count + p]),
        k.or_(k.eq(b.before[2 * count], b.vars[2 * count]), k.eq(b.vars[p], k.const(rng.randrange(places)))),
        k.true,
    ]
    return rng.choice(forms)


def _rarely(b: Builder, rng: random.Random, count: int) -> Node | None:
    if rng.random() < 0.8:
        return None
    return b.k.and_(*(b.k.eq(each, b.k.const(1)) for each in b.vars[:count]))
