"""All that one reading of a file finds."""

import hashlib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from isrcheck.editor.facts import FileFacts, ModelFacts, Problem, TextSpan
from isrcheck.editor.reading.fixes import fix_of
from isrcheck.editor.reading.imports import all_texts
from isrcheck.editor.reading.load import load, models_of
from isrcheck.editor.reading.problems import ReadModel, lowered_too, read
from isrcheck.editor.reading.symbols import location_of_class, symbols_of
from isrcheck.errors import ModelError, UsageError
from isrcheck.lang.declare import Model
from isrcheck.lang.source import model_files
from isrcheck.place import Place, source_bytes, source_line


def facts_of(file: Path, memory: int, lowered: bool) -> FileFacts:
    """Of every model written in it, as the command line reads it; if asked, lowered at the default constants."""
    try:
        module = load(file)
    except ModelError as error:
        return FileFacts((_problem(_of_memory(error, memory), file),), ())
    except UsageError as error:
        return FileFacts((Problem(str(file), TextSpan(1, 0, 1, 0), str(error)),), ())
    found = [read(cls) for cls in models_of(module)]
    found = [lowered_too(each) for each in found] if lowered else found
    return FileFacts(tuple(_problems(found, file)), tuple(_models(found)))


def _of_memory(error: ModelError, memory: int) -> ModelError:
    if not (isinstance(error.__context__, MemoryError) and "MemoryError" in error.sentence):
        return error
    sentence = f"the file takes more than the {memory >> 20:,} MiB that it may use while it is read."
    return ModelError(error.place, sentence, "Make no large value when the file is imported.")


def _problems(found: Iterable[ReadModel], file: Path) -> Iterator[Problem]:
    """An error of a base class once, for all models that have it."""
    by_error: dict[tuple[Place, str, str], list[ReadModel]] = {}
    for each in found:
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
    return Problem(place.file or str(file), span_of(place), error.sentence, error.remedy, models, fix, is_of_base)


def span_of(place: Place) -> TextSpan:
    """Of a place without columns, and of one that begins a line, without the white space around."""
    text, line = source_line(place.file, place.line), max(place.line, 1)
    if place.column == 0:
        start, end = len(text) - len(text.lstrip()), place.end_column or len(text)
    else:
        start, end = place.column, max(place.end_column, place.column + 1)
    end = max(min(end, len(text.rstrip())), 0)
    return TextSpan(line, min(start, end), line, end)


def _models(found: Iterable[ReadModel]) -> Iterator[ModelFacts]:
    for each in found:
        with suppress(ModelError):  # a class without text has its error already
            at = location_of_class(each.cls)
            files = all_texts(map(str, model_files(each.ir)) if each.ir else _files(each.cls, at.file))
            doc = (each.cls.__doc__ or "").strip()
            symbols = tuple(symbols_of(each))
            yield ModelFacts(each.cls.__name__, at, doc, symbols, each.open, files, digest_of(files))


def _files(cls: type[Model], own: str) -> Iterator[str]:
    yield own
    for base in cls.__mro__[1:]:
        with suppress(ModelError):
            if issubclass(base, Model) and base is not Model:
                yield location_of_class(base).file


def digest_of(files: Iterable[str]) -> str:
    """Of texts as they are now; what cannot be read counts as empty."""
    digest = hashlib.sha256()
    for file in sorted(set(files)):
        text = b""
        with suppress(OSError):
            text = source_bytes(file)
        digest.update(f"{file}\n{len(text)}\n".encode(errors="surrogateescape") + text)
    return digest.hexdigest()
