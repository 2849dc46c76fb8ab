"""Positions of an editor, in its own units, and those of `Place`."""

from pathlib import Path

from lsprotocol import types
from pygls import uris
from pygls.workspace import PositionCodec, TextDocument, Workspace

from isrcheck.editor.facts import Location, TextSpan
from isrcheck.place import source_text


class Texts:
    """The texts of files as the editor has them, else as they are on disk."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    @property
    def _codec(self) -> PositionCodec:
        return self._workspace.position_codec

    def texts_of_open_files(self) -> dict[str, str]:
        """The texts of all open files by path."""
        return {file: document.source for file, document in self._open().items()}

    def _open(self) -> dict[str, TextDocument]:
        documents = self._workspace.text_documents.values()
        return {path: each for each in documents if (path := path_of(each.uri))}

    def uri(self, file: str) -> str:
        """The URI of a file, as the client spells it if the file is open."""
        document = self._open().get(file)
        return uris.from_fs_path(file) or "" if document is None else document.uri

    def source(self, file: str) -> str:
        """The source of a file; empty if it cannot be read."""
        document = self._open().get(file)
        if document is not None:
            return document.source
        try:
            return source_text(file)
        except (OSError, SyntaxError, UnicodeDecodeError):
            return ""

    def lines(self, file: str) -> list[str]:
        """The lines of a file as CPython counts them."""
        return [line.rstrip("\r") for line in self.source(file).split("\n")]

    def range(self, file: str, span: TextSpan, lines: list[str] | None = None) -> types.Range:
        """A span in the client's units."""
        start = types.Position(max(span.line - 1, 0), span.column)
        end = types.Position(max(span.end_line - 1, 0), span.end_column)
        every_line = self.lines(file) if lines is None else lines
        return self._codec.range_to_client_units(every_line, types.Range(start, end))

    def location(self, at: Location) -> types.Location:
        """The location of a definition's name."""
        return types.Location(self.uri(at.file), self.range(at.file, at.name_span))

    def place(self, file: str, position: types.Position) -> tuple[int, int]:
        """Line from 1, column in characters."""
        in_characters = self._codec.position_from_client_units(self.lines(file), position)
        return in_characters.line + 1, in_characters.character


def path_of(uri: str) -> str:
    """Empty for what is not a file."""
    path = uris.to_fs_path(uri) if uri.startswith("file:") else None
    return str(Path(path).resolve()) if path else ""
