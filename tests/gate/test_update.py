"""--update shows the difference first, and keeps comments and order."""

from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., int]
Respell = Callable[[str, str], None]


def text() -> str:
    return Path("lamp.toml").read_text(encoding="utf-8")


def test_shown_and_not_rewritten_where_nobody_can_be_asked(
    run: Run, respell: Respell, capsys: pytest.CaptureFixture[str]
) -> None:
    respell('"violated in 3 steps"', '"holds"')
    before = text()
    assert run("lamp.toml", "--update") == 21
    shown = capsys.readouterr()
    assert '-seldom_on = "holds"  # switched on twice\n+seldom_on = "violated in 3 steps"' in shown.out
    assert "not rewritten: there is nobody to ask here; give --yes." in shown.err
    assert text() == before


def test_rewritten_with_comments_and_order(run: Run, respell: Respell) -> None:
    right = text()
    respell('"violated in 3 steps"', '"holds"')
    respell("distinct = 7", "distinct = 8")
    assert run("lamp.toml", "--update", "--yes") == 0
    assert text() == right
    assert run("lamp.toml") == 0


def test_a_run_that_expects_the_rest_to_hold_gets_the_exception(run: Run, respell: Respell) -> None:
    respell('seldom_on = "violated in 3 steps"  # switched on twice\n', "")
    respell('never = ["burn_out"]', 'rest = "holds"\nnever = ["burn_out", "switch_off"]')
    assert run("lamp.toml", "--update", "--yes") == 0
    assert 'seldom_on = "violated in 3 steps"' in text()
    assert 'never = ["burn_out"]' in text()
    assert run("lamp.toml") == 0


def test_a_cell_of_a_grid_becomes_a_case(run: Run) -> None:
    grid = '[[grid]]\nmodels = ["lamp.py:Lamp"]\nconstants = { most = "1..3" }  # small\nnever = ["burn_out"]\n'
    Path("lamp.toml").write_text(grid + 'expect = { seldom_on = "violated in 3 steps" }\n', encoding="utf-8")
    assert run("lamp.toml", "--update", "--yes") == 0
    assert 'when = "model == \\"lamp.py:Lamp\\" and most == 1"' in text()
    assert run("lamp.toml") == 0


def test_what_has_no_answer_is_not_rewritten(run: Run, respell: Respell, capsys: pytest.CaptureFixture[str]) -> None:
    respell("[run.expect]", "limits = { states = 2 }\n[run.expect]")
    before = text()
    assert run("lamp.toml", "--update", "--yes") == 20
    assert "nothing to rewrite" in capsys.readouterr().out
    assert text() == before


def test_yes_alone(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("lamp.toml", "--yes") == 2
    assert "--yes answers what --update asks: leave it out, or give --update too." in capsys.readouterr().out
