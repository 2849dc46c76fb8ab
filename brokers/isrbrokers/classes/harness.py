"""A release's controller, or its brokers, in one process: Kafka's own classes, asked by lines, without sockets."""

import hashlib
import os
import re
import subprocess
import tempfile
import zipfile
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self

from isrbrokers.process import ClusterError
from isrbrokers.releases import program, resolve
from isrcheck.errors import UsageError
from isrcheck.plugin import OutOfBudget, poll_by_timer
from isrcheck.user_cache import user_cache
from isrmodel.kraft.releases import release_number

_SOURCES = Path(__file__).parent
# A line of a harness takes the place of the one above it where jars have a class, or are without it.
_OTHER_LINE = re.compile(r"^.*\n *// (where|without) ([\w.$]+): (.*)$", re.MULTILINE)
_MEMORY = "/dev/shm"  # for some kilobytes of logs: a disk would be waited for whenever a broker stops
_AT_ONCE = 200  # lines of some 40 bytes: fewer bytes than a pipe holds, so that neither side waits for the other


class Role(NamedTuple):
    """A part of Kafka that can be asked: the artifact that has it, and the harness that asks it."""

    name: str
    artifact: str
    sources: Path
    main: str
    first: tuple[int, int]  # release whose interfaces are the first that the harness knows
    asks: str  # the class that jars need


_MANAGER = "org/apache/kafka/controller/ReplicationControlManager.class"
CONTROLLER = Role(
    "controller", "kafka-metadata", _SOURCES, "org.apache.kafka.controller.ControllerHarness", (3, 3), _MANAGER
)
BROKER = Role(
    "broker", "kafka_2.13", _SOURCES / "broker", "kafka.server.BrokerHarness", (3, 5), "kafka/cluster/Partition.class"
)


@dataclass(frozen=True)
class Classes:
    """Jars of one part of Kafka: of a release, or of a folder, which comes first where both are given."""

    release: str | None
    folder: Path | None = None
    role: Role = CONTROLLER

    def __str__(self) -> str:
        named = [f"Kafka {self.release}"] if self.release else []
        return " with ".join(named + ([f"the jars of {self.folder}"] if self.folder else []))

    def offers(self, role: Role) -> bool:
        """Whether this part of Kafka is there, and of a release whose interfaces the harness knows."""
        if self.release is not None:
            return release_number(self.release) >= role.first
        names = (name for each in _of_folder(self.folder) for name in _names_in(each)) if self.folder else iter(())
        return role.asks in names

    def refuse_without(self, role: Role) -> None:
        """Refuse jars that do not offer this part of Kafka. Raises UsageError."""
        if not self.offers(role):
            first = ".".join(map(str, role.first))
            raise UsageError(f"{self} cannot be asked as a {role.name}: the classes are known from {first} on.")

    def path(self) -> list[Path]:
        """The class path. Raises UsageError, also where there is no Java or Maven."""
        paths = [] if self.folder is None else _of_folder(self.folder)
        if self.release is not None:
            artifact = f"org.apache.kafka:{self.role.artifact}:{self.release}"
            folder = resolve(f"{self.role.name}-{self.release}", (artifact,))
            paths += sorted(folder.glob("*.jar"))
        return paths

    def digest(self) -> str:
        """A name for what is in the jars, and for the harness that asks them."""
        content = hashlib.sha256(b"".join(file.read_bytes() for file in sorted(_SOURCES.glob("*.java"))))
        content.update(str(self.release).encode())
        for path in _of_folder(self.folder) if self.folder else ():
            for file in [path] if path.is_file() else sorted(path.rglob("*.class")):
                content.update(file.name.encode() + file.read_bytes())
        return content.hexdigest()[:16]


def parse_classes(release: str | None, folder: Path | None) -> Classes:
    """The jars that options name. Raises UsageError."""
    if release is None and folder is None:
        raise UsageError("whose classes? Write --release 4.4.0, or --jars DIR for a build of your own.")
    if release is not None and (release.count(".") != 2 or release_number(release) < CONTROLLER.first):
        raise UsageError(
            f"{release} is not a release with such a controller: write all of it, such as 4.4.0; 3.3.2 on."
        )
    if folder is not None:
        _of_folder(folder)
    return Classes(release, folder)


def _of_folder(folder: Path) -> list[Path]:
    """A folder of classes, and all jars in it. Raises UsageError where there are neither."""
    paths = [folder] if any((folder / name).is_dir() for name in ("org", "kafka")) else []
    paths += sorted(folder.rglob("*.jar")) if folder.is_dir() else []
    if not paths:
        raise UsageError(f"{folder} has no jars and no classes: name the folder where a build leaves them.")
    for path in paths:
        if path.is_file() and not zipfile.is_zipfile(path):
            raise UsageError(f"{path} is not a jar: build it again.")
    return paths


@dataclass
class Harness:
    """A Java process with Kafka's classes, from `with` on."""

    classes: Classes
    abilities: frozenset[str] = frozenset()
    version: str = ""
    registering: str = ""  # the method that is called when a broker registers; none before 3.7
    _process: subprocess.Popen[str] | None = field(default=None, repr=False)
    _setting: str = ""
    _end: OutOfBudget | None = None  # of the run's time: a line of which no reply is read yet may be on its way
    _stack: ExitStack = field(default_factory=ExitStack, repr=False)

    def __enter__(self) -> Self:
        self._errors = self._stack.enter_context(tempfile.TemporaryFile("w+", encoding="utf-8"))
        with ExitStack() as failing, poll_by_timer():
            failing.callback(self.close)
            self._start()
            failing.pop_all()
        return self

    def _start(self) -> None:
        self.classes.refuse_without(self.classes.role)
        program_of_java, path = program("java"), self.classes.path()
        compiled = _compile(self.classes.role.sources, path)
        # C2 too, unlike a broker's: a run calls the same few methods 200,000 times.
        memory = _MEMORY if os.access(_MEMORY, os.W_OK) else None
        logs = self._stack.enter_context(tempfile.TemporaryDirectory(prefix="isrcheck-code-", dir=memory))
        options = ["-Xmx384m", "-XX:+UseSerialGC", f"-Djava.io.tmpdir={logs}"]
        options += ["-cp", ":".join(map(str, [compiled, *path]))]
        self._process = subprocess.Popen(
            [program_of_java, *options, self.classes.role.main],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
            encoding="utf-8",
            start_new_session=True,  # an interrupt of ours is not its own
        )
        facts = dict(fact.partition("=")[::2] for fact in self._read().split(" "))
        self.version, self.registering = facts["version"], facts["registering"]
        self.abilities = frozenset(facts)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            self.kill()
            self._process.communicate()
        self._stack.close()

    def kill(self) -> None:
        """End the process: whoever waits for a reply of it in another thread gets a ClusterError."""
        if self._process is not None:
            self._process.kill()

    def ask(self, setting: str, lines: Sequence[str]) -> list[tuple[int, frozenset[str]]]:
        """Return of each line how often the controller was called, and its different answers. Raises ClusterError."""
        replies = (reply.split() for reply in self.replies(setting, lines))
        return [(int(calls), frozenset(words)) for calls, *words in replies]

    def replies(self, setting: str, lines: Sequence[str]) -> list[str]:
        """Return the reply to each line. Raises ClusterError, and OutOfBudget, from then on always."""
        if self._end is not None:
            raise self._end
        try:
            return self._replies(setting, lines)
        except OutOfBudget as end:
            self._end = end
            raise

    def _replies(self, setting: str, lines: Sequence[str]) -> list[str]:
        replies: list[str] = []
        for begin in range(0, len(lines), _AT_ONCE):
            some = lines[begin : begin + _AT_ONCE]
            first = [] if setting == self._setting else [f"setting {setting}"]
            self._setting = setting
            with poll_by_timer():
                self._write("\n".join([*first, *some, "", ""]))
                replies += [self._read() for _ in some]
        return replies

    def _write(self, lines: str) -> None:
        assert self._process is not None
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(lines)
            self._process.stdin.flush()
        except BrokenPipeError:
            raise self._failure() from None

    def _read(self) -> str:
        assert self._process is not None
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line.endswith("\n"):
            raise self._failure()
        return line.strip()

    def _failure(self) -> ClusterError:
        self._errors.seek(0)
        said = [line.strip() for line in self._errors if not line.startswith("SLF4J")]
        name = self.classes.role.name
        return ClusterError(f"the {name}'s classes of {self.classes} could not be asked: {''.join(said[:1])}")


def _compile(folder_of_sources: Path, path: Sequence[Path]) -> Path:
    """The harness, compiled against these jars; once for each content of theirs. Raises ClusterError."""
    sources = sorted(folder_of_sources.glob("*.java"))
    states = [(str(each), each.stat().st_size, each.stat().st_mtime_ns) for each in path]
    content = b"".join(file.read_bytes() for file in sources) + repr(states).encode()
    folder = user_cache().path / "jars" / f"harness-{hashlib.sha256(content).hexdigest()[:16]}"
    if folder.is_dir():
        return folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as aside:
        classes = Path(aside) / "classes"
        options = ["-J-Xmx256m", "-nowarn", "-cp", ":".join(map(str, path)), "-d", str(classes)]
        moved = _adapt(sources, path, Path(aside))
        ended = subprocess.run(
            [program("javac"), *options, *map(str, moved)], capture_output=True, text=True, check=False
        )
        if ended.returncode:
            said = (ended.stdout + ended.stderr).splitlines()
            last = [line.strip() for line in said if " error: " in line][:1]
            raise ClusterError(f"the harness does not fit these jars: {' '.join(last)}")
        if not folder.is_dir():
            classes.rename(folder)
    return folder


def _adapt(sources: Sequence[Path], path: Sequence[Path], aside: Path) -> list[Path]:
    """Copies of the sources that fit these jars: other lines by what they have, and where each class of Kafka is."""
    names = {name.removesuffix(".class").replace("/", ".") for jar in path for name in _names_in(jar)}
    packages: dict[str, set[str]] = {}
    for package, _, simple in (name.rpartition(".") for name in names if "kafka" in name):
        packages.setdefault(simple, set()).add(package)

    def choose(match: re.Match[str]) -> str:
        return match[3] if (match[2] in names) == (match[1] == "where") else match[0]

    def place(match: re.Match[str]) -> str:
        package, _, simple = match[1].rpartition(".")
        if package.rpartition(".")[2][0].isupper():
            return match[0]
        known = packages.get(simple, {package})
        return f"import {package if package in known else min(known)}.{simple};"

    copies = [aside / source.name for source in sources]
    for source, copy in zip(sources, copies, strict=True):
        fitting = _OTHER_LINE.sub(choose, source.read_text(encoding="utf-8"))
        copy.write_text(re.sub(r"import ([\w.]*kafka[\w.]*);", place, fitting), "utf-8")
    return copies


def _names_in(jar: Path) -> list[str]:
    """The files of a jar, or of a folder of classes."""
    if jar.is_dir():
        return [file.relative_to(jar).as_posix() for file in jar.rglob("*.class")]
    with zipfile.ZipFile(jar) as files:
        return files.namelist()
