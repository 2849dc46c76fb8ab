"""A model file imported as the command line imports it; one of a package with models, as that package does."""

from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

from isrcheck.catalogue import import_error, import_offered_as_source, load_file, models_by_name, offers
from isrcheck.lang.declare import Model


def packages() -> dict[str, Path]:
    """The packages that offer models, by name, without importing them."""
    names = dict.fromkeys(offer.value.partition(":")[0].partition(".")[0] for offer in offers())
    specs = ((name, find_spec(name)) for name in names)
    return {name: Path(spec.origin).parent for name, spec in specs if spec and spec.origin}


def _name_in_package(file: Path) -> str:
    """Return a file's module name in a package that offers models; empty if it is in none."""
    for name, folder in packages().items():
        if file.is_relative_to(folder):
            parts = file.relative_to(folder).with_suffix("").parts
            return ".".join((name, *(parts if parts[-1] != "__init__" else parts[:-1])))
    return ""


def load(file: Path) -> ModuleType:
    """Import a file's module. Raises ModelError, or an exception with which the file ends its process."""
    name = _name_in_package(file)
    if not name:
        return load_file(file)
    try:
        with import_offered_as_source():
            return import_module(name)
    except BaseException as error:
        raise import_error(file, error) from None


def models_of(module: ModuleType) -> Iterator[type[Model]]:
    """Yield the models that a module defines, in the order of its text."""
    for value in dict.fromkeys(value for value in vars(module).values() if isinstance(value, type)):
        if issubclass(value, Model) and value is not Model and value.__module__ == module.__name__:
            yield value


def argument_of(file: Path, model: str) -> str:
    """The command line's name of a model: its name in the list, or FILE.py:Class."""
    if _name_in_package(file):
        cls = getattr(load(file), model, None)
        for name, known in models_by_name().items():
            if known is cls:
                return name
    return f"{file}:{model}"
