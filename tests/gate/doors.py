"""A model of doors of which much never happens, as a file, and the gate over it."""

from pathlib import Path

from isrcheck.cli import commands
from isrcheck.run.outcome import Outcome

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

CLAIM = '''
    @reachable
    def breaks(self) -> bool:
        """A door breaks."""
        return any(self.broken[d] for d in Door)
'''
CRACK = '''    @action
    def crack(self, door: Door) -> None:
        """It breaks."""
        require(self.doors > 2)
        self.broken[door] = True

'''


OPEN_DOORS = "return all(not self.broken[door] for door in Door if self.open[door])"


def write(text: str) -> None:
    text = text.replace("each, invariant", "applies, constant, each, invariant, require, step")
    text = text.replace('"""\n\nfrom', '"""\n\nfrom typing import Self\n\nfrom', 1)
    Path("door.py").write_text(text, encoding="utf-8")


def idle(outcome: Outcome) -> list[str]:
    return [each.sentence for each in outcome.vacuous]


def gate(spec: str, *options: str) -> int:
    Path("door.toml").write_text(spec, encoding="utf-8")
    code = commands.main(["gate", "door.toml", *options], standalone_mode=False)
    assert isinstance(code, int)
    return code
