"""Tasks for processes that die."""

import os
import signal
from pathlib import Path


def work(task: str, folder: Path) -> str:
    """Kills its own process: for `always` each time, for `once` the first time."""
    mark = folder / task
    if task == "always" or (task == "once" and not mark.exists()):
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    if task == "wrong":
        raise ValueError("not a death")
    return task.upper()


def lost(task: str) -> str:
    return f"lost {task}"
