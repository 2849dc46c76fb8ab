"""What is wrong with a spec is said in one sentence, with its line; --update keeps comments and order."""

from collections.abc import Callable
from pathlib import Path

import pytest

from isrcheck.errors import UsageError
from isrcheck.gate.cells import cells
from isrcheck.gate.spec import Answer, parse_answer, parse_gate_spec
from isrcheck.grid.toml_table import parse_duration

RUN = '[[run]]\nmodel = "lamp.py:Lamp"\n'
GRID = '[[grid]]\nmodels = ["lamp.py:Lamp"]\n'
HOLDS = 'expect = { counted = "holds" }\n'


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", 's.toml has no [[run]] or [[grid]] table: write [[run]] with model = "..." in it.'),
        ("[[run]", "s.toml is not TOML: "),
        ("runs = 1", "s.toml: there is no key runs at the top of a spec. Did you mean run?"),
        ("run = 1", "s.toml: run is an array of tables: write [[run]]."),
        ("title = 1\n" + RUN, "s.toml: title is a text, not 1."),
        ("defaults = 1\n", "s.toml: defaults is a table: write [defaults]."),
        ("[defaults]\nlimit = 1\n" + RUN, "s.toml:2: there is no key limit in defaults. Did you mean limits?"),
        (RUN + "expects = 1", "s.toml:3: there is no key expects in a run. Did you mean expect?"),
        ("[[run]]\n" + HOLDS, 's.toml:1: the run names no model: write model = "kip-320" or'),
        (RUN, 's.toml:1: the run expects nothing: write expect = { NAME = "holds" }, counts, rest or error.'),
        (RUN + HOLDS.replace("holds", "undetermined"), "s.toml:3: counted is expected to be 'undetermined', which is"),
        (
            RUN + HOLDS.replace("holds", "violated in 3"),
            "s.toml:3: counted is expected to be 'violated in 3', which is",
        ),
        (RUN + HOLDS.replace('"holds"', "true"), "s.toml:3: counted is expected to be True, which is none of 'holds',"),
        (RUN + "counts = { states = 1 }", "s.toml:3: there is no key states in counts. Known: depth, digest, distinct"),
        (RUN + 'counts = { distinct = "7" }', "s.toml:3: distinct is a whole number, not '7'."),
        (
            RUN + 'counts = { digest = "7" }',
            "s.toml:3: digest is the 32 hexadecimal digits that a run prints, not '7'.",
        ),
        (RUN + 'rest = "hold"', "s.toml:3: rest is one of any, holds, not 'hold'."),
        (RUN + HOLDS + 'symmetry = "yes"', "s.toml:4: symmetry is true or false, not 'yes'."),
        (RUN + HOLDS + "engine = 1", "s.toml:4: engine is a text, not 1."),
        (RUN + HOLDS + 'never = "burn_out"', "s.toml:4: never is a list of texts, such as"),
        (RUN + HOLDS + "limits = { second = 1 }", "s.toml:4: there is no key second in limits. Did you mean seconds?"),
        (RUN + 'error = "wrong"', "s.toml:3: error is one of assumption false, model error, not 'wrong'."),
        (RUN + HOLDS + 'error = "model error"', "s.toml:3: a run that ends with an error has no expect:"),
        (RUN + HOLDS + 'says = "x"', "s.toml:4: says is part of an expected error: write error ="),
        (
            RUN + HOLDS + "constants = { most = [1, 2] }",
            "s.toml:4: a run has one value of most, not [1, 2]: several are",
        ),
        (RUN + HOLDS + "case = []", "s.toml:4: there is no key case in a run."),
        (GRID + HOLDS + "[[grid.case]]\n" + HOLDS, 's.toml:4: case 1 has no condition: write when = "replicas > 2".'),
        (GRID + HOLDS + '[[grid.case]]\nwhen = "most = 1"\n' + HOLDS, "`most = 1` is not an expression"),
        (GRID + HOLDS + '[[grid.case]]\nwhen = "most == 1"\n', "s.toml:4: case 1 expects nothing: write expect"),
        (RUN.replace("Lamp", "Lam") + HOLDS, "s.toml:1: lamp.py has no model Lam. Did you mean Lamp?"),
        (RUN.replace("lamp.py", "lump.py") + HOLDS, "s.toml:1: there is no file lump.py: give FILE.py:Class"),
        (RUN.replace("lamp.py:Lamp", "kip-321") + HOLDS, "there is no model kip-321. Did you mean kip-320?"),
        (
            RUN + HOLDS.replace("counted", "count"),
            "s.toml:3: no model here has a property count. Did you mean counted?",
        ),
        (
            RUN + HOLDS.replace("counted", "worn"),
            's.toml:3: worn is a reachability property and cannot be "holds": write',
        ),
        (
            RUN + HOLDS.replace("holds", "holds within bounds"),
            "counted is expected to be 'holds within bounds', which is as check prints it: write 'holds'.",
        ),
        (
            RUN + HOLDS.replace("holds", "violated: a cycle of 3 steps after 10"),
            "which is as check prints it: write 'violated in 13 steps', the steps of both.",
        ),
        (
            RUN + HOLDS.replace("holds", "violated: stops for ever after 1 step"),
            "which is as check prints it: write 'violated in 1 step'.",
        ),
        (RUN + HOLDS.replace("holds", "reached"), "s.toml:3: counted is not a reachability property and cannot be"),
        (RUN + HOLDS + "constants = { must = 1 }", "s.toml:4: no model here has a constant must. Did you mean most?"),
        (RUN + HOLDS + "constants = { most = true }", "s.toml:4: the constant most is a whole number, not true."),
        (RUN + HOLDS + 'never = ["burn"]', "s.toml:1: no model here has an action burn. Did you mean burn_out?"),
        (RUN + HOLDS + 'engine = "nativ"', "s.toml:1: there is no engine nativ. Did you mean native?"),
        (
            RUN + HOLDS + 'engine = "symbolic"\ncounts = { distinct = 3 }',
            "s.toml:5: the symbolic engine never sees the whole graph, of which counts speaks: leave counts out",
        ),
        (GRID + HOLDS + 'skip = "most > 0"', "s.toml:1: the grid has no cell: its condition skips all of them."),
        (GRID + HOLDS + '[[grid.case]]\nwhen = "must == 1"\n' + HOLDS, "no model here has a constant must. Did you"),
        (
            GRID + HOLDS + '[[grid.case]]\nwhen = "most == 3000"\n' + HOLDS,
            "s.toml:4: case 1 applies to no cell of the grid: `most == 3000` is false of all of them;",
        ),
        (
            GRID + HOLDS + "[[grid.case]]\nwhen = 'model == \"Lamp\"'\n" + HOLDS,
            's.toml:4: case 1 applies to no cell of the grid: `model == "Lamp"` is false of all of them;',
        ),
    ],
)
def test_a_spec_that_is_wrong(text: str, said: str, run: Callable[..., int]) -> None:
    with pytest.raises(UsageError) as refused:
        cells(parse_gate_spec(text, Path("s.toml")))
    assert said in str(refused.value)
    assert "\n" not in str(refused.value).strip()
    Path("lamp.toml").write_text(text, encoding="utf-8")
    assert run("lamp.toml") == 2


def test_a_spec_that_is_no_text(run: Callable[..., int], capsys: pytest.CaptureFixture[str]) -> None:
    Path("lamp.toml").write_bytes(b"\xff\xfe")
    assert run("lamp.toml") == 2
    assert run("nowhere.toml") == 2
    out = capsys.readouterr().out
    assert "there is no file nowhere.toml: give a TOML file with [[run]] tables." in out


def test_a_property_that_does_not_apply() -> None:
    text = '[[run]]\nmodel = "isr-kip-501"\nconstants = { pace = "free" }\nexpect = { keep_up_stays = "%s" }\n'
    with pytest.raises(UsageError, match=r'keep_up_stays does not apply to isr-kip-501 .* expect "does not apply"'):
        cells(parse_gate_spec(text % "holds", Path("s.toml")))
    (cell,) = cells(parse_gate_spec(text % "does not apply", Path("s.toml")))
    assert cell.properties == ()


def test_defaults_are_filled_in_and_constants_by_name() -> None:
    text = f'[defaults]\nconstants = {{ most = 2 }}\nlimits = {{ seconds = 9 }}\nrest = "holds"\n{RUN}{GRID}'
    one, two = cells(parse_gate_spec(text + "constants = { most = 3 }", Path("s.toml")))
    assert (one.constants, two.constants) == ({"most": "2"}, {"most": "3"})
    assert (one.limits.seconds, one.origin) == (9, "s.toml:5")
    assert {name: str(a) for name, a in one.expect.items()} == {
        "seldom_on": "holds",
        "counted": "holds",
        "worn": "reached",
    }


def test_words() -> None:
    for text in (
        "holds",
        "violated in 9 steps",
        "violated in 1 step",
        "violated",
        "reached in 0 steps",
        "never reached",
    ):
        assert str(parse_answer(text)) == text
    assert parse_answer("violated in the initial state") == Answer("violated", 0)
    assert parse_answer("violated in -1 steps") is None
    assert parse_answer("undetermined") is None


def test_durations() -> None:
    assert [parse_duration(t) for t in ("60s", "5m", "1.5h", "90")] == [60, 300, 5400, 90]
    for text in ("", "0", "-1", "1d", "s", "1e9"):
        with pytest.raises(UsageError, match="is not a length of time"):
            parse_duration(text)


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
