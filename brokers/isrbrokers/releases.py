"""The releases that can be run: their artifacts on Maven Central, and what each is told to log."""

import re
from dataclasses import dataclass

from isrcheck.errors import UsageError, nearest


@dataclass(frozen=True)
class Release:
    """One release of Kafka."""

    number: str
    scala: str  # the version of Scala that it is published for
    backend: tuple[str, ...]  # what its logging needs, as group:artifact:version
    loggers: str = "log4j.properties"  # of isrlogs.observe: what `isrcheck observe` needs
    has_zookeeper: bool = False
    tools: bool = True  # whether its tools are an artifact of their own

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
        Release("3.6.2", "2.13", _RELOAD4J),
        Release("3.7.2", "2.13", _RELOAD4J),
        Release("3.9.1", "2.13", _RELOAD4J),
        Release("4.1.1", "2.13", _LOG4J2, "log4j2.yaml"),
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
