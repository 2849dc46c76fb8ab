"""A function over a batch of states: the parts that guards, properties and symmetries have in common."""

from collections.abc import Sequence

from isrcheck.engines.native.lanes import Lanes, lane_bits
from isrcheck.ir.pack import Field, Packing
from isrcheck.ir.scalar import Condition, Instance, Node

BATCH = 64
COUNT_BITS = "@llvm.ctpop.i64"


class Batch:
    """A function over a batch: its states' words are laid side by side, then nodes are computed in every lane."""

    def __init__(self, layout: Packing, roots: Sequence[Node], declarations: set[str]) -> None:
        self.layout = layout
        self.lines: list[str] = []
        self.lanes = Lanes(lane_bits(roots), BATCH, self.lines, declarations, "n")
        self.lanes.read = self._scalar
        self._words: dict[int, str] = {}
        self._scalars: dict[int, str] = {}

    def begin(self) -> None:
        """Lay the states at `%words` side by side, word by word, where the lanes can read them."""
        words = self.layout.words
        self.lines[0:0] = [f"  %side = alloca [{words} x [{BATCH} x i64]], align 64"]
        self.lines += [
            f"  call void @llvm.memset.p0.i64(ptr align 64 %side, i8 0, i64 {words * BATCH * 8}, i1 false)",
            "  call void @spread(ptr %words, i64 %count, ptr %side)",
            f"  %rest = sub i64 {BATCH}, %count",
            "  %valid = lshr i64 -1, %rest",
        ]

    def _word(self, word: int) -> str:
        if word not in self._words:
            place = self.lanes.let(f"getelementptr [{BATCH} x i64], ptr %side, i64 {word}")
            self._words[word] = self.lanes.let(f"load <{BATCH} x i64>, ptr {place}, align 64")
        return self._words[word]

    def _scalar(self, position: int) -> str:
        if position not in self._scalars:
            self._scalars[position] = self._extract(self.layout.fields[position])
        return self._scalars[position]

    def _extract(self, field: Field) -> str:
        lanes, wide = self.lanes, f"<{BATCH} x i64>"
        value = self._word(field.word)
        if field.shift:
            value = lanes.let(f"lshr {wide} {value}, splat (i64 {field.shift})")
        if lanes.bits < 64:
            value = lanes.let(f"trunc {wide} {value} to {lanes.type}")
        if field.bits < lanes.bits:
            value = lanes.let(f"and {lanes.type} {value}, {lanes.constant((1 << field.bits) - 1)}")
        return value

    def states(self, truth: str) -> str:
        """The lanes of the batch in which this is true, as bits of a word."""
        return self.lanes.let(f"and i64 {self.lanes.let(f'bitcast {self.lanes.mask} {truth} to i64')}, %valid")

    def either(self, a: str | None, b: str) -> str:
        return b if a is None else self.lanes.let(f"or {self.lanes.mask} {a}, {b}")

    def both(self, a: str, b: str) -> str:
        return self.lanes.let(f"and {self.lanes.mask} {a}, {b}")

    def inverse(self, a: str) -> str:
        return self.lanes.let(f"xor {self.lanes.mask} {a}, {self.lanes.truth_constant(True)}")

    def report(self, position: int, word: str) -> None:
        place = self.lanes.let(f"getelementptr i64, ptr %report, i64 {position}")
        self.lines.append(f"  store i64 {word}, ptr {place}")

    def add_to(self, array: str, position: int, word: str) -> None:
        place = self.lanes.let(f"getelementptr i64, ptr {array}, i64 {position}")
        old = self.lanes.let(f"load i64, ptr {place}")
        self.lines.append(f"  store i64 {self.lanes.let(f'add i64 {old}, {word}')}, ptr {place}")

    def how_many(self, word: str) -> str:
        return self.lanes.let(f"call i64 {COUNT_BITS}(i64 {word})")

    def any_fault(self, lanes: Lanes, condition: Condition | Instance) -> str | None:
        result: str | None = None
        for fault in condition.faults:
            if fault.condition.high:
                result = self.either(result, lanes.truth(fault.condition))
        return result
