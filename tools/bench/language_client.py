"""A language client in a thread of its own, for callers that are plain functions."""

import asyncio
import sys
import threading
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

from lsprotocol import types
from pytest_lsp import LanguageClient, client_capabilities
from pytest_lsp.client import make_test_lsp_client

T = TypeVar("T")
PATIENCE = 120.0  # seconds, on a machine that does much else


class Editor:
    """An editor: documents are opened and edited, and answers waited for."""

    def __init__(self, loop: asyncio.AbstractEventLoop, client: LanguageClient) -> None:
        self._loop = loop
        self._versions: dict[str, int] = {}
        self._published: dict[str, types.PublishDiagnosticsParams] = {}
        self._news = asyncio.Condition()
        self.client = client
        self.outcomes: list[Any] = []
        self.refreshed = 0

    def listen(self) -> None:
        def refresh(params: None) -> None:
            self.refreshed += 1

        def outcome(params: Any) -> None:
            self.outcomes.append(params)

        def register(params: types.RegistrationParams) -> None:
            """Watch nothing: `save_elsewhere` says what changed."""

        self.client.feature("isrcheck/outcome")(outcome)
        self.client.feature(types.CLIENT_REGISTER_CAPABILITY)(register)
        self.client.feature(types.WORKSPACE_CODE_LENS_REFRESH)(refresh)
        shown = self.client.protocol.fm.features[types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS]

        async def publish(params: types.PublishDiagnosticsParams) -> None:
            shown(params)
            self._published[params.uri] = params
            async with self._news:
                self._news.notify_all()

        self.client.protocol.fm.features[types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS] = publish

    def wait(self, work: Awaitable[T]) -> T:
        async def limit() -> T:
            return await asyncio.wait_for(work, PATIENCE)

        return asyncio.run_coroutine_threadsafe(limit(), self._loop).result()

    def tell(self, call: Callable[[], object]) -> None:
        async def call_there() -> None:
            call()

        self.wait(call_there())

    def open(self, file: Path, content: str) -> list[types.Diagnostic]:
        """Open a file without writing it; return what is wrong in it."""
        uri = file.as_uri()
        self._versions[uri] = 1
        item = types.TextDocumentItem(uri, "python", 1, content)
        self.tell(lambda: self.client.text_document_did_open(types.DidOpenTextDocumentParams(item)))
        return self.problems(file)

    def edit(
        self, file: Path, content: str, at: types.Range | None = None, wait: bool = True
    ) -> list[types.Diagnostic]:
        """Replace the whole text, or a part of it."""
        uri = file.as_uri()
        self._versions[uri] += 1
        change = (
            types.TextDocumentContentChangePartial(at, content)
            if at
            else types.TextDocumentContentChangeWholeDocument(content)
        )
        document = types.VersionedTextDocumentIdentifier(version=self._versions[uri], uri=uri)
        params = types.DidChangeTextDocumentParams(document, [change])
        self.tell(lambda: self.client.text_document_did_change(params))
        return self.problems(file) if wait else []

    def close(self, file: Path) -> None:
        document = types.TextDocumentIdentifier(file.as_uri())
        self.tell(lambda: self.client.text_document_did_close(types.DidCloseTextDocumentParams(document)))

    def save_elsewhere(self, file: Path) -> None:
        """Another program has changed a file on disk."""
        params = types.DidChangeWatchedFilesParams([types.FileEvent(file.as_uri(), types.FileChangeType.Changed)])
        self.tell(lambda: self.client.workspace_did_change_watched_files(params))

    def problems(self, file: Path) -> list[types.Diagnostic]:
        uri = file.as_uri()

        async def latest() -> list[types.Diagnostic]:
            async with self._news:
                await self._news.wait_for(lambda: self._is_of_last_text(uri))
            return list(self._published[uri].diagnostics)

        return self.wait(latest())

    def problems_of(
        self, file: Path, wanted: Callable[[list[types.Diagnostic]], bool], seconds: float = PATIENCE
    ) -> list[types.Diagnostic]:
        """Return the problems when they are as wanted, or as they are after so long."""
        uri = file.as_uri()

        async def latest() -> list[types.Diagnostic]:
            async with self._news:
                waiting = self._news.wait_for(lambda: wanted(list(self._published[uri].diagnostics)))
                with suppress(TimeoutError):
                    await asyncio.wait_for(waiting, seconds)
            return list(self._published[uri].diagnostics)

        return self.wait(latest())

    def _is_of_last_text(self, uri: str) -> bool:
        return uri in self._published and self._published[uri].version == self._versions.get(uri)

    def hover(self, file: Path, position: types.Position) -> str:
        params = types.HoverParams(types.TextDocumentIdentifier(file.as_uri()), position)
        answer = self.wait(self.client.text_document_hover_async(params))
        if answer is None:
            return ""
        assert isinstance(answer.contents, types.MarkupContent)
        return answer.contents.value

    def lenses(self, file: Path) -> list[tuple[int, str]]:
        params = types.CodeLensParams(types.TextDocumentIdentifier(file.as_uri()))
        answer = self.wait(self.client.text_document_code_lens_async(params)) or []
        return [(lens.range.start.line + 1, lens.command.title) for lens in answer if lens.command]

    def run(self, command: str, file: Path, model: str) -> Any:
        params = types.ExecuteCommandParams(f"isrcheck.{command}", [file.as_uri(), model])
        return self.wait(self.client.workspace_execute_command_async(params))

    def begin(self, command: str, file: Path, model: str) -> "Future[Any]":
        params = types.ExecuteCommandParams(f"isrcheck.{command}", [file.as_uri(), model])

        async def execute() -> Any:
            return await self.client.workspace_execute_command_async(params)

        return asyncio.run_coroutine_threadsafe(execute(), self._loop)

    @property
    def process(self) -> int:
        server = self.client._server
        assert server is not None
        return server.pid


@contextmanager
def editor(folder: Path, *options: str) -> Iterator[Editor]:
    """Yield an editor of a workspace, in which it starts the server; that has ended without an error afterwards."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()

    async def begin() -> Editor:
        client = make_test_lsp_client()
        own = Editor(loop, client)
        own.listen()
        await client.start_io(sys.executable, "-P", "-m", "isrcheck", "lsp", *options, cwd=folder)
        capabilities = client_capabilities("visual-studio-code")
        workspace = types.WorkspaceFolder(folder.as_uri(), folder.name)
        await client.initialize_session(types.InitializeParams(capabilities, workspace_folders=[workspace]))
        return own

    async def end(own: Editor) -> int | None:
        server = own.client._server
        await own.client.shutdown_session()
        assert server is not None
        await asyncio.wait_for(server.wait(), PATIENCE)
        await own.client.stop()  # type: ignore[no-untyped-call]  # of pytest-lsp
        return server.returncode

    own = asyncio.run_coroutine_threadsafe(begin(), loop).result(PATIENCE)
    try:
        yield own
    finally:
        code = asyncio.run_coroutine_threadsafe(end(own), loop).result(PATIENCE)
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()
    assert code == 0
