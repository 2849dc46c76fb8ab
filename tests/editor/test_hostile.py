"""Files that do what no model should, and random edits: the server goes on, and has imported none of them."""

import os
import random
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from lsprotocol import types
from tests.editor.test_protocol import MODEL
from tools.bench.language_client import Editor, editor

RIGHT = """
from isrcheck import Model, invariant, action


class Still(Model):
    on: bool = False

    @action
    def switch(self) -> None:
        self.on = not self.on

    @invariant
    def fine(self) -> bool:
        return self.on in (True, False)
"""
WRITES_ITS_PROCESS = """
import os, sys
with open({log!r}, "a") as file:
    file.write(f"{{os.getpid()}} {{os.getppid()}}\\n")
"""
ATTEMPTS = 50  # of a machine too busy to read a file within the limit; without an end a fault would hang the suite
SECONDS = 5.0  # the limit of the editor that gives readings up
PATIENT = 600.0  # that of the other one, in which no reading comes to an end by it


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("log") / "processes.txt"


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Editor]:
    folder = tmp_path_factory.mktemp("hostile").resolve()
    with editor(folder, "--max-seconds", str(PATIENT), "--max-memory", "600M") as own:
        yield own


@pytest.fixture(scope="module")
def hasty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Editor]:
    folder = tmp_path_factory.mktemp("hasty").resolve()
    with editor(folder, "--max-seconds", str(SECONDS)) as own:
        yield own


def edit_until_read(hasty: Editor, file: Path, text: str) -> None:
    """Edit, again where the machine was too busy to read the file within the limit."""
    for _ in range(ATTEMPTS):
        if (problems := hasty.edit(file, text)) == []:
            return
        assert [each.message for each in problems if not each.message.startswith(TOO_LONG)] == []
    pytest.fail("the editor never read the file within its limit")


@pytest.fixture(scope="module")
def file(client: Editor, log: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Open, and right but for a note of the processes that import it."""
    file = tmp_path_factory.mktemp("model").resolve() / "still.py"
    assert client.open(file, RIGHT + WRITES_ITS_PROCESS.format(log=str(log))) == []
    return file


TOO_LONG = "the file was not read within 5 seconds: it may run for ever when it is imported."
TOO_LARGE = "the file takes more than the 600 MiB that it may use while it is read."
ENDED = "the process that read the file ended with exit code 0 and said nothing of it."

HOSTILE = {
    "allocates without end": ("x = []\nwhile True: x.append(bytes(1 << 20))", TOO_LARGE),
    "asks for too much at once": ("x = bytes(1 << 40)", TOO_LARGE),
    "ends the process": ("import os\nos._exit(0)", ENDED),
    "ends it politely": ("raise SystemExit(0)", "the file ends the process when it is imported (SystemExit: 0)."),
    "becomes another": ("import os\nos.execv('/bin/true', ['true'])", ENDED),
    "recurses": ("def f(): f()\nf()", "the file does not import: RecursionError: maximum recursion depth exceeded"),
    "writes to every descriptor": (
        "import os\nfor n in range(64):\n    try: os.write(n, b'{}\\n')\n    except OSError: pass",
        ENDED,
    ),
    "is killed": ("import os\nos.kill(os.getpid(), 9)", "the process that read the file was killed (SIGKILL"),
}
ENDLESS = {
    "waits for ever": "import time\nwhile True: time.sleep(1)",
    "loops for ever": "while True: pass",
    "catches everything": "while True:\n    try:\n        while True: pass\n    except BaseException: pass",
}
HARMLESS = {
    "prints": "print('Content-Length: 5\\r\\n\\r\\nhello', flush=True)",
    "closes what is standard": "import os\nfor n in range(3): os.close(n)",
    "reads the input": "import sys\nsys.stdin.read()",
    "starts a thread": "import threading, time\nthreading.Thread(target=time.sleep, args=(1000,)).start()",
    "sets an exit handler": "import atexit, os\natexit.register(os._exit, 1)",
}


QUICK = ("ends the process", "asks for too much at once")


@pytest.mark.parametrize(
    "name", [name if name in QUICK else pytest.param(name, marks=pytest.mark.slow) for name in HOSTILE]
)
def test_what_cannot_be_read_is_said(client: Editor, file: Path, name: str) -> None:
    text, sentence = HOSTILE[name]
    found = client.edit(file, f"{RIGHT}\n{text}\n")
    assert [each.message.split("\n")[0] for each in found if each.message.startswith(sentence)], found
    assert client.edit(file, RIGHT) == []


@pytest.mark.parametrize(
    "name", [name if name == "waits for ever" else pytest.param(name, marks=pytest.mark.slow) for name in ENDLESS]
)
def test_a_reading_without_end_is_given_up(hasty: Editor, name: str, tmp_path: Path) -> None:
    file = tmp_path.resolve() / "still.py"
    found = hasty.open(file, f"{RIGHT}\n{ENDLESS[name]}\n")
    assert [each.message.split("\n")[0] for each in found if each.message.startswith(TOO_LONG)], found
    edit_until_read(hasty, file, RIGHT)


@pytest.mark.parametrize("name", HARMLESS)
def test_what_a_file_does_besides_does_no_harm(client: Editor, file: Path, name: str) -> None:
    assert client.edit(file, f"{RIGHT}\n{HARMLESS[name]}\n") == []
    assert "switch" in client.hover(file, types.Position(8, 9))


def test_what_a_file_starts_ends_with_its_reading(client: Editor, file: Path, tmp_path: Path) -> None:
    log = tmp_path / "log"
    text = f"""{RIGHT}
import os, time
if not os.fork():
    with open({str(log)!r}, "w") as file:
        file.write(str(os.getpid()))
    time.sleep(1000)
while not os.path.exists({str(log)!r}) or not os.path.getsize({str(log)!r}):
    time.sleep(0.01)
"""
    assert client.edit(file, text) == []
    child = int(log.read_text())
    for _ in range(20_000):
        if not Path(f"/proc/{child}/cmdline").exists() or not Path(f"/proc/{child}/cmdline").read_bytes():
            return
        time.sleep(0.01)
    pytest.fail("what the file started still runs")


def test_a_warm_process_that_is_killed_is_replaced_and_that_is_said(client: Editor, file: Path) -> None:
    before = len(client.client.log_messages)
    client.edit(file, f"{RIGHT}\nimport os\nos.kill(os.getppid(), 9)\n")
    messages = [each.message for each in client.client.log_messages[before:]]
    assert any("ended; another one was started" in message for message in messages), messages
    assert client.edit(file, RIGHT) == []


@pytest.mark.slow
def test_a_warm_process_that_stops_answering_is_replaced(hasty: Editor, tmp_path: Path) -> None:
    """After the time of a reading, which is short in this editor alone."""
    file, log = tmp_path.resolve() / "still.py", tmp_path / "log"
    hasty.open(file, RIGHT)
    edit_until_read(hasty, file, RIGHT + WRITES_ITS_PROCESS.format(log=str(log)))
    before = len(hasty.client.log_messages)
    os.kill(int(log.read_text().split()[-1]), signal.SIGSTOP)
    edit_until_read(hasty, file, RIGHT)
    messages = [each.message for each in hasty.client.log_messages[before:]]
    assert any("did not answer and was replaced" in message for message in messages), messages


def test_a_stale_reading_is_given_up(hasty: Editor, tmp_path: Path) -> None:
    file, started = tmp_path.resolve() / "still.py", tmp_path / "started"
    slow = f"{RIGHT}\nimport time\nopen({str(started)!r}, 'w').close()\ntime.sleep(1000)\n"
    hasty.open(file, RIGHT)
    for _ in range(ATTEMPTS):  # the limit may come before the text runs
        hasty.edit(file, slow, wait=False)
        for _ in range(100):
            time.sleep(0 if started.exists() else 0.05)
        if started.exists():
            break
    assert started.exists(), "the editor never ran the text"
    edit_until_read(hasty, file, RIGHT)
    assert hasty.problems_of(file, bool, seconds=SECONDS + 1) == []


def test_the_server_has_imported_nothing_of_a_user(client: Editor, file: Path, log: Path) -> None:
    """Every process that did is another, and the file is in the memory of none that still runs."""
    client.edit(file, RIGHT + WRITES_ITS_PROCESS.format(log=str(log)))
    lines = [tuple(map(int, line.split())) for line in log.read_text().splitlines()]
    readers, hosts = {reader for reader, _ in lines}, {host for _, host in lines}
    assert len(readers) == len(lines) >= 2
    assert client.process not in readers | hosts
    assert not readers & hosts


def test_a_module_of_the_workspace_does_not_take_the_place_of_a_library(tmp_path: Path) -> None:
    for name in ("msgspec", "select", "mmh3", "isrcheck", "click"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('a module of the workspace was imported')\n")
    file = tmp_path.resolve() / "models" / "still.py"
    with editor(tmp_path.resolve()) as own:
        assert own.open(file, RIGHT) == []
        assert own.edit(file, RIGHT.replace("not self.on", "not self.of")) != []


def test_another_file_is_not_run(client: Editor, log: Path, tmp_path: Path) -> None:
    """What has no model, or does not import isrcheck, is not imported because it is open."""
    before = log.read_text() if log.exists() else ""
    note = WRITES_ITS_PROCESS.format(log=str(log))
    assert client.open(tmp_path / "script.py", f"import isrcheck\n{note}") == []
    assert client.open(tmp_path / "other.py", f"import json\n\nclass Own(json.JSONEncoder): ...\n{note}") == []
    assert (log.read_text() if log.exists() else "") == before


EDITS = 1_000
SEED = 37
PIECES = (
    *("self.", "(", ")", "\n", "    ", "def f(self) -> None:", "@action", "0", ":", "=", "node", "'", '"""', "\\"),
    *("\u2028", "\U0001f4a1", "import os", "while True: pass", "\x00"),
)


def position(text: str, offset: int) -> types.Position:
    """In UTF-16, as the client has it."""
    line = text.count("\n", 0, offset)
    start = text.rfind("\n", 0, offset) + 1
    return types.Position(line, len(text[start:offset].encode("utf-16-le", errors="surrogatepass")) // 2)


@pytest.mark.slow
def test_a_thousand_random_edits(tmp_path: Path) -> None:
    chance = random.Random(SEED)
    folder = tmp_path.resolve()
    log = folder / "processes"
    note = f"\nimport os\nopen({str(log)!r}, 'a').write(f'{{os.getpid()}}\\n')\n"
    right = MODEL + note
    file = folder / "lamp.py"
    file.write_text(right)
    with editor(folder, "--max-seconds", "3", "--max-memory", "600M") as own:
        assert own.open(file, right) == []
        text = right
        for number in range(EDITS):
            if number % 6 == 5:
                text = right  # else nothing is run any more
                own.edit(file, text, wait=number % 18 == 17)
                continue
            start = chance.randrange(len(text))
            end = min(len(text), start + chance.choice((0, 0, 1, 5, 40)))
            piece = chance.choice(PIECES)
            span = types.Range(position(text, start), position(text, end))
            text = text[:start] + piece + text[end:]
            own.edit(file, piece, span, wait=chance.random() < 0.3)
            ask = chance.random()
            if ask < 0.1:
                own.hover(file, position(text, chance.randrange(len(text))))
            elif ask < 0.2:
                own.lenses(file)
        assert own.edit(file, right) == []
        assert own.lenses(file)[0][1] == "fill limit in a variant to check it"
        assert not [each for each in own.client.messages if "Error in server" in each.message]
        faults = [each.message for each in own.client.log_messages if "fault" in each.message]
        assert faults == []
        readers = set(map(int, log.read_text().split()))
        assert own.process not in readers
        assert len(readers) > 50
