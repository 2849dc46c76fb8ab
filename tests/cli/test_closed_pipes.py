"""A reader that closes the pipe has seen enough: neither wrong usage nor a verdict."""

import os
import subprocess
import sys

import pytest

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
