"""The releases that can be run: their artifacts on Maven Central, and how each is told to log."""

import re
from dataclasses import dataclass
from enum import Enum

from isrcheck.errors import UsageError, nearest


class Logging(Enum):
    """The library that writes a release's log files."""

    LOG4J = "log4j.properties"  # log4j 1 and reload4j
    LOG4J2 = "log4j2.properties"


@dataclass(frozen=True)
class Release:
    """One release of Kafka."""

    number: str
    scala: str  # the version of Scala that it is published for
    backend: tuple[str, ...]  # what its logging needs, as group:artifact:version
    logging: Logging = Logging.LOG4J
    has_zookeeper: bool = False
    tools: bool = True  # whether its tools are an artifact of their own

    @property
    def artifacts(self) -> tuple[str, ...]:
        """What to resolve, each with all that it depends on."""
        broker = f"org.apache.kafka:kafka_{self.scala}:{self.number}"
        tools = (f"org.apache.kafka:kafka-tools:{self.number}",) if self.tools else ()
        return (broker, *tools, *self.backend)


_RELOAD4J = ("org.slf4j:slf4j-reload4j:1.7.36",)
_LOG4J12 = ("org.slf4j:slf4j-log4j12:1.7.30",)
_ZOOKEEPER = "org.apache.zookeeper:zookeeper:3.5.9"  # 3.4.14 resolves no address on Java 14 and later
_JAXB = ("javax.xml.bind:jaxb-api:2.3.1",)  # which Java no longer has
_LOG4J2 = ("org.apache.logging.log4j:log4j-slf4j-impl:2.24.3", "org.apache.logging.log4j:log4j-core:2.24.3")

RELEASES = {
    release.number: release
    for release in (
        Release("0.10.2.2", "2.12", _JAXB, has_zookeeper=True, tools=False),
        Release("0.11.0.3", "2.12", _JAXB, has_zookeeper=True, tools=False),
        Release("2.3.1", "2.12", (*_LOG4J12, *_JAXB, _ZOOKEEPER), has_zookeeper=True, tools=False),
        Release("2.4.1", "2.12", (*_LOG4J12, *_JAXB), has_zookeeper=True, tools=False),
        Release("3.6.2", "2.13", _RELOAD4J),
        Release("3.7.2", "2.13", _RELOAD4J),
        Release("3.9.1", "2.13", _RELOAD4J),
        Release("4.1.1", "2.13", _LOG4J2, Logging.LOG4J2),
    )
}


def find_release(text: str) -> Release:
    """A release by its number, or by the beginning of one: 3.9 is 3.9.1. Raises UsageError."""
    if not re.fullmatch(r"\d+(\.\d+)+", text):
        raise UsageError(f"{text} is not a release: write it as 4.1.1 or 3.9.")
    found = [release for number, release in RELEASES.items() if number == text or number.startswith(text + ".")]
    if not found:
        known = ", ".join(RELEASES)
        raise UsageError(f"Kafka {text} is not among the releases that can be run: {known}.{nearest(text, RELEASES)}")
    return found[-1]
