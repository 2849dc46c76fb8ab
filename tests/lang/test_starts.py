"""Several initial states: counted as TLC counts them, by every engine that knows them; refused by the others."""

import importlib
import sys
from pathlib import Path

import pytest
from tests.lang.models.choices import ChangRoberts, Several
from tests.lang.models.ewd998 import Ewd998
from tests.lang.models.networks import Asking
from tests.lang.written import explore_both, load_model

from isrcheck import Limits, Model, check, prove, simulate
from isrcheck.engines.contract import Request
from isrcheck.engines.registry import engine
from isrcheck.errors import ModelError, UsageError
from isrcheck.lang.read import read_model
from isrcheck.passes import bind
from isrcheck.run.replay import trace_path
from isrcheck.tla.export import to_tla

COUNTS = [(ChangRoberts, (137, 227, 10)), (Several, (8, 10, 2))]


@pytest.mark.parametrize("name", ["reference", "native"])
@pytest.mark.parametrize(("model", "counts"), COUNTS, ids=["chang-roberts", "several"])
def test_counts(name: str, model: type[Model], counts: tuple[int, int, int]) -> None:
    bound = bind(read_model(model), {})
    request = Request(properties=tuple(p.name for p in bound.properties))
    found, reference = engine(name).search(bound, request), engine("reference").search(bound, request)
    assert (found.distinct, found.generated, found.depth) == counts
    assert (found.paths, found.digest) == (reference.paths, reference.digest)


@pytest.mark.slow
def test_ewd998_counts_as_with_tlc() -> None:
    assert check(Ewd998, properties=["detection"]).distinct == 321_370


def test_the_trace_begins_where_the_property_is_violated() -> None:
    """Its one step can be taken in an earlier initial state too, and violates nothing there."""
    (low,) = [p for p in check(Several).properties if p.name == "low"]
    assert low.trace is not None
    assert [step.state["left"] for step in low.trace.steps] == [1, 2]
    assert trace_path(bind(read_model(Several), {}), low.trace, "the trace") == (0,)


def test_symmetry_asks_that_the_initial_states_are_symmetric() -> None:
    assert check(Several, symmetry=True).distinct == 6


def test_a_network_is_symmetric() -> None:
    assert (check(Asking).distinct, check(Asking, symmetry=True).distinct) == (120, 67)


def test_init_of_tla() -> None:
    text = to_tla(bind(read_model(Several), {})).modules[0].source
    assert text.partition("Init ==\n")[2].partition("\n\n")[0] == (
        "    \\/ \\E theLeft, theRight \\in 0..(N - 1) :\n"
        "           theLeft # theRight /\\ left = theLeft /\\ right = theRight /\\ row = [n \\in Node |-> N]\n"
        "    \\/ \\E at \\in 0..(N - 1), again \\in BOOLEAN :\n"
        "           /\\ IF again THEN left = at /\\ right = at ELSE left = at /\\ right = left\n"
        "           /\\ row = [n \\in Node |-> N]"
    )


def test_who_begins_in_one_state_says_so() -> None:
    with pytest.raises(UsageError, match="has 4 initial states, and a random run begins in one"):
        simulate(Several)
    with pytest.raises(UsageError, match="prove cannot read initial states that methods choose"):
        prove(Several)
    with pytest.raises(UsageError, match="Several has 4 initial states, and the symbolic engine begins in one"):
        check(Several, engine="symbolic", limits=Limits(depth=2))


BASE = """from isrcheck import Model, action, policy, require


class Gate(Model):
    open: bool = False

    @action
    def push(self) -> None:
        require(self.may_open())
        self.open = True

    @policy
    def may_open(self) -> bool:
        return True


class Always(Gate):
    def may_opn(self) -> bool:
        return True
"""
OF_A_MODEL = """from acme_gates.gates import Gate


class Other(Gate):
    def may_open(self) -> bool:
        return self.may_opn()

    def may_opn(self) -> bool:
        return False
"""


@pytest.mark.parametrize(
    ("other", "is_refused"),
    [("", True), ("import re\nprint(re.may_opn if False else '.may_opn')  # .may_opn\n", True), (OF_A_MODEL, False)],
)
def test_a_misspelt_policy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, other: str, is_refused: bool) -> None:
    folder = tmp_path / "acme_gates"
    folder.mkdir()
    for name, text in (("__init__", ""), ("gates", BASE), ("other", other)):
        (folder / f"{name}.py").write_text(text)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    for name in [name for name in sys.modules if name.startswith("acme_gates")]:
        monkeypatch.delitem(sys.modules, name)
    model = importlib.import_module("acme_gates.gates").Always
    if not is_refused:
        read_model(model)
        return
    with pytest.raises(ModelError, match=r"may_opn\(\) of Always has no role, fills no policy, and no model calls it"):
        read_model(model)


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
