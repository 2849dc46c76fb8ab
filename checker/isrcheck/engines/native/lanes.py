"""Nodes to LLVM IR, for one state or a batch: each value is a number or a truth in every lane."""

from collections.abc import Callable, Iterable, Sequence
from functools import reduce
from typing import ClassVar, Self

from isrcheck.engines.common.evaluate import arguments_first
from isrcheck.engines.native.program import BATCH
from isrcheck.errors import ModelError
from isrcheck.files import read_beside
from isrcheck.ir.pack import Packing
from isrcheck.ir.scalar import Condition, Instance, Node, Op
from isrcheck.place import NOWHERE, Place

_ARITHMETIC = {Op.ADD: "add", Op.SUB: "sub", Op.MUL: "mul", Op.BAND: "and", Op.BOR: "or"}
_JUNCTIONS = {Op.AND: "and", Op.OR: "or"}


class TooWide(ModelError):
    """Values exceed machine words."""

    def __init__(self, low: int, high: int, at: Place = NOWHERE) -> None:
        self.low, self.high = low, high
        sentence = f"values from {low:,} to {high:,} do not fit into 64 bits, in which this engine computes."
        super().__init__(at, sentence, "Use smaller constants and bounds, or --engine reference.")


def lane_bits(roots: Iterable[Node]) -> int:
    """The fewest of 8, 16, 32 and 64 bits for all values, masks without a sign. Raises TooWide if there are none."""
    low = high = 0
    for node in arguments_first(roots):
        low, high = min(low, node.low), max(high, node.high)
    for bits in (8, 16, 32, 64):
        if -(1 << bits - 1) <= low and high < 1 << bits - 1:
            return bits
    if low >= 0 and high < 1 << 64:
        return 64
    raise TooWide(low, high)


class Lanes:
    """Writes lines that compute each node once, in `count` lanes of `bits` bits; `read` gives a scalar's value."""

    def __init__(self, bits: int, count: int, lines: list[str], declarations: set[str], prefix: str) -> None:
        self.bits, self.count = bits, count
        self.type = f"i{bits}" if count == 1 else f"<{count} x i{bits}>"
        self.mask = self.lane_mask = "i1" if count == 1 else f"<{count} x i1>"
        self.lines, self.declarations, self._head = lines, declarations, prefix
        self._last = 0
        self._numbers: dict[Node, str] = {}
        self._truths: dict[Node, str] = {}
        self._computed: set[Node] = set()
        self._known: dict[str, str] = {}  # names of operations that a subclass writes once
        self.read: Callable[[int], str]

    def child(self, prefix: str, read: Callable[[int], str]) -> Self:
        lanes = type(self)(self.bits, self.count, self.lines, self.declarations, prefix)
        lanes.read = read
        return lanes

    def let(self, operation: str) -> str:
        self._last += 1
        name = f"%{self._head}{self._last}"
        self.lines.append(f"  {name} = {operation}")
        return name

    def constant(self, value: int) -> str:
        value &= (1 << self.bits) - 1
        signed = value - (1 << self.bits) if value >> self.bits - 1 else value
        return str(signed) if self.count == 1 else f"splat (i{self.bits} {signed})"

    def boolean(self, value: bool) -> str:
        literal = "true" if value else "false"
        return literal if self.count == 1 else f"splat (i1 {literal})"

    def compare(self, operation: str) -> str:
        """Write a comparison of numbers; the truth that it gives."""
        return self.let(operation)

    def as_mask(self, truth: str) -> str:
        """A truth as a mask of lanes, as numbers are chosen by."""
        return truth

    def number(self, node: Node) -> str:
        self._compute(node)
        return self._number(node)

    def truth(self, node: Node) -> str:
        self._compute(node)
        return self._truth(node)

    def _compute(self, root: Node) -> None:
        if root in self._computed:  # as most are: three in four
            return
        for node in arguments_first([root], self._computed):
            self._computed.add(node)
            self._define(node)

    def _number(self, node: Node) -> str:
        if node not in self._numbers:
            self._numbers[node] = self.let(f"zext {self.lane_mask} {self.as_mask(self._truths[node])} to {self.type}")
        return self._numbers[node]

    def _truth(self, node: Node) -> str:
        if node not in self._truths:
            zero = self.constant(0)
            self._truths[node] = self.compare(f"icmp ne {self.type} {self._numbers[node]}, {zero}")
        return self._truths[node]

    def _define(self, node: Node) -> None:
        match node.op:
            case Op.CONST:
                self._numbers[node] = self.constant(node.value)
                if node.value in (0, 1):
                    self._truths[node] = self.boolean(node.value == 1)
            case Op.VAR:
                self._numbers[node] = self.read(node.value)
            case Op.NOT:
                value = self._truth(node.args[0])
                self._truths[node] = self.let(f"xor {self.mask} {value}, {self.boolean(True)}")
            case Op.AND | Op.OR:
                opcode = _JUNCTIONS[node.op]
                truths = (self._truth(each) for each in node.args)
                self._truths[node] = reduce(lambda a, b: self.let(f"{opcode} {self.mask} {a}, {b}"), [*truths])
            case Op.EQ | Op.LT:
                a, b = node.args
                unsigned = a.low >= 0 and b.low >= 0
                opcode = "eq" if node.op is Op.EQ else "ult" if unsigned else "slt"
                self._truths[node] = self.compare(f"icmp {opcode} {self.type} {self._number(a)}, {self._number(b)}")
            case Op.ITE:
                self._choice(node)
            case _:
                self._numbers[node] = self._result(node)

    def _choice(self, node: Node) -> None:
        condition, then, other = node.args
        test = self._truth(condition)
        if all(0 <= each.low and each.high <= 1 for each in (then, other)):
            self._truths[node] = self.select(test, self._truth(then), self._truth(other))
        else:
            a = self._number(then)
            b = self._number(other)
            mask = f"{self.lane_mask} {self.as_mask(test)}"
            self._numbers[node] = self.let(f"select {mask}, {self.type} {a}, {self.type} {b}")

    def select(self, test: str, then: str, other: str) -> str:
        """Choose one of two truths."""
        return self.let(f"select {self.mask} {test}, {self.mask} {then}, {self.mask} {other}")

    def _result(self, node: Node) -> str:
        values = [self._number(each) for each in node.args]
        match node.op:
            case Op.BANDNOT:
                inverse = self.let(f"xor {self.type} {values[1]}, {self.constant(-1)}")
                return self.let(f"and {self.type} {values[0]}, {inverse}")
            case Op.DIV | Op.MOD:
                return self._division(node, values[0], values[1])
            case Op.SHL | Op.SHR:
                return self._shift(node, values[0], values[1])
            case Op.POPCOUNT:
                name = f"@llvm.ctpop.{'' if self.count == 1 else f'v{self.count}'}i{self.bits}"
                self.declarations.add(f"declare {self.type} {name}({self.type})")
                return self.let(f"call {self.type} {name}({self.type} {values[0]})")
            case _:
                return self.let(f"{_ARITHMETIC[node.op]} {self.type} {values[0]}, {values[1]}")

    def _division(self, node: Node, a: str, b: str) -> str:
        """Write a division or its remainder, rounded down as in Python."""
        divide = node.op is Op.DIV
        if node.args[0].low >= 0:
            return self.let(f"{'udiv' if divide else 'urem'} {self.type} {a}, {b}")
        rest = self.let(f"srem {self.type} {a}, {b}")
        below = self.let(f"icmp slt {self.type} {rest}, {self.constant(0)}")
        if divide:
            quotient = self.let(f"sdiv {self.type} {a}, {b}")
            return self.let(f"add {self.type} {quotient}, {self.let(f'sext {self.lane_mask} {below} to {self.type}')}")
        raised = self.let(f"add {self.type} {rest}, {b}")
        return self.let(f"select {self.lane_mask} {below}, {self.type} {raised}, {self.type} {rest}")

    def _shift(self, node: Node, a: str, b: str) -> str:
        """Shift a number; by an amount that LLVM gives no meaning to 0, and a negative number to -1."""
        value, amount = node.args
        signed = node.op is Op.SHR and value.low < 0
        opcode = "shl" if node.op is Op.SHL else "ashr" if signed else "lshr"
        if 0 <= amount.low and amount.high < self.bits:
            return self.let(f"{opcode} {self.type} {a}, {b}")
        fits = self.let(f"icmp ult {self.type} {b}, {self.constant(self.bits)}")
        if signed:
            last = self.let(
                f"select {self.lane_mask} {fits}, {self.type} {b}, {self.type} {self.constant(self.bits - 1)}"
            )
            return self.let(f"ashr {self.type} {a}, {last}")
        shifted = self.let(f"{opcode} {self.type} {a}, {b}")
        return self.let(f"select {self.lane_mask} {fits}, {self.type} {shifted}, {self.type} {self.constant(0)}")


COUNT_BITS = "@llvm.ctpop.i64"


class Batch:
    """A function over a batch of states, side by side."""

    alone: ClassVar[type[Lanes]] = Lanes  # for what is computed for one state
    side_by_side: ClassVar[type[Lanes]] = Lanes
    line_list: ClassVar[type[list[str]]] = list

    def __init__(self, layout: Packing, roots: Sequence[Node], declarations: set[str]) -> None:
        self.layout = layout
        self.lines = self.line_list()
        self.lanes = self.side_by_side(lane_bits(roots), BATCH, self.lines, declarations, "n")
        self.lanes.read = self.scalar
        self._scalars: dict[int, str] = {}
        narrow = "bitcast" if self.lanes.bits == 64 else "trunc"
        declarations.add(read_beside(__file__, "unpack.ll").format(bits=self.lanes.bits, narrow=narrow))

    def scalar(self, position: int) -> str:
        if position not in self._scalars:
            place = self.lanes.let(f"getelementptr {self.lanes.type}, ptr %values, i64 {len(self._scalars)}")
            self._scalars[position] = self.lanes.let(f"load {self.lanes.type}, ptr {place}, align 64")
        return self._scalars[position]

    def definition(self, name: str, parameters: str) -> str:
        words, fields = self.layout.words, [self.layout.fields[position] for position in self._scalars]
        rows = (f"i64 {each.position}, i64 {each.shift}, i64 {(1 << each.bits) - 1}" for each in fields)
        table = f"@{name}.fields = internal constant [{len(fields)} x [3 x i64]] ["
        table += ", ".join(f"[3 x i64] [{row}]" for row in rows) + "]"
        head = [
            f"define internal void @{name}(ptr %words, i64 %count{parameters}) #0 {{",
            "entry:",
            f"  %side = alloca [{words} x [{BATCH} x i64]], align 64",
            f"  %values = alloca [{max(len(fields), 1)} x {self.lanes.type}], align 64",
            f"  call void @llvm.memset.p0.i64(ptr align 64 %side, i8 0, i64 {words * BATCH * 8}, i1 false)",
            "  call void @spread(ptr %words, i64 %count, ptr %side)",
            f"  call void @unpack_i{self.lanes.bits}(ptr %side, ptr %values, ptr @{name}.fields, i64 {len(fields)})",
            f"  %rest = sub i64 {BATCH}, %count",
            "  %valid = lshr i64 -1, %rest",
        ]
        return "\n".join([table, *head, *self.lines, "  ret void", "}", ""])

    def states(self, truth: str) -> str:
        """Return a word with one bit for each lane of a truth value."""
        return self.lanes.let(f"and i64 {self.lanes.let(f'bitcast {self.lanes.mask} {truth} to i64')}, %valid")

    def either(self, a: str | None, b: str) -> str:
        return b if a is None else self.lanes.let(f"or {self.lanes.mask} {a}, {b}")

    def both(self, a: str, b: str) -> str:
        return self.lanes.let(f"and {self.lanes.mask} {a}, {b}")

    def inverse(self, a: str) -> str:
        return self.lanes.let(f"xor {self.lanes.mask} {a}, {self.lanes.boolean(True)}")

    def report(self, position: int, mask: str) -> None:
        """Report a word at a position, once for each."""
        place = self.lanes.let(f"getelementptr i64, ptr %report, i64 {position}")
        self.lines.append(f"  store i64 {mask}, ptr {place}")

    def how_many(self, mask: str) -> str:
        return self.lanes.let(f"call i64 {COUNT_BITS}(i64 {mask})")

    def any_fault(self, lanes: Lanes, condition: Condition | Instance) -> str | None:
        result: str | None = None
        for fault in condition.faults:
            if fault.condition.high:
                result = self.either(result, lanes.truth(fault.condition))
        return result
