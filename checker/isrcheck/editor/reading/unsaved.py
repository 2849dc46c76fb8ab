"""Text that an editor has and the disk has not, as if it were on disk.

For a process that reads once and ends: it changes how this Python imports.
"""

import io
import tokenize
from collections.abc import Mapping
from importlib.machinery import SourceFileLoader
from typing import Any

from isrcheck import place

_stats_on_disk = SourceFileLoader.path_stats
_data_on_disk = SourceFileLoader.get_data


def take(texts: Mapping[str, str]) -> None:
    """Modules of these files are compiled from these texts, and the reader compares with the same."""
    place.unsaved.update({file: _as_saved(source) for file, source in texts.items()})
    SourceFileLoader.path_stats = _path_stats  # type: ignore[assignment,method-assign]  # all imports end there
    SourceFileLoader.get_data = _get_data  # type: ignore[method-assign,assignment]  # likewise


def _as_saved(source: str) -> bytes:
    """Encode a text as its first lines name the encoding."""
    data = source.encode(errors="surrogatepass")
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        return source.encode("utf-8" if encoding == "utf-8-sig" else encoding)
    except (SyntaxError, UnicodeEncodeError, LookupError):
        return data  # CPython will say the same of it


def _path_stats(loader: SourceFileLoader, path: str) -> Any:
    if path in place.unsaved:
        raise OSError(f"{path} is not saved")  # so that no bytecode is read or written
    return _stats_on_disk(loader, path)


def _get_data(loader: SourceFileLoader, path: str) -> bytes:
    known = place.unsaved.get(path)
    return _data_on_disk(loader, path) if known is None else known
