"""The wheel in a clean environment of every Python that is here: its commands, and what they say without an extra."""

import json
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from tools.release.build import make_release
from tools.release.environments import MINORS, Environment, new, pythons

from isrcheck.extras import LIBRARIES
from isrcheck.version import __version__

pytestmark = pytest.mark.slow
KIP_320 = "kip-320 -c replicas=2 -c log_size=1 -c max_records=1 -c max_leader_epoch=1".split()
BEFORE = "truncate-to-high-watermark -c replicas=2 -c log_size=1 -c max_records=1 -c max_leader_epoch=1".split()
TRACE = "traces/truncate-to-high-watermark-strong_isr.json"

# By the extra that they need, the commands that say so in a base install.
WITHOUT = {
    "symbolic": ["prove toy-mutex", "check toy-mutex --engine symbolic"],
    "spark": ["check toy-mutex --engine spark", "export toy-mutex --to parquet -o x", "observe traces"],
    "editor": ["lsp"],
    "brokers": ["-m isrbrokers run stall3"],
}


@pytest.fixture(scope="module")
def dist() -> Iterator[Path]:
    with TemporaryDirectory() as folder:
        make_release(Path(folder))
        yield Path(folder, "dist")


@pytest.fixture(scope="module", params=sorted(pythons()))
def environment(request: pytest.FixtureRequest, dist: Path) -> Iterator[Environment]:
    """What a user has after `pip install` of the wheel."""
    with TemporaryDirectory() as folder:
        environment = new(pythons()[request.param], Path(folder))
        wheel = next(dist.glob("*.whl"))
        installed = environment.python("-m", "pip", "install", "--only-binary", ":all:", str(wheel), check=False)
        assert installed.returncode == 0, installed.stderr
        yield environment


def test_there_are_pythons() -> None:
    """At least the one that runs this; which others were tried is the names of the tests."""
    assert {version.rpartition(".")[0] for version in pythons()} <= set(MINORS)
    assert pythons()


def test_it_is_installed_whole(environment: Environment) -> None:
    assert environment.python("-m", "pip", "check").stdout.strip() == "No broken requirements found."
    assert environment.isrcheck("--version").stdout == f"isrcheck, version {__version__}\n"
    where = environment.python("-c", "import isrcheck, isrmodel, isrbrokers; print(isrcheck.__file__)").stdout
    assert str(environment.folder) in where


def test_kip_320_holds_and_what_was_before_does_not(environment: Environment) -> None:
    done = environment.isrcheck("check", *KIP_320, "--json", "-")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["states"]["distinct"] == 277
    violated = environment.isrcheck("check", *BEFORE, "--property", "strong_isr", "--trace-dir", "traces")
    assert violated.returncode == 12, violated.stderr
    assert "strong_isr is violated after 9 steps" in violated.stdout
    drawn = environment.isrcheck("render", TRACE, "--to", "svg", "-o", "trace.svg")
    assert drawn.returncode == 0, drawn.stderr
    assert (environment.away / "trace.svg").stat().st_size > 10_000


def test_models_are_offered(environment: Environment) -> None:
    listed = environment.isrcheck("list").stdout
    assert all(name in listed for name in ("kip-320", "kraft-4.1", "toy-mutex"))


def test_every_extra_is_tried() -> None:
    assert set(WITHOUT) == {library.extra for library in LIBRARIES.values()}


@pytest.mark.parametrize("extra", [extra for extra, commands in WITHOUT.items() if commands])
def test_without_an_extra_its_commands_say_how_to_install_it(environment: Environment, extra: str) -> None:
    (environment.away / "traces").mkdir(exist_ok=True)
    if not (environment.away / TRACE).exists():
        environment.isrcheck("check", *BEFORE, "--property", "strong_isr", "--trace-dir", "traces")
    for command in WITHOUT[extra]:
        words = command.split()
        done = environment.python(*words, check=False) if words[0] == "-m" else environment.isrcheck(*words)
        assert done.returncode == 2, (command, done.stdout, done.stderr)
        told = " ".join(done.stderr.split())
        assert f"install the extra {extra} with {environment.folder}/bin/python -m pip install" in told, command
        assert "Traceback" not in done.stderr
