"""Events as they were observed, in the order in which each node wrote them."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

_NUMBER = re.compile(r"-?\d+")
# Of the line, or of other lines, and not what it tells.
_OF_THE_LINE = frozenset({"thread", "dir", "directories", "topic_id", "log_offset"})
_NOT_TOLD = _OF_THE_LINE | {"left", "leader_before", "leader_after", "holders", "added", "removed"}


@dataclass(frozen=True, eq=False)
class Event:
    """One event of one node. `order` is its place there; `wall_ms` only suggests an order across nodes."""

    node: str
    kind: str
    fields: Mapping[str, str] = field(default_factory=dict)
    order: int = 0
    wall_ms: float = 0.0
    source: str = "log"

    @property
    def thread(self) -> str:
        """The thread that wrote the event; "" where that is not known."""
        return self.fields.get("thread", "")

    @cached_property
    def broker(self) -> int | None:
        """The broker that it is about: its node, or whom a journal of faults names."""
        numbers = _NUMBER.findall(self.node if self.node.startswith("broker") else self.fields.get("broker", ""))
        return int(numbers[0]) if numbers else None

    def has(self, name: str) -> bool:
        """Whether the event says this."""
        return bool(self.fields.get(name, "").strip())

    def number(self, name: str) -> int | None:
        """A field that holds one number, None without it."""
        numbers = _NUMBER.findall(self.fields.get(name, ""))
        return int(numbers[0]) if numbers else None

    def numbers(self, name: str) -> frozenset[int]:
        """A field that lists brokers."""
        return frozenset(map(int, _NUMBER.findall(self.fields.get(name, ""))))

    def pairs(self, name: str) -> dict[int, int]:
        """A field that maps brokers to offsets, as in `2: 5, 3: 4`."""
        numbers = list(map(int, _NUMBER.findall(self.fields.get(name, ""))))
        return dict(zip(numbers[::2], numbers[1::2], strict=False))

    def __str__(self) -> str:
        fields = ", ".join(f"{name}={value}" for name, value in self.fields.items() if name not in _NOT_TOLD)
        return f"{self.kind}({fields})"
