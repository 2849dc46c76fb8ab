"""The server's answers, by the protocol's names; and how the server begins and ends."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from lsprotocol import types

from isrcheck.editor.facts import DeclaredName, ModelFacts
from isrcheck.editor.server import show
from isrcheck.editor.server.app import EditorServer
from isrcheck.editor.server.commands import check, explore, prove
from isrcheck.editor.server.documents import ModelFile, ServerLimits, path_of


def register(server: EditorServer) -> None:
    for name, feature in _FEATURES.items():
        server.feature(name)(feature)
    for command in (check, explore, prove):
        server.command(f"isrcheck.{command.__name__}")(command)


async def _on_initialized(ls: EditorServer, _: types.InitializedParams) -> None:
    workspace = ls.client_capabilities.workspace
    watched = workspace.did_change_watched_files if workspace else None
    if watched and watched.dynamic_registration:
        options = types.DidChangeWatchedFilesRegistrationOptions([types.FileSystemWatcher("**/*.py")])
        files = types.Registration("isrcheck.files", types.WORKSPACE_DID_CHANGE_WATCHED_FILES, options)
        ls.client_register_capability(types.RegistrationParams([files]))


def _read_now(ls: EditorServer, params: types.DidOpenTextDocumentParams | types.DidSaveTextDocumentParams) -> None:
    if file := path_of(params.text_document.uri):
        ls.documents.read_again(file, 0.0)


def _on_change(ls: EditorServer, params: types.DidChangeTextDocumentParams) -> None:
    if file := path_of(params.text_document.uri):
        ls.documents.read_again(file)


def _on_close(ls: EditorServer, params: types.DidCloseTextDocumentParams) -> None:
    if file := path_of(params.text_document.uri):
        ls.close(file)


def _on_change_on_disk(ls: EditorServer, params: types.DidChangeWatchedFilesParams) -> None:
    for change in params.changes:
        if file := path_of(change.uri):
            ls.documents.read_dependents_again(file)


async def _shutdown(ls: EditorServer, *_: Any) -> None:
    await ls.end()


async def _current_file(ls: EditorServer, document: types.TextDocumentIdentifier) -> ModelFile | None:
    file = path_of(document.uri)
    return await ls.documents.current(file) if file else None


async def _outline(ls: EditorServer, params: types.DocumentSymbolParams) -> list[types.DocumentSymbol]:
    known = await _current_file(ls, params.text_document)
    return show.outline(known, ls.texts) if known else []


async def _lenses(ls: EditorServer, params: types.CodeLensParams) -> list[types.CodeLens]:
    known = await _current_file(ls, params.text_document)
    return list(show.lenses(known, ls.documents.open(), ls.book, ls.texts)) if known else []


async def _name_at(
    ls: EditorServer, document: types.TextDocumentIdentifier, position: types.Position
) -> tuple[ModelFacts, DeclaredName | None] | None:
    known = await _current_file(ls, document)
    if known is None:
        return None
    line, column = ls.texts.place(known.file, position)
    return show.name_at(known, line, column, ls.texts)


async def _hover(ls: EditorServer, params: types.HoverParams) -> types.Hover | None:
    model_and_symbol = await _name_at(ls, params.text_document, params.position)
    if model_and_symbol is None:
        return None
    model, symbol = model_and_symbol
    markdown = symbol.hover if symbol else f"**{model.name}**\n\n{model.hover}"
    return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, markdown))


async def _definition(ls: EditorServer, params: types.DefinitionParams) -> types.Location | None:
    """The definition of a policy alone: other names are the business of the editor's Python."""
    model_and_symbol = await _name_at(ls, params.text_document, params.position)
    symbol = model_and_symbol[1] if model_and_symbol else None
    if symbol is None or symbol.role != "policy":
        return None
    at = symbol.opened or symbol.at
    return types.Location(ls.texts.uri(at.file), ls.texts.range(at))


_FEATURES: dict[str, Callable[..., Any]] = {
    types.INITIALIZED: _on_initialized,
    types.TEXT_DOCUMENT_DID_OPEN: _read_now,
    types.TEXT_DOCUMENT_DID_CHANGE: _on_change,
    types.TEXT_DOCUMENT_DID_SAVE: _read_now,
    types.TEXT_DOCUMENT_DID_CLOSE: _on_close,
    types.WORKSPACE_DID_CHANGE_WATCHED_FILES: _on_change_on_disk,
    types.SHUTDOWN: _shutdown,
    types.TEXT_DOCUMENT_DOCUMENT_SYMBOL: _outline,
    types.TEXT_DOCUMENT_CODE_LENS: _lenses,
    types.TEXT_DOCUMENT_HOVER: _hover,
    types.TEXT_DOCUMENT_DEFINITION: _definition,
}


def serve(limits: ServerLimits) -> None:
    """Serve on standard input and output, which this process uses for nothing else."""
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    with Path(os.devnull).open("rb") as null:
        os.dup2(null.fileno(), 0)
    os.dup2(2, 1)
    server = EditorServer(limits)
    register(server)
    try:
        server.start_io(requests, answers)
    finally:
        shutil.rmtree(server.folder, ignore_errors=True)
