"""A full disk, a reader that has gone, too little memory: one sentence, the right exit code, and never success."""

import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from rich.console import Console

from isrcheck.evidence.progress import ProgressLine
from isrcheck.process import failures

NO_SPACE = "cannot be written: No space left on device.\n"
WRITES = {
    "--json": "check toy-counter --json outcome.json",
    "--events": "check toy-counter --events events.jsonl",
    "--trace-dir": "check toy-counter --trace-dir traces",
    "--certificate": "check toy-mutex --certificate certificate",
    "report": "compare toy-mutex --to report -o report",
    "export, TLA+": "export toy-mutex --to tla -o tla",
    "export, DOT": "export toy-mutex --to dot -o mutex.dot",
    "mutate": "mutate toy-mutex --json mutants.json --no-cache",
    "gate": "gate spec.toml --junit junit.xml",
    "explore": "explore toy-mutex -o explore.html",
    "schedule": "schedule -e enter toy-mutex --json schedule.json",
}


def run(folder: Path, *words: str, limit: Callable[[], None], stdout: int = subprocess.PIPE) -> tuple[int, str]:
    """The exit code of a command and what it says, under a limit."""
    done = subprocess.run(
        [sys.executable, "-m", "isrcheck", *words],
        stdout=stdout,
        stderr=subprocess.PIPE,
        text=True,
        timeout=600,
        cwd=folder,
        check=False,
        env={"ISRCHECK_CACHE_DIR": str(folder / "cache"), "PATH": "/usr/bin:/bin"},
        preexec_fn=limit,
    )
    assert "Traceback" not in done.stderr, done.stderr
    return done.returncode, sentence_in(done.stderr)


def sentence_in(errors: str) -> str:
    """Return a command's sentence, without the lines of progress that a slow machine has before it."""
    lines = errors.splitlines(keepends=True)
    first = next((number for number, line in enumerate(lines) if line.startswith("isrcheck: ")), 0)
    assert lines == [] or lines[first].startswith("isrcheck: "), errors
    return "".join(lines[first:])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "spec.toml").write_text('[[run]]\nmodel = "toy-mutex"\nexpect = { deadlock = "holds" }\n')
    return tmp_path


def no_files() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))


@pytest.mark.parametrize("what", WRITES)
def test_a_file_that_does_not_fit_on_the_disk(folder: Path, what: str) -> None:
    code, said = run(folder, *WRITES[what].split(), limit=no_files)
    assert code == 2, said
    assert "File too large" in said


@pytest.mark.parametrize("words", [["--events", "/dev/full"], ["--json", "/dev/full"]])
def test_a_full_device(folder: Path, words: list[str]) -> None:
    assert run(folder, "check", "toy-mutex", *words, limit=lambda: None) == (2, f"isrcheck: /dev/full {NO_SPACE}")


@pytest.mark.parametrize("words", [[], ["--json", "-"]])
def test_standard_output_on_a_full_disk(folder: Path, words: list[str]) -> None:
    with Path("/dev/full").open("wb") as full:
        code, said = run(folder, "check", "toy-mutex", *words, limit=lambda: None, stdout=full.fileno())
    assert (code, said) == (2, f"isrcheck: the output {NO_SPACE}")


@pytest.mark.parametrize("words", [["list"], ["check", "toy-mutex"], ["check", "toy-mutex", "--json", "-"]])
def test_a_reader_that_has_gone_is_no_error_of_ours(folder: Path, words: list[str]) -> None:
    command = f"{sys.executable} -m isrcheck {' '.join(words)} | :"
    done = subprocess.run(
        ["bash", "-c", f"{command}; exit ${{PIPESTATUS[0]}}"], capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode in (0, 141)  # the output may have been written before the reader went
    assert done.stderr == ""


def test_an_event_is_written_whole(tmp_path: Path) -> None:
    with ProgressLine(Console(), tmp_path / "events") as line:
        assert line.events is not None
        line.event("started", {"long": "x" * 100_000})
    assert (tmp_path / "events").stat().st_size > 100_000


@pytest.mark.parametrize("mebibytes", [64, 96, 160, 224, 288, 352, 416, 512, 768])
def test_too_little_address_space_is_said_in_a_sentence(folder: Path, mebibytes: int) -> None:
    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (mebibytes << 20, mebibytes << 20))

    code, said = run(folder, "check", "toy-mutex", "--workers", "4", limit=limit)
    assert code in ((0, 20) if mebibytes > 200 else (20,)), said
    assert (code == 20) is ("isrcheck: undetermined: " in said)
    assert (code == 20) is (f"{mebibytes} MiB" in said)


def test_a_thread_that_cannot_start_is_too_little_memory() -> None:
    code, sentence = failures.exit_code_and_sentence(RuntimeError("can't start new thread"))
    assert (code, sentence) == (20, "undetermined: there was not enough memory.")
