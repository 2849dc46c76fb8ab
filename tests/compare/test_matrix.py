"""`isrcheck compare` as a matrix: cells, forms, limits and exit codes."""

import os
import signal
from pathlib import Path

import pytest
from tests.ci.project import COUNTER, SPEC
from tests.evidence.report.runs import entries, hostile
from tests.fixtures.command_line import Done, in_process

import isrcheck
from isrcheck.evidence.report.entry import Failed
from isrcheck.evidence.report.facts import facts_of
from isrcheck.evidence.report.matrix import groups, keep_differing, matrix
from isrcheck.evidence.writers.markdown import markdown_of
from isrcheck.evidence.writers.terminal import plain_text
from isrcheck.gate import worker
from isrcheck.gate.cells import GateCell
from isrcheck.gate.worker import CellProcess, Result
from isrcheck.wrap import columns


def compared(*words: str, cwd: Path | None = None) -> Done:
    return in_process("compare", *words, "--workers", "2", cwd=cwd)


def printed(runs: list[dict[str, object]], width: int) -> str:
    return plain_text(matrix(runs), width)


def test_variants_by_properties_by_bounds() -> None:
    names, properties = ["kip-101", "kip-320"], ["strong_isr", "weak_isr"]
    sizes = {"replicas": [2, 3], "log_size": 1, "max_records": 1, "max_leader_epoch": 1}
    table = isrcheck.matrix(names, constants=sizes, properties=properties).table()
    keys = ("model", "property", "verdict", "length", "distinct", "pruned")
    found = list(zip(*(table[key] for key in keys), strict=True))
    assert found == [
        ("kip-101", "weak_isr", "holds within bounds", None, 341, 834),
        ("kip-101", "strong_isr", "holds within bounds", None, 341, 834),
        ("kip-101", "weak_isr", "holds within bounds", None, 9841, 35199),
        ("kip-101", "strong_isr", "violated", 12, 9841, 35199),
        ("kip-320", "weak_isr", "holds within bounds", None, 277, 660),
        ("kip-320", "strong_isr", "holds within bounds", None, 277, 660),
        ("kip-320", "weak_isr", "holds within bounds", None, 6787, 23142),
        ("kip-320", "strong_isr", "holds within bounds", None, 6787, 23142),
    ]


def test_every_form_of_a_cell_at_80_and_120_columns() -> None:
    runs = facts_of(entries(), "0.1.0", "")["runs"]
    runs[1]["properties"] = runs[1]["properties"][1:]
    for width in (80, 120):
        text = printed(runs, width)
        assert max(columns(line) for line in text.splitlines()) <= width
        for word in ("✗ violated", "✓ holds", "◐ holds within", "? undetermined", "! no verdict", "- n/a"):
            assert word in text
        assert "exit 75: mine.py:7: a list is no value of a model." in " ".join(text.split())
        assert "undetermined, the run ended" in " ".join(text.split())
    assert printed(runs, 80).count("strong_isr") == printed(runs, 120).count("strong_isr")


def test_names_that_are_attacks_are_shown_and_not_run() -> None:
    strange = Failed("=cmd|' /C calc'!A0", {}, 75, "<script>alert(1)</script> | [x](y)")
    runs = facts_of([hostile(), strange], "0.1.0", "")["runs"]
    text = markdown_of(matrix(runs))
    assert "\\<script\\>alert(1)\\</script\\> \\| \\[x\\](y)" in text
    assert "\x1b" not in printed(runs, 80)


def test_a_page(tmp_path: Path) -> None:
    (tmp_path / "counter.py").write_text(COUNTER, encoding="utf-8")
    done = compared("counter.py:Counter", "--to", "html", "-o", "out/page.html", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, "")
    page = (tmp_path / "out" / "page.html").read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>")
    assert 'data-head="states">3<' in page
    assert "<script" not in page
    assert "href=" not in page


def test_all_cells_of_a_spec_with_its_expectations_left_aside(tmp_path: Path) -> None:
    (tmp_path / "counter.py").write_text(COUNTER.replace("n < 2", "n < 3"), encoding="utf-8")
    (tmp_path / "one.toml").write_text(SPEC, encoding="utf-8")
    grid = '[[grid]]\nmodels = ["counter.py:Counter"]\n'
    (tmp_path / "two.toml").write_text(grid, encoding="utf-8")
    done = compared("one.toml", "two.toml", "--to", "md", cwd=tmp_path)
    assert done.returncode == 0
    assert "| `counter.py:Counter` | 4 seen | **✗ 3** |" in done.stdout
    assert done.stdout.count("counter.py") == 1


def test_undetermined_is_20(tmp_path: Path) -> None:
    done = compared("kip-320", "--max-states", "5", "--property", "strong_isr")
    assert done.returncode == 20
    assert "? undetermined" in done.stdout
    assert "holds" not in done.stdout.replace("0 hold, 0 hold within bounds", "")


def test_a_cell_without_a_verdict_does_not_hide_the_others(tmp_path: Path) -> None:
    (tmp_path / "good.py").write_text(COUNTER, encoding="utf-8")
    (tmp_path / "bad.py").write_text(COUNTER.replace("self.n += 1", "self.n = [1]"), encoding="utf-8")
    done = compared("good.py:Counter", "bad.py:Counter", cwd=tmp_path)
    assert done.returncode == 75
    assert "✓ holds" in done.stdout
    assert "! no verdict" in done.stdout


def test_a_worker_that_is_killed_is_a_cell_without_verdict(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "counter.py").write_text(COUNTER, encoding="utf-8")

    def killed(*_: object) -> Result:
        os.kill(os.getpid(), signal.SIGKILL)
        raise AssertionError

    monkeypatch.setattr(worker, "result_of", killed)
    done = compared("counter.py:Counter", cwd=tmp_path)
    assert done.returncode == 20
    assert "! no verdict" in done.stdout
    assert "was killed (SIGKILL: out of memory, or by somebody)" in " ".join(done.stdout.split())


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ([], "missing argument 'MODEL|SPEC.toml...'."),
        (["kip-1"], "compare: there is no model kip-1. Did you mean kip-101?"),
        (["kip-101", "-c", "replica=2"], "compare: no model here has a constant replica. Did you mean replicas?"),
        (["kip-101", "-c", "replicas=2..x"], "-c replicas=2..x holds no range of numbers: write 1..4."),
        (["kip-101", "-c", "replicas=2,,3"], "-c replicas=2,,3 has an empty value: write NAME=VALUE"),
        (["kip-101", "--property", "strong"], "no model here has a property strong. Did you mean strong_isr?"),
        (["kip-101", "x.toml"], "x.toml is a spec and other names are models: compare the ones or the others."),
        (["x.toml", "-c", "a=1"], "x.toml says its own constants, properties and limits"),
        (["x.toml"], "there is no file x.toml: give a TOML file with"),
        (["kip-101", "--to", "svg"], "'svg' is not one of 'txt', 'md', 'html', 'report'."),
    ],
)
def test_wrong_use(words: list[str], sentence: str) -> None:
    done = in_process("compare", *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert sentence in done.stderr


def differing(*numbers: int) -> tuple[list[str], str]:
    """The properties that stay in the matrix of some runs, and what is said of the others."""
    runs = [run for number, run in enumerate(facts_of(entries(), "0.1.0", "")["runs"]) if number in numbers]
    text = plain_text(matrix(runs, only_differing=True))
    names = {name for group in map(keep_differing, groups(runs)) for name, _ in group.properties}
    assert all(name in text for name in names)
    return sorted(names), next((line for line in text.splitlines() if line.startswith("All rows agree on ")), "")


def test_only_what_differs_is_shown() -> None:
    names, others = differing(0, 1)  # one violates what the other keeps
    assert {"weak_isr", "strong_isr"} <= set(names)
    assert "leader_in_isr" in others
    assert not any(name in others for name in names)


def test_of_one_row_nothing_differs() -> None:
    names, others = differing(1)
    assert names == []
    assert "strong_isr" in others


@pytest.mark.parametrize("unknown", [2, 4])  # cut off early; without a verdict
def test_a_run_that_decides_nothing_may_differ_in_everything(unknown: int) -> None:
    names, others = differing(1, unknown)
    assert {"weak_isr", "strong_isr", "leader_in_isr", "log_matching"} <= set(names)
    assert not any(name in others for name in names)


def test_an_interrupted_matrix_shows_the_runs_that_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second process is not started: an interrupt comes in its place."""
    (tmp_path / "counter.py").write_text(COUNTER, encoding="utf-8")

    def start(cell: GateCell) -> CellProcess:
        if cell.model == "toy-mutex":
            raise KeyboardInterrupt
        return CellProcess(cell)

    monkeypatch.setattr("isrcheck.gate.run.CellProcess", start)
    monkeypatch.setattr("isrcheck.gate.run.longest_first", lambda cells, _: list(cells))
    done = in_process("compare", "counter.py:Counter", "toy-mutex", "--workers", "1", cwd=tmp_path)
    assert done.returncode == 20
    assert "counter.py:Counter       3  ✓" in done.stdout
    assert "left out: the run was interrupted." in done.stdout
