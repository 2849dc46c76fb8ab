"""A policy that returns nothing is what a variant does, as one that returns a value is what it decides."""

from pathlib import Path

import pytest
from tests.lang.engines import explore_both
from tests.lang.written import load_model

from isrcheck.errors import ModelError
from isrcheck.lang.read import read_model

TEXT = """from typing import Annotated
from isrcheck import *

Count = Annotated[int, UpTo("most")]


class Shop(Model):
    most: int = constant(2, "the largest number")
    sold: Count = 0

    @action
    def sell(self) -> None:
        self.sold += 1
        self.note(self.sold)

    @policy
    def note(self, sold: Count) -> None:
        \"\"\"Nobody counts.\"\"\"


class Ledger(Shop):
    noted: Count = 0

    def note(self, sold: Count) -> None:
        require(sold < 2)
        self.noted = sold
"""


@pytest.mark.parametrize(("last", "distinct"), [("", 2), ("\n\nclass Idle(Shop):\n    pass\n", 3)])
def test_a_variant_fills_what_is_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, last: str, distinct: int
) -> None:
    """What the variant writes, and a guard of it that is false: the step does not happen."""
    assert explore_both(load_model(TEXT + last, tmp_path, monkeypatch)).distinct == distinct


def test_it_does_what_was_declared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = TEXT.replace("sold: Count) -> None:\n        require", "sold: Count) -> bool:\n        require")
    with pytest.raises(ModelError, match="the policy note"):
        read_model(load_model(text, tmp_path, monkeypatch))
