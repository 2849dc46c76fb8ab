"""All that one reading of a file finds: each model's declarations, with place, role and hover text; problems."""

import ast
import hashlib
import inspect
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from isrcheck.editor.facts import DeclaredName, FileFacts, Location, ModelFacts, Problem, TextSpan
from isrcheck.editor.reading.hover import Hovers
from isrcheck.editor.reading.imports import all_texts
from isrcheck.editor.reading.load import load, models_of
from isrcheck.editor.reading.problems import ReadModel, fix_of, lower_too, read
from isrcheck.errors import ModelError, UsageError
from isrcheck.ir.property_kinds import PropertyKind
from isrcheck.lang.declare import Constant, Model, mark_of
from isrcheck.lang.hooks import is_special
from isrcheck.lang.source import class_tree, model_files
from isrcheck.place import Place, character, source_bytes, source_line


def symbols_of(model: ReadModel) -> Iterator[DeclaredName]:
    """Base classes first, as written; of a name that a variant gives another meaning, the last."""
    hovers = Hovers(model)
    symbols: dict[str, DeclaredName] = {}
    for owner in reversed(model.cls.__mro__):
        if issubclass(owner, Model) and owner is not Model:
            for symbol in _own(owner, hovers, symbols):
                symbols[symbol.name] = symbol
    yield from symbols.values()


def location_of_class(cls: type) -> Location:
    """The place of a class. Raises ModelError if its text is not known."""
    file, tree = class_tree(cls)
    return location(file, tree)


def _own(owner: type[Model], hovers: Hovers, before: dict[str, DeclaredName]) -> Iterator[DeclaredName]:
    try:
        file, tree = class_tree(owner)
    except ModelError:
        return
    for name, node in _nodes(tree):
        value = vars(owner).get(name)
        if is_special(name):
            continue
        known = before.get(name)
        if isinstance(node, ast.FunctionDef) and inspect.isfunction(value):
            mark = mark_of(value).role
            role, kind = ("property", mark.name) if isinstance(mark, PropertyKind) else (mark, mark)
            if known and known.role == "policy":
                role = kind = "policy"
            is_filling = known is not None and role == "policy"
            opened = (known.opened or known.at) if known and is_filling else None
            opened_by = (known.opened_by or known.owner) if known and is_filling else ""
        elif isinstance(node, ast.AnnAssign):
            is_constant = isinstance(value, Constant)
            role = kind = "constant" if is_constant or (known and known.role == "constant") else "variable"
            opened, opened_by = None, ""
        else:
            continue
        doc = inspect.getdoc(value) if inspect.isfunction(value) else ""
        by = f"of {opened_by}, filled by {owner.__name__}" if opened_by else f"of {owner.__name__}"
        rest = [_signature(node), doc or ""] if isinstance(node, ast.FunctionDef) and role == "policy" else [doc or ""]
        hover = hovers.of(name, role, kind, by, rest)
        yield DeclaredName(
            name=name,
            role=role,
            kind=kind,
            owner=owner.__name__,
            at=location(file, node),
            hover=hover,
            opened=opened,
            opened_by=opened_by,
        )


def _signature(method: ast.FunctionDef) -> str:
    """The parameters and the result of a policy as text, without self."""
    parameters = ", ".join(map(ast.unparse, method.args.args[1:]))
    return f"`({parameters}) -> {ast.unparse(method.returns) if method.returns else '?'}`"


def _nodes(block: ast.AST) -> Iterator[tuple[str, ast.AnnAssign | ast.FunctionDef]]:
    """Yield the declarations of a class body, compound statements included."""
    for node in ast.iter_child_nodes(block):
        match node:
            case ast.AnnAssign(ast.Name(name)) | ast.FunctionDef(name):
                yield name, node
            case ast.ClassDef() | ast.expr():
                continue
            case ast.stmt() | ast.ExceptHandler() | ast.match_case():
                yield from _nodes(node)


def location(file: str, node: ast.AnnAssign | ast.FunctionDef | ast.ClassDef) -> Location:
    """Decorators included."""
    first = min([node.lineno, *(each.lineno for each in getattr(node, "decorator_list", []))])
    start = character(file, node.lineno, node.col_offset)
    end_line = node.end_lineno or node.lineno
    end = character(file, end_line, node.end_col_offset or 0)
    definition = TextSpan(first, start, end_line, end)
    name = ast.unparse(node.target) if isinstance(node, ast.AnnAssign) else node.name
    at = source_line(file, node.lineno).find(name, start)
    return Location(file, definition, TextSpan(node.lineno, at, node.lineno, at + len(name)))


def facts_of(file: Path, memory: int, lowered: bool) -> FileFacts:
    """Facts of every model that a file defines; with `lowered`, each is lowered at the default constants, too."""
    try:
        module = load(file)
    except ModelError as error:
        return FileFacts((_problem(_of_memory(error, memory), file),), ())
    except UsageError as error:
        return FileFacts((Problem(str(file), TextSpan(1, 0, 1, 0), str(error)),), ())
    models = [read(cls) for cls in models_of(module)]
    models = [lower_too(each) for each in models] if lowered else models
    return FileFacts(tuple(_problems(models, file)), tuple(_models(models)))


def _of_memory(error: ModelError, memory: int) -> ModelError:
    if not (isinstance(error.__context__, MemoryError) and "MemoryError" in error.sentence):
        return error
    sentence = f"the file takes more than the {memory >> 20:,} MiB that it may use while it is read."
    return ModelError(error.place, sentence, "Make no large value when the file is imported.")


def _problems(models_read: Iterable[ReadModel], file: Path) -> Iterator[Problem]:
    """Yield each error once; an error of a base class belongs to all models that have it."""
    by_error: dict[tuple[Place, str, str], list[ReadModel]] = {}
    for each in models_read:
        for error in each.errors:
            by_error.setdefault((error.place, error.sentence, error.remedy), []).append(each)
    for (place, sentence, remedy), models in by_error.items():
        names = tuple(each.cls.__name__ for each in models)
        yield _problem(ModelError(place, sentence, remedy), file, names, all(each.is_base for each in models))


def _problem(error: ModelError, file: Path, models: tuple[str, ...] = (), is_of_base: bool = False) -> Problem:
    place = error.place
    fix = None
    with suppress(SyntaxError, RecursionError):  # of a text that does not parse nothing is known
        fix = fix_of(error)
    return Problem(
        file=place.file or str(file),
        span=span_of(place),
        sentence=error.sentence,
        remedy=error.remedy,
        models=models,
        fix=fix,
        is_of_base=is_of_base,
    )


def span_of(place: Place) -> TextSpan:
    """The span of a place; a place without columns is its line without the white space around."""
    source, line = source_line(place.file, place.line), max(place.line, 1)
    if place.column == 0:
        start, end = len(source) - len(source.lstrip()), place.end_column or len(source)
    else:
        start, end = place.column, max(place.end_column, place.column + 1)
    end = max(min(end, len(source.rstrip())), 0)
    return TextSpan(line, min(start, end), line, end)


def _models(models_read: Iterable[ReadModel]) -> Iterator[ModelFacts]:
    for each in models_read:
        with suppress(ModelError):  # a class without text has its error already
            at = location_of_class(each.cls)
            files = all_texts(map(str, model_files(each.ir)) if each.ir else _files(each.cls, at.file))
            doc = (each.cls.__doc__ or "").strip()
            symbols = tuple(symbols_of(each))
            yield ModelFacts(
                name=each.cls.__name__,
                at=at,
                hover=doc,
                symbols=symbols,
                open=each.open,
                files=files,
                digest=digest_of(files),
            )


def _files(cls: type[Model], own: str) -> Iterator[str]:
    yield own
    for base in cls.__mro__[1:]:
        with suppress(ModelError):
            if issubclass(base, Model) and base is not Model:
                yield location_of_class(base).file


def digest_of(files: Iterable[str]) -> str:
    """The digest of the files as they are now; an unreadable file counts as empty."""
    digest = hashlib.sha256()
    for file in sorted(set(files)):
        content = b""
        with suppress(OSError):
            content = source_bytes(file)
        digest.update(f"{file}\n{len(content)}\n".encode(errors="surrogateescape") + content)
    return digest.hexdigest()
