"""A file that ends the process it is imported into, in any way, is never reported as success: docs/adr/015."""

import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

import isrcheck
from isrcheck.engines.contract import Progress
from isrcheck.errors import ModelError

MODEL = """
from typing import Annotated
from isrcheck import Model, UpTo, action, constant, invariant, require

Count = Annotated[int, UpTo("limit")]


class M(Model):
    \"\"\"A counter.\"\"\"

    limit: int = constant(3, "where counting ends")

    count: Count = 0

    @action
    def up(self) -> None:
        \"\"\"One more.\"\"\"
        require(self.count < self.limit)
        self.count += 1

    @invariant
    def within_limit(self) -> bool:
        \"\"\"A count above the limit is never seen.\"\"\"
        return self.count <= self.limit
"""
SPEC = '[[run]]\nmodel = "./m.py:M"\nexpect = { within_limit = "holds" }\n'
GRID = '[[grid]]\nmodels = ["./m.py:M"]\nconstants = { limit = [3, 4] }\n'
ENDS_IT = "import os\nos._exit(0)\n"
COMMANDS = {
    "check": "check ./m.py:M",
    "simulate": "simulate ./m.py:M --walks 10",
    "prove": "prove ./m.py:M",
    "mutate": "mutate ./m.py:M",
    "report": "compare ./m.py:M --to report -o report",
    "schedule": "schedule -e up ./m.py:M",
    "explore": "explore ./m.py:M",
    "export": "export ./m.py:M --to dot",
    "gate": "gate spec.toml",
    "compare": "compare grid.toml",
    "compare a pair": "compare ./m.py:M toy-counter",
    "sweep": "sweep grid.toml --out sweep",
}
# What a file may do, and the exit code that follows. A killed process says nothing about the file: undetermined.
TRICKS = {
    "sys.exit": ("import sys; sys.exit(0)", 75),
    "SystemExit in a class body": ("class X:\n    raise SystemExit", 75),
    "os._exit": ("import os; os._exit(0)", 75),
    "click's exit": ("import click; raise click.exceptions.Exit(0)", 75),
    "another BaseException": ("raise BaseException('gone')", 75),
    "another program": ("import os; os.execv('/bin/true', ['true'])", 75),
    "another process goes on": ("import os\nif os.fork(): os._exit(0)", 75),
    "__del__": ("import os\nclass D:\n    def __del__(self): os._exit(0)\nD()", 75),
    "__del__ at the end": ("import os\nclass D:\n    def __del__(self): os._exit(0)\nkept = D()", 0),
    "an atexit handler": ("import atexit, os; atexit.register(os._exit, 7)", 0),
    "a thread that ends it later": (
        "import os, threading, time\n"
        "threading.Thread(target=lambda: (time.sleep(0.05), os._exit(0))).start()\n"
        "time.sleep(600)",
        75,
    ),
    "a thread without end": ("import threading, time; threading.Thread(target=time.sleep, args=(600,)).start()", 0),
    "the channel is closed": ("import os; os.closerange(3, 300)", 75),
    "killed": ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", 20),
    "terminated": ("import os, signal; os.kill(os.getpid(), signal.SIGTERM)", 130),
    "aborted": ("import os; os.abort()", 20),
}


def isrcheck_in(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "isrcheck", *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=600, cwd=folder, check=False)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "m.py").write_text(MODEL)
    (tmp_path / "spec.toml").write_text(SPEC)
    (tmp_path / "grid.toml").write_text(GRID)
    return tmp_path


@pytest.mark.parametrize("command", COMMANDS)
def test_no_command_takes_a_files_exit_for_success(folder: Path, command: str) -> None:
    (folder / "m.py").write_text(ENDS_IT + MODEL)
    done = isrcheck_in(folder, *COMMANDS[command].split())
    assert done.returncode == 75, done.stdout + done.stderr
    assert "m.py: the process ended with exit code 0 and did not say that the command was complete" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("trick", TRICKS)
def test_no_way_to_end_the_process_looks_like_success(folder: Path, trick: str) -> None:
    text, code = TRICKS[trick]
    (folder / "m.py").write_text(f"{text}\n{MODEL}")
    done = isrcheck_in(folder, "check", "./m.py:M")
    assert done.returncode == code, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    assert bool(done.stderr) is (code != 0)
    assert code or "within_limit" in done.stdout


@pytest.mark.parametrize(
    "endless",
    ["while True:\n    try:\n        sum(range(10**7))\n    except BaseException: pass", "sum(range(10**11))"],
)
def test_an_import_that_hears_nothing_ends_with_the_limit(folder: Path, endless: str) -> None:
    (folder / "m.py").write_text(f"{endless}\n{MODEL}")
    done = isrcheck_in(folder, "check", "./m.py:M", "--max-seconds=1")
    assert done.returncode == 20, done.stdout + done.stderr
    assert done.stderr.endswith("m.py was not imported after 1 seconds.\n")


def test_a_file_without_tricks_is_checked_as_before(folder: Path) -> None:
    done = isrcheck_in(folder, "check", "./m.py:M", "--json", "-")
    assert done.returncode == 0
    assert json.loads(done.stdout)["states"]["distinct"] == 4
    assert done.stderr == ""


def test_sys_exit_is_shown_at_its_line(folder: Path) -> None:
    (folder / "m.py").write_text(f"import sys\nsys.exit(0)\n{MODEL}")
    done = isrcheck_in(folder, "check", "./m.py:M")
    assert "m.py:2:1: the file ends the process when it is imported (SystemExit: 0).\n" in done.stderr


def test_a_spec_that_no_argument_names_is_no_way_around(folder: Path) -> None:
    (folder / "specs").mkdir()
    (folder / "spec.toml").rename(folder / "specs" / "own.toml")
    assert isrcheck_in(folder, "gate").returncode == 0
    (folder / "m.py").write_text(ENDS_IT + MODEL)
    done = isrcheck_in(folder, "gate")
    assert done.returncode == 75, done.stdout + done.stderr


def test_a_replaced_standard_output_does_not_hide_the_answer(folder: Path) -> None:
    (folder / "m.py").write_text(f"import io, sys\nsys.stdout = io.StringIO()\n{MODEL}")
    done = isrcheck_in(folder, "check", "./m.py:M", "--json", "-")
    assert done.returncode == 0
    assert json.loads(done.stdout)["verdict"] == "holds"


def test_a_terminal_and_its_width_are_the_commands(folder: Path) -> None:
    script = textwrap.dedent(
        """
        import os, pty, sys
        pid, fd = pty.fork()
        if pid == 0:
            os.execv(sys.executable, [sys.executable, "-m", "isrcheck", "check", "./m.py:M"])
        shown = b""
        while True:
            try:
                piece = os.read(fd, 4096)
            except OSError:
                break
            if not piece:
                break
            shown += piece
        sys.stdout.buffer.write(shown)
        sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
        """
    )
    environment = {**os.environ, "COLUMNS": "60", "TERM": "xterm"}
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, timeout=600, cwd=folder, env=environment, check=False
    )
    assert done.returncode == 0
    assert b"within_limit" in done.stdout


def test_nothing_stays_behind_when_the_waiting_process_is_killed(folder: Path) -> None:
    (folder / "m.py").write_text(f"import os, time\nprint(os.getpid(), flush=True)\ntime.sleep(600)\n{MODEL}")
    running = subprocess.Popen(
        [sys.executable, "-m", "isrcheck", "check", "./m.py:M"], stdout=subprocess.PIPE, text=True, cwd=folder
    )
    assert running.stdout is not None
    child = int(running.stdout.readline())
    assert child != running.pid
    running.kill()
    running.wait()
    end = time.monotonic() + 600
    while is_alive(child) and time.monotonic() < end:
        time.sleep(0.05)
    assert not is_alive(child)
    running.stdout.close()


def is_alive(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_reaches_the_command(folder: Path, number: signal.Signals) -> None:
    (folder / "m.py").write_text(f"import time\nprint('here', flush=True)\ntime.sleep(600)\n{MODEL}")
    running = subprocess.Popen(
        [sys.executable, "-m", "isrcheck", "check", "./m.py:M"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=folder,
    )
    assert running.stdout is not None
    running.stdout.readline()
    running.send_signal(number)
    _, said = running.communicate(timeout=600)
    assert running.returncode == 130
    assert said.strip() == "isrcheck: interrupted."


# From Python


def test_from_python_sys_exit_on_import_is_an_error_in_the_model(folder: Path) -> None:
    (folder / "m.py").write_text(f"import sys\nsys.exit(0)\n{MODEL}")
    with pytest.raises(ModelError, match="the file ends the process when it is imported"):
        isrcheck.check(f"{folder}/m.py:M")


def test_from_python_sys_exit_in_a_run_is_an_error_in_the_model(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "m.py").write_text(f"import sys\ndef leave():\n    sys.exit(0)\n{MODEL}")
    for module in ("run.deciding", "proofs.prover"):
        monkeypatch.setattr(f"isrcheck.{module}.read_model", lambda cls: sys.modules[cls.__module__].leave())
    for call in (isrcheck.check, isrcheck.simulate, isrcheck.prove):
        with pytest.raises(ModelError, match=r"m.py:3:5: the file ends the process \(SystemExit: 0\)"):
            call(f"{folder}/m.py:M")


def test_from_python_sys_exit_of_the_caller_is_the_callers(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "m.py").write_text(MODEL)

    def leave(_: Progress) -> None:
        sys.exit(3)

    monkeypatch.setattr("isrcheck.engines.common.targets._PROGRESS_SECONDS", -1)
    with pytest.raises(SystemExit):
        isrcheck.check(f"{folder}/m.py:M", engine="reference", progress=leave)
