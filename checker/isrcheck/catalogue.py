"""Models by name: those that installed packages offer, and classes in a user's own file."""

import importlib
import importlib.util
import os
import re
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from difflib import get_close_matches
from fnmatch import fnmatchcase
from functools import cache
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, Protocol

from isrcheck.errors import ModelError, UsageError, nearest
from isrcheck.files import as_utf8
from isrcheck.lang.declare import Model, Role, mark_of
from isrcheck.lang.source_loader import (
    OfferedLoader,
    SourceLoader,
    is_installed,
    modules_from_source,
    use_loaders,
)
from isrcheck.place import Place, character, source_lines, source_text
from isrcheck.process.budget import OutOfBudget

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

_PATTERN = re.compile(r"[*?\[!]")
GROUP = "isrcheck.models"  # the entry points under which a package offers its dict of models by name
DECIDERS = "isrcheck.deciders"  # those under which a package offers to take a model's decisions from elsewhere
before_import: list[Callable[[Path], object]] = []  # called with each user's file; what one raises ends the load
after_import: list[Callable[[Path], object]] = []  # called with each user's file that was imported


@cache
def offers() -> "tuple[EntryPoint, ...]":
    """Return the entry points of the installed packages that offer models, without importing these."""
    from importlib.metadata import entry_points  # here: it takes 0.05 s to import

    return tuple(sorted(entry_points(group=GROUP), key=lambda offer: offer.name))


@cache
def models_by_name() -> dict[str, type[Model]]:
    return {name: cls for offer in offers() for name, cls in _load_offer(offer).items()}


def _load_offer(offer: "EntryPoint") -> dict[str, type[Model]]:
    try:
        with import_offered_as_source():
            return dict(offer.load())
    except (ImportError, AttributeError) as error:
        sentence = f"the models of {offer.value} cannot be loaded: {error}. Install the package again."
        raise UsageError(sentence) from None


def _toys_first() -> Iterator[tuple[str, type[Model]]]:
    """Every listed model, package by package: those that import at once before the others are imported."""
    for offer in reversed(offers()):
        yield from _load_offer(offer).items()


def find_model(name: str) -> type[Model]:
    """A model by its name in the list, or by FILE.py:Class. Raises UsageError or ModelError."""
    if ".py" in name:
        return _from_file(name)
    wanted = resolve_name(name)
    return next(cls for known, cls in _toys_first() if known == wanted)


def resolve_name(name: str) -> str:
    """A name as the list has it; FILE.py:Class as it is. Raises UsageError."""
    if ".py" in name or any(name == known for known, _ in _toys_first()):
        return name
    known = models_by_name()
    alike = [k for k in known if fold_name(k) == fold_name(name)]
    if len(alike) == 1:
        return alike[0]
    rest = name.casefold().partition("-")[2]
    close = [k for k in known if rest and k.partition("-")[2] == rest] or get_close_matches(name.casefold(), known, 1)
    remedy = f"Did you mean {close[0]}?" if close else "`isrcheck list` shows all."
    raise UsageError(f"there is no model {name}. {remedy} A file of your own is FILE.py:Class.")


def fold_name(name: str) -> str:
    return name.casefold().replace("-", "").replace("_", "")


def name_of(cls: type[Model]) -> str:
    """The name of a model in the list, or of its class where no package that was imported lists it."""
    listed = (pair for offer in offers() if offer.module in sys.modules for pair in _load_offer(offer).items())
    return next((name for name, known in listed if known is cls), cls.__name__)


class Decided(Protocol):
    """A variant of a model whose decisions are taken from elsewhere; `source` is FILE.py:Class."""

    @property
    def source(self) -> str: ...

    def confirm(self, behaviours: Iterable[Sequence[str]]) -> int:
        """Ask again for each decision of some behaviours, and return how many. Raises Disagreement."""
        ...


def decide(model: str, constants: Mapping[str, Any], **given: Any) -> Decided:
    """Return the variant of a model that an installed package makes of what is given. Raises UsageError."""
    from importlib.metadata import entry_points

    offers = [*entry_points(group=DECIDERS)]
    if not offers:
        raise UsageError("no package is installed that knows the classes of Kafka's controller.")
    decided: Decided = offers[0].load()(model, constants, **given)
    return decided


def kin_with(cls: type[Model], method: str, is_asked: Callable[[Role], bool]) -> str:
    """Return the listed model nearest to a class by descent with a method of such a role; empty if there is none."""
    models = models_by_name()
    for base in cls.__mro__[: cls.__mro__.index(Model)]:
        for name, known in models.items():
            if issubclass(known, base) and is_asked(mark_of(getattr(known, method, Model)).role):
                return name
    return ""


def package_of(cls: type[Model]) -> str:
    """The package of a model's family: isrmodel.kraft for all models in it; one without inner packages is its own."""
    parts = cls.__module__.split(".")
    return ".".join(parts[: max(1, min(2, len(parts) - 1))])


def family_of(cls: type[Model]) -> str:
    """Return the last name of a model's package; `toys` of a package that is itself offered as `2-toys`."""
    package = package_of(cls)
    offered = {offer.module: offer.name.lstrip("0123456789-") for offer in offers()}
    return offered.get(package) or package.rpartition(".")[2]


def _from_file(name: str) -> type[Model]:
    path, _, class_name = name.partition(":")
    class_name = as_utf8(class_name)
    file = Path(path)
    if not file.is_file():
        raise UsageError(f"there is no file {path}: give FILE.py:Class, with the path from here.")
    module = load_file(file.resolve())
    models = {n: v for n, v in vars(module).items() if isinstance(v, type) and issubclass(v, Model) and v is not Model}
    own = {n: v for n, v in models.items() if v.__module__ == module.__name__}
    if class_name not in models:
        asked = f"has no model {class_name}" if class_name else "holds more than one class, or none"
        if not class_name and len(own) == 1:
            return next(iter(own.values()))
        raise UsageError(f"{path} {asked}.{nearest(class_name, own or models)}")
    return models[class_name]


def import_offered_as_source() -> AbstractContextManager[None]:
    """A context in which packages that offer models are imported as their text is."""
    return use_loaders(lambda name, path: _loader_for(SourceFileLoader, name, path))


def _import_beside_as_source(file: Path) -> AbstractContextManager[None]:
    """A context in which what a user's file imports is compiled from its text."""

    def loader_of(name: str, path: str) -> SourceFileLoader:
        is_beside = is_installed(file.parent) and Path(path).is_relative_to(file.parent)
        is_plain = is_installed(Path(path)) and not is_beside
        return _loader_for(SourceFileLoader if is_plain else SourceLoader, name, path)

    return use_loaders(loader_of)


def _loader_for(other: type[SourceFileLoader], name: str, path: str) -> SourceFileLoader:
    """The loader of a package that offers models; else the other one."""
    if name.partition(".")[0] in sys.stdlib_module_names:
        return other(name, path)
    tops = {offer.value.partition(":")[0].partition(".")[0] for offer in offers()}
    return (OfferedLoader if name.partition(".")[0] in tops else other)(name, path)


def load_file(file: Path) -> ModuleType:
    """A user's file as a module, and again once its text, or that of another module of users, is another.

    Raises ModelError, at the line.
    """
    _refuse_undecodable(file)
    _forget_changed()
    name = f"isrcheck_model_{file.stem}_{abs(hash(str(file))):x}"
    if name in sys.modules:
        return sys.modules[name]
    for each in before_import:
        each(file)
    loader = SourceLoader(name, str(file))
    spec = importlib.util.spec_from_file_location(name, file, loader=loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    sys.path.insert(0, str(file.parent))
    process, streams = os.getpid(), (sys.stdout, sys.stderr)
    try:
        with _import_beside_as_source(file):
            loader.exec_module(module)
    except (KeyboardInterrupt, OutOfBudget):
        del sys.modules[name]
        raise
    except BaseException as error:
        del sys.modules[name]
        raise import_error(file, error) from None
    finally:
        if os.getpid() != process:
            os._exit(ModelError.exit_code)  # the file made this process; the answer is the other one's to give
        sys.stdout, sys.stderr = streams
        sys.path.remove(str(file.parent))
    for each in after_import:
        each(file)
    return module


def _forget_changed() -> None:
    """Have all modules of users imported again once the text of one is another: each may hold values of any."""
    modules = modules_from_source()
    if any(loader.has_changed() for loader in modules.values()):
        source_lines.cache_clear()
        importlib.invalidate_caches()
        for name in modules:
            _forget(name)


def _forget(name: str) -> None:
    """Remove a module from `sys.modules`, and from the package that names it, which need not be imported."""
    module = sys.modules.pop(name)
    package, _, attribute = name.rpartition(".")
    if vars(sys.modules.get(package, module)).get(attribute) is module:
        delattr(sys.modules[package], attribute)


def _refuse_undecodable(file: Path) -> None:
    """Refuse a file that CPython could not decode. Raises ModelError, at the byte."""
    remedy = "Save it as UTF-8, or name its encoding in the first line."
    try:
        source_text(file)
    except UnicodeDecodeError as error:
        before = error.object[: error.start].decode(error.encoding)
        at = Place(str(file), before.count("\n") + 1, len(before.rpartition("\n")[2]))
        sentence = f"the file is not {error.encoding}: byte 0x{error.object[error.start]:02x} stands here."
        raise ModelError(at, sentence, remedy) from None
    except SyntaxError as error:
        raise ModelError(Place(str(file), 1), f"the file cannot be decoded: {error.msg}.", remedy) from None
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {error.strerror or error}.") from None


def import_error(file: Path, error: BaseException) -> ModelError:
    """Turn what a file raised when it was imported into an error at its line."""
    if isinstance(error, ModelError):
        return error
    line, column = 0, 0
    frames = [f for f in traceback.extract_tb(error.__traceback__) if f.filename == str(file)]
    if isinstance(error, SyntaxError) and error.filename == str(file):
        line, column = error.lineno or 0, (error.offset or 1) - 1
        sentence = f"the file does not import: {error.msg}."
    elif isinstance(error, RecursionError | MemoryError) and not frames:
        sentence = "the file does not import: an expression is nested more deeply than Python itself takes."
    else:
        line, column = (frames[-1].lineno or 0, frames[-1].colno or 0) if frames else (0, 0)
        column = character(str(file), line, column)
        sentence = f"the file does not import: {type(error).__name__}: {error}."
    if isinstance(error, SystemExit):
        sentence = f"the file ends the process when it is imported (SystemExit: {error.code})."
    return ModelError(Place(str(file), line, column, 10_000), sentence, "Mend it; `python FILE.py` shows the same.")


def is_pattern(name: str) -> bool:
    return bool(_PATTERN.search(name))


def match_models(patterns: Iterable[str], place: str) -> tuple[str, ...]:
    """The names of the models that patterns match, in the list's order; ! excludes. Raises UsageError at the place."""
    known = models_by_name()
    selection: dict[str, None] = {}
    for pattern in patterns:
        if ".py" in pattern:
            selection[pattern] = None
            continue
        wanted = pattern.removeprefix("!")
        names = [name for name in known if fnmatchcase(name, wanted)]
        names = names or [name for name in known if fold_name(name) == fold_name(wanted)]
        if not names:
            raise UsageError(f"{place}: there is no model {pattern}.{nearest(pattern, known)}")
        for name in names:
            if pattern.startswith("!"):
                selection.pop(name, None)
            else:
                selection[name] = None
    if not selection:
        raise UsageError(f"{place}: the patterns leave no model: write those with ! last.")
    return tuple(selection)
