"""The bill of materials of a release: CycloneDX, of what the base install and each extra bring."""

import re
import tomllib
from datetime import UTC, datetime
from email.parser import Parser
from hashlib import sha256
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
from tools.release.requirements import BASE, Locked, needs_of, read_lock

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
