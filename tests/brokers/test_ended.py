"""Whoever ends isrbrokers ends its cluster: here processes that sleep are in the place of Kafka's."""

import os
import signal
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest

_SCRIPT = """
import signal, sys, time
from pathlib import Path
from isrbrokers.cluster import Cluster
from isrbrokers.journal import Journal
from isrbrokers.process import JavaProcess
from isrbrokers.releases import find_release

signal.signal(signal.SIGHUP, signal.SIG_DFL)  # under nohup it is ignored, and stays so

class Sleeping(Cluster):
    def __post_init__(self):
        self.faults = Journal(self.folder / "faults.jsonl")
        command = ["sleep", "600"]
        self.nodes = {n: JavaProcess(str(n), self.folder, 0, command) for n in range(self.brokers + 1)}

    def wait_for(self, node):
        pass

with Sleeping(find_release("4.1.1"), Path(sys.argv[1]), brokers=2) as cluster:
    cluster.pause(2)
    print(*(process.started.pid for process in cluster.nodes.values()), flush=True)
    time.sleep(600)
"""


@pytest.mark.parametrize(
    ("number", "code"),
    [(signal.SIGTERM, 128 + signal.SIGTERM), (signal.SIGHUP, 128 + signal.SIGHUP), (signal.SIGINT, -signal.SIGINT)],
)
def test_a_signal_that_ends_us_ends_the_nodes(number: signal.Signals, code: int, tmp_path: Path) -> None:
    command = [sys.executable, "-c", _SCRIPT, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as ours, ExitStack() as stack:
        stack.callback(ours.kill)
        assert ours.stdout is not None
        nodes = [int(word) for word in ours.stdout.readline().split()]
        assert len(nodes) == 3
        assert all(map(_is_alive, nodes))
        ours.send_signal(number)
        ours.communicate(timeout=600)
    assert ours.returncode == code
    assert not any(map(_is_alive, nodes))


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
