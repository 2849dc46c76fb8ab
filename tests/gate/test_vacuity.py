"""Guards that are never false and properties that speak of nothing: --strict finds them, and changes nothing."""

from pathlib import Path

import pytest

from isrcheck import check
from isrcheck.cli import commands
from isrcheck.evidence.outcome import Outcome

MODEL = '''"""A door that is opened and shut."""

from isrcheck import Model, Sort, action, each, invariant


class Door(Sort, size="doors", symmetric=True):
    """A door."""


class Doors(Model):
    """Doors."""

    doors: int = constant(2, "how many")

    open: dict[Door, bool] = each(Door, False)
    broken: dict[Door, bool] = each(Door, False)

    @action
    def push(self, door: Door) -> None:
        """Somebody opens it."""
        require(not self.broken[door])
        require(not self.open[door])
        self.open[door] = True

    @action
    def shut(self, door: Door) -> None:
        """Somebody shuts it."""
        require(self.open[door])
        self.open[door] = False

    @invariant
    def said_of_nothing(self) -> bool:
        """A broken door is open."""
        return all(not self.broken[door] or self.open[door] for door in Door)

    @invariant
    def said_of_no_door(self) -> bool:
        """Broken doors are open."""
        return all(self.open[door] for door in Door if self.broken[door])

    @invariant
    def said_of_open_doors(self) -> bool:
        """An open door is not broken."""
        return all(not self.broken[door] for door in Door if self.open[door])

    @step
    def stays_open(self, before: Self) -> bool:
        """Whatever breaks stays as open as it was."""
        return all(not before.broken[door] or self.open[door] == before.open[door] for door in Door)
'''


@pytest.fixture(autouse=True)
def door() -> None:
    text = MODEL.replace("each, invariant", "constant, each, invariant, require, step")
    Path("door.py").write_text(
        text.replace('"""\n\nfrom', '"""\n\nfrom typing import Self\n\nfrom', 1), encoding="utf-8"
    )


def idle(outcome: Outcome) -> list[str]:
    return [sentence.partition(": ")[0] for sentence in outcome.unused]


def test_what_a_model_never_uses() -> None:
    outcome = check("door.py:Doors", vacuity=True)
    assert idle(outcome) == [
        "push() has a guard that is never false",
        "said_of_nothing speaks of something that never happens",
        "said_of_no_door speaks of something that never happens",
        "stays_open speaks of something that never happens",
    ]
    assert outcome.unused[0].endswith("require(not self.broken[door])")


def test_it_changes_nothing() -> None:
    plain, strict = (check("door.py:Doors", vacuity=vacuity) for vacuity in (False, True))
    assert plain.unused == ()
    assert (plain.distinct, plain.generated, plain.digest) == (strict.distinct, strict.generated, strict.digest)
    assert plain.properties == strict.properties


def test_nothing_is_said_of_a_run_that_was_cut() -> None:
    assert check("door.py:Doors", vacuity=True, max_states=1).unused == ()


def test_a_model_that_uses_all_it_has() -> None:
    assert idle(check("toy-mutex", vacuity=True)) == []


def test_strict(capsys: pytest.CaptureFixture[str]) -> None:
    assert commands.main(["check", "door.py:Doors"], standalone_mode=False) == 0
    assert "Idle" not in capsys.readouterr().out
    assert commands.main(["check", "door.py:Doors", "--strict"], standalone_mode=False) == 22
    assert "Idle: push() has a guard that is never false: " in capsys.readouterr().out


def test_the_gate_looks_where_a_spec_is_strict(capsys: pytest.CaptureFixture[str]) -> None:
    spec = '[[run]]\nmodel = "door.py:Doors"\nrest = "holds"\n'
    Path("door.toml").write_text(spec, encoding="utf-8")
    assert commands.main(["gate", "door.toml"], standalone_mode=False) == 0
    Path("door.toml").write_text(f"{spec}strict = true\n", encoding="utf-8")
    assert commands.main(["gate", "door.toml"], standalone_mode=False) == 22
    out = " ".join(capsys.readouterr().out.split())
    assert "idle door.py:Doors: push() has a guard that is never false door.py:" in out
    assert "5 met, 4 idle;" in out or "4 met, 4 idle;" in out
    Path("door.toml").write_text(f"{spec}strict = true\nlimits = {{ states = 2 }}\n", encoding="utf-8")
    assert commands.main(["gate", "door.toml"], standalone_mode=False) == 20
