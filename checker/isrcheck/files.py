"""Writing files so that nothing is ever half there: aside first, then moved into place."""

import os
import tempfile
from pathlib import Path

from isrcheck.errors import UsageError


def write_aside(file: Path, content: str | bytes) -> None:
    """A whole file, text as UTF-8, or the one that was there before. Raises UsageError if it cannot be written.

    A pipe or a device is written to as it is: moving a file there would put it in the place of, say, /dev/null.
    """
    data = content.encode() if isinstance(content, str) else content
    try:
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
    except OSError as error:
        raise UsageError(f"{file} cannot be written: {error.strerror or error}.") from None


def umask() -> int:
    """The permissions that new files do not get."""
    mask = os.umask(0)
    os.umask(mask)
    return mask


def file_stem(model: str) -> str:
    """A model's name as part of a file's name, which is never hidden."""
    return "".join(c if c.isalnum() or c in "-_." else "-" for c in model).lstrip(".-") or "model"
