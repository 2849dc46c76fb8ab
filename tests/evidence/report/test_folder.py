"""A report is the old one or the new one, and nobody else's files are touched."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from tests.evidence.report.runs import entries, parts

from isrcheck.cli import commands
from isrcheck.errors import IsrcheckError, UsageError
from isrcheck.evidence.report import folder as module
from isrcheck.evidence.report.folder import refuse_another, write_report


def write(folder: Path, *numbers: int) -> None:
    some = [entries()[n] for n in numbers]
    write_report(folder, some, *parts(*some))


def listed(folder: Path) -> list[str]:
    return sorted(str(f.relative_to(folder)) for f in folder.rglob("*") if f.is_file())


def test_a_report_is_replaced_whole(tmp_path: Path) -> None:
    write(tmp_path / "r", 0, 4)
    traces = [
        f"traces/truncate-to-high-watermark-{name}.{e}" for name in ("strong_isr", "weak_isr") for e in ("html", "svg")
    ]
    assert listed(tmp_path / "r") == ["facts.json", "index.html", "noise.json", *traces]
    write(tmp_path / "r", 3)
    assert listed(tmp_path / "r") == ["facts.json", "index.html", "noise.json"]
    assert [f.name for f in tmp_path.iterdir()] == ["r"]


def test_an_empty_folder_is_taken(tmp_path: Path) -> None:
    (tmp_path / "r").mkdir()
    write(tmp_path / "r", 3)
    assert json.loads(facts(tmp_path / "r"))["runs"][0]["model"] == "toy-mutex"


@pytest.mark.parametrize("at", ["index.html", "traces"])
def test_a_fault_leaves_the_old_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at: str) -> None:
    write(tmp_path / "r", 3)
    before = {name: (tmp_path / "r" / name).read_bytes() for name in listed(tmp_path / "r")}

    def full(file: Path, text: str) -> None:
        if at in str(file):
            raise OSError(28, "No space left on device")
        file.write_text(text, encoding="utf-8")

    monkeypatch.setattr(module, "_write", full)
    with pytest.raises(UsageError, match=r"r cannot be written: No space left on device\.$"):
        write(tmp_path / "r", 0)
    assert {name: (tmp_path / "r" / name).read_bytes() for name in listed(tmp_path / "r")} == before
    assert [f.name for f in tmp_path.iterdir()] == ["r"]


def test_a_move_that_fails_brings_the_old_report_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "r", 3)
    rename = Path.rename

    def fails(self: Path, target: Path) -> Path:
        if self.name == "new":
            raise OSError(5, "Input/output error")
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", fails)
    with pytest.raises(UsageError, match="Input/output error"):
        write(tmp_path / "r", 0)
    assert json.loads(facts(tmp_path / "r"))["runs"][0]["model"] == "toy-mutex"


@pytest.mark.parametrize(("moved", "model"), [("r", "toy-mutex"), ("new", "truncate-to-high-watermark")])
def test_an_interrupt_between_two_moves_loses_no_report(
    moved: str, model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "r", 3)
    rename = Path.rename

    def interrupted(self: Path, target: Path) -> Path:
        after = rename(self, target)
        if self.name == moved:
            monkeypatch.undo()
            raise KeyboardInterrupt
        return after

    monkeypatch.setattr(Path, "rename", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write(tmp_path / "r", 0)
    assert json.loads(facts(tmp_path / "r"))["runs"][0]["model"] == model
    assert [f.name for f in tmp_path.iterdir()] == ["r"]


def test_another_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(UsageError, match=r"holds thesis\.txt, which is of no report: give -o another folder"):
        refuse_another(tmp_path)
    with pytest.raises(UsageError, match=r"thesis\.txt is not a folder: give -o a folder that is new, empty"):
        refuse_another(tmp_path / "thesis.txt")


def test_a_stranger_among_the_traces_is_refused(tmp_path: Path) -> None:
    write(tmp_path / "r", 0)
    (tmp_path / "r" / "traces" / "note.md").write_text("mine", encoding="utf-8")
    with pytest.raises(UsageError, match=r"holds traces/note\.md, which is of no report"):
        write(tmp_path / "r", 3)


SMALL = [word for n in ("replicas=2", "log_size=1", "max_records=1", "max_leader_epoch=1") for word in ("-c", n)]
BROKEN = """
from typing import Annotated

from isrcheck import Model, UpTo, action


class Mine(Model):
    n: Annotated[int, UpTo(3)] = 0

    @action
    def grow(self) -> None:
        self.n = [1]
"""


def report(*words: str | Path) -> Result:
    """The command's result; its errors are raised."""
    done = CliRunner().invoke(commands, ["compare", *map(str, words), "--to", "report"], standalone_mode=False)
    if done.exception:
        raise done.exception
    return done


def facts(folder: Path) -> str:
    return (folder / "facts.json").read_text(encoding="utf-8")


def test_the_exit_code_is_that_of_a_comparison(tmp_path: Path) -> None:
    models = ("truncate-to-high-watermark", "kip-320", *SMALL)
    done = report(*models, "-o", tmp_path / "a")
    assert done.return_value == 0
    assert f"Written: {tmp_path / 'a' / 'index.html'}" in done.output
    assert done.output.startswith("2 violated, ")
    assert report("kip-320", *SMALL, "--max-depth", "3", "-o", tmp_path / "a").return_value == 20


def test_its_command_makes_it_again(tmp_path: Path) -> None:
    report("toy-mutex", "toy-counter", "--max-depth", "4", "-o", tmp_path / "a")
    line = json.loads(facts(tmp_path / "a"))["command"]
    assert line == "isrcheck compare toy-mutex toy-counter --max-depth 4 --to report -o DIR"


def test_runs_that_count_no_states_are_rows_without_counts(tmp_path: Path) -> None:
    spec = tmp_path / "spec.toml"
    text = '[[run]]\nmodel = "toy-mutex"\nengine = "symbolic"\nlimits = { depth = 2 }\n'
    spec.write_text(text + 'expect = { mutual_exclusion = "holds" }\n', encoding="utf-8")
    assert report(spec, "-o", tmp_path / "r").return_value == 20
    runs = json.loads(facts(tmp_path / "r"))["runs"]
    assert [run["states"]["distinct"] for run in runs] == [None]
    assert {each["assurance"] for each in runs[0]["properties"]} == {"bounded(1)"}
    page = (tmp_path / "r" / "index.html").read_text(encoding="utf-8")
    assert "None" not in page


def test_a_model_with_an_error_and_a_false_assumption_are_rows(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(BROKEN, encoding="utf-8")
    mine = f"{tmp_path / 'mine.py'}:Mine"
    false = ("-c", "lag_time_max=1", "-c", "expiration_period=2")
    done = report(mine, "isr-kip-16-merged", *false, "-o", tmp_path / "a")
    runs = json.loads(facts(tmp_path / "a"))["runs"]
    assert [run["exit"] for run in runs] == [75, 10]
    assert runs[0]["failed"].startswith("mine.py:12:18: ")
    assert str(tmp_path) not in runs[0]["failed"]
    assert runs[1]["failed"].startswith(
        "timed.py:66:5: the assumption period_within_lag_time does not hold for replicas=2,"
    )
    assert done.return_value == 75
    page = (tmp_path / "a" / "index.html").read_text(encoding="utf-8")
    assert "no verdict, exit 75" in page
    assert "0 hold, 0 hold within bounds" in page


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("toy-mutex",), r"^a report is a folder of pages: say where with -o DIR\.$"),
        (("toy-mutex", "--differing", "-o", "r"), r"^a report has every property: leave --differing out\.$"),
        (("kip-32", "-o", "r"), r"^compare: there is no model kip-32\. Did you mean kip-320\?"),
    ],
)  # fmt: skip
def test_wrong_usage_is_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], sentence: str
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(IsrcheckError, match=sentence):
        report(*words)
    assert list(tmp_path.iterdir()) == []
