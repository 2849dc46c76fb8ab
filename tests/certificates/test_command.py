"""The commands that write certificates and confirm them."""

import subprocess
import sys
import time
from pathlib import Path

import pytest

from isrcheck import Limits, Verdict, check
from isrcheck.process import budget
from isrcheck.run import save


def run(*words: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", *words], capture_output=True, text=True, check=False)


def test_what_check_writes_is_confirmed_and_an_empty_folder_refused(tmp_path: Path) -> None:
    assert run("isrcheck", "check", "toy-mutex", "--certificate", tmp_path).returncode == 0
    done = run("isrcheck.recheck", "toy-mutex", tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == (
        "toy-mutex with no constants:\n"
        "mutual_exclusion: holds.\nflags_are_true: holds.\nsomeone_waits: holds.\n"
        "The 24 states listed are the initial one and all that steps lead to from it within the bounds.\n"
    )
    (tmp_path / "states.gz").unlink()
    done = run("isrcheck.recheck", "toy-mutex", tmp_path)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert done.stderr.startswith("refused: no certificate that can be read: FileNotFoundError")


def test_a_run_that_was_cut_off_says_that_it_has_none(tmp_path: Path) -> None:
    done = run("isrcheck", "check", "toy-mutex", "--max-states", "3", "--certificate", tmp_path / "none")
    assert done.returncode == 20
    assert "isrcheck: no certificate: the run ended after " in done.stderr
    assert done.stderr.endswith(", and not every state was seen.\n")
    assert not (tmp_path / "none").exists()


def test_whose_text_is_confirmed_is_for_the_user_to_say(tmp_path: Path) -> None:
    done = run("isrcheck.recheck", tmp_path)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        "refused: write python -m isrcheck.recheck MODEL DIR [SEED], with the MODEL that DIR is to be of.\n"
    )


def test_a_certificate_of_nothing_is_not_written(tmp_path: Path) -> None:
    done = run("isrcheck", "check", "toy-mutex", "--property", "none", "--certificate", tmp_path / "none")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "isrcheck: a certificate states what was decided, and nothing is asked: name a --property, or ask for "
        "--deadlock.\n"
    )
    assert not (tmp_path / "none").exists()


def test_a_certificate_that_is_not_written_in_time_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def write(*_: object) -> None:
        budget.current().until, until = 0.0, time.monotonic() + 60
        while time.monotonic() < until:
            pass

    monkeypatch.setattr(save, "save_states", write)
    outcome = check("toy-clock", limits=Limits(seconds=900), certificate=tmp_path)
    assert (outcome.verdict, outcome.cut) == (Verdict.UNDETERMINED, "after 900 seconds, while writing the certificate")
