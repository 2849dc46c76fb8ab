"""All that one reading of a file finds."""

import hashlib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from isrcheck.editor.facts import FileFacts, ModelFacts, Problem, TextSpan
from isrcheck.editor.reading.fixes import fix_of
from isrcheck.editor.reading.imports import all_texts
from isrcheck.editor.reading.load import load, models_of
from isrcheck.editor.reading.problems import ReadModel, lower_too, read
from isrcheck.editor.reading.symbols import location_of_class, symbols_of
from isrcheck.errors import ModelError, UsageError
from isrcheck.lang.declare import Model
from isrcheck.lang.source import model_files
from isrcheck.place import Place, source_bytes, source_line


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
