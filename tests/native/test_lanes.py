"""Every operator in machine code, in 64 lanes and in one: on numbers below zero, and at the ends of a lane's width."""

from itertools import product
from pathlib import Path

import pytest
from tests.lang.written import load_model
from tests.native.systems import Builder, evaluated, names_of, timeless

from isrcheck import check
from isrcheck.engines.common.evaluate import Values
from isrcheck.engines.contract import Request
from isrcheck.engines.evaluator import compile_values
from isrcheck.engines.native.engine import explore
from isrcheck.engines.native.engine import search as native
from isrcheck.engines.native.lanes import Lanes
from isrcheck.engines.reference.engine import search as reference
from isrcheck.errors import ModelError
from isrcheck.ir.scalar import Node, ScalarSystem
from isrcheck.lang.read import read_model
from isrcheck.passes import bind
from isrcheck.passes.fold import Nodes

SIZE = 4
# The largest products are 9, 196, 16,384, 44,100, 900,000,000, 2,500,000,000 and 9,000,000,000,000: on both sides of
# what 8, 16 and 32 bits hold with a sign and without.
SCALES = [(1, 0), (1, 2), (1, 3), (6, 4), (85, 127), (100, 90), (20_000, 30_000), (20_000, 10_000), (10**6, 10)]


def operations(k: Nodes, x: Node, y: Node, a: Node, b: Node) -> dict[str, Node]:
    """Over two numbers that may be negative, and two small ones that are not."""
    return {
        "add": k.add(x, y),
        "sub": k.sub(x, y),
        "mul": k.mul(x, y),
        "min": k.min_(x, y),
        "max": k.max_(x, y),
        "div": k.div(x, 3),
        "mod": k.mod(x, 3),
        "eq": k.eq(x, y),
        "lt": k.lt(x, y),
        "le": k.le(x, y),
        "ite": k.ite(k.lt(y, x), k.sub(x, k.const(1)), y),
        "and": k.and_(k.lt(x, y), k.eq(a, k.const(1))),
        "or": k.or_(k.lt(x, y), k.eq(a, k.const(1))),
        "bit_and": k.bit_and(a, b),
        "bit_or": k.bit_or(a, b),
        "bit_and_not": k.bit_and_not(a, b),
        "shift_left": k.shift_left(k.const(3), a),
        "shift_right": k.shift_right(k.bit_or(a, b), b),
        "popcount": k.popcount(k.bit_or(a, b)),
    }


def calculator(scale: int, shift: int) -> ScalarSystem:
    """Two numbers are chosen; then a result is written down, a small one by one action, a large one by another."""
    k = Nodes()
    spans = operations(k, *numbers(k, k.var(0, SIZE), k.var(1, SIZE), scale, shift))
    b = Builder(SIZE, SIZE, 2 + max(node.high - node.low for node in spans.values()))
    k, (one, two, result) = b.k, b.vars
    found = operations(k, *numbers(k, one, two, scale, shift))
    nothing = k.eq(result, k.const(0))
    for position, number in enumerate((one, two)):
        more = k.lt(number, k.const(SIZE - 1))
        b.step(0, k.and_(nothing, more), {position: k.add(number, k.const(1))})
    for name, node in found.items():
        middle = (node.low + node.high + 1) // 2
        is_small = k.lt(node, k.const(middle))
        for action, taken in ((1, is_small), (2, k.not_(is_small))):
            b.step(action, k.and_(nothing, taken), {2: k.add(k.sub(node, k.const(node.low)), k.const(1))})
        b.claim(f"{name} is small", "reachable", k.and_(k.eq(two, k.const(1)), is_small))
        b.claim(f"{name} never is in the middle", "invariant", k.not_(k.eq(node, k.const(middle))))
    return b.system()


def numbers(k: Nodes, one: Node, two: Node, scale: int, shift: int) -> tuple[Node, Node, Node, Node]:
    x, y = (k.sub(k.mul(each, k.const(scale)), k.const(shift)) for each in (one, two))
    return x, y, one, two


@pytest.mark.parametrize(("scale", "shift"), SCALES)
def test_every_operator(scale: int, shift: int) -> None:
    system = calculator(scale, shift)
    request = Request(properties=names_of(system))
    assert timeless(explore(system, request)) == evaluated(system, request)


@pytest.mark.parametrize(("scale", "shift"), [(3, 5), *SCALES])
def test_the_evaluator_knows_what_operators_mean(scale: int, shift: int) -> None:
    """Else the two might be wrong alike: in a value, or in the bounds by which the native engine chooses a width."""
    k = Nodes()
    x, y, a, b = numbers(k, k.var(0, SIZE), k.var(1, SIZE), scale, shift)
    found = operations(k, x, y, a, b)
    compiled = compile_values([*found.values()])
    for i, j in product(range(SIZE), range(SIZE)):
        p, q = scale * i - shift, scale * j - shift
        meant = {
            "add": p + q, "sub": p - q, "mul": p * q, "min": min(p, q), "max": max(p, q), "div": p // 3, "mod": p % 3,
            "eq": p == q, "lt": p < q, "le": p <= q, "ite": p - 1 if q < p else q,
            "and": p < q and i == 1, "or": p < q or i == 1, "bit_and": i & j, "bit_or": i | j, "bit_and_not": i & ~j,
            "shift_left": 3 << i, "shift_right": (i | j) >> j, "popcount": (i | j).bit_count(),
        }  # fmt: skip
        assert {name: Values((i, j)).of(node) for name, node in found.items()} == meant
        assert dict(zip(found, compiled((i, j)), strict=True)) == meant
        assert {name for name, node in found.items() if not node.low <= meant[name] <= node.high} == set()


HEAD = '''
from typing import Annotated

from isrcheck import Model, UpTo, action, constant, invariant, require

Small = Annotated[int, UpTo(6)]
Wide = Annotated[int, UpTo("top")]


class Words(Model):
    """Numbers up to top."""

    top: int = constant(1099511627776, "the largest number")
    n: Small = 0
    a: Wide = 1099511627776
'''
STEP = """
    @action
    def go(self) -> None:
        {}
"""
CLAIM = """
    @action
    def go(self) -> None:
        self.n += 1

    @invariant
    def claim(self) -> bool:
        return {}
"""
TOO_WIDE = [
    STEP.format("self.n = self.a * self.a % 7"),
    STEP.format("self.n = min(self.a * self.a, 3)"),
    STEP.format("require(self.a * self.a > self.a)"),
    STEP.format("self.n = (self.a - self.a * self.a) % 5"),
    STEP.format("self.n = 2 if self.n * 18446744073709551616 == 0 else 3"),
    STEP.format("self.n = sum(self.a * 100000 for i in range(1000)) % 7"),
    CLAIM.format("self.a * self.a > 0"),
    CLAIM.format("self.n < 18446744073709551617"),
]


@pytest.mark.parametrize("text", TOO_WIDE)
def test_refused_with_the_reference_at_hand(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = bind(read_model(load_model(HEAD + text, tmp_path, monkeypatch)), {})
    asked = Request(properties=tuple(p.name for p in model.properties))
    assert reference(model, asked).complete
    if "18446744073709551617" in text:  # decided before any word is computed
        assert native(model, asked).complete
        return
    with pytest.raises(ModelError, match=r"do not fit into 64 bits, in which this engine computes\.") as refused:
        native(model, asked)
    assert refused.value.place.line > 15
    assert refused.value.remedy == "Use smaller constants and bounds, or --engine reference."


@pytest.mark.parametrize("a", [2**31, 2**32 - 1, 2**32, 2**62, 2**63 - 1, 2**63, 2**64 - 20])
def test_what_fits_is_right(a: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = HEAD.replace("1099511627776", str(a)) + STEP.format(
        "require(self.a + self.n >= self.a and self.a // 3 < self.a)\n"
        "        self.n, self.a = (self.a + self.n) % 5, max(self.a, 1) if self.n > 2 else self.a // 2 + 1"
    )
    text += STEP.replace("go", "down").format("self.n = max(0, self.n - 1)")  # below zero, in a step of its own
    model = bind(read_model(load_model(text, tmp_path, monkeypatch)), {})
    one, two = reference(model, Request()), native(model, Request())
    assert (one.digest, one.generated, one.pruned) == (two.digest, two.generated, two.pruned)


@pytest.mark.parametrize("operation", ["shift_left", "shift_right"])
def test_no_lane_shifts_by_less_than_nothing(operation: str) -> None:
    """Not even behind a choice that is not taken: LLVM may then take anything for what hangs on it."""
    k, lines = Nodes(), list[str]()
    lanes = Lanes(8, 1, lines, set(), "n")
    lanes.read = "%v{}".format
    lanes.number(getattr(k, operation)(k.var(0, 4), k.sub(k.var(1, 4), k.const(1))))
    assert [line.split()[2] for line in lines] == [
        "add",
        "icmp",
        "shl" if operation == "shift_left" else "lshr",
        "select",
    ]


@pytest.mark.parametrize("bound", [2**64, 2**70])
def test_no_variable_is_wider_than_a_word(bound: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = HEAD.replace("1099511627776", str(bound)) + STEP.format("self.n = 1")
    cls = load_model(text, tmp_path, monkeypatch)
    for engine in ("reference", "native"):
        with pytest.raises(ModelError, match=rf"a holds numbers up to {bound:,}, and a state holds none beyond 64"):
            check(cls, engine=engine)


def test_vacuity_is_no_reason_to_fail(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What looks for guards that are never false is the native engine's; without it the verdict stands."""
    small = """
    @invariant
    def small(self) -> bool:
        return self.n < 7
"""
    cls = load_model(HEAD + STEP.format("require(self.a * self.a < 2)") + small, tmp_path, monkeypatch)
    outcome = check(cls, engine="reference", vacuity=True)
    assert (outcome.distinct, outcome.exit) == (1, 0)
