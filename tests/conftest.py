"""What is the same for every test."""

import os
import signal
import threading

import pytest

# pytest loads readline, which tells every process started from here that the terminal has 80 columns.
os.environ["COLUMNS"] = "120"

# A shell starts what runs in the background with SIGINT ignored, and what is started from here would ignore it too.
if threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What starts Spark runs first, so that no worker is left alone with it in the end."""
    items.sort(key=lambda item: item.path.parent.name not in ("sweep", "spark"))
