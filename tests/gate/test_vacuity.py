"""Guards never false, properties of nothing, claims never met: the gate says so, and fails."""

from pathlib import Path

import pytest
from tests.gate.doors import CRACK, MODEL, OPEN_DOORS, gate, write


@pytest.fixture(autouse=True)
def door() -> None:
    write(MODEL)


SPEC = '[[run]]\nmodel = "door.py:Doors"\nrest = "holds"\n'
EXPECTED = """vacuous = [
    "push: require(not self.broken[door])",
    "said_of_nothing: return all(not self.broken[door] or self.open[door] for door in Door)",
    "said_of_no_door: return all(self.open[door] for door in Door if self.broken[door])",
    "stays_open: return all(not before.broken[door] or self.open[door] == before.open[door] for door in Door)",
]
"""


def test_the_gate_looks_by_itself(capsys: pytest.CaptureFixture[str]) -> None:
    assert gate(SPEC) == 22
    out = " ".join(capsys.readouterr().out.split())
    assert "vacuous door.py:Doors: push() has a guard that is never false door.py:" in out
    assert "4 met, 4 vacuous;" in out
    assert gate(f"{SPEC}strict = false\n") == 0


def test_constants_by_which_nothing_can_go_wrong_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    write(MODEL.replace("    open: dict", '    cracks: int = constant(0, "doors that break")\n\n    open: dict'))
    assert gate(SPEC) == 22
    sentence = "What these bound never happens in door.py:Doors, since each is 0 in every run: cracks."
    assert sentence in " ".join(capsys.readouterr().out.split())
    assert gate(f"{SPEC}constants = {{ cracks = 1 }}\n") == 22
    assert "What these bound" not in capsys.readouterr().out


def test_a_run_that_is_expected_to_leave_it_idle() -> None:
    assert gate(f"{SPEC}{EXPECTED}") == 0


def test_an_expectation_of_vacuity_that_is_wrong(capsys: pytest.CaptureFixture[str]) -> None:
    wrong = EXPECTED.replace("push: require(not self.broken[door])", "shut: require(self.open[door])")
    assert gate(f"{SPEC}{wrong}") == 21
    said = "vacuous shut: require(self.open[door]): expected no case of it, found a case of it"
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


def test_a_search_cut_short_makes_nothing_vacuous(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("isrcheck.gate.worker.LOOK_SECONDS", 0.0)
    assert gate(SPEC) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "not known door.py:Doors: whether push() has a guard that is never false" in out
    assert "The search for what is vacuous ended early; strict = true looks to the end." in out
    assert "maybe vacuous" in out
    assert gate(f"{SPEC}strict = true\n") == 22


def test_a_strict_run_whose_look_was_cut_is_undetermined(capsys: pytest.CaptureFixture[str]) -> None:
    spec = SPEC.replace('rest = "holds"', 'rest = "holds"\nconstants = { doors = 4 }\nsymmetry = true\nstrict = true')
    assert gate(f"{spec}limits = {{ states = 8 }}\n") == 20  # as many as there are with symmetry; the look is without
    assert "strict: expected the whole graph, found undetermined" in " ".join(capsys.readouterr().out.split())


def test_a_strict_run_that_was_cut_is_undetermined() -> None:
    assert gate(f"{SPEC}strict = true\nlimits = {{ states = 2 }}\n") == 20


def test_update_writes_what_is_vacuous() -> None:
    assert gate(f'{SPEC}[run.expect]\nstays_open = "holds"\n', "--update", "--yes") == 0
    written = Path("door.toml").read_text(encoding="utf-8")
    assert '"push: require(not self.broken[door])"' in written
    assert written.index("vacuous = [") < written.index("[run.expect]")
    assert gate(written) == 0


def test_update_keeps_what_the_defaults_expect() -> None:
    first = EXPECTED.splitlines()[1]
    assert gate(f"[defaults]\nvacuous = [\n{first}\n]\n{SPEC}", "--update", "--yes") == 0
    assert gate(Path("door.toml").read_text(encoding="utf-8")) == 0


def test_update_keeps_what_was_written_by_hand() -> None:
    first, *_ = EXPECTED.splitlines()[1:]
    assert gate(f"{SPEC}vacuous = [  # known\n{first}\n]\n", "--update", "--yes") == 0
    after = Path("door.toml").read_text(encoding="utf-8")
    assert "# known" in after
    assert gate(after) == 0


def test_update_writes_nothing_into_a_run_that_was_not_looked_at() -> None:
    assert gate(f"{SPEC}{SPEC}strict = false\n", "--update", "--yes") == 0
    after = Path("door.toml").read_text(encoding="utf-8")
    assert after.count("vacuous = [") == 1
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


def runs(*settings: str) -> str:
    return "".join(
        f'[[run]]\nmodel = "door.py:Doors"\nconstants = {{ {s} }}\nexpect = {{ said_of_open_doors = "holds" }}\n'
        for s in settings
    )


def test_a_run_that_never_takes_the_action_is_no_case(capsys: pytest.CaptureFixture[str]) -> None:
    write(LOCKED)
    assert gate(runs("locked = false", "locked = true")) == 22
    assert "vacuous door.py:Doors: push() has a guard that is never false" in " ".join(capsys.readouterr().out.split())


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
    assert "not known door.py:Doors: whether push() has a guard that is never false" in out
    assert gate(runs("doors = 2", "doors = 3"), "--budget", "30s", "--update", "--yes") == 20
    assert "vacuous" not in Path("door.toml").read_text(encoding="utf-8")


def test_where_no_run_saw_its_whole_graph_this_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    write(MODEL.replace(OPEN_DOORS, "return not any(self.open[d] for d in Door)"))
    expected = runs("doors = 2").replace('"holds"', '"violated"')
    assert gate(f"[defaults]\nlimits = {{ states = 3 }}\n{expected}") == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "not known no run of door.py:Doors saw its whole graph: what is vacuous in it" in out
