"""What the gate answers, and that nothing but everything being as expected ends in exit 0."""

import json
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from isrcheck.errors import Disagreement
from isrcheck.gate import worker
from isrcheck.gate.worker import Ran

Run = Callable[..., int]
Respell = Callable[[str, str], None]


def test_all_as_expected(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("lamp.toml") == 0
    assert "gate: 1 run, 6 expectations: 6 met;" in capsys.readouterr().out


def test_the_specs_folder_is_the_default(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    assert run() == 2
    assert "there is no specs/*.toml here: give the SPECs, or write one (docs/gate.md)." in capsys.readouterr().out
    Path("specs").mkdir()
    Path("lamp.toml").rename("specs/lamp.toml")
    assert run() == 0


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"holds"', '"violated in 3 steps"', "counted: expected violated in 3 steps, found holds"),
        ('"violated in 3 steps"', '"holds"', "seldom_on: expected holds, found violated in 3 steps"),
        ('"violated in 3 steps"', '"violated in 4 steps"', "expected violated in 4 steps, found violated in 3 steps"),
        ('"reached in 5 steps"', '"never reached"', "worn: expected never reached, found reached in 5 steps"),
        ("distinct = 7", "distinct = 8", "distinct: expected 8, found 7"),
        ('never = ["burn_out"]', 'never = ["burn_out", "switch_off"]', "never switch_off: expected never taken, found"),
        ("counts =", "constants = { most = 2 }\ncounts =", "distinct: expected 7, found 5"),
    ],
)
def test_a_difference(
    old: str, new: str, said: str, run: Run, respell: Respell, capsys: pytest.CaptureFixture[str]
) -> None:
    respell(old, new)
    assert run("lamp.toml") == 21
    assert said in capsys.readouterr().out


def test_a_length_may_be_left_open(run: Run, respell: Respell) -> None:
    respell('"violated in 3 steps"', '"violated"')
    respell('"reached in 5 steps"', '"reached"')
    assert run("lamp.toml") == 0


def test_counts_are_of_the_whole_graph_also_where_every_property_is_decided_early(run: Run, respell: Respell) -> None:
    respell('counted = "holds"\n', "")
    respell('worn = "reached in 5 steps"\n', "")
    assert run("lamp.toml") == 0


def test_an_action_that_can_never_happen_is_no_pass(
    run: Run, respell: Respell, capsys: pytest.CaptureFixture[str]
) -> None:
    respell('never = ["burn_out"]\n', "")
    assert run("lamp.toml") == 22
    out = " ".join(capsys.readouterr().out.split())
    assert "vacuous the action burn_out can never happen in any run of lamp.py:Lamp lamp.py:" in out


def test_an_expected_error(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    said = 'error = "assumption false"\nsays = "nine times"\n'
    spec = f'[[run]]\nmodel = "lamp.py:Lamp"\nconstants = {{ most = 10 }}\n{said}'
    Path("lamp.toml").write_text(spec, encoding="utf-8")
    assert run("lamp.toml") == 0
    Path("lamp.toml").write_text(spec.replace("nine", "ten"), encoding="utf-8")
    assert run("lamp.toml") == 21
    Path("lamp.toml").write_text(spec.replace("most = 10", "most = 9"), encoding="utf-8")
    assert run("lamp.toml") == 21
    assert "expected assumption false (nine times), found a verdict" in capsys.readouterr().out
    Path("lamp.toml").write_text(spec.replace(said, 'rest = "holds"'), encoding="utf-8")
    assert run("lamp.toml") == 10


def test_a_grid_with_cases(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    Path("grid.toml").write_text(
        """
        [[grid]]
        models = ["lamp.py:Lamp"]
        constants = { most = "1..4" }
        skip = "most == 2"
        expect = { seldom_on = "violated in 3 steps", counted = "holds" }
        never = ["burn_out"]

        [[grid.case]]
        when = "most == 1"
        expect = { seldom_on = "holds" }
        """,
        encoding="utf-8",
    )
    assert run("grid.toml") == 0
    assert "gate: 3 runs, 9 expectations: 9 met;" in capsys.readouterr().out


def test_a_run_of_the_symbolic_engine(tmp_path: Path, run: Callable[..., int]) -> None:
    pytest.importorskip("z3")
    text = """
        [[run]]
        model = "toy-ratchet"
        engine = "symbolic"
        limits = { depth = 6 }
        expect = { never_back = "violated in %s steps" }
        """
    for steps, code in ((3, 0), (2, 21)):
        (tmp_path / "one.toml").write_text(text % steps, encoding="utf-8")
        assert run("one.toml") == code


# Faults


def _raises(error: BaseException) -> Callable[..., Any]:
    def instead(*_: Any, **__: Any) -> Any:
        raise error

    return instead


@pytest.mark.parametrize(
    ("instead", "code", "said"),
    [
        (_raises(RuntimeError("the engine is <broken>")), 70, "fault: a fault of isrcheck, no verdict: RuntimeError"),
        (_raises(Disagreement("two answers")), 70, "fault: two answers"),
        (_raises(MemoryError()), 20, "undetermined: there was not enough memory"),
        (_raises(SystemExit(0)), 75, "its process ended with exit code 0 and no answer"),
        (lambda *_, **__: os.kill(os.getpid(), signal.SIGKILL), 20, "was killed (SIGKILL: out of memory"),
        (lambda *_, **__: os._exit(0), 75, "ended with exit code 0 and no answer"),
    ],
)
def test_a_cell_that_goes_wrong(
    instead: Callable[..., Any],
    code: int,
    said: str,
    run: Run,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(worker, "check", instead)
    assert run("lamp.toml", "--junit", "junit.xml", "--json", "gate.json") == code
    assert said in " ".join(capsys.readouterr().out.split())
    text = Path("junit.xml").read_text(encoding="utf-8")
    assert 'errors="1"' in text
    assert "skipped" not in text
    assert json.loads(Path("gate.json").read_text(encoding="utf-8"))["runs"]["met"] == 0


def test_an_answer_that_is_none(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker, "result_of", lambda *_: "holds")
    assert run("lamp.toml") == 70


class Unreadable:
    """What a process may answer that this one cannot read."""

    def __reduce__(self) -> Any:
        return __import__, ("a_module_of_the_model_s_own_process",)


@pytest.mark.parametrize("held", [lambda: None, Unreadable()], ids=["cannot be sent", "cannot be read"])
def test_an_answer_that_does_not_travel_is_our_fault(
    held: Any, run: Run, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(worker, "result_of", lambda *_: Ran(held, None))
    assert run("lamp.toml") == 70
    assert "a fault of isrcheck" in " ".join(capsys.readouterr().out.split())


PACED = """
from enum import Enum

from isrcheck import Model, action, constant, invariant, require

class Pace(Enum):
    SLOW = "slow"
    FAST = "fast"

class Lamp(Model):
    pace: Pace = constant(Pace.SLOW, "how fast it is switched")
    on: bool = False

    @action
    def switch_on(self) -> None:
        require(self.pace == Pace.FAST)
        self.on = True

    @invariant
    def dark(self) -> bool:
        return not self.on
"""


def test_a_constant_of_a_file_s_own_enumeration(run: Run) -> None:
    """Its class is known where the file is loaded, and the line that runs a cell again has its word."""
    Path("paced.py").write_text(PACED, encoding="utf-8")
    spec = 'model = "./paced.py:Lamp"\nconstants = { pace = "fast" }\nexpect = { dark = "violated in 1 step" }\n'
    Path("paced.toml").write_text(f"[[run]]\n{spec}", encoding="utf-8")
    assert run("paced.toml", "--json", "gate.json") == 0
    (cell,) = json.loads(Path("gate.json").read_text(encoding="utf-8"))["cells"]
    assert cell["command"].startswith("isrcheck check ./paced.py:Lamp -c pace=fast")


def test_an_outcome_without_what_was_asked(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """An engine that forgets a property has not decided it."""
    right = worker.result_of

    def forgetful(cell: Any, _: object) -> Any:
        from dataclasses import replace

        found = right(cell)
        assert isinstance(found, Ran)
        return replace(found, outcome=replace(found.outcome, properties=()))

    monkeypatch.setattr(worker, "result_of", forgetful)
    assert run("lamp.toml") == 21


def test_a_verdict_outlives_its_search_for_vacuity(
    run: Run, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def killed(*_: Any) -> Any:
        os.kill(os.getpid(), signal.SIGKILL)

    monkeypatch.setattr("isrcheck.run.vacuity.find_vacuity", killed)
    assert run("lamp.toml") == 0
    assert "not known" in capsys.readouterr().out


@pytest.mark.parametrize("limit", ["states = 2", "depth = 2", "seconds = 0.000001"])
def test_a_limit_that_is_hit(limit: str, run: Run, respell: Respell, capsys: pytest.CaptureFixture[str]) -> None:
    respell("[run.expect]", f"limits = {{ {limit} }}\n[run.expect]")
    assert run("lamp.toml") == 20
    assert "undetermined: the run ended after" in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize(
    "expected",
    [
        'expect = { counted = "holds" }',
        'expect = { seldom_on = "violated" }',
        'expect = { worn = "reached" }',
        'expect = { worn = "never reached" }',
        'expect = { deadlock = "holds" }',
        'rest = "holds"',
        "counts = { pruned = 0 }",
    ],
)
def test_each_kind_of_expectation_alone_is_undetermined_where_the_run_was_cut(expected: str, run: Run) -> None:
    Path("lamp.toml").write_text(
        f'[[run]]\nmodel = "lamp.py:Lamp"\nlimits = {{ depth = 2 }}\n{expected}\n', encoding="utf-8"
    )
    assert run("lamp.toml") == 20


def test_a_process_that_never_ends(run: Run, respell: Respell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker, "STARTUP_SECONDS", 0.3)
    monkeypatch.setattr(worker, "check", lambda *_, **__: signal.pause())
    respell("[run.expect]", "limits = { seconds = 0.1 }\n[run.expect]")
    assert run("lamp.toml") == 20


def test_a_budget_that_is_too_small(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("lamp.toml", "--budget", "0.001s") == 20
    out = capsys.readouterr().out
    assert "lamp.py:Lamp" in out
    assert "left out" in out


def test_a_budget_that_is_spent_on_the_way(
    run: Run, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(worker, "check", lambda *_, **__: signal.pause())
    assert run("lamp.toml", "--budget", "0.7") == 20
    assert "left out: the budget was spent before it was done" in " ".join(capsys.readouterr().out.split())


def test_what_differs_goes_before_what_is_left_out(run: Run, respell: Respell) -> None:
    respell('"holds"', '"violated"')
    text = Path("lamp.toml").read_text(encoding="utf-8")
    slow = '[[run]]\nmodel = "lamp.py:Lamp"\nengine = "reference"\nconstants = { most = 9 }\nrest = "holds"\n'
    Path("lamp.toml").write_text(text + slow, encoding="utf-8")
    Path("cache").mkdir()
    times = {"lamp.py:Lamp most=9 reference seldom_on,counted,worn": 1000}
    Path("cache/gate-times.json").write_text(json.dumps(times), encoding="utf-8")
    assert run("lamp.toml", "--budget", "60s", "--json", "gate.json") == 21
    runs = json.loads(Path("gate.json").read_text(encoding="utf-8"))["runs"]
    assert (runs["left out"], runs["differs"]) == (1, 1)


@pytest.mark.parametrize("kept", ["", "[]", "{", '{"a": "b"}', "[" * 100_000])
def test_times_that_are_damaged_are_no_reason_to_fail(kept: str, run: Run) -> None:
    Path("cache").mkdir()
    Path("cache/gate-times.json").write_text(kept, encoding="utf-8")
    assert run("lamp.toml") == 0


def test_ctrl_c(run: Run, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    parent = os.getpid()

    def interrupting(*_: object, **__: object) -> None:
        os.kill(parent, signal.SIGINT)
        signal.pause()

    monkeypatch.setattr(worker, "check", interrupting)
    # Tests that a shell runs in the background begin with Ctrl-C ignored.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        assert run("lamp.toml", "--junit", "junit.xml") == 130
    finally:
        signal.signal(signal.SIGINT, before)
    assert "The gate was interrupted: what is missing is not known." in capsys.readouterr().out
    assert 'message="interrupted"' in Path("junit.xml").read_text(encoding="utf-8")


def test_a_model_that_does_not_import(run: Run) -> None:
    Path("lamp.py").write_text("this is no Python", encoding="utf-8")
    assert run("lamp.toml") == 75


def test_longest_first() -> None:
    from isrcheck.gate.cells import cells
    from isrcheck.gate.run import key, longest_first
    from isrcheck.gate.spec import read_gate_spec

    Path("more.toml").write_text(
        '[[grid]]\nmodels = ["lamp.py:Lamp"]\nconstants = { most = "1..3" }\nrest = "holds"\n', encoding="utf-8"
    )
    found = cells(read_gate_spec(Path("more.toml")))
    known = {key(cell): seconds for cell, seconds in zip(found, (1.0, 3.0, 2.0), strict=True)}
    assert [cell.constants["most"] for cell in longest_first(found, known)] == ["2", "3", "1"]


def test_an_interrupt_while_a_run_is_started_leaves_no_run_without_a_result(
    run: Run, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def start(cell: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("isrcheck.gate.run.CellProcess", start)
    assert run("lamp.toml") == 130
    assert "the run was interrupted" in capsys.readouterr().out
