"""A model walked over a real socket: this machine's own address, two paths, no files, no other host's name."""

import json
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest

from isrcheck.errors import UsageError
from isrcheck.evidence.explorer.explored_model import ExploredModel
from isrcheck.evidence.explorer.server import Server
from isrcheck.lang.read import read_model
from isrcheck.passes import bind
from isrtoys import TOYS


@pytest.fixture
def server() -> Iterator[Server]:
    bound = bind(read_model(TOYS["toy-ledger"]), {})
    with Server(ExploredModel(bound, "toy-ledger", tuple(p.name for p in bound.properties)), 0) as server:
        thread = threading.Thread(target=server.serve_forever, args=[0.02])
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def state(server: Server, path: str) -> dict[str, Any]:
    with urlopen(f"{server.address}state?path={path}") as answer:
        found: dict[str, Any] = json.load(answer)
        return found


def refused(address: str) -> tuple[int, str]:
    with pytest.raises(HTTPError) as caught:
        urlopen(address)
    with caught.value as error:
        return error.code, error.read().decode()


def test_the_page_may_ask_its_own_server_alone(server: Server) -> None:
    with urlopen(server.address) as answer:
        text = answer.read().decode().replace("&#39;", "'")
        assert answer.headers["Content-Security-Policy"] == "frame-ancestors 'none'"
        assert answer.headers["Cache-Control"] == "no-store"
    assert "default-src 'none'" in text
    assert "connect-src 'self'" in text
    assert server.server_address[0] == "127.0.0.1"


def test_states_are_told_by_the_path_that_leads_there(server: Server) -> None:
    first = state(server, "")
    assert first["values"] == ["{f0: 0, f1: 0}", "[]", "0", "False"]
    assert [move[0] for move in first["moves"]] == [0, 1]
    assert first["before"] is None
    second = state(server, "0")
    assert second["values"] == ["{f0: 2, f1: 0}", "[]", "0", "True"]
    assert second["before"] == first["values"]
    assert "<svg" in second["picture"]
    third = state(server, f"0.{second['moves'][0][0]}")
    assert third["before"] == second["values"]
    assert state(server, "0") == second
    reasons = {reason["text"]: reason["part"] for reason, _ in first["why"]}
    assert reasons["giver != taker and coins > 0"] in ("giver != taker", "coins > 0")


@pytest.mark.parametrize(
    ("path", "code", "sentence"),
    [
        ("0.0", 404, "step 2, open(rich=f0), cannot happen there."),
        ("999", 404, "step 1 is not a step of this model."),
        ("x", 400, "A path is positions of instances, such as 3.0.12."),
        ("-1", 400, "A path is positions of instances, such as 3.0.12."),
        ("0..1", 400, "A path is positions of instances, such as 3.0.12."),
    ],
)
def test_an_impossible_path_is_one_sentence(server: Server, path: str, code: int, sentence: str) -> None:
    assert refused(f"{server.address}state?path={path}") == (code, f"{sentence}\n")


@pytest.mark.parametrize("path", ["etc/passwd", "../pyproject.toml", "page.html", "%2e%2e/README.md", "state/x"])
def test_no_file_is_served(server: Server, path: str) -> None:
    assert refused(f"{server.address}{path}") == (404, "There is nothing by that name here.\n")


@pytest.mark.parametrize("host", ["evil.example", "evil.example:{port}", "127.0.0.1", "localhost:1", ""])
def test_another_hosts_name_is_refused(server: Server, host: str) -> None:
    connection = HTTPConnection("127.0.0.1", server.server_port)
    connection.request("GET", "/state?path=", headers={"Host": host.format(port=server.server_port)})
    answer = connection.getresponse()
    assert answer.status == 403
    assert answer.read().decode() == f"This is {server.address}, and is asked by that name only.\n"
    connection.close()


def test_a_port_that_is_taken_is_one_sentence(server: Server) -> None:
    with pytest.raises(UsageError, match=r"^port \d+ cannot be had: Address already in use\. Give another, or --port"):
        Server(server.subject, server.server_port)


def test_what_is_kept_is_bounded_and_what_was_forgotten_is_walked_again(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("isrcheck.evidence.explorer.server.MOST_KEPT", 2)
    path = "0"
    for _ in range(4):
        path += f".{state(server, path)['moves'][0][0]}"
    found = state(server, path)
    assert len(server.kept) <= 2
    state(server, "1")
    assert state(server, path) == found


FAULTY = """
from isrcheck import Model, action, constant, require

class Faulty(Model):
    zero: int = constant(0, "nothing")
    on: bool = False

    @action
    def divide(self) -> None:
        require(self.on)
        require(1 % self.zero == 0)

    @action
    def go(self) -> None:
        self.on = True
"""


def test_the_command_serves_until_it_is_interrupted(tmp_path: Path) -> None:
    (tmp_path / "faulty.py").write_text(FAULTY, encoding="utf-8")
    line = [sys.executable, "-m", "isrcheck", "explore", str(tmp_path / "faulty.py"), "--serve"]
    # Tests that a shell runs in the background begin with Ctrl-C ignored, and would hand that on.
    with subprocess.Popen(
        line,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    ) as run:
        assert run.stdout is not None
        assert run.stderr is not None
        address = run.stdout.readline().split()[0]
        with urlopen(f"{address}state?path=1") as answer:
            view = json.load(answer)
        run.send_signal(signal.SIGINT)
        assert run.wait(20) == 0
        assert run.stderr.read() == ""
    reason, instances = view["why"][0]
    assert instances == [0]
    assert reason["error"]
    assert "divide() raised ZeroDivisionError" in reason["text"]
    assert [move[0] for move in view["moves"]] == [1]
