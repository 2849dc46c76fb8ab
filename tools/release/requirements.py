"""Packages that each way to install isrcheck brings, with the versions in locks/: base, and each extra."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

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
        others = [other for other in _of(requirement) if canonicalize_name(other.name) in lock]
        names = {canonicalize_name(other.name) for other in others}
        needs.setdefault(canonicalize_name(requirement.name), set()).update(names)
        waiting += others
    return needs


def _of(requirement: Requirement) -> Iterator[Requirement]:
    """The requirements of a package for the extras that are asked of it, as its own metadata says."""
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
