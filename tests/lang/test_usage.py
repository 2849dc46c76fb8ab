"""What nothing uses is refused, whatever other files of its package are called and ask of other things."""

import importlib
import sys
from pathlib import Path

import pytest

from isrcheck.errors import ModelError
from isrcheck.lang.read import read_model

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
