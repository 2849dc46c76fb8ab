"""The corners of the language in corners.txt: both engines see one graph, or find the same errors state by state."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from textwrap import indent
from typing import Any

import pytest
from tests.lang.written import explore_both, load_model
from tests.models.compare import compare

from isrcheck.engines.contract import Request
from isrcheck.engines.evaluator import ScalarStepper
from isrcheck.engines.explore import Explorer
from isrcheck.engines.reference.stepper import ReferenceStepper
from isrcheck.errors import ModelError
from isrcheck.lang.read import read_model
from isrcheck.passes import bind, lower

HEAD = '''
from enum import Enum
from typing import Annotated, NamedTuple, Self

from isrcheck import Model, Sort, Taken, UpTo, action, constant, each, invariant, members, require, step


class Node(Sort, size="nodes"):
    """Somebody."""


class Colour(Enum):
    RED = 1
    BLUE = 2


Count = Annotated[int, UpTo("most")]
Row = Annotated[tuple[Count, ...], UpTo("most")]


class Note(NamedTuple):
    a: Count
    b: Count


class Opt(NamedTuple):
    a: Count | None
    s: frozenset[Node]


class Corners(Model):
    nodes: int = constant(2, "how many", at_least=1)
    most: int = constant(2, "the largest number")

    n: Count = 0
    m: Count | None = None
    held: dict[Node, Count] = each(Node, 0)
    table: dict[Count, Count] = each(Count, 0)
    nested: dict[Node, dict[Count, Colour | None]] = each(Node, each(Count, None))
    flag: bool = False
    here: frozenset[Node] = members(Node)
    nums: frozenset[Count] = frozenset()
    notes: frozenset[Note] = frozenset()
    note: Note | None = None
    opt: Opt | None = None
    row: Row = ()
    marks: Annotated[tuple[Count | None, ...], UpTo("most")] = ()
    colour: Colour | None = None
    last: Node | None = None
    sets: frozenset[frozenset[Node]] = frozenset()
'''

CORNER = re.compile(
    r"^(?P<name>\w+)\((?P<parameters>.*)\)(?: with (?P<constants>.*))?\n"
    r"(?P<body>(?:    .*\n)+)"
    r"(?:and\n(?P<more>(?:(?:    .*)?\n)+?))?"
    r"=> (?P<outcome>.*)$",
    re.MULTILINE,
)


@dataclass(frozen=True)
class Corner:
    """The body of an action, and what comes of it."""

    name: str
    parameters: str
    constants: dict[str, Any]
    body: str
    more: str
    outcome: str

    def text(self) -> str:
        head = f"def move(self{', ' * bool(self.parameters)}{self.parameters}) -> None:"
        return f"{HEAD}\n    @action\n    {head}\n{indent(self.body, '    ')}\n{self.more}"


def corners() -> Iterator[Corner]:
    text = Path(__file__).with_name("corners.txt").read_text(encoding="utf-8")
    for found in CORNER.finditer(text):
        name, parameters, given, body, more, outcome = found.groups(default="")
        constants = dict(pair.split("=") for pair in given.split())
        yield Corner(name, parameters, constants, body, more, outcome)


CORNERS = list(corners())


def test_every_corner_is_read() -> None:
    text = Path(__file__).with_name("corners.txt").read_text(encoding="utf-8")
    assert len(CORNERS) == text.count("\n=> ") > 80


@pytest.mark.parametrize("corner", CORNERS, ids=lambda corner: corner.name)
def test_corner(corner: Corner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cls = load_model(corner.text(), tmp_path, monkeypatch)
    if not corner.outcome.startswith("error"):
        seen = explore_both(cls, **corner.constants)
        assert f"{seen.distinct} {seen.generated} {seen.depth} {seen.pruned}" == corner.outcome
        return
    compared = compare(cls, **corner.constants)
    assert f"error {compared.undecided} among {compared.distinct}" == corner.outcome
    model = bind(read_model(cls), corner.constants)
    kinds = {p.name: p.kind for p in model.properties}
    request = Request(properties=tuple(kinds), deadlock=True)
    for stepper in (ReferenceStepper(model), ScalarStepper(lower(model))):
        with pytest.raises(ModelError):
            Explorer(stepper, kinds, request).run()
