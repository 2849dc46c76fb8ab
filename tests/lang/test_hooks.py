"""What CPython would run and the reader does not read: refused where the two could differ, accepted where they agree.

The sentences of what is refused are pinned in tests/errors/cases.
"""

import builtins
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest
from tests.lang.written import explore_both, load_model

from isrcheck import Model
from isrcheck.engines.contract import DEADLOCK
from isrcheck.engines.reference.stepper import ReferenceStepper
from isrcheck.errors import ModelError
from isrcheck.lang import declare
from isrcheck.lang.read import read_model
from isrcheck.lang.refused import RESERVED
from isrcheck.passes import bind

MODEL = """from enum import *
from typing import Annotated, NamedTuple, Self, final

from isrcheck import *


class Node(Sort, size="nodes"):
    def plain(self) -> int:
        return self.index


class Colour(IntEnum):
    RED = 1
    CRIMSON = True
    GREEN = auto()

    @classmethod
    def _missing_(cls, value: object) -> "Colour":
        return cls.RED


class Name(StrEnum):
    ONE = auto()
    TWO = auto()


class Base(Enum):
    def plain(self) -> int:
        return 0


class Word(str, Enum):
    YES = "yes"
    NO = "no"


class Pace(Base):
    FAST = 1
    SLOW = 2


Count = Annotated[int, UpTo("most")]


class Pair(NamedTuple):
    \"\"\"Two numbers.\"\"\"

    left: Count
    right: Count = 0

    def total(self) -> int:
        return self.left + self.right


def low(n: Count) -> bool:
    return len((n, n)) == 2 and n < 9


def never(n: Count) -> bool:
    return False


@final
class Held(Model):
    nodes: int = constant(2, "how many", at_least=1)
    most: int = constant(2, "the largest number")

    if True:
        n: Count = 0
    for name in ():
        pass
    colour: Colour = Colour.RED
    name_: Name = Name.ONE
    pace: Pace = Pace.FAST
    word: Word = Word.YES
    pair: Pair = Pair(0, 0)
    mark: dict[Colour, bool] = {Colour.RED: False, Colour.GREEN: False}

    @action
    def move(self, to: Colour, by: Name, pace: Pace) -> None:
        require(low(self.n))
        self.n += 1
        self.colour, self.name_, self.pace = to, by, pace
        self.pair = self.pair._replace(left=self.n)
        self.mark[to] = True
        self.word = Word.NO

    @invariant
    def red(self) -> bool:
        return self.colour == Colour.CRIMSON or self.pair == Pair(self.n, 0)

    @invariant
    def marked(self) -> bool:
        return not self.mark[Colour.GREEN] or self.name_ != Name.TWO or self.pace == Pace.FAST
"""


@pytest.fixture
def held(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> type[Model]:
    return load_model(MODEL, tmp_path, monkeypatch)


def test_what_cannot_differ_is_accepted(held: type[Model]) -> None:
    """Methods that no text can call, numbers and words as members, a base with methods, defaults, statements."""
    assert "marked" in explore_both(held).paths


def _turn(module: ModuleType, held: type[Model]) -> None:
    held.red = held.marked  # type: ignore[attr-defined] # wrong on purpose


def _code(module: ModuleType, held: type[Model]) -> None:
    module.low.__code__ = module.never.__code__


def _helper(module: ModuleType, held: type[Model]) -> None:
    module.low = module.never  # type: ignore[attr-defined] # wrong on purpose


def _shadow(module: ModuleType, held: type[Model]) -> None:
    module.len = lambda x: 3  # type: ignore[attr-defined] # wrong on purpose


def _equality(module: ModuleType, held: type[Model]) -> None:
    module.Pair.__eq__ = lambda self, other: False


def _attribute(module: ModuleType, held: type[Model]) -> None:
    held.__getattribute__ = lambda self, name: 0  # type: ignore[method-assign] # wrong on purpose


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (_turn, "Held.red"),
        (_code, "the code of low()"),
        (_helper, "the global name low of model"),
        (_shadow, "the global name len of model"),
        (_equality, "Pair.__eq__"),
        (_attribute, "Held.__getattribute__"),
    ],
)
def test_what_is_changed_after_reading(
    held: type[Model], change: Callable[[ModuleType, type[Model]], None], what: str
) -> None:
    """What runs is what was read: at every reading, and before every run of a model that was read and bound."""
    model = bind(read_model(held), {})
    change(sys.modules["model"], held)
    with pytest.raises(ModelError) as found:
        read_model(held)
    assert found.value.sentence == f"{what} is not what it was when Held was read."
    assert found.value.remedy == "Change nothing of a model once it is used: write a variant."
    with pytest.raises(ModelError, match="is not what it was"):
        ReferenceStepper(model)


def test_a_function_of_python_replaced(held: type[Model], monkeypatch: pytest.MonkeyPatch) -> None:
    real = len
    with monkeypatch.context() as before:
        before.setattr(builtins, "len", lambda x: real(x))
        with pytest.raises(ModelError):  # records are made with it
            read_model(held)
    read_model(held)
    monkeypatch.setattr(builtins, "len", lambda x: real(x))
    with pytest.raises(ModelError, match=r"Python's own len\(\) is not what it was"):
        read_model(held)


def test_words_of_isrcheck_replaced(held: type[Model], monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as context:
        context.setattr(declare.require, "__code__", (lambda condition: None).__code__)
        with pytest.raises(ModelError, match=r"isrcheck's own require\(\) is not what it was"):
            read_model(held)
    monkeypatch.setattr(declare.Sort, "__eq__", lambda self, other: True)
    with pytest.raises(ModelError, match=r"isrcheck's own Sort\.__eq__ is not what it was"):
        read_model(held)


def test_a_helper_that_another_variant_uses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is judged where it is defined: a variant that fills the policy otherwise leaves it without a caller."""
    text = (
        MODEL.partition("@final")[0]
        + """class Open(Model):
    most: int = constant(2, "the largest number")
    n: Count = 0

    @action
    def move(self) -> None:
        require(self.may_move())
        self.n += 1

    @policy
    def may_move(self) -> bool:
        raise NotImplementedError


class Shared(Open):
    def small(self) -> bool:
        return self.n < 1


class Small(Shared):
    def may_move(self) -> bool:
        return self.small()


class Always(Shared):
    def may_move(self) -> bool:
        return True
"""
    )
    assert explore_both(load_model(text, tmp_path, monkeypatch)).distinct == 3
    alone = text.replace("return self.small()", "return False")
    with pytest.raises(ModelError, match=r"small\(\) of Shared has no role, fills no policy, and no model calls it"):
        read_model(load_model(alone, tmp_path, monkeypatch))


def test_the_name_of_a_deadlock_is_reserved() -> None:
    assert {DEADLOCK, "none"} <= RESERVED["property"].keys()
