"""The models by families as `isrcheck list` shows them, believed while no file of the models' packages has changed."""

import hashlib
import json
import os
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from isrcheck.catalogue import family_of, models_by_name, offers, package_of
from isrcheck.user_cache import user_cache
from isrcheck.version import __version__
from isrcheck.wrap import first_paragraph


class Family(NamedTuple):
    """Models of one package: what it is about, and each model's sentence by its name."""

    sentence: str
    models: dict[str, str]


def families() -> dict[str, Family]:
    """Return the families of models by their names, in the order in which they are offered.

    Raises UsageError or ModelError.
    """
    cache = user_cache()
    packages = packages_with_models()
    prefix = hashlib.sha256(sys.prefix.encode(errors="surrogateescape")).hexdigest()
    file = f"list-{prefix[:16]}.json"
    key = fingerprint(packages)
    content = cache.get(file)
    kept = json.loads(content) if content is not None else {}
    if kept.get("key") == key:
        return {name: Family(*family) for name, family in kept["families"].items()}
    from isrcheck.lang.read import read_model  # here: it is not needed where the cache answers

    models = models_by_name()
    listed: dict[str, Family] = {}
    for name, cls in models.items():
        about = first_paragraph(sys.modules[package_of(cls)].__doc__ or "")
        listed.setdefault(family_of(cls), Family(about, {})).models[name] = first_paragraph(read_model(cls).doc)
    modules = {base.__module__ for cls in models.values() for base in cls.__mro__[:-1]}
    known = {module.partition(".")[0] for module in modules} <= packages
    if known and fingerprint(packages) == key:
        cache.put(file, json.dumps({"key": key, "families": listed}).encode())
    return listed


def packages_with_models() -> frozenset[str]:
    return frozenset({__name__.partition(".")[0], *(offer.module.partition(".")[0] for offer in offers())})


def fingerprint(packages: frozenset[str]) -> str:
    """Found without importing a model."""
    known = (__version__, sys.version, *((offer.name, offer.value) for offer in offers()))
    total = hashlib.sha256(repr(known).encode())
    for package in sorted(packages):
        for file in files_of(package):
            content = file.read_bytes()
            total.update(f"\n{package} {file.name} {len(content)}\n".encode(errors="surrogateescape") + content)
    return total.hexdigest()


class Stamp(NamedTuple):
    """A file, and what is another whenever its text is another."""

    file: str
    node: int
    size: int
    written_ns: int
    changed_ns: int  # nobody can choose it


def stamps(packages: frozenset[str]) -> Iterator[Stamp]:
    """Yield the stamps of the packages' Python files."""
    for package in sorted(packages):
        for file in files_of(package):
            known = file.stat()
            yield Stamp(str(file), known.st_ino, known.st_size, known.st_mtime_ns, known.st_ctime_ns)


def files_of(package: str) -> Iterator[Path]:
    """Yield the Python files of a package."""
    spec = find_spec(package)
    for folder in spec.submodule_search_locations or () if spec else ():
        texts = (f"{at}/{name}" for at, _, names in os.walk(folder) for name in names if name.endswith(".py"))
        yield from map(Path, sorted(texts))  # Path.rglob takes 0.02 s
    if spec and spec.origin and spec.submodule_search_locations is None:
        yield Path(spec.origin)
