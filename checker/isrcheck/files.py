"""Files, written aside first and then moved into place; and read as JSON."""

import codecs
import csv
import io
import json
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from isrcheck.errors import UsageError
from isrcheck.wrap import plain


@cache
def read_beside(module: str, name: str) -> str:
    """Return the contents of a file in the folder of a module, which is given by its own file."""
    return Path(module).with_name(name).read_text(encoding="utf-8")


def write_aside(file: Path, content: str | bytes) -> None:
    """All or nothing, but for pipes and devices, which are written to as they are. Raises UsageError."""
    import tempfile  # here: it takes 0.02 s to import

    data = content.encode(errors="backslashreplace") if isinstance(content, str) else content
    with refuse_unwritable(file):
        if file.exists() and not file.is_file() and not file.is_dir():
            with file.open("wb") as stream:
                stream.write(data)
            return
        file.parent.mkdir(parents=True, exist_ok=True)
        handle, aside = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.")
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(data)
            Path(aside).chmod(0o666 & ~umask())
            Path(aside).replace(file)
        except BaseException:
            Path(aside).unlink(missing_ok=True)
            raise


@contextmanager
def refuse_unwritable(file: Path | str) -> Iterator[None]:
    """Turn the OSError of a file, or a folder, that cannot be written into a UsageError."""
    try:
        yield
    except OSError as error:
        why = os.strerror(error.errno) if error.errno else error
        raise UsageError(f"{file} cannot be written: {why}.") from None


@contextmanager
def replace_folder(folder: Path) -> Iterator[Path]:
    """A context with a new folder, put in this one's place at the end. Raises UsageError; nothing has changed then."""
    import tempfile  # here: it takes 0.02 s to import

    with refuse_unwritable(folder):
        folder.parent.mkdir(parents=True, exist_ok=True)
        prefix = f".{folder.name}."
        with tempfile.TemporaryDirectory(dir=folder.parent, prefix=prefix, ignore_cleanup_errors=True) as room:
            fresh, old = Path(room) / "new", Path(room) / "old"
            fresh.mkdir()
            yield fresh
            try:
                if folder.exists():
                    folder.rename(old)
                fresh.rename(folder)
            finally:
                if old.exists() and not folder.exists():
                    old.rename(folder)


def read_json(file: Path, kind: str, writer: str, schema: str) -> dict[str, Any]:
    """Read data of a schema that `writer` wrote. Raises UsageError."""
    try:
        data = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise unreadable(file, kind, f"give a JSON file that `{writer}` wrote", error) from None
    except (ValueError, RecursionError):
        raise UsageError(f"{file} is not {kind}, or was cut short: it is not whole JSON.") from None
    actual = data.get("schema") if isinstance(data, dict) else None
    if actual != schema:
        came = f"schema {actual}" if actual else "no schema"
        raise UsageError(f"{file} is not {kind} of this version: it has {came}, and {schema} was expected.")
    return dict(data)


def unreadable(file: Path, kind: str, remedy: str, error: Exception) -> UsageError:
    """Return the refusal of a file that cannot be read; one that is missing, or is a folder, is said to be."""
    name = plain(str(file))
    match error:
        case FileNotFoundError():
            return UsageError(f"there is no file {name}: {remedy}.")
        case IsADirectoryError():
            return UsageError(f"{name} is a folder, not {kind}: {remedy}.")
    return UsageError(f"{name} cannot be read as {kind}: {remedy}.")


def as_json(data: Any) -> str:
    """Data as the text of a JSON file."""
    return json.dumps(data, indent=1, ensure_ascii=False) + "\n"


def as_csv(rows: Iterable[Iterable[Any]]) -> str:
    """Rows as CSV; what a spreadsheet would take for a formula begins with an apostrophe."""
    stream = io.StringIO()
    csv.writer(stream, lineterminator="\n").writerows(map(_inert, row) for row in rows)
    return stream.getvalue()


def _inert(value: Any) -> Any:
    return f"'{value}" if isinstance(value, str) and value[:1] in tuple("=+-@\t\r") else value


def print_anything() -> None:
    """Make the standard streams take every text, whatever the locale."""
    for stream in (sys.stdout, sys.stderr):
        if not isinstance(stream, io.TextIOWrapper):
            continue
        if stream.isatty() and codecs.lookup(stream.encoding).name != "utf-8":
            stream.reconfigure(errors="replace")
        else:  # what UTF-8 cannot say are names of files that are not text
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")


def as_utf8(argument: str) -> str:
    """A word of the command line that the locale could not decode, as the UTF-8 that it is."""
    return argument.encode(errors="surrogateescape").decode(errors="surrogateescape")


def umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def file_stem(model: str) -> str:
    """A model's name as part of a file's name, which is never hidden."""
    return "".join(c if c.isalnum() or c in "-_." else "-" for c in model).lstrip(".-") or "model"


def refuse_another(folder: Path, mark: str, use: str, content: str, before: str) -> None:
    """Require that a folder is new, empty or has this mark. Raises UsageError."""
    if "".join(folder.parts[:1]).endswith(":"):  # s3:// and the like
        raise UsageError(f"{folder} is an address: give a mounted folder for the {use}, for a store renames nothing.")
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder} is a file: give a folder for the {use}, a new one or that of an earlier {before}.")
    if folder.is_dir() and any(folder.iterdir()) and not (folder / mark).is_file():
        raise UsageError(f"{folder} holds something else than {content}: give a folder that is new or empty.")


def read_mark(file: Path, schema: str, remedy: str) -> dict[str, Any]:
    """The mark of a folder. Raises UsageError for a file that is damaged or of another schema."""
    try:
        about = dict(json.loads(file.read_text(encoding="utf-8")))
        named_schema = about["schema"]
    except (OSError, ValueError, KeyError, TypeError):
        raise UsageError(f"{file} is damaged: {remedy}") from None
    if named_schema != schema:
        raise UsageError(f"{file} has the schema {named_schema}, and {schema} was expected: {remedy}")
    return about
