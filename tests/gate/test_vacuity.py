"""Guards never false, properties of nothing, claims never met: every run says so, --strict and the gate fail."""

import json
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from isrcheck import check
from isrcheck.cli import commands
from isrcheck.engines.contract import Exploration, Limits, Request
from isrcheck.engines.native import compile as compiling
from isrcheck.engines.registry import Engine
from isrcheck.engines.registry import engine as engine_named
from isrcheck.errors import UsageError
from isrcheck.run import vacuity
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


@pytest.fixture(autouse=True)
def door() -> None:
    text = MODEL.replace("each, invariant", "constant, each, invariant, require, step")
    Path("door.py").write_text(
        text.replace('"""\n\nfrom', '"""\n\nfrom typing import Self\n\nfrom', 1), encoding="utf-8"
    )


def idle(outcome: Outcome) -> list[str]:
    return [each.sentence for each in outcome.idle]


def test_what_a_model_never_uses() -> None:
    outcome = check("door.py:Doors", vacuity=True)
    assert idle(outcome) == [
        "push() has a guard that is never false",
        "said_of_nothing speaks of something that never happens",
        "said_of_no_door speaks of something that never happens",
        "stays_open speaks of something that never happens",
    ]
    assert outcome.idle[0].text == "require(not self.broken[door])"
    assert outcome.idle[0].written == "push: require(not self.broken[door])"
    assert outcome.to_dict()["unused"] == list(map(str, outcome.idle))


def test_it_changes_nothing() -> None:
    plain, strict = (check("door.py:Doors", vacuity=vacuity) for vacuity in (False, True))
    assert plain.parts is None
    assert (plain.distinct, plain.generated, plain.digest) == (strict.distinct, strict.generated, strict.digest)
    assert plain.properties == strict.properties


def test_nothing_is_said_of_a_run_that_was_cut() -> None:
    assert check("door.py:Doors", vacuity=True, max_states=1).parts is None


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
    outcome = check("door.py:Doors", vacuity=True, vacuity_seconds=0.0)
    assert outcome.idle == ()
    assert "push() has a guard that is never false" in [part.sentence for part in outcome.maybe_idle]
    assert "maybe_unused" in outcome.to_dict()
    assert "unused" not in outcome.to_dict()


def test_what_a_search_cut_on_the_way_did_not_see_is_not_known(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = check("door.py:Doors", vacuity=True)
    engine = engine_named

    def shallow(name: str) -> Callable[[Any, Request], Exploration]:
        return lambda model, request: engine(name)(model, replace(request, limits=Limits(depth=1)))

    monkeypatch.setattr(vacuity, "engine", shallow)
    outcome = check("door.py:Doors", vacuity=True)
    assert whole.idle
    assert outcome.idle == ()
    assert {str(part) for part in whole.idle} <= {str(part) for part in outcome.maybe_idle}


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
    at = lines.index("Idle: push() has a guard that is never false")
    assert lines[at + 1] == "      door.py:23:9  require(not self.broken[door])"
    assert commands.main(["check", "door.py:Doors", "--strict"], standalone_mode=False) == 22
    assert capsys.readouterr().out.splitlines()[-12:] == out.splitlines()[-12:]


def test_what_is_not_known_is_said(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("isrcheck.commands.check.VACUITY_SECONDS", 0.0)
    assert commands.main(["check", "door.py:Doors"], standalone_mode=False) == 0
    said = "(guards, properties, claims) are vacuous: the search for that ended after 0 seconds"
    assert said in " ".join(capsys.readouterr().out.split())


# Nothing that merely adds to a verdict may delay it, change it or lose it


def test_the_verdict_is_told_before_the_look_begins(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    seen: list[tuple[str, object]] = []

    def killed(*_: object) -> object:
        seen.append((capsys.readouterr().out, json.loads(Path("out.json").read_text(encoding="utf-8"))["verdict"]))
        raise SystemExit(9)  # as near as a test comes to kill -9

    monkeypatch.setattr("isrcheck.api.look", killed)
    with pytest.raises(SystemExit):
        commands.main(["check", "door.py:Doors", "--json", "out.json", "--events", "events"], standalone_mode=False)
    [(printed, verdict)] = seen
    assert "said_of_open_doors  holds" in printed
    assert verdict == "holds"
    assert json.loads(Path("events").read_text(encoding="utf-8").splitlines()[-1])["event"] == "verdict"


def test_no_vacuity_leaves_the_look_out(capsys: pytest.CaptureFixture[str]) -> None:
    assert commands.main(["check", "door.py:Doors", "--no-vacuity"], standalone_mode=False) == 0
    assert "Idle" not in capsys.readouterr().out
    with pytest.raises(UsageError, match="--strict needs the search that --no-vacuity leaves out"):
        commands.main(["check", "door.py:Doors", "--no-vacuity", "--strict"], standalone_mode=False)


@pytest.mark.parametrize("fault", [MemoryError, KeyboardInterrupt, ZeroDivisionError])
def test_whatever_ends_the_look_the_exit_code_stays(
    fault: type[BaseException], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fails(*_: object) -> None:
        raise fault

    monkeypatch.setattr("isrcheck.run.vacuity.engine", lambda _: fails)
    assert commands.main(["check", "door.py:Doors"], standalone_mode=False) == 0
    assert "are vacuous: the search for that ended" in " ".join(capsys.readouterr().out.split())
    assert commands.main(["check", "door.py:Doors", "--strict"], standalone_mode=False) == 20


def test_the_time_of_the_look_includes_lowering_and_compiling(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("isrcheck.run.vacuity._MOST_EVALUATED", 0)
    ended, compiled = threading.Event(), compiling._compiled
    calls: list[str] = []

    def slow(text: str, hasty: bool) -> compiling.Code:
        calls.append(text)
        if len(calls) > 1:
            ended.wait(60)
        return compiled(text, hasty)

    monkeypatch.setattr(compiling, "_compiled", slow)
    began = time.monotonic()
    try:
        outcome = check("door.py:Doors", vacuity=True, vacuity_seconds=0.5)
        assert time.monotonic() - began < 20
    finally:
        ended.set()
    assert (outcome.exit, outcome.vacuity_cut) == (0, "after 0.5 seconds, while compiling")
    assert outcome.maybe_idle


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
    assert check("door.py:Doors").asleep == ()
    [guard] = check("door.py:Doors", vacuity=True).asleep
    assert guard.endswith("require(self.doors > 2)")


# In the gate

SPEC = '[[run]]\nmodel = "door.py:Doors"\nrest = "holds"\n'
EXPECTED = """idle = [
    "push: require(not self.broken[door])",
    "said_of_nothing: return all(not self.broken[door] or self.open[door] for door in Door)",
    "said_of_no_door: return all(self.open[door] for door in Door if self.broken[door])",
    "stays_open: return all(not before.broken[door] or self.open[door] == before.open[door] for door in Door)",
]
"""


def gate(spec: str, *options: str) -> int:
    Path("door.toml").write_text(spec, encoding="utf-8")
    code = commands.main(["gate", "door.toml", *options], standalone_mode=False)
    assert isinstance(code, int)
    return code


def test_the_gate_looks_by_itself(capsys: pytest.CaptureFixture[str]) -> None:
    assert gate(SPEC) == 22
    out = " ".join(capsys.readouterr().out.split())
    assert "idle door.py:Doors: push() has a guard that is never false door.py:" in out
    assert "4 met, 4 idle;" in out
    assert gate(f"{SPEC}strict = false\n") == 0


def test_a_run_that_is_expected_to_leave_it_idle() -> None:
    assert gate(f"{SPEC}{EXPECTED}") == 0


def test_an_expectation_of_idleness_that_is_wrong(capsys: pytest.CaptureFixture[str]) -> None:
    wrong = EXPECTED.replace("push: require(not self.broken[door])", "shut: require(self.open[door])")
    assert gate(f"{SPEC}{wrong}") == 21
    said = "idle shut: require(self.open[door]): expected no case of it, found a case of it"
    assert said in " ".join(capsys.readouterr().out.split())


def test_another_run_may_put_it_to_the_test() -> None:
    text = Path("door.py").read_text(encoding="utf-8")
    Path("door.py").write_text(text.replace("    @invariant\n", f"{CRACK}    @invariant\n", 1), encoding="utf-8")
    few, many = (
        f'[[run]]\nmodel = "door.py:Doors"\nconstants = {{ doors = {doors} }}\n'
        f'expect = {{ said_of_open_doors = "{answer}" }}\n'
        for doors, answer in ((2, "holds"), (3, "violated in 2 steps"))
    )
    assert gate(few) == 22
    assert gate(few + many) == 0


def test_a_search_cut_short_makes_nothing_idle(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("isrcheck.gate.worker.LOOK_SECONDS", 0.0)
    assert gate(SPEC) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "not known door.py:Doors: push() has a guard that is never false" in out
    assert "maybe idle" in out
    assert gate(f"{SPEC}strict = true\n") == 22


def test_a_strict_run_whose_look_was_cut_is_undetermined(capsys: pytest.CaptureFixture[str]) -> None:
    spec = SPEC.replace('rest = "holds"', 'rest = "holds"\nconstants = { doors = 4 }\nsymmetry = true\nstrict = true')
    assert gate(f"{spec}limits = {{ states = 8 }}\n") == 20  # as many as there are with symmetry; the look is without
    assert "strict: expected the whole graph, found undetermined" in " ".join(capsys.readouterr().out.split())


def test_a_strict_run_that_was_cut_is_undetermined() -> None:
    assert gate(f"{SPEC}strict = true\nlimits = {{ states = 2 }}\n") == 20


def test_update_writes_what_is_idle() -> None:
    assert gate(f'{SPEC}[run.expect]\nstays_open = "holds"\n', "--update", "--yes") == 0
    written = Path("door.toml").read_text(encoding="utf-8")
    assert '"push: require(not self.broken[door])"' in written
    assert written.index("idle = [") < written.index("[run.expect]")
    assert gate(written) == 0


def test_update_keeps_what_the_defaults_expect() -> None:
    first = EXPECTED.splitlines()[1]
    assert gate(f"[defaults]\nidle = [\n{first}\n]\n{SPEC}", "--update", "--yes") == 0
    assert gate(Path("door.toml").read_text(encoding="utf-8")) == 0


def test_update_keeps_what_was_written_by_hand() -> None:
    first, *_ = EXPECTED.splitlines()[1:]
    assert gate(f"{SPEC}idle = [  # known\n{first}\n]\n", "--update", "--yes") == 0
    after = Path("door.toml").read_text(encoding="utf-8")
    assert "# known" in after
    assert gate(after) == 0


def test_update_writes_nothing_into_a_run_that_was_not_looked_at() -> None:
    assert gate(f"{SPEC}{SPEC}strict = false\n", "--update", "--yes") == 0
    after = Path("door.toml").read_text(encoding="utf-8")
    assert after.count("idle = [") == 1
    assert gate(after) == 0


# What no run may hide from another

LOCKED = MODEL.replace(
    "    open: dict", '    locked: bool = constant(False, "whether nobody may push")\n\n    open: dict'
).replace(
    "        require(not self.broken[door])", "        require(not self.locked)\n        require(not self.broken[door])"
)
UNLOCKED = """    @applies("said_of_nothing")
    def unlocked(self) -> bool:
        return not self.locked

"""
OPEN_DOORS = "return all(not self.broken[door] for door in Door if self.open[door])"


def write(text: str) -> None:
    text = text.replace("each, invariant", "applies, constant, each, invariant, require, step")
    text = text.replace('"""\n\nfrom', '"""\n\nfrom typing import Self\n\nfrom', 1)
    Path("door.py").write_text(text, encoding="utf-8")


def runs(*settings: str) -> str:
    return "".join(
        f'[[run]]\nmodel = "door.py:Doors"\nconstants = {{ {s} }}\nexpect = {{ said_of_open_doors = "holds" }}\n'
        for s in settings
    )


def test_a_run_that_never_takes_the_action_is_no_case(capsys: pytest.CaptureFixture[str]) -> None:
    write(LOCKED)
    assert gate(runs("locked = false", "locked = true")) == 22
    assert "idle door.py:Doors: push() has a guard that is never false" in " ".join(capsys.readouterr().out.split())


def test_a_run_to_which_the_property_does_not_apply_is_no_case(capsys: pytest.CaptureFixture[str]) -> None:
    head, tail = LOCKED.split("    @invariant\n    def said_of_no_door")
    write(f"{head}{UNLOCKED}    @invariant\n    def said_of_no_door{tail}")
    assert gate(runs("locked = false", "locked = true")) == 22
    assert "said_of_nothing speaks of something that never happens" in " ".join(capsys.readouterr().out.split())


def test_a_run_that_was_left_out_leaves_it_unknown(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("isrcheck.gate.run.estimate", lambda cell, _: 99.0 if cell.constants["doors"] == "3" else 0.1)
    assert gate(runs("doors = 2", "doors = 3"), "--budget", "30s") == 20
    out = " ".join(capsys.readouterr().out.split())
    assert "not known door.py:Doors: push() has a guard that is never false" in out
    assert gate(runs("doors = 2", "doors = 3"), "--budget", "30s", "--update", "--yes") == 20
    assert "idle" not in Path("door.toml").read_text(encoding="utf-8")


def test_where_no_run_saw_its_whole_graph_this_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    write(MODEL.replace(OPEN_DOORS, "return not any(self.open[d] for d in Door)"))
    expected = runs("doors = 2").replace('"holds"', '"violated"')
    assert gate(f"[defaults]\nlimits = {{ states = 3 }}\n{expected}") == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "not known no run of door.py:Doors saw its whole graph: what is idle in it" in out


# What the look may not cost


def test_a_condition_before_a_clause_that_needs_it() -> None:
    """What `all(... for a if c for b in s)` speaks of ends at c: s may have no value where c is false."""
    clauses = (
        "return all(n < 9 for d in Door if self.last is not None for n in range(1 if self.open[self.last] else 2))"
    )
    write(MODEL.replace(OPEN_DOORS, clauses).replace("    open: dict", "    last: Door | None = None\n    open: dict"))
    outcome = check("door.py:Doors", vacuity=True)
    assert "said_of_open_doors speaks of something that never happens" in idle(outcome)
    assert outcome.maybe_idle == ()


def test_a_local_name_is_not_the_constant_of_that_name() -> None:
    write(
        MODEL.replace(
            "        require(not self.broken[door])",
            "        doors = 9 if self.broken[door] else 1\n        require(doors < 5)",
        )
    )
    assert "push() has a guard that is never false" in idle(check("door.py:Doors", vacuity=True))


@pytest.mark.parametrize("fault", [MemoryError, KeyboardInterrupt])
def test_whatever_ends_the_look_the_verdict_stays(fault: type[BaseException], monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> None:
        raise fault

    monkeypatch.setattr("isrcheck.run.vacuity.engine", lambda _: fails)
    outcome = check("door.py:Doors", vacuity=True)
    assert {p.verdict.value for p in outcome.properties} == {"holds"}
    assert outcome.idle == ()
    assert outcome.maybe_idle
    assert (outcome.exit, outcome.interrupted) == (0, False)
    assert outcome.vacuity_cut == ("by the user" if fault is KeyboardInterrupt else "for lack of memory")
    assert outcome.exit == (130 if outcome.interrupted else 0)


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
    assert "breaks is never reached" in [part.sentence for part in outcome.maybe_idle]
