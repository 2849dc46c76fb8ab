"""A batch's states one after the other: less machine code by far than side by side, and slower to search with."""

from collections.abc import Sequence

from isrcheck.engines.native.lanes import Batch, Lanes, lane_bits
from isrcheck.ir.pack import Packing
from isrcheck.ir.scalar import Node

_FUNCTION = """\
define internal void @{name}(ptr %words, i64 %count{parameters}) #0 {{
entry:
{zeros}
  br label %head
head:
  %s = phi i64 [ 0, %entry ], [ %next, %body ]
  %more = icmp ult i64 %s, %count
  br i1 %more, label %body, label %end
body:
  %first = mul i64 %s, {words}
  %state = getelementptr i64, ptr %words, i64 %first
{lines}
  %next = add i64 %s, 1
  br label %head
end:
  ret void
}}
"""


class PackedState:
    """The scalars of the state at `%state`."""

    def __init__(self, layout: Packing, lanes: Lanes) -> None:
        self._fields, self._let = layout.fields, lanes.let
        places = (lanes.let(f"getelementptr i64, ptr %state, i64 {i}") for i in range(layout.words))
        self.words = [lanes.let(f"load i64, ptr {place}") for place in places]

    def scalar(self, position: int) -> str:
        field = self._fields[position]
        value = self.words[field.position]
        if field.shift:
            value = self._let(f"lshr i64 {value}, {field.shift}")
        return value if field.bits == 64 else self._let(f"and i64 {value}, {(1 << field.bits) - 1}")


class PlainLanes(Lanes):
    """Lanes without what LLVM's fast instruction selection lacks: after that it takes the slow one."""

    def select(self, test: str, then: str, other: str) -> str:
        first = self.let(f"and i1 {test}, {then}")
        second = self.let(f"and i1 {self.let(f'xor i1 {test}, true')}, {other}")
        return self.let(f"or i1 {first}, {second}")


class OneByOne(Batch):
    """A function over a batch of states, in a loop."""

    alone = PlainLanes

    def __init__(self, layout: Packing, roots: Sequence[Node], declarations: set[str]) -> None:
        lane_bits(roots)
        self.layout, self.lines = layout, list[str]()
        self.lanes = PlainLanes(64, 1, self.lines, declarations, "n")
        scalar = PackedState(layout, self.lanes).scalar
        self.lanes.read = self.scalar = scalar  # type: ignore[method-assign]  # of this object, not of its class
        self._reported: list[int] = []

    def definition(self, name: str, parameters: str) -> str:
        zeros = []
        for position in self._reported:
            zeros.append(f"  %zero{position} = getelementptr i64, ptr %report, i64 {position}")
            zeros.append(f"  store i64 0, ptr %zero{position}")
        return _FUNCTION.format(
            name=name,
            parameters=parameters,
            zeros="\n".join(zeros),
            words=self.layout.words,
            lines="\n".join(self.lines),
        )

    def states(self, truth: str) -> str:
        """Return a word in which the bit of this state is a truth value."""
        return self.lanes.let(f"shl i64 {self.lanes.let(f'zext i1 {truth} to i64')}, %s")

    def how_many(self, mask: str) -> str:
        return self.lanes.let(f"lshr i64 {mask}, %s")

    def report(self, position: int, mask: str) -> None:
        self._reported.append(position)
        if mask != "0":
            place = self.lanes.let(f"getelementptr i64, ptr %report, i64 {position}")
            old = self.lanes.let(f"load i64, ptr {place}")
            self.lines.append(f"  store i64 {self.lanes.let(f'or i64 {old}, {mask}')}, ptr {place}")
