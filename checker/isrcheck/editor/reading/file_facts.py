"""All that one reading of a file finds: each model's declarations, with place, role and hover text; problems."""

import ast
import hashlib
import inspect
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from isrcheck.editor.facts import DeclaredName, FileFacts, ModelFacts, Problem, ReadFile
from isrcheck.editor.reading.hover import Hovers
from isrcheck.editor.reading.load import argument_of, files_behind, load, models_of
from isrcheck.editor.reading.problems import ReadModel, lower_too, read
from isrcheck.errors import ModelError, UsageError
from isrcheck.ir.frozen import replace
from isrcheck.ir.property_kinds import PropertyKind
from isrcheck.lang.declare import Constant, Model, mark_of
from isrcheck.lang.hooks import is_special
from isrcheck.lang.source import class_tree, model_files
from isrcheck.place import Place, character, source_bytes, source_line


def symbols_of(model: ReadModel) -> Iterator[DeclaredName]:
    """Base classes first, as written; of a name that a variant gives another meaning, the last."""
    hovers = Hovers(model)
    symbols: dict[str, DeclaredName] = {}
    policies: dict[str, DeclaredName] = {}  # as first declared
    for owner in reversed(model.cls.__mro__):
        if issubclass(owner, Model) and owner is not Model:
            with suppress(ModelError):
                for symbol in _list_names(owner, hovers, symbols, policies):
                    symbols[symbol.name] = symbol
                    if symbol.role == "policy":
                        policies.setdefault(symbol.name, symbol)
    yield from symbols.values()


def _list_names(
    owner: type[Model], hovers: Hovers, before: dict[str, DeclaredName], policies: dict[str, DeclaredName]
) -> Iterator[DeclaredName]:
    """Yield the names that a class declares. Raises ModelError if its text is not known."""
    file, tree = class_tree(owner)
    for name, node in _nodes(tree):
        value, known = vars(owner).get(name), before.get(name)
        opened, rest, by = policies.get(name), [""], f"of {owner.__name__}"
        if is_special(name):
            continue
        if isinstance(node, ast.FunctionDef) and inspect.isfunction(value):
            mark = "policy" if opened else mark_of(value).role
            role, kind = ("property", mark.name) if isinstance(mark, PropertyKind) else (mark, mark)
            rest = [_signature(node)] * (role == "policy") + [inspect.getdoc(value) or ""]
            by = f"of {opened.owner}, filled by {owner.__name__}" if opened else by
        elif isinstance(node, ast.AnnAssign):
            is_constant = isinstance(value, Constant) or (known is not None and known.role == "constant")
            role = kind = "constant" if is_constant else "variable"
        else:
            continue
        hover = hovers.describe(name, role, kind, by, rest)
        at = place_of_name(file, node, name)
        yield DeclaredName(name, role, owner.__name__, at, hover, opened.at if opened else None)


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


def place_of_name(file: str, node: ast.AnnAssign | ast.FunctionDef | ast.ClassDef, name: str) -> Place:
    """The place of the name in its declaration."""
    start = character(file, node.lineno, node.col_offset)
    column = source_line(file, node.lineno).find(name, start)
    return Place(file, node.lineno, column, column + len(name))


def facts_of(request: ReadFile, memory: int) -> FileFacts:
    """Facts of every model that a file defines."""
    file = Path(request.file)
    try:
        module = load(file)
    except ModelError as error:
        return FileFacts((_problem(_of_memory(error, memory), file),), ())
    except UsageError as error:
        return FileFacts((Problem(Place(str(file), 1), str(error)),), ())
    models = [read(cls) for cls in models_of(module)]
    models = [lower_too(each) for each in models] if request.lowered else models
    facts = FileFacts(tuple(_problems(models, file)), tuple(_models(models)))
    if not request.named:
        return facts
    return replace(facts, arguments={each.cls.__name__: argument_of(file, each.cls) for each in models})


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
    at = place_shown(error.place)
    return Problem(at if at.file else replace(at, file=str(file)), error.sentence, error.remedy, models, is_of_base)


def place_shown(place: Place) -> Place:
    """Return a place within its line; one without columns is its line without the white space around."""
    source = source_line(place.file, place.line)
    if place.column == 0:
        start, end = len(source) - len(source.lstrip()), place.end_column or len(source)
    else:
        start, end = place.column, max(place.end_column, place.column + 1)
    end = max(min(end, len(source.rstrip())), 0)
    return Place(place.file, max(place.line, 1), min(start, end), end)


def _models(models_read: Iterable[ReadModel]) -> Iterator[ModelFacts]:
    for each in models_read:
        with suppress(ModelError):  # a class without text has its error already
            file, tree = class_tree(each.cls)
            files = files_behind(map(str, model_files(each.ir)) if each.ir else _files(each.cls))
            yield ModelFacts(
                name=each.cls.__name__,
                at=place_of_name(file, tree, tree.name),
                last_line=tree.end_lineno or tree.lineno,
                hover=(each.cls.__doc__ or "").strip(),
                symbols=tuple(symbols_of(each)),
                open=each.open,
                files=files,
                digest=digest_of(files),
            )


def _files(cls: type[Model]) -> Iterator[str]:
    for base in cls.__mro__:
        with suppress(ModelError):
            if issubclass(base, Model) and base is not Model:
                yield class_tree(base)[0]


def digest_of(files: Iterable[str]) -> str:
    """The digest of the files as they are now; an unreadable file counts as empty."""
    digest = hashlib.sha256()
    for file in sorted(set(files)):
        content = b""
        with suppress(OSError):
            content = source_bytes(file)
        digest.update(f"{file}\n{len(content)}\n".encode(errors="surrogateescape") + content)
    return digest.hexdigest()
