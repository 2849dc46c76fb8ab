"""A model of one's own, a spec of it, and the gate called as the command line calls it."""

from collections.abc import Callable
from pathlib import Path

import pytest

from isrcheck.commands.gate import gate
from isrcheck.errors import IsrcheckError

MODEL = '''"""A lamp that is switched on and off, and counts how often."""

from typing import Annotated

from isrcheck import Model, UpTo, action, assume, constant, invariant, reachable, require

Times = Annotated[int, UpTo("most")]


class Lamp(Model):
    """A lamp."""

    most: int = constant(3, "how often it may be switched on")

    seen: Times = 0
    on: bool = False

    @assume
    def most_is_small(self) -> bool:
        """Nobody switches it on more than nine times."""
        return self.most < 10

    @action
    def switch_on(self) -> None:
        """Somebody switches it on."""
        require(not self.on)
        require(self.seen < self.most)
        self.on = True
        self.seen += 1

    @action
    def switch_off(self) -> None:
        """Somebody switches it off."""
        require(self.on)
        self.on = False

    @action
    def burn_out(self) -> None:
        """It never does."""
        require(self.seen > self.most)
        self.on = False

    @invariant
    def seldom_on(self) -> bool:
        """It is switched on <at most> once."""
        return self.seen < 2

    @invariant
    def counted(self) -> bool:
        """When it is on, that was counted."""
        return not self.on or self.seen > 0

    @reachable
    def worn(self) -> bool:
        """It is switched on as often as can be."""
        return self.seen == self.most
'''
SPEC = """# A spec of one's own.
title = "Lamps"

[[run]]  # the default
model = "lamp.py:Lamp"
never = ["burn_out"]
counts = { distinct = 7, depth = 7 }

[run.expect]
counted = "holds"
seldom_on = "violated in 3 steps"  # switched on twice
worn = "reached in 5 steps"
"""


@pytest.fixture(autouse=True)
def at_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder of one's own with a model and a spec; nothing of the machine's GitHub, or of the times that it keeps."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("isrcheck.gate.run.times_file", lambda: tmp_path / "cache" / "gate-times.json")
    monkeypatch.delenv("GITHUB_ACTIONS", raising=False)
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    monkeypatch.setattr("sys.dont_write_bytecode", True)
    Path("lamp.py").write_text(MODEL, encoding="utf-8")
    Path("lamp.toml").write_text(SPEC, encoding="utf-8")


@pytest.fixture
def run() -> Callable[..., int]:
    """The gate's exit code for these words; an error's own where there is one."""

    def call(*words: str) -> int:
        try:
            code = gate.main([*words, "--workers", "2"], standalone_mode=False)
        except IsrcheckError as error:
            print(f"isrcheck: {error}")
            return error.exit_code
        assert isinstance(code, int)
        return code

    return call


@pytest.fixture
def respell() -> Callable[[str, str], None]:

    def replace(old: str, new: str) -> None:
        file = Path("lamp.toml")
        text = file.read_text(encoding="utf-8")
        assert old in text
        file.write_text(text.replace(old, new), encoding="utf-8")

    return replace
