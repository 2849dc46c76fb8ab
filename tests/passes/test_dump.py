"""What each pass makes is named and can be printed."""

import pytest
from click.testing import CliRunner

from isrcheck.cli import commands
from isrcheck.errors import UsageError
from isrcheck.passes.lowering import PASSES

MADE = {
    "bind": "constant limit = 3\nvariable count = 0\n",
    "inline": "action up():\n    self.count += 1\n",
    "fold": "action down():\n    require(self.count > 0)\n    self.count -= 1\n",
    "ground": "up()\ndouble()\ndown()\n",
    "scalarize": "instance up()\n    guard 1, pruned n5\n    `count` = n3\n",
}


@pytest.mark.parametrize("name", PASSES)
def test_a_pass_prints_what_it_made(name: str) -> None:
    done = CliRunner().invoke(commands, ["export", "toy-counter", "--dump", name])
    assert done.exit_code == 0, done.output
    assert MADE[name] in done.output


def test_constants_are_chosen() -> None:
    done = CliRunner().invoke(commands, ["export", "toy-counter", "--dump", "bind", "-c", "limit=5"])
    assert done.output.startswith("constant limit = 5\n")


@pytest.mark.parametrize("options", [[], ["--to", "tla", "--dump", "bind"]])
def test_one_thing_is_exported(options: list[str]) -> None:
    done = CliRunner().invoke(commands, ["export", "toy-counter", *options])
    assert isinstance(done.exception, UsageError)
    assert "say what to export: --to FORM for states or TLA+, or --dump PASS" in str(done.exception)
