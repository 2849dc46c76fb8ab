"""Text that cannot be proved to be the text that runs is refused."""

import re
from pathlib import Path

import pytest
from tests.lang.written import load_model

from isrcheck.errors import ModelError
from isrcheck.lang.read import read_model

MODEL = """from isrcheck import Model, action


class Switch(Model):
    on: bool = False

    @action
    def turn(self) -> None:
        self.on = True
"""


def test_a_file_changed_after_its_import(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    cls = load_model(MODEL, tmp_path, monkeypatch)
    Path("model.py").write_text(MODEL.replace("self.on = True", "self.on = False"), encoding="utf-8")
    message = """model.py:7:1: the text of Switch.turn is not what Python runs.
  7 |     @action
    | ^
  The file was changed after it was imported, or a decorator replaced the method: import it afresh."""
    with pytest.raises(ModelError, match=f"^{re.escape(message)}$"):
        read_model(cls)


def test_a_file_that_is_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    cls = load_model(MODEL, tmp_path, monkeypatch)
    Path("model.py").unlink()
    message = "model.py: Switch has no source text that can be read.\n  Write the model in a file."
    with pytest.raises(ModelError, match=f"^{re.escape(message)}$"):
        read_model(cls)


def test_a_method_replaced_by_another_function(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What runs is what is read: a function from elsewhere in the file stands for the method."""
    text = MODEL + "\n\ndef other(self: Switch) -> None:\n    self.on = not self.on\n\n\nSwitch.turn = action(other)\n"
    cls = load_model(text, tmp_path, monkeypatch)
    (turn,) = read_model(cls).actions
    assert turn.at.line == 12


def test_a_method_made_by_exec(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = 'made = {}\nexec("def turn(self) -> None: self.on = True", made)\nSwitch.turn = action(made["turn"])\n'
    cls = load_model(f"{MODEL}\n\n{made}", tmp_path, monkeypatch)
    with pytest.raises(ModelError) as caught:
        read_model(cls)
    assert str(caught.value) == "<string>: turn has no source text that can be read.\n  Write the model in a file."
