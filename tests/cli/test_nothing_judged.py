"""What each command says where it had nothing to judge: a sentence and exit 2 or 20, and never what passes says."""

from pathlib import Path

import pytest
from tests.fixtures.command_line import in_process

MODEL = '''from typing import Annotated

from isrcheck import Model, UpTo, action, applies, constant, invariant, require


class Bare(Model):
    """A counter of which nobody asserts anything."""

    n: Annotated[int, UpTo(3)] = 0

    @action
    def up(self) -> None:
        require(self.n < 3)
        self.n += 1


class Rare(Bare):
    """The same; what is asserted applies to a wild one."""

    wild: bool = constant(False, "whether it is wild")

    @applies("small")
    def wilds(self) -> bool:
        """Only wild ones are small."""
        return self.wild

    @invariant
    def small(self) -> bool:
        """It is small."""
        return self.n < 3


class Wrong(Bare):
    """What is asserted is false of it as it stands."""

    @invariant
    def smaller(self) -> bool:
        """It is smaller."""
        return self.n < 2
'''
FILES = {
    "m.py": MODEL,
    "counts.toml": '[[run]]\nmodel = "m.py:Bare"\ncounts = { distinct = 4 }\n',
    "grid.toml": '[[grid]]\nmodels = ["m.py:Bare"]\n',
    "skipped.toml": (
        '[[grid]]\nmodels = ["m.py:Wrong"]\nexpect = { smaller = "violated" }\nskip = "model == \'m.py:Wrong\'"\n'
    ),
    "rest.toml": '[[run]]\nmodel = "m.py:Bare"\nrest = "holds"\n',
    "steps.schedule": "up\n",
    "none.schedule": "# up\n",
    "logs/server.log": "[2024-01-01 00:00:00,000] INFO something (kafka.server.Nothing)\n",
}
SAYINGS = [
    ("check m.py:Bare", 20, "Nothing is decided: the model has no property."),
    ("check m.py:Rare", 20, "Nothing is decided: no property applies with these constants."),
    ("check m.py:Bare --property none --certificate c", 2, "a certificate states what was decided"),
    ("prove m.py:Bare", 20, "Nothing is proved: the model has no invariant and no step property that applies."),
    ("simulate m.py:Bare --walks 2", 20, "A sample decides nothing but what it found."),
    ("compare m.py:Bare m.py:Rare", 2, "no model has a property that applies with these constants."),
    ("compare toy-mutex m.py:Rare", 2, "no property that is asked applies to m.py:Rare with these constants"),
    ("compare counts.toml", 2, "no model has a property that applies with these constants."),
    ("gate skipped.toml", 2, "the grid has no cell: its condition skips all of them."),
    ("gate rest.toml", 20, "nothing to decide"),
    (
        "mutate m.py:Bare --no-cache",
        2,
        "nothing can kill a mutant of m.py:Bare: no property is asked that applies to it.",
    ),
    ("mutate m.py:Wrong --no-cache", 2, "nothing can kill a mutant of m.py:Wrong: smaller fails of the model itself."),
    ("mutate m.py:Wrong --no-cache --deadlock --mutant zz", 2, "no mutant of m.py:Wrong has zz in its name."),
    ("schedule none.schedule m.py:Wrong", 2, "none.schedule has no steps: write one a line"),
    ("schedule steps.schedule m.py:Rare --property small", 2, "small applies to no model of this run"),
    ("sweep grid.toml --out table", 2, "grid.toml has no cell to compute"),
    ("sweep grid.toml --out table --dry-run", 2, "grid.toml has no cell to compute"),
    ("conform logs --model kraft-4.1", 2, "logs holds no event of a partition"),
    pytest.param(
        "observe logs", 20, "Nothing was read that brokers, controllers or clients do", marks=pytest.mark.slow
    ),
]


@pytest.mark.parametrize(("words", "code", "sentence"), SAYINGS)
def test_nothing_judged_is_said_and_is_not_fine(words: str, code: int, sentence: str, tmp_path: Path) -> None:
    for name, content in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(content, encoding="utf-8")
    done = in_process(*words.split(), cwd=tmp_path)
    assert done.returncode == code
    assert sentence in " ".join(f"{done.stdout} {done.stderr}".split())


def test_a_run_that_was_asked_to_count_alone_is_fine(tmp_path: Path) -> None:
    (tmp_path / "m.py").write_text(MODEL, encoding="utf-8")
    done = in_process("check", "m.py:Rare", "--property", "none", cwd=tmp_path)
    assert (done.returncode, "Nothing is decided" in done.stdout) == (0, False)
