"""What the search for lemmas leaves of its candidates is inductive, whatever the order of the actions."""

import pytest

from isrcheck import Model, action, invariant
from isrcheck.engines.symbolic.induction import lemmas_of, search
from isrcheck.lang.read import read_model
from isrcheck.passes.symbolic import bind_symbolic, lower_symbolic


class Later(Model):
    """An action that is taken later breaks what an earlier one relies on."""

    one: bool = False
    two: bool = False
    three: bool = False
    apart: bool = False

    @action
    def copy_two(self) -> None:
        self.one = self.two

    @action
    def copy_three(self) -> None:
        self.two = self.three

    @action
    def set_three(self) -> None:
        self.three = True

    @invariant
    def one_is_clear(self) -> bool:
        return not self.one

    @invariant
    def two_is_clear(self) -> bool:
        return not self.two

    @invariant
    def three_is_clear(self) -> bool:
        return not self.three

    @invariant
    def apart_is_clear(self) -> bool:
        return not self.apart

    @invariant
    def apart_is_set(self) -> bool:
        return self.apart


@pytest.mark.parametrize(
    ("candidates", "left"),
    [
        (("one_is_clear", "two_is_clear", "three_is_clear", "apart_is_clear"), ["apart_is_clear"]),
        (("apart_is_clear", "apart_is_set"), ["apart_is_clear"]),
        (("one_is_clear",), []),
    ],
)
def test_what_is_left_is_inductive(candidates: tuple[str, ...], left: list[str]) -> None:
    symbolic = lower_symbolic(bind_symbolic(read_model(Later), {}))
    found = search(symbolic, (), list(lemmas_of(symbolic, candidates)))
    assert [lemma.name for lemma in found] == left
