"""Kafka's files, from Maven Central into the user's cache."""

import shutil
import subprocess
import tempfile
from pathlib import Path
from xml.sax.saxutils import escape

from isrbrokers.releases import Release
from isrcheck.errors import UsageError
from isrcheck.user_cache import user_cache

BYTE_BUDDY = "net.bytebuddy:byte-buddy:1.15.11"
_COPY = ("dependency:copy-dependencies", "-DincludeScope=runtime")
_SECONDS = 900


def program(name: str) -> str:
    """The path of a program. Raises UsageError."""
    path = shutil.which(name)
    if path is None:
        package = {"java": "openjdk-17-jdk-headless", "javac": "openjdk-17-jdk-headless", "mvn": "maven"}[name]
        raise UsageError(f"clusters need {name}, which is not on the path: 'apt install {package}' adds it on Debian.")
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
