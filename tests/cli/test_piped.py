"""Output that another program reads: each sentence is one line, without blanks at its end, unless COLUMNS is set.

A reader that closes the pipe has seen enough: neither wrong usage nor a verdict.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.fixtures.command_line import in_process

from isrcheck.commands.deliver import show_document
from isrcheck.evidence import document as doc

LONG = "A sentence that goes on and on beyond any terminal, " * 4 + "to its end."
DOCUMENT: list[doc.Block] = [
    doc.Heading("A title that is not short, and is followed by a rule", 3),
    doc.Paragraph(("  ", doc.bad("violated"), f": {LONG}"), "next"),
    doc.Bullets(["one", LONG]),
    doc.Table(["name", doc.Column("states", is_number=True), "what"], [["a", "1", LONG], ["bc", "23", ""]]),
    doc.Verbatim("as\n  it is "),
]
PIPED = f"""\
── A title that is not short, and is followed by a rule {"─" * 64}
  violated: {LONG}
next

- one
- {LONG}

  name  states  what
  a          1  {LONG}
  bc        23

as
  it is
"""
NARROW = """\
  violated: A sentence that goes on and on
  beyond any terminal, A sentence that goes on
  and on beyond any terminal, A sentence that
  goes on and on beyond any terminal, A sentence
  that goes on and on beyond any terminal, to
  its end.
next
"""


def test_what_is_piped_is_neither_broken_nor_padded(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.delenv("COLUMNS")
    show_document(DOCUMENT)
    assert capsys.readouterr().out == PIPED
    show_document(DOCUMENT, output=tmp_path / "file.txt")
    assert (tmp_path / "file.txt").read_text(encoding="utf-8") == PIPED


def test_what_is_piped_is_as_wide_as_columns_says(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "48")
    show_document(DOCUMENT[1:2])
    assert capsys.readouterr().out == NARROW


@pytest.mark.parametrize("words", [("list", "toy-mutex"), ("check", "toy-mutex"), ("compare", "--help")])
def test_no_command_writes_blanks_at_the_end_of_a_line(words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    for columns in (None, "60"):
        if columns:
            monkeypatch.setenv("COLUMNS", columns)
        else:
            monkeypatch.delenv("COLUMNS")
        lines = in_process(*words).stdout.splitlines()
        assert len(lines) > 5
        assert [line for line in lines if line != line.rstrip()] == []


SMALL = "kip-320 -c replicas=2 -c log_size=1 -c max_records=1 -c max_leader_epoch=1"


@pytest.mark.parametrize("words", ["list", f"check {SMALL} --no-vacuity", "--help"])
def test_a_closed_pipe_ends_as_a_shell_says_it(words: str) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [sys.executable, "-m", "isrcheck", *words.split()], stdout=writer, stderr=subprocess.PIPE, text=True
    )
    os.close(writer)
    assert (done.returncode, done.stderr) == (141, "")
