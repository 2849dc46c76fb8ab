"""The agent that is put into brokers: compiled once, and controlled by files in each broker's folder."""

import hashlib
import subprocess
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from isrbrokers.process import ClusterError
from isrbrokers.releases import BUGS, BYTE_BUDDY, OF_THE_CONTROLLER, program, resolve
from isrcheck.errors import UsageError
from isrcheck.user_cache import user_cache

_SOURCES = Path(__file__).parent / "agent"


def agent_option(bug: str | None = None) -> str:
    """The option of Java that puts the agent into a node, whose folder {folder} is to be. Raises UsageError."""
    if bug is not None and bug not in BUGS:
        raise UsageError(f"there is no bug {bug}: choose one of {', '.join(BUGS)}.")
    return f"-javaagent:{_jar()}=folder={{folder}}" + (f",bug={bug}" if bug else "")


def controller_options(bug: str | None) -> list[str]:
    """A controller has the agent only for a bug of its own. Raises UsageError."""
    return [agent_option(bug)] if bug in OF_THE_CONTROLLER else []


def _jar() -> Path:
    """The agent beside the library that it needs, compiled for Java 11 and later."""
    sources = sorted(_SOURCES.glob("*.java"))
    version = hashlib.sha256(b"".join(file.read_bytes() for file in sources)).hexdigest()[:16]
    library = next(resolve("agent", (BYTE_BUDDY,)).glob("byte-buddy-*.jar"))
    jar = user_cache().path / "jars" / f"agent-{version}.jar"
    if jar.exists():
        return jar
    with tempfile.TemporaryDirectory(dir=jar.parent) as aside:
        _run(program("javac"), "--release", "11", "-cp", library, "-d", aside, *sources)
        manifest = Path(aside) / "manifest"
        manifest.write_text(
            f"Premain-Class: isrbrokers.agent.Agent\nCan-Retransform-Classes: true\nClass-Path: agent/{library.name}\n",
            encoding="utf-8",
        )
        archive = Path(aside) / jar.name
        _run(*("jar", "cfm"), archive, manifest, "-C", aside, "isrbrokers")
        archive.replace(jar)
    return jar


def _run(*command: object) -> None:
    ended = subprocess.run([*map(str, command)], capture_output=True, text=True, check=False)
    if ended.returncode:
        raise ClusterError(f"the agent could not be made: {(ended.stdout + ended.stderr).strip()}")


@dataclass(frozen=True)
class Gate:
    """A place where a broker waits to be let on: fetch, metadata, expire, heartbeat, or cut-N.

    At cut-N waits the answer of broker N that says where to cut the log.
    """

    folder: Path  # the broker's
    name: str

    def shut(self) -> None:
        """Close the gate: from now on whoever comes there waits. Raises ClusterError where nobody ever comes."""
        _require_hook(self.folder, self.name)
        self._file("closed").touch()

    def close(self, seconds: float = 30) -> None:
        """Shut it, and return when somebody waits there."""
        self.shut()
        self._until(self._file("waiting").exists, "nobody came", seconds)

    def skip(self) -> None:
        """Turn back whoever waits: it does not do what it came for, and may come again."""
        self._file("again").touch()

    def come_again(self, seconds: float = 30) -> None:
        """Turn back whoever waits, and return when it has come again, with what it knows by now."""
        self.skip()
        self._until(lambda: not self._file("again").exists(), "nobody was there", seconds)
        self._until(self._file("waiting").exists, "nobody came again", seconds)

    def let_one_pass(self, seconds: float = 30) -> None:
        """Let one on, and return when the next is there: what the one did is done."""
        self._file("waiting").unlink(missing_ok=True)
        self._file("pass").touch()
        self._until(lambda: not self._file("pass").exists(), "nobody passed", seconds)
        self._until(self._file("waiting").exists, "nobody came again", seconds)

    def open(self) -> None:
        """Open the gate: whoever comes goes on."""
        self._file("closed").unlink(missing_ok=True)

    def _file(self, kind: str) -> Path:
        return self.folder / "gates" / f"{self.name}.{kind}"

    def _until(self, condition: Callable[[], bool], otherwise: str, seconds: float) -> None:
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            if condition():
                return
            time.sleep(0.002)
        raise ClusterError(f"the gate {self.name} of {self.folder.name}: {otherwise} within {seconds:g} seconds")


@dataclass(frozen=True)
class HeldClock:
    """The time by which a leader judges its followers, held and moved on by hand, in milliseconds."""

    folder: Path  # the broker's

    def hold(self) -> None:
        """Stop the clock from now on."""
        self._set(int(time.time() * 1000))

    def advance(self, milliseconds: int) -> None:
        """Move the clock on."""
        self._set(int(self._file().read_text(encoding="utf-8")) + milliseconds)

    def release(self) -> None:
        """Give the clock back to the machine."""
        self._file().unlink(missing_ok=True)

    def _file(self) -> Path:
        return self.folder / "gates" / "clock"

    def _set(self, milliseconds: int) -> None:
        _write(self._file(), milliseconds)


@dataclass(frozen=True)
class MetadataLimit:
    """How far a broker reads the metadata log: up to a partition epoch, and then all that is new as one change."""

    folder: Path  # the broker's

    def set(self, partition_epoch: int) -> None:
        """Limit the metadata from now on: so far, and no further. Raises ClusterError where that limits nothing."""
        _require_hook(self.folder, "metadata.limit")
        _write(self._file(), partition_epoch)

    def lift(self) -> None:
        """Lift the limit: the broker reads all there is."""
        self._file().unlink(missing_ok=True)

    def _file(self) -> Path:
        return self.folder / "gates" / "metadata.limit"


def _require_hook(folder: Path, name: str) -> None:
    """Require that the agent is where a broker would wait, as it says once the broker has started."""
    hooks = folder / "gates" / "hooks"
    if hooks.exists() and name.split("-", 1)[0] not in hooks.read_text(encoding="utf-8").split():
        raise ClusterError(f"{folder.name}: the agent has no hook for {name}: this release has no such method")


def _write(file: Path, number: int) -> None:
    """Write a number at once, since somebody may be reading."""
    aside = file.with_suffix(".new")
    aside.write_text(str(number), encoding="utf-8")
    aside.replace(file)
