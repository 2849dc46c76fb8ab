"""What comparisons say of an index is true of every value."""

from itertools import product
from random import Random

from isrcheck.ir.scalar import Node, Op
from isrcheck.passes.differences import is_not_negative
from isrcheck.passes.fold import Nodes

SIZES = (3, 4, 2)


def value(node: Node, given: tuple[int, ...]) -> int:
    found = [value(part, given) for part in node.args]
    match node.op:
        case Op.CONST:
            return node.value
        case Op.VAR:
            return given[node.value]
        case Op.NOT:
            return 1 - found[0]
        case Op.AND:
            return int(all(found))
        case Op.OR:
            return int(any(found))
        case Op.ADD:
            return sum(found)
        case Op.SUB:
            return found[0] - found[1]
        case Op.LT:
            return int(found[0] < found[1])
        case Op.EQ:
            return int(found[0] == found[1])
    raise AssertionError(node.op)


def some(n: Nodes, random: Random) -> Node:
    """A sum of variables and numbers."""
    parts = [n.var(place, size) for place, size in enumerate(SIZES)] + [n.const(1), n.const(2)]
    found = random.choice(parts)
    for _ in range(random.randrange(3)):
        found = random.choice((n.add, n.sub))(found, random.choice(parts))
    return found


def condition(n: Nodes, random: Random) -> Node:
    one = random.choice((n.lt, n.le, n.eq))(some(n, random), some(n, random))
    return random.choice((one, n.not_(one), n.or_(one, n.lt(some(n, random), some(n, random)))))


def test_what_is_said_to_be_0_or_more_is() -> None:
    n, random, said = Nodes(), Random(7), 0
    every = [*product(*map(range, SIZES))]
    for _ in range(5_000):
        index, path = some(n, random), n.and_(*(condition(n, random) for _ in range(random.randrange(1, 4))))
        if index.low < 0 and is_not_negative(index, path):
            said += 1
            assert all(value(index, given) >= 0 for given in every if value(path, given)), (index, path)
    assert said > 70


def test_one_comparison_is_enough() -> None:
    n = Nodes()
    a, b = n.var(0, 4), n.var(1, 4)
    one_less, rest = n.sub(a, n.const(1)), n.sub(a, b)
    assert not is_not_negative(one_less, n.true)
    assert is_not_negative(one_less, n.lt(n.const(0), a))
    assert is_not_negative(one_less, n.not_(n.eq(a, n.const(0))))
    assert is_not_negative(one_less, n.and_(n.lt(b, a), n.eq(b, n.const(2))))
    assert is_not_negative(n.sub(one_less, b), n.lt(b, a))
    assert is_not_negative(rest, n.le(b, a))
    assert not is_not_negative(rest, n.or_(n.le(b, a), n.eq(b, n.const(0))))
    assert not is_not_negative(n.sub(one_less, b), n.le(b, a))
