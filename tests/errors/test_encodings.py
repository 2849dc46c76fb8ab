"""Files in the encodings that CPython reads, and output in locales that cannot say what a model says."""

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

TEXT = '''from typing import Annotated

from isrcheck import Model, UpTo, action, invariant, require

N = Annotated[int, UpTo(3)]


class Modèle(Model):
    """Démarré."""

    n: N = 0  # numéro

    @action
    def avancer(self) -> None:
        """Encore un pas."""
        require(self.n < 3)
        self.n += 1

    @invariant
    def petit(self) -> bool:
        """Jamais élevé."""
        return self.n <= 2
'''
BAD = TEXT.encode().replace(b"Encore", b"\xffncore")
POSIX = {"LC_ALL": "POSIX", "LANG": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}


def isrcheck(folder: Path, *words: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("LC_", "PYTHON", "COV")) and k != "LANG"}
    command = [sys.executable, "-c", "from isrcheck.cli import main; main()", *words]
    path = os.pathsep.join(each for each in sys.path if each)
    everything = {**clean, "PYTHONPATH": path, **environment}
    return subprocess.run(command, cwd=folder, env=everything, capture_output=True, check=False)


@pytest.mark.parametrize(
    "written",
    [
        b"\xef\xbb\xbf" + TEXT.encode(),
        b"# -*- coding: latin-1 -*-\n" + TEXT.encode("latin-1"),
        b"\xef\xbb\xbf# coding: utf-8\n" + TEXT.encode(),
        TEXT.replace("\n", "\r\n").encode(),
        TEXT.replace("Encore", "\x0c\u2028Encore").encode(),
    ],
    ids=["byte-order mark", "cookie", "both", "line ends", "other line ends"],
)
def test_as_cpython_decodes_it(written: bytes, tmp_path: Path) -> None:
    (tmp_path / "m.py").write_bytes(written)
    done = isrcheck(tmp_path, "check", "m.py:Modèle", "--engine", "reference")
    assert (done.returncode, done.stderr) == (12, b"")
    assert "Jamais élevé." in done.stdout.decode()


@pytest.mark.parametrize(
    ("written", "said"),
    [
        (
            BAD,
            "m.py:15:12: the file is not utf-8: byte 0xff stands here.\n"
            "  Save it as UTF-8, or name its encoding in the first line.\n",
        ),
        (
            b"# coding: klingon\n" + TEXT.encode(),
            "m.py:1:1: the file cannot be decoded: unknown encoding: klingon.\n"
            "  Save it as UTF-8, or name its encoding in the first line.\n",
        ),
        (
            TEXT.encode("utf-16"),
            "m.py:1:1: the file cannot be decoded: invalid or missing encoding declaration.\n"
            "  Save it as UTF-8, or name its encoding in the first line.\n",
        ),
    ],
    ids=["no UTF-8", "unknown cookie", "UTF-16"],
)
def test_what_cannot_be_decoded(written: bytes, said: str, tmp_path: Path) -> None:
    (tmp_path / "m.py").write_bytes(written)
    done = isrcheck(tmp_path, "check", "m.py:Modèle")
    assert (done.returncode, done.stderr.decode(), done.stdout) == (75, f"isrcheck: {said}", b"")


def test_columns_count_characters(tmp_path: Path) -> None:
    (tmp_path / "m.py").write_text(TEXT.replace("self.n += 1", "é = 1; self.n += self.é"), encoding="utf-8")
    done = isrcheck(tmp_path, "check", "m.py:Modèle")
    assert done.returncode == 75
    place, line, marks, *_ = done.stderr.decode().split("\n")
    assert place.startswith("isrcheck: m.py:17:26: the model has no variable or constant é.")
    assert line[marks.index("^") : marks.rindex("^") + 1] == "self.é"


SPEC = """
models = ["./m.py:Modèle"]

[[run]]
model = "./m.py:Modèle"
"""


@pytest.mark.parametrize(
    ("words", "exit_code"),
    [
        (("check", "m.py:Modèle", "--trace-dir", "traces", "--json", "-"), 12),
        (("check", "m.py:Modèle", "--engine", "reference", "--events", "e.jsonl"), 12),
        (("list",), 0),
        (("compare", "m.py:Modèle", "kip-320"), None),
        (("export", "m.py:Modèle", "--to", "dot"), 0),
        (("compare", "--to", "report", "-o", "page", "m.py:Modèle"), None),
        (("gate", "spec.toml"), None),
    ],
    ids=lambda value: value[0] if isinstance(value, tuple) else "",
)
def test_a_locale_without_the_letters(words: tuple[str, ...], exit_code: int | None, tmp_path: Path) -> None:
    (tmp_path / "m.py").write_text(TEXT, encoding="utf-8")
    (tmp_path / "spec.toml").write_text(SPEC, encoding="utf-8")
    done = isrcheck(tmp_path, *words, **POSIX)
    expected = isrcheck(tmp_path, *words, LC_ALL="C.UTF-8")
    assert b"Traceback" not in done.stderr + expected.stderr, (done.stderr + expected.stderr).decode()
    assert done.returncode == expected.returncode != 70
    assert exit_code in (None, done.returncode)


def test_traces_are_drawn_in_any_locale(tmp_path: Path) -> None:
    (tmp_path / "m.py").write_text(TEXT, encoding="utf-8")
    isrcheck(tmp_path, "check", "m.py:Modèle", "--trace-dir", "traces", LC_ALL="C.UTF-8")
    trace = next((tmp_path / "traces").iterdir())
    for form in ("txt", "svg", "html", "mermaid"):
        done = isrcheck(tmp_path, "render", str(trace), "--to", form, **POSIX)
        assert done.returncode == 0, done.stderr.decode()
        assert done.stdout.decode() == isrcheck(tmp_path, "render", str(trace), "--to", form).stdout.decode()


def test_a_terminal_without_the_letters(tmp_path: Path) -> None:
    (tmp_path / "m.py").write_text(TEXT, encoding="utf-8")
    ours, theirs = pty.openpty()
    command = [sys.executable, "-c", "from isrcheck.cli import main; main()", "check", "m.py:Modèle"]
    path = os.pathsep.join(each for each in sys.path if each)
    environment = {**os.environ, **POSIX, "PYTHONPATH": path, "TERM": "dumb", "COLUMNS": "100"}
    with subprocess.Popen(command, cwd=tmp_path, env=environment, stdout=theirs, stderr=theirs) as process:
        os.close(theirs)
        shown = b""
        while piece := _read(ours):
            shown += piece
        assert process.wait() == 12, shown.decode()
    os.close(ours)
    assert b"Jamais ?lev?." in shown


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 1 << 12)
    except OSError:  # the other end is closed
        return b""
