"""Each constructor of nodes against plain integers: the same value, within the interval, and made once."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isrcheck.engines.evaluator import compile_values
from isrcheck.ir.scalar import Node, Op
from isrcheck.passes.differences import is_not_negative
from isrcheck.passes.fold import Nodes

SIZES = (2, 3, 5, 16, 1, 2)  # of the variables
MASK = 3  # the position of the one that is used as a set


@dataclass(frozen=True)
class Tree:
    """An expression in terms of the constructors, and its meaning: integers, truth values or masks."""

    name: str
    parts: tuple["Tree", ...] = ()
    number: int = 0

    def build(self, n: Nodes) -> Node:
        made = [part.build(n) for part in self.parts]
        match self.name:
            case "const":
                return n.const(self.number)
            case "truth":
                return n.truth(bool(self.number))
            case "var":
                return n.var(self.number, SIZES[self.number])
            case "div" | "mod" | "bit":
                return {"div": n.div, "mod": n.mod, "bit": n.bit}[self.name](made[0], self.number)
        build: Callable[..., Node] = getattr(n, self.name)
        return build(*made)

    def value(self, state: tuple[int, ...]) -> int:
        parts = [part.value(state) for part in self.parts]
        return self.number if self.name in ("const", "truth") else int(_MEANING[self.name](self, state, *parts))


_MEANING: dict[str, Callable[..., int]] = {
    "var": lambda t, s: s[t.number],
    "not_": lambda t, s, a: not a,
    "and_": lambda t, s, *parts: all(parts),
    "or_": lambda t, s, *parts: any(parts),
    "ite": lambda t, s, c, a, b: a if c else b,
    "eq": lambda t, s, a, b: a == b,
    "lt": lambda t, s, a, b: a < b,
    "le": lambda t, s, a, b: a <= b,
    "add": lambda t, s, a, b: a + b,
    "sub": lambda t, s, a, b: a - b,
    "mul": lambda t, s, a, b: a * b,
    "div": lambda t, s, a: a // t.number,
    "mod": lambda t, s, a: a % t.number,
    "min_": lambda t, s, a, b: min(a, b),
    "max_": lambda t, s, a, b: max(a, b),
    "bit_and": lambda t, s, a, b: a & b,
    "bit_or": lambda t, s, a, b: a | b,
    "bit_and_not": lambda t, s, a, b: a & ~b,
    "shift_left": lambda t, s, a, b: a << b,
    "shift_right": lambda t, s, a, b: a >> b,
    "popcount": lambda t, s, a: a.bit_count(),
    "bit": lambda t, s, a: a >> t.number & 1,
}


def of(name: str, *parts: st.SearchStrategy[Tree]) -> st.SearchStrategy[Tree]:
    return st.builds(lambda *made: Tree(name, made), *parts)


def numbered(name: str, part: st.SearchStrategy[Tree], low: int, high: int) -> st.SearchStrategy[Tree]:
    return st.builds(lambda made, number: Tree(name, (made,), number), part, st.integers(low, high))


def several(name: str, part: st.SearchStrategy[Tree]) -> st.SearchStrategy[Tree]:
    return st.lists(part, max_size=4).map(lambda parts: Tree(name, tuple(parts)))


def variable(position: int) -> st.SearchStrategy[Tree]:
    return st.just(Tree("var", number=position))


truths: st.SearchStrategy[Tree] = st.deferred(
    lambda: st.one_of(
        st.integers(0, 1).map(lambda value: Tree("truth", number=value)),
        variable(0),
        variable(5),
        of("not_", truths),
        several("and_", truths),
        several("or_", truths),
        of("eq", numbers, numbers),
        of("eq", truths, truths),
        of("lt", numbers, numbers),
        of("le", numbers, numbers),
        of("ite", truths, truths, truths),
        numbered("bit", masks, 0, 3),
    )
)
small = st.sampled_from([0, 1, 2]).flatmap(variable)  # known to lie in 0..4
numbers: st.SearchStrategy[Tree] = st.deferred(
    lambda: st.one_of(
        st.integers(-3, 6).map(lambda value: Tree("const", number=value)),
        st.sampled_from([0, 1, 2, 4]).flatmap(variable),
        of("ite", truths, numbers, numbers),
        *(of(name, numbers, numbers) for name in ("add", "sub", "mul", "min_", "max_")),
        numbered("div", numbers, 1, 4),
        numbered("mod", numbers, 1, 4),
        of("popcount", masks),
        of("ite", of("lt", numbers, numbers), numbers, numbers),
    )
)
masks: st.SearchStrategy[Tree] = st.deferred(
    lambda: st.one_of(
        st.integers(0, 15).map(lambda value: Tree("const", number=value)),
        variable(MASK),
        *(of(name, masks, masks) for name in ("bit_and", "bit_or", "bit_and_not")),
        of("shift_left", st.just(Tree("const", number=1)), variable(1)),
        of("shift_right", masks, small),
        of("ite", truths, masks, masks),
        truths,
    )
)
states = st.tuples(*(st.integers(0, size - 1) for size in SIZES))
trees = st.one_of(truths, numbers, masks)


def naive(node: Node, state: tuple[int, ...], known: dict[int, int]) -> int:
    """A node's value, computed from its own arguments."""
    args = [naive(a, state, known) for a in node.args]
    match node.op:
        case Op.CONST:
            value = node.value
        case Op.VAR:
            value = state[node.value]
        case Op.NOT:
            value = 1 - args[0]
        case Op.AND:
            value = min(args)
        case Op.OR:
            value = max(args)
        case Op.ITE:
            value = args[1] if args[0] else args[2]
        case Op.EQ:
            value = int(args[0] == args[1])
        case Op.LT:
            value = int(args[0] < args[1])
        case Op.ADD:
            value = args[0] + args[1]
        case Op.SUB:
            value = args[0] - args[1]
        case Op.MUL:
            value = args[0] * args[1]
        case Op.DIV:
            value = args[0] // args[1]
        case Op.MOD:
            value = args[0] % args[1]
        case Op.BAND:
            value = args[0] & args[1]
        case Op.BOR:
            value = args[0] | args[1]
        case Op.BANDNOT:
            value = args[0] & ~args[1]
        case Op.SHL:
            value = args[0] << args[1]
        case Op.SHR:
            value = args[0] >> args[1]
        case Op.POPCOUNT:
            value = args[0].bit_count()
    assert node.low <= value <= node.high, node
    assert known.setdefault(node.index, value) == value, "two nodes of one index differ"
    return value


@pytest.mark.parametrize("examples", [150, pytest.param(1500, marks=pytest.mark.slow)])
def test_every_constructor_keeps_the_value(examples: int) -> None:
    @settings(max_examples=examples, deadline=None, derandomize=True, database=None)
    @given(trees, st.lists(states, min_size=1, max_size=6))
    def keeps(tree: Tree, where: list[tuple[int, ...]]) -> None:
        assert_same_value(tree, where)

    keeps()


def assert_same_value(tree: Tree, where: list[tuple[int, ...]]) -> None:
    node = tree.build(Nodes())
    compiled = compile_values([node])
    for state in where:
        assert naive(node, state, {}) == tree.value(state)
        assert int(compiled(state)[0]) == tree.value(state)


INTERVALS = [(low, size) for low in range(-2, 3) for size in range(1, 5)]


@pytest.mark.parametrize("name", ["eq", "lt", "le", "add", "sub", "mul", "min_", "max_"])
def test_every_pair_of_small_intervals(name: str) -> None:
    """What an interval decides is decided at its very ends too."""
    for (low, size), (other, width) in product(INTERVALS, INTERVALS):
        n = Nodes()
        node = getattr(n, name)(n.add(n.var(0, size), n.const(low)), n.add(n.var(1, width), n.const(other)))
        for state in product(range(size), range(width)):
            meant = _MEANING[name](Tree(name), state, low + state[0], other + state[1])
            assert naive(node, state, {}) == meant, (state, low, other)


@pytest.mark.parametrize("name", ["div", "mod"])
def test_every_small_interval_by_every_small_divisor(name: str) -> None:
    for (low, size), by in product(INTERVALS, range(1, 6)):
        n = Nodes()
        node = getattr(n, name)(n.add(n.var(0, size), n.const(low)), by)
        for state in range(size):
            assert naive(node, (state,), {}) == _MEANING[name](Tree(name, number=by), (state,), low + state)


@settings(max_examples=80, deadline=None, derandomize=True, database=None)
@given(trees, trees)
def test_equal_constructions_are_one_node_and_arguments_come_before_their_users(one: Tree, two: Tree) -> None:
    n = Nodes()
    first = one.build(n)
    waiting = [first, two.build(n)]
    nodes = len(n)
    assert one.build(n).index == first.index
    assert len(n) == nodes
    while waiting:
        node = waiting.pop()
        assert all(a.index < node.index for a in node.args)
        waiting.extend(node.args)


def test_a_variable_of_one_value_is_a_constant() -> None:
    n = Nodes()
    assert n.var(0, 1) is n.false


def test_the_lesser_of_two_is_known_to_be_small() -> None:
    """The interval of min() is narrower than that of the choice which it is made of."""
    n = Nodes()
    node = n.min_(n.var(0, 10), n.var(1, 3))
    assert (node.low, node.high) == (0, 2)
    node = n.max_(n.sub(n.var(0, 10), n.var(1, 3)), n.const(0))
    assert (node.low, node.high) == (0, 9)


@pytest.mark.parametrize("name", ["shift_left", "shift_right"])
def test_a_shift_behind_a_choice_not_taken_may_be_by_less_than_nothing(name: str) -> None:
    """What substitutes a step's end for a variable loses that an amount was not negative."""
    n = Nodes()
    shift = getattr(n, name)(n.var(0, 5), n.sub(n.var(1, 3), n.const(2)))
    choice = n.ite(n.lt(n.var(1, 3), n.const(2)), n.const(0), shift)
    for state in product(range(5), range(3)):
        value = naive(choice, state, {})
        assert value == (0 if state[1] < 2 else state[0])
        assert choice.low <= value <= choice.high


COMPARED = (3, 4, 2)  # sizes of the variables around an index


def some(n: Nodes, chance: Random) -> Node:
    parts = [n.var(place, size) for place, size in enumerate(COMPARED)] + [n.const(1), n.const(2)]
    total = chance.choice(parts)
    for _ in range(chance.randrange(3)):
        total = chance.choice((n.add, n.sub))(total, chance.choice(parts))
    return total


def condition(n: Nodes, chance: Random) -> Node:
    one = chance.choice((n.lt, n.le, n.eq))(some(n, chance), some(n, chance))
    return chance.choice((one, n.not_(one), n.or_(one, n.lt(some(n, chance), some(n, chance)))))


def test_what_is_said_to_be_0_or_more_is() -> None:
    n, chance, said = Nodes(), Random(7), 0
    every = [*product(*map(range, COMPARED))]
    for _ in range(5_000):
        index, path = some(n, chance), n.and_(*(condition(n, chance) for _ in range(chance.randrange(1, 4))))
        if index.low < 0 and is_not_negative(index, path):
            said += 1
            assert all(naive(index, given, {}) >= 0 for given in every if naive(path, given, {})), (index, path)
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
