"""What is the same for every test."""

import compileall
import gc
import os
import random
import signal
import threading
from collections.abc import Generator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from tests import slow
from tools.durations import Ledger, Meter

CACHE = "ISRCHECK_CACHE_DIR"
# Folders whose tests share what takes seconds to make, by what it is
SHARING = {"browser": "browser", "spark": "JVM", "sweep": "JVM", "observe": "JVM", "structure": "syntax trees"}

# A busy machine draws examples slowly: that is no failure.
settings.register_profile("any pace", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any pace")

# pytest loads readline, which tells every process started from here that the terminal has 80 columns.
os.environ["COLUMNS"] = "120"

# A shell starts what runs in the background with SIGINT ignored, and what is started from here would ignore it too.
if threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser: pytest.Parser) -> None:
    meaning = "shuffle files, and the tests within a file"
    parser.addoption("--shuffle", nargs="?", const=-1, type=int, metavar="SEED", help=meaning)


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """A compiled model is kept from run to run, apart from the user's; a seed is drawn before other processes start.

    While tests are collected nothing becomes garbage: looking for it took 40 of 100 CPU seconds of a collection.
    """
    gc.disable()
    own = config.rootpath / ".pytest_cache" / "isrcheck"
    os.environ.setdefault(CACHE, str(own))
    if hasattr(config, "workerinput"):
        config.option.shuffle = config.workerinput["shuffle"]
    elif config.option.shuffle == -1:
        config.option.shuffle = random.randrange(10**6)
    config.pluginmanager.register(Meter(Path(os.environ[CACHE])), "meter")
    if not hasattr(config, "workerinput"):
        for folder in config.getini("pythonpath")[:3]:
            compileall.compile_dir(config.rootpath / folder, quiet=2)  # a clone's first test would pay for it
        config.pluginmanager.register(Ledger(config.rootpath / ".pytest_cache" / "durations.csv"), "ledger")


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Tell a worker the seed: it would draw one of its own."""
    node.workerinput["shuffle"] = node.config.option.shuffle


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Give a file to one process, and a folder whose tests share what takes seconds; pytest-xdist knows files alone."""
    if config.getoption("dist") != "loadfile":
        return None
    scheduler = import_module("xdist.scheduler").LoadFileScheduling(config, log)
    scheduler._split_scope = process_group
    return scheduler


def process_group(node: str) -> str:
    """Return what one process runs: all folders that share something with the folder of a test, else its file."""
    file = slow.file_of(node)
    return SHARING.get(Path(file).parent.name, file)


@pytest.fixture(scope="session")
def spark(pytestconfig: pytest.Config) -> Any:
    """One Spark session for all tests that read and write tables: a JVM takes ten CPU seconds to start."""
    from tests.spark.runs import SHARED

    pytestconfig.add_cleanup(SHARED.close)
    return SHARED.get()


def pytest_report_header(config: pytest.Config) -> str:
    return "order: as written" if config.option.shuffle is None else f"order: --shuffle {config.option.shuffle}"


@pytest.hookimpl(wrapper=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> Generator[None]:
    """Mark what is slow before -m selects; order what is left: Spark first, so that no worker ends alone with it.

    Folders that one process runs come next.
    """
    mark_slow(config, items)
    yield
    if config.option.shuffle is not None:
        shuffle(items, random.Random(config.option.shuffle))
    items.sort(key=turn)


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """Garbage is looked for again, among what the tests allocate: modules and tests stay as long as the process.

    It is looked for seldom: a worker keeps models and graphs of all its tests, and to look through them as often as
    Python does took 9 of 80 CPU seconds, besides the pages that each forked process copied for it.
    """
    gc.freeze()
    gc.set_threshold(100_000, 20, 100)
    gc.enable()


def turn(item: pytest.Item) -> tuple[bool, bool, bool, bool]:
    """Return when a test comes: first searches on Spark, which end the session that all others share."""
    folder = item.path.parent.name
    uses_spark = "spark" in getattr(item, "fixturenames", ())
    return folder != "spark", SHARING.get(folder) != "JVM", folder not in SHARING, not uses_spark


def mark_slow(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Give the tests of tests/slow.txt the mark; keep which are quick, and the names that no collected file has."""
    listed = slow.names()
    config.stash[slow.UNKNOWN] = slow.unknown(listed, (item.nodeid for item in items))
    for item in items:
        if item.nodeid in listed:
            item.add_marker("slow")
    config.stash[slow.QUICK] = {item.nodeid: item.get_closest_marker("slow") is None for item in items}


def shuffle(items: list[pytest.Item], rng: random.Random) -> None:
    """Shuffle files, and the tests within a file: a file's fixtures are still built once."""
    files: dict[Path, list[pytest.Item]] = {}
    for item in items:
        files.setdefault(item.path, []).append(item)
    groups = list(files.values())
    rng.shuffle(groups)
    for group in groups:
        rng.shuffle(group)
    items[:] = [item for group in groups for item in group]
