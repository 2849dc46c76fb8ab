"""The releases that can be run: their artifacts on Maven Central, and what each is told to log."""

import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import escape

from isrcheck.errors import UsageError, nearest
from isrcheck.user_cache import user_cache


@dataclass(frozen=True)
class Release:
    """One release of Kafka."""

    number: str
    scala: str  # the version of Scala that it is published for
    backend: tuple[str, ...]  # what its logging needs, as group:artifact:version
    loggers: str = "log4j.properties"  # of isrlogs.observe: what `isrcheck observe` needs
    has_zookeeper: bool = False
    tools: bool = True  # whether its tools are an artifact of their own
    dump_tool: str = "kafka.tools.DumpLogSegments"
    controller_answers: bool = True  # whether the controller answers clients itself (KIP-919)

    @property
    def artifacts(self) -> tuple[str, ...]:
        """The artifacts to resolve, each with all that it depends on."""
        broker = f"org.apache.kafka:kafka_{self.scala}:{self.number}"
        tools = (f"org.apache.kafka:kafka-tools:{self.number}",) if self.tools else ()
        return (broker, *tools, *self.backend)


_RELOAD4J = ("org.slf4j:slf4j-reload4j:1.7.36",)
_LOG4J12 = ("org.slf4j:slf4j-log4j12:1.7.30",)
_ZOOKEEPER = "org.apache.zookeeper:zookeeper:3.5.9"  # 3.4.14 resolves no address on Java 14 and later
_JAXB = ("javax.xml.bind:jaxb-api:2.3.1",)  # which Java no longer has
_MOVED_DUMP_TOOL = "org.apache.kafka.tools.DumpLogSegments"  # from 4.3 on
_LOG4J2 = ("org.apache.logging.log4j:log4j-slf4j-impl:2.24.3", "org.apache.logging.log4j:log4j-core:2.24.3")


def _with_zookeeper(number: str, backend: tuple[str, ...]) -> Release:
    return Release(number, "2.12", backend, "log4j-zookeeper.properties", has_zookeeper=True, tools=False)


RELEASES = {
    release.number: release
    for release in (
        _with_zookeeper("0.10.2.2", _JAXB),
        _with_zookeeper("0.11.0.3", _JAXB),
        _with_zookeeper("2.3.1", (*_LOG4J12, *_JAXB, _ZOOKEEPER)),
        _with_zookeeper("2.4.1", (*_LOG4J12, *_JAXB)),
        Release("3.6.2", "2.13", _RELOAD4J, controller_answers=False),
        Release("3.7.2", "2.13", _RELOAD4J),
        Release("3.9.1", "2.13", _RELOAD4J),
        Release("4.1.1", "2.13", _LOG4J2, "log4j2.yaml"),
        Release("4.2.1", "2.13", _LOG4J2, "log4j2.yaml"),
        Release("4.3.1", "2.13", _LOG4J2, "log4j2.yaml", dump_tool=_MOVED_DUMP_TOOL),
        Release("4.4.0", "2.13", _LOG4J2, "log4j2.yaml", dump_tool=_MOVED_DUMP_TOOL),
    )
}


def find_release(wanted: str) -> Release:
    """A release by its number, or by the beginning of one: 3.9 is 3.9.1. Raises UsageError."""
    if not re.fullmatch(r"\d+(\.\d+)+", wanted):
        raise UsageError(f"{wanted} is not a release: write it as 4.1.1 or 3.9.")
    releases = [release for number, release in RELEASES.items() if number == wanted or number.startswith(wanted + ".")]
    if not releases:
        raise UsageError(f"Kafka {wanted} is not among the releases that can be run.{nearest(wanted, RELEASES)}")
    return releases[-1]


BYTE_BUDDY = "net.bytebuddy:byte-buddy:1.15.11"
_COPY = ("dependency:copy-dependencies", "-DincludeScope=runtime")
_SECONDS = 900


def program(name: str) -> str:
    """The path of a program. Raises UsageError."""
    path = shutil.which(name)
    if path is None:
        package = {"java": "openjdk-17-jdk-headless", "javac": "openjdk-17-jdk-headless", "mvn": "maven"}[name]
        raise UsageError(f"Kafka needs {name}, which is not on the path: 'apt install {package}' adds it on Debian.")
    return path


def jars(release: Release) -> Path:
    """The folder with a release's jars; fetched once. Raises UsageError."""
    return resolve(f"kafka-{release.number}", release.artifacts)


def resolve(name: str, artifacts: tuple[str, ...]) -> Path:
    """A folder with artifacts and all that they need. It appears only when it is whole."""
    folder = user_cache().path / "jars" / name
    if folder.is_dir():
        return folder
    maven = program("mvn")
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as aside:
        jars = Path(aside) / "jars"
        (Path(aside) / "pom.xml").write_text(_project(artifacts), encoding="utf-8")
        command = [maven, "-q", "-B", *_COPY, f"-DoutputDirectory={jars}"]
        try:
            ended = subprocess.run(command, cwd=aside, capture_output=True, text=True, timeout=_SECONDS, check=False)
        except subprocess.TimeoutExpired:
            raise UsageError(f"Maven did not fetch {name} within {_SECONDS} seconds: is there a network?") from None
        if ended.returncode or not jars.is_dir():
            last = (ended.stdout + ended.stderr).strip().splitlines()[:1]
            raise UsageError(f"Maven could not fetch {name}: {' '.join(last) or 'it said nothing'}")
        if not folder.is_dir():
            jars.rename(folder)
    return folder


def _project(artifacts: tuple[str, ...]) -> str:
    listed = ""
    for artifact in artifacts:
        group, name, version = map(escape, artifact.split(":"))
        listed += (
            f"<dependency><groupId>{group}</groupId><artifactId>{name}</artifactId>"
            f"<version>{version}</version></dependency>"
        )
    return (
        "<project><modelVersion>4.0.0</modelVersion><groupId>isrcheck</groupId>"
        f"<artifactId>brokers</artifactId><version>1</version><dependencies>{listed}</dependencies></project>"
    )


BUGS = {
    "hw-not-on-shrink": "only appends and fetches move the high watermark, as before KAFKA-13091",
    "old-partition-epoch": "the controller grants what is based on an old partition epoch (KIP-497)",
    "no-truncation": "a follower keeps what its leader lacks (KIP-101, KIP-320)",
    "any-epoch": "a leader serves and counts followers of any leader epoch (KIP-320)",
    "joins-at-once": "a follower joins the ISR wherever it is (KAFKA-7128)",
    "never-leaves": "nobody is ever too slow for the ISR (KIP-16)",
    "hw-of-isr-ignored": "the high watermark waits for nobody",
}

OF_THE_CONTROLLER = ("old-partition-epoch",)
