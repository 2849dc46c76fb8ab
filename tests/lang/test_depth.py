"""Expressions 10,000 deep, and helpers that call helpers: one sentence with the place, and every walk ends."""

from pathlib import Path

import pytest
from click.testing import CliRunner
from tests.lang.engines import explore_both
from tests.lang.written import load_model

from isrcheck.cli import commands
from isrcheck.errors import ModelError
from isrcheck.lang.names import DEEPEST
from isrcheck.lang.read import read_model
from isrcheck.passes import bind, check_domains, lower

HEAD = '''
from typing import Annotated

from isrcheck import Model, UpTo, action, constant, invariant, require

N = Annotated[int, UpTo(3)]


class Deep(Model):
    """One number."""

    n: N = 0

    @action
    def go(self) -> None:
        """A step."""
        require(self.n < 3)
        self.n += 1
'''
FORMS = {
    "not": ("not not ", "self.n <= 2", "", 2),
    "minus": ("- -", "self.n <= 2", "", 2),
    "plus": ("self.n + ", "self.n <= 2000", "", 1),
    "choice": ("True if self.n == 7 else ", "self.n <= 2", "", 1),
    "comparison": ("self.n <= ", "2", "", 1),
    "union": ("frozenset({self.n}) | ", "frozenset() != frozenset()", "", 1),
    "tuple": ("(", "self.n", ",)", 1),
    "parentheses": ("max(1, ", "self.n", ")", 1),
}


def nested(form: str, levels: int) -> str:
    before, inside, after, each = FORMS[form]
    text = before * (levels // each) + inside + after * (levels // each)
    return {"tuple": f"{text} != ()", "parentheses": f"{text} <= 2"}.get(form, text)


def model(expression: str, more: str = "") -> str:
    claim = f'\n    @invariant\n    def claim(self) -> bool:\n        """It holds."""\n        return {expression}\n'
    return f"{HEAD}{claim}{more}"


@pytest.mark.parametrize("form", FORMS)
def test_what_is_nested_less_is_read(form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = explore_both(load_model(model(nested(form, DEEPEST - 10)), tmp_path, monkeypatch))
    assert seen.distinct == 4


@pytest.mark.parametrize("form", [f for f in FORMS if f not in ("tuple", "parentheses")])
def test_what_is_nested_deeper_is_refused(form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cls = load_model(model(nested(form, 300)), tmp_path, monkeypatch)
    with pytest.raises(ModelError, match=r"this expression is nested deeper than 100 levels\.") as refused:
        read_model(cls)
    assert refused.value.place.line == 23
    assert refused.value.remedy == "Give parts of it names, or say it with all(), any() or sum()."
    assert max(map(len, str(refused.value).split("\n"))) < 250


@pytest.mark.parametrize("form", FORMS)
def test_ten_thousand(form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Python's own parser gives up on most of these; its errors are sentences too."""
    (tmp_path / "m.py").write_text(model(nested(form, 10_000)), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(commands, ["check", "m.py:Deep"])
    assert isinstance(done.exception, ModelError)
    assert done.exception.exit_code == 75
    assert "nested" in str(done.exception) or "too many" in str(done.exception)


@pytest.mark.parametrize("word", ["and", "or"])
@pytest.mark.parametrize("length", [31, 32, 33, 64, 65, 1000, pytest.param(10_000, marks=pytest.mark.slow)])
def test_long_chains_are_not_deep(word: str, length: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parts = [f"self.n != {number % 3}" for number in range(length)]
    parts[length // 2] = "max(i for i in range(self.n)) > 0"  # an error where n is 0, unless it is decided before
    cls = load_model(model(f" {word} ".join(parts)), tmp_path, monkeypatch)
    bound = bind(read_model(cls), {})
    assert len(lower(bound).properties) == 1
    if length < 100:
        assert explore_both(cls).distinct == 4


def test_helpers_that_call_helpers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = range(400)
    more = "".join(f"\n    def f{i}(self, x: N) -> int:\n        return self.f{i + 1}(x)\n" for i in names)
    more += "\n    def f400(self, x: N) -> int:\n        return x\n"
    cls = load_model(model("self.f0(self.n) <= 3", more), tmp_path, monkeypatch)
    ir = read_model(cls)
    check_domains(ir)
    with pytest.raises(ModelError, match=r"nested too deeply, together with the helpers that it calls\.") as refused:
        lower(bind(ir, {}))
    assert refused.value.place.line == 21


def test_many_terms_are_checked_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each level once: twice a level would be 2 to the power of 90."""
    check_domains(read_model(load_model(model(nested("plus", 90)), tmp_path, monkeypatch)))
