"""Cost of lowering a model with ten times the text: python -m tools.bench.lowering.

Calls of Python functions and nodes asked for are counted, which are the same on every machine; seconds are of CPU.
"""

import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from isrcheck.catalogue import find_model
from isrcheck.engines.native.lowered import Lowered
from isrcheck.lang.declare import Model
from isrcheck.lang.read import read_model
from isrcheck.passes import bind
from isrcheck.passes.lowering import Lowering

HEAD = '''
from typing import Annotated
from isrcheck import Model, Sort, UpTo, action, constant, each, invariant, require

class Broker(Sort, size="brokers"):
    """A broker."""

class Grown(Model):
    """A model as long as is asked."""
    brokers: int = constant(3, "brokers")
    most: int = constant(3, "the highest offset")
    offset: dict[Broker, Annotated[int, UpTo("most")]] = each(Broker, 0)
    leader: Broker | None = None
    isr: frozenset[Broker] = frozenset()

    @invariant
    def bounded(self) -> bool:
        return all(self.offset[b] <= self.most for b in Broker)
'''
ACTION = """
    @action
    def step_{i}(self, one: Broker, other: Broker) -> None:
        require(self.leader != one and self.offset[one] < {bound})
"""
STATEMENTS = """\
        if self.offset[other] > {bound} and other in self.isr:
            self.leader = other
        else:
            self.isr |= {{one}}
        self.offset[one] = min(self.offset[other] + 1, self.most)
"""


def source_of_size(actions: int, statements: int) -> str:
    lines = [HEAD]
    for i in range(actions):
        lines.append(ACTION.format(i=i, bound=1 + i % 3))
        lines += [STATEMENTS.format(bound=(i + j) % 3) for j in range(statements)]
    return "".join(lines)


@dataclass(frozen=True)
class Work:
    """Cost of reading, lowering and writing the program."""

    calls: int
    nodes: int
    seconds: float


def load_grown(source: str, folder: Path) -> type[Model]:
    file = folder / f"grown_{len(list(folder.iterdir()))}.py"
    file.write_text(source, encoding="utf-8")
    return find_model(f"{file}:Grown")


def work(source: str, folder: Path) -> Work:
    first, again = load_grown(source, folder), load_grown(source, folder)
    began = time.process_time()
    nodes = count_nodes(first)
    seconds = time.process_time() - began
    calls = 0

    def count(frame: FrameType, event: str, _: object) -> None:
        nonlocal calls
        calls += event == "call"

    sys.setprofile(count)
    try:
        count_nodes(again)
    finally:
        sys.setprofile(None)
    return Work(calls, nodes, seconds)


def count_nodes(cls: type[Model]) -> int:
    """How many nodes were asked for."""
    lowering = Lowering(bind(read_model(cls), {}))
    Lowered.of(lowering.system, ("bounded",))
    return lowering.shapes.n.work


SHAPES: dict[str, Callable[[int], str]] = {
    "ten times the actions": lambda times: source_of_size(4 * times, 2),
    "ten times the statements of each action": lambda times: source_of_size(4, 2 * times),
}


def compare(shape: str) -> tuple[Work, Work]:
    """A model, and one of ten times the text."""
    with tempfile.TemporaryDirectory(prefix="isrcheck-lowering-") as folder:
        work(SHAPES[shape](1), Path(folder))  # imports, and what is computed once in a process
        small, large = (work(SHAPES[shape](times), Path(folder)) for times in (1, 10))
        return small, large


def main() -> None:
    for shape in SHAPES:
        small, large = compare(shape)
        for name in ("calls", "nodes", "seconds"):
            before, after = getattr(small, name), getattr(large, name)
            print(f"{shape}: {name} {before:,.2f} to {after:,.2f}, {after / before:.1f} times")


if __name__ == "__main__":
    main()
