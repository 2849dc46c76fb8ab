"""The bill of materials of a release: CycloneDX, of what the base install and each extra bring."""

import re
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from email.parser import Parser
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from uuid import NAMESPACE_URL, uuid5
from zipfile import ZipFile

from cyclonedx.model import HashAlgorithm, HashType, Property
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.model.license import DisjunctiveLicense
from cyclonedx.output.json import JsonV1Dot6
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from packageurl import PackageURL
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

BASE = "base"


@dataclass(frozen=True, order=True)
class Locked:
    """A package at a version, and where it is installed: a marker, or everywhere."""

    name: str
    version: str
    marker: str
    hashes: tuple[str, ...]


def read_lock(lock: Path) -> dict[str, list[Locked]]:
    """The packages of a lock by name. One that has a version for some Pythons and one for others is there twice."""
    packages: dict[str, list[Locked]] = {}
    for lines in re.split(r"\n(?=\w)", lock.read_text(encoding="utf-8")):
        if not lines.startswith("#"):
            package = _package(lines.replace("\\\n", " "))
            packages.setdefault(package.name, []).append(package)
    return packages


def _package(line: str) -> Locked:
    written, *hashes = re.split(r"\s--hash=", line)
    requirement = Requirement(written.strip())
    version = str(requirement.specifier).removeprefix("==")
    marker = str(requirement.marker or "")
    return Locked(canonicalize_name(requirement.name), version, marker, tuple(sorted(h.strip() for h in hashes)))


def needs_of(requirements: Iterable[str], lock: dict[str, list[Locked]]) -> dict[str, set[str]]:
    """The packages that these requirements bring, each with what it needs itself, on any system."""
    waiting = [Requirement(written) for written in requirements]
    needs: dict[str, set[str]] = {}
    asked: set[str] = set()
    for requirement in waiting:
        if str(requirement) in asked or canonicalize_name(requirement.name) not in lock:
            continue
        asked.add(str(requirement))
        others = [other for other in _requirements_of(requirement) if canonicalize_name(other.name) in lock]
        names = {canonicalize_name(other.name) for other in others}
        needs.setdefault(canonicalize_name(requirement.name), set()).update(names)
        waiting += others
    return needs


def _requirements_of(requirement: Requirement) -> Iterator[Requirement]:
    """Yield the requirements of a package for the extras that are asked of it, as its own metadata says."""
    try:
        texts = distribution(requirement.name).requires or []
    except PackageNotFoundError:  # one that this system does not need
        return
    for written in texts:
        other = Requirement(written)
        if _is_asked(str(other.marker or ""), requirement.extras):
            yield other


def _is_asked(marker: str, extras: set[str]) -> bool:
    """Whether a marker names no extra, or one of these; which system it names does not count."""
    named = re.findall(r"extra == ['\"]([\w.-]+)['\"]", marker)
    return not named or any(canonicalize_name(name) in map(canonicalize_name, extras) for name in named)


INSTALLS, MARKER = "isrcheck:installs", "isrcheck:marker"


def bill_of_materials(sources: Path, wheel: Path, time: int) -> str:
    """The bill of a wheel, as JSON. Raises ValueError if it is not valid CycloneDX."""
    project = tomllib.loads((sources / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lock = read_lock(sources / "locks" / "dev.txt")
    bom = Bom()
    bom.serial_number = uuid5(NAMESPACE_URL, f"{wheel.name} {sha256(wheel.read_bytes()).hexdigest()}")
    bom.metadata.timestamp = datetime.fromtimestamp(time, tz=UTC)
    bom.metadata.component = product(wheel)
    add_packages(bom, installs(project, lock), lock)
    return validate(JsonV1Dot6(bom).output_as_string(indent=1) + "\n")


def installs(project: dict[str, object], lock: dict[str, list[Locked]]) -> dict[str, dict[str, set[str]]]:
    """The packages that an install, base or an extra, brings, with what each needs; by the install's name."""
    extras = project["optional-dependencies"]
    base = project["dependencies"]
    assert isinstance(extras, dict)
    assert isinstance(base, list)
    return {BASE: needs_of(base, lock), **{name: needs_of(texts, lock) for name, texts in sorted(extras.items())}}


def product(wheel: Path) -> Component:
    """The wheel itself, by its own metadata."""
    with ZipFile(wheel) as archive:
        name = next(member for member in archive.namelist() if re.fullmatch(r"[^/]+\.dist-info/METADATA", member))
        metadata = Parser().parsestr(archive.read(name).decode("utf-8"))
    component = package(metadata["Name"], metadata["Version"])
    component.type = ComponentType.APPLICATION
    component.licenses = [DisjunctiveLicense(id=metadata["License-Expression"])]
    component.hashes = [HashType(alg=HashAlgorithm.SHA_256, content=sha256(wheel.read_bytes()).hexdigest())]
    return component


def package(name: str, version: str) -> Component:
    """A Python package at a version."""
    purl = PackageURL("pypi", None, name, version)
    return Component(name=name, version=version, type=ComponentType.LIBRARY, purl=purl, bom_ref=str(purl))


def add_packages(bom: Bom, brought: dict[str, dict[str, set[str]]], lock: dict[str, list[Locked]]) -> None:
    """Every package with the installs that bring it, and what depends on what."""
    needs = {name: others for install in brought.values() for name, others in install.items()}
    components = {name: [component_of(one, brought) for one in lock[name]] for name in sorted(needs)}
    assert bom.metadata.component is not None
    for name, ours in components.items():
        for component in ours:
            bom.components.add(component)
            bom.register_dependency(component, [c for other in sorted(needs[name]) for c in components[other]])
    bom.register_dependency(bom.metadata.component, [c for ours in components.values() for c in ours])


def component_of(one: Locked, brought: dict[str, dict[str, set[str]]]) -> Component:
    """A locked package; hashes of its files are in locks/, several to a package."""
    component = package(one.name, one.version)
    component.properties.add(
        Property(name=INSTALLS, value=" ".join(i for i, names in brought.items() if one.name in names))
    )
    if one.marker:
        component.properties.add(Property(name=MARKER, value=one.marker))
    return component


def validate(bill: str) -> str:
    """A bill that the official schema takes. Raises ValueError."""
    if error := JsonStrictValidator(SchemaVersion.V1_6).validate_str(bill):
        raise ValueError(f"the bill of materials is not valid CycloneDX 1.6: {error}")
    return bill
