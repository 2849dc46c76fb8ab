"""Values beyond 64 bits: refused by the engine that computes in words, right in the reference, never wrapped."""

from pathlib import Path

import pytest
from tests.lang.written import load_model

from isrcheck import check
from isrcheck.engines.contract import Request
from isrcheck.engines.native.engine import search as native
from isrcheck.engines.reference.stepper import search as reference
from isrcheck.errors import ModelError
from isrcheck.lang.read import read_model
from isrcheck.passes import bind

HEAD = '''
from typing import Annotated

from isrcheck import Model, UpTo, action, constant, invariant, require

Small = Annotated[int, UpTo(6)]
Wide = Annotated[int, UpTo("top")]


class Words(Model):
    """Numbers up to top."""

    top: int = constant(1099511627776, "the largest number")
    n: Small = 0
    a: Wide = 1099511627776
'''
STEP = """
    @action
    def go(self) -> None:
        {}
"""
CLAIM = """
    @action
    def go(self) -> None:
        self.n += 1

    @invariant
    def claim(self) -> bool:
        return {}
"""
TOO_WIDE = [
    STEP.format("self.n = self.a * self.a % 7"),
    STEP.format("self.n = min(self.a * self.a, 3)"),
    STEP.format("require(self.a * self.a > self.a)"),
    STEP.format("self.n = (self.a - self.a * self.a) % 5"),
    STEP.format("self.n = 2 if self.n * 18446744073709551616 == 0 else 3"),
    STEP.format("self.n = sum(self.a * 100000 for i in range(1000)) % 7"),
    CLAIM.format("self.a * self.a > 0"),
    CLAIM.format("self.n < 18446744073709551617"),
]


@pytest.mark.parametrize("text", TOO_WIDE)
def test_refused_with_the_reference_at_hand(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = bind(read_model(load_model(HEAD + text, tmp_path, monkeypatch)), {})
    asked = Request(properties=tuple(p.name for p in model.properties))
    assert reference(model, asked).complete
    if "18446744073709551617" in text:  # decided before any word is computed
        assert native(model, asked).complete
        return
    with pytest.raises(ModelError, match=r"do not fit into 64 bits, in which this engine computes\.") as refused:
        native(model, asked)
    assert refused.value.place.line > 15
    assert refused.value.remedy == "Use smaller constants and bounds, or --engine reference."


@pytest.mark.parametrize("a", [2**31, 2**32 - 1, 2**32, 2**62, 2**63 - 1, 2**63, 2**64 - 20])
def test_what_fits_is_right(a: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = HEAD.replace("1099511627776", str(a)) + STEP.format(
        "require(self.a + self.n >= self.a and self.a // 3 < self.a)\n"
        "        self.n, self.a = (self.a + self.n) % 5, max(self.a, 1) if self.n > 2 else self.a // 2 + 1"
    )
    model = bind(read_model(load_model(text, tmp_path, monkeypatch)), {})
    one, two = reference(model, Request()), native(model, Request())
    assert (one.digest, one.generated, one.pruned) == (two.digest, two.generated, two.pruned)


@pytest.mark.parametrize("bound", [2**64, 2**70])
def test_no_variable_is_wider_than_a_word(bound: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = HEAD.replace("1099511627776", str(bound)) + STEP.format("self.n = 1")
    cls = load_model(text, tmp_path, monkeypatch)
    for engine in ("reference", "native"):
        with pytest.raises(ModelError, match=rf"a holds numbers up to {bound:,}, and a state holds none beyond 64"):
            check(cls, engine=engine)


def test_vacuity_is_no_reason_to_fail(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What looks for guards that are never false is the native engine's; without it the verdict stands."""
    small = """
    @invariant
    def small(self) -> bool:
        return self.n < 7
"""
    cls = load_model(HEAD + STEP.format("require(self.a * self.a < 2)") + small, tmp_path, monkeypatch)
    outcome = check(cls, engine="reference", vacuity=True)
    assert (outcome.distinct, outcome.exit) == (1, 0)
