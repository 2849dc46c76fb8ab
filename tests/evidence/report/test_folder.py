"""A report is the old one or the new one, and nobody else's files are touched."""

from pathlib import Path

import pytest
from tests.evidence.report.runs import entries, parts

from isrcheck.errors import UsageError
from isrcheck.evidence.report import folder as module
from isrcheck.evidence.report.folder import read_facts, refuse_another, write_report


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
    assert read_facts(tmp_path / "r")["runs"][0]["model"] == "toy-mutex"


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
    assert read_facts(tmp_path / "r")["runs"][0]["model"] == "toy-mutex"


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


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("{", "was cut short: it is not whole JSON"),
        (
            '{"schema": "isrcheck.report/9"}',
            "it has schema isrcheck.report/9, and isrcheck.report/2 was expected",
        ),
        ('{"schema": "isrcheck.report/2", "part": "facts", "runs": [{}]}', "is not whole: a run in it lacks"),
    ],
)
def test_facts_that_are_not_whole_are_a_sentence(tmp_path: Path, text: str, sentence: str) -> None:
    (tmp_path / "facts.json").write_text(text, encoding="utf-8")
    with pytest.raises(UsageError, match=sentence):
        read_facts(tmp_path)
    with pytest.raises(UsageError, match=r"there is no file .*none: give a JSON file that"):
        read_facts(tmp_path / "none")
