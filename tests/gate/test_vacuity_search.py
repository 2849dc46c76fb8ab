"""Guards never false, properties of nothing, claims never met: every run says so, and --strict fails."""

import json
import threading
from pathlib import Path
from types import SimpleNamespace

import pytest
from tests.fixtures.clock import run_slowly_in
from tests.gate.doors import CLAIM, CRACK, MODEL, OPEN_DOORS, idle, write

from isrcheck import check
from isrcheck.cli import commands
from isrcheck.engines.contract import Limits
from isrcheck.engines.native import compile as compiling
from isrcheck.engines.registry import Engine
from isrcheck.engines.registry import engine as engine_named
from isrcheck.errors import UsageError
from isrcheck.ir.frozen import replace
from isrcheck.process.interrupt import is_work_left
from isrcheck.run import vacuity


@pytest.fixture(autouse=True)
def door() -> None:
    write(MODEL)


def test_what_a_model_never_uses() -> None:
    outcome = check("door.py:Doors", vacuity=True)
    assert idle(outcome) == [
        "push() has a guard that is never false",
        "said_of_nothing speaks of something that never happens",
        "said_of_no_door speaks of something that never happens",
        "stays_open speaks of something that never happens",
    ]
    assert outcome.vacuous[0].source == "require(not self.broken[door])"
    assert outcome.vacuous[0].written == "push: require(not self.broken[door])"
    assert outcome.to_dict()["vacuous"] == list(map(str, outcome.vacuous))


def test_it_changes_nothing() -> None:
    plain, strict = (check("door.py:Doors", vacuity=vacuity) for vacuity in (False, True))
    assert plain.parts is None
    assert (plain.distinct, plain.generated, plain.digest) == (strict.distinct, strict.generated, strict.digest)
    assert plain.properties == strict.properties


def test_nothing_is_said_of_a_run_that_was_cut() -> None:
    assert check("door.py:Doors", vacuity=True, limits=Limits(states=1)).parts is None


def test_a_model_that_uses_all_it_has() -> None:
    assert idle(check("toy-mutex", vacuity=True)) == []


def test_a_claim_that_was_not_asked() -> None:
    text = Path("door.py").read_text(encoding="utf-8")
    Path("door.py").write_text(text.replace("require, step", "reachable, require, step") + CLAIM, encoding="utf-8")
    assert "breaks is never reached" in idle(check("door.py:Doors", properties=["stays_open"], vacuity=True))
    asked = check("door.py:Doors", properties=["breaks"], vacuity=True)
    assert asked.exit == 22
    assert "breaks is never reached" not in idle(asked)


def test_where_the_search_for_it_is_cut_nothing_is_known() -> None:
    outcome = check("door.py:Doors", vacuity=0.0)
    assert outcome.vacuous == ()
    assert "push() has a guard that is never false" in [part.sentence for part in outcome.maybe_vacuous]
    assert "maybe_vacuous" in outcome.to_dict()
    assert "vacuous" not in outcome.to_dict()


def test_what_a_search_cut_on_the_way_did_not_see_is_not_known(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = check("door.py:Doors", vacuity=True)
    engine = engine_named

    def shallow(name: str) -> SimpleNamespace:
        found = engine(name)
        return SimpleNamespace(
            search=lambda model, request: found.search(model, replace(request, limits=Limits(depth=1)))
        )

    monkeypatch.setattr(vacuity, "engine", shallow)
    outcome = check("door.py:Doors", vacuity=True)
    assert whole.vacuous
    assert outcome.vacuous == ()
    assert {str(part) for part in whole.vacuous} <= {str(part) for part in outcome.maybe_vacuous}


def test_a_guard_that_constants_settle_is_not_called_idle() -> None:
    text = Path("door.py").read_text(encoding="utf-8")
    settled = text.replace(
        "        require(not self.broken[door])",
        "        require(all(self.doors < 9 or self.open[d] for d in Door))\n"
        "        require(self.doors > 0 if self.doors < 9 else self.open[door])",
    )
    Path("door.py").write_text(settled, encoding="utf-8")
    assert "push() has a guard that is never false" not in idle(check("door.py:Doors", vacuity=True))
    Path("door.py").write_text(settled.replace("self.doors < 9 or", "self.open[d] or"), encoding="utf-8")
    assert "push() has a guard that is never false" not in idle(check("door.py:Doors", vacuity=True))


def test_every_run_says_what_is_idle(capsys: pytest.CaptureFixture[str]) -> None:
    assert commands.main(["check", "door.py:Doors"], standalone_mode=False) == 0
    out = capsys.readouterr().out
    lines = [line.rstrip() for line in out.splitlines()]
    at = lines.index("Vacuous: push() has a guard that is never false")
    assert lines[at + 1] == "      door.py:23:9  require(not self.broken[door])"
    assert commands.main(["check", "door.py:Doors", "--strict"], standalone_mode=False) == 22
    assert capsys.readouterr().out.splitlines()[-12:] == out.splitlines()[-12:]


def test_what_is_not_known_is_said(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("isrcheck.commands.check.VACUITY_SECONDS", 0.0)
    assert commands.main(["check", "door.py:Doors"], standalone_mode=False) == 0
    said = "(guards, properties) are vacuous: the search for that ended after 0 seconds"
    assert said in " ".join(capsys.readouterr().out.split())


# Nothing that merely adds to a verdict may delay it, change it or lose it


def test_the_verdict_is_told_before_the_look_begins(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    seen: list[tuple[str, object]] = []

    def killed(*_: object) -> object:
        seen.append((capsys.readouterr().out, json.loads(Path("out.json").read_text(encoding="utf-8"))["verdict"]))
        raise SystemExit(9)  # as near as a test comes to kill -9

    monkeypatch.setattr("isrcheck.run.vacuity.find_vacuity", killed)
    with pytest.raises(SystemExit):
        commands.main(["check", "door.py:Doors", "--json", "out.json", "--events", "events"], standalone_mode=False)
    [(printed, verdict)] = seen
    assert "said_of_open_doors  holds" in printed
    assert verdict == "holds"
    assert json.loads(Path("events").read_text(encoding="utf-8").splitlines()[-1])["event"] == "verdict"


def test_no_vacuity_leaves_the_look_out(capsys: pytest.CaptureFixture[str]) -> None:
    assert commands.main(["check", "door.py:Doors", "--no-vacuity"], standalone_mode=False) == 0
    assert "Vacuous" not in capsys.readouterr().out
    with pytest.raises(UsageError, match="--strict needs the search that --no-vacuity leaves out"):
        commands.main(["check", "door.py:Doors", "--no-vacuity", "--strict"], standalone_mode=False)


@pytest.mark.parametrize(
    ("fault", "cut"),
    [
        (MemoryError, "for lack of memory"),
        (KeyboardInterrupt, "by the user"),
        (ZeroDivisionError, "at a fault of isrcheck (ZeroDivisionError: )"),
    ],
)
def test_whatever_ends_the_look_the_verdict_stays(
    fault: type[BaseException], cut: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fails(*_: object) -> None:
        raise fault

    monkeypatch.setattr("isrcheck.run.vacuity.engine", lambda _: SimpleNamespace(search=fails))
    assert commands.main(["check", "door.py:Doors"], standalone_mode=False) == 0
    assert "are vacuous: the search for that ended" in " ".join(capsys.readouterr().out.split())
    assert commands.main(["check", "door.py:Doors", "--strict"], standalone_mode=False) == 20
    outcome = check("door.py:Doors", vacuity=True)
    assert {p.verdict.value for p in outcome.properties} == {"holds"}
    assert outcome.vacuous == ()
    assert outcome.maybe_vacuous
    assert (outcome.exit, outcome.interrupted) == (0, False)
    assert outcome.vacuity_cut == cut


def test_the_time_of_the_look_includes_lowering_and_compiling(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("isrcheck.run.vacuity._MOST_EVALUATED", 0)
    ended, compiled = threading.Event(), compiling._compile_ir
    calls: list[str] = []

    def slow(text: str, effort: compiling.Effort) -> compiling.Code:
        calls.append(text)
        if len(calls) > 1:
            ended.wait(600)
        return compiled(text, effort)

    monkeypatch.setattr(compiling, "_compile_ir", slow)
    run_slowly_in("compiling", monkeypatch)
    try:
        outcome = check("door.py:Doors", vacuity=0.5)
        assert is_work_left()
    finally:
        ended.set()
    assert (outcome.exit, outcome.vacuity_cut) == (0, "after 0.5 seconds, while compiling")
    assert outcome.maybe_vacuous


def test_a_small_graph_is_looked_at_without_a_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def noted(name: str) -> Engine:
        asked.append(name)
        return engine_named(name)

    monkeypatch.setattr("isrcheck.run.vacuity.engine", noted)
    assert idle(check("door.py:Doors", vacuity=True))
    assert asked == ["evaluator"]


def test_guards_of_a_dead_action_are_told_with_the_rest() -> None:
    text = Path("door.py").read_text(encoding="utf-8")
    Path("door.py").write_text(text.replace("    @invariant\n", f"{CRACK}    @invariant\n", 1), encoding="utf-8")
    assert check("door.py:Doors").guards_never_held == ()
    [guard] = check("door.py:Doors", vacuity=True).guards_never_held
    assert guard.endswith("require(self.doors > 2)")


def test_a_guard_that_is_never_asked_ends_no_look() -> None:
    """A guard that is false whatever the state leaves those after it without a case."""
    text = Path("door.py").read_text(encoding="utf-8")
    never = CRACK.replace(
        "        require(self.doors > 2)\n", "        require(None is not None)\n        require(self.open[door])\n"
    )
    assert never != CRACK
    Path("door.py").write_text(text.replace("    @invariant\n", f"{never}    @invariant\n", 1), encoding="utf-8")
    outcome = check("door.py:Doors", vacuity=True)
    assert (outcome.vacuity_cut, outcome.maybe_vacuous) == (None, ())
    [guard] = outcome.guards_never_held
    assert guard.endswith("require(None is not None)")


# What the look may not cost


def test_a_condition_before_a_clause_that_needs_it() -> None:
    """What `all(... for a if c for b in s)` speaks of ends at c: s may have no value where c is false."""
    clauses = (
        "return all(n < 9 for d in Door if self.last is not None for n in range(1 if self.open[self.last] else 2))"
    )
    write(MODEL.replace(OPEN_DOORS, clauses).replace("    open: dict", "    last: Door | None = None\n    open: dict"))
    outcome = check("door.py:Doors", vacuity=True)
    assert "said_of_open_doors speaks of something that never happens" in idle(outcome)
    assert outcome.maybe_vacuous == ()


def test_a_local_name_is_not_the_constant_of_that_name() -> None:
    write(
        MODEL.replace(
            "        require(not self.broken[door])",
            "        doors = 9 if self.broken[door] else 1\n        require(doors < 5)",
        )
    )
    assert "push() has a guard that is never false" in idle(check("door.py:Doors", vacuity=True))


def test_strict_where_the_graph_was_not_seen_whole() -> None:
    words = ["check", "door.py:Doors", "--strict", "--max-states", "2"]
    assert commands.main(words, standalone_mode=False) == 20
    decided = ["check", "toy-mutex", "--strict", "--property", "someone_waits"]
    assert commands.main(decided, standalone_mode=False) == 20


def test_a_claim_without_a_value_leaves_the_guards_known() -> None:
    claim = CLAIM.replace("return any(self.broken[d] for d in Door)", "return self.open[self.last]")
    write(MODEL.replace("    open: dict", "    last: Door | None = None\n    open: dict") + claim)
    text = Path("door.py").read_text(encoding="utf-8").replace("applies, constant", "applies, reachable, constant")
    Path("door.py").write_text(text, encoding="utf-8")
    outcome = check("door.py:Doors", properties=["stays_open"], vacuity=True)
    assert idle(outcome) == ["push() has a guard that is never false"]
    assert "breaks is never reached" in [part.sentence for part in outcome.maybe_vacuous]
