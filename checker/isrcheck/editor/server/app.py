"""The server and its state. What it answers is in `features.py` and `commands.py`."""

import asyncio
import tempfile
from pathlib import Path
from typing import Any

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from isrcheck.editor.facts import Problem
from isrcheck.editor.reading.load import packages
from isrcheck.editor.server import show
from isrcheck.editor.server.documents import Documents, ModelFile, Readers, ServerLimits, Texts
from isrcheck.editor.server.show import VerdictBook
from isrcheck.version import __version__


class EditorServer(LanguageServer):
    """The server: open documents, facts of them, runs. It imports no file of a user."""

    def __init__(self, limits: ServerLimits) -> None:
        super().__init__("isrcheck", __version__)
        self.limits = limits
        self.readers = Readers(limits, self.log)
        names = frozenset({"isrcheck", *packages()})
        self.documents = Documents(self.readers, lambda: self.texts, names, self.publish)
        self.book: VerdictBook = {}
        self.folder = Path(tempfile.mkdtemp(prefix="isrcheck-lsp-"))
        self.runs: dict[tuple[str, str, str], asyncio.Task[Any]] = {}
        self._published: dict[str, set[str]] = {}

    @property
    def texts(self) -> Texts:
        return Texts(self.workspace)

    def log(self, sentence: str, kind: types.MessageType = types.MessageType.Warning) -> None:
        self.window_log_message(types.LogMessageParams(kind, f"isrcheck: {sentence}"))

    def tell(self, sentence: str, kind: types.MessageType = types.MessageType.Error) -> None:
        self.window_show_message(types.ShowMessageParams(kind, f"isrcheck: {sentence}"))

    def shutdown(self) -> None:
        """End, whatever the client may still say: a thread waits for it."""
        self.readers.kill()
        self.thread_pool.shutdown(wait=False)

    async def publish(self, known: ModelFile) -> None:
        """The problems of a file, and those that it has found in others."""
        targets = {known.file, *(problem.at.file for problem in known.problems)}
        for target in targets | self._published.get(known.file, set()):
            self._publish_file(target)
        self._published[known.file] = targets
        if any("a fault of isrcheck itself" in problem.sentence for problem in known.problems):
            self.log(known.problems[0].sentence, types.MessageType.Error)
        if self.book:
            self.refresh()

    def _publish_file(self, file: str) -> None:
        problems: dict[tuple[object, str], Problem] = {}
        for known in self.documents.open():
            problems.update({(p.at, p.sentence): p for p in known.problems if p.at.file == file})
        uri = self.texts.uri(file)
        document = self.workspace.text_documents.get(uri)
        shown = show.diagnostics(problems.values(), self.texts)
        version = None if document is None else document.version
        self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, shown, version))

    def close(self, file: str) -> None:
        """Forget a file that the editor closed, and withdraw the problems that it showed."""
        self.documents.forget(file)
        for target in self._published.pop(file, {file}):
            self._publish_file(target)

    def refresh(self) -> None:
        """Have the client ask for its lenses again, if it can."""
        workspace = self.client_capabilities.workspace
        if workspace and workspace.code_lens and workspace.code_lens.refresh_support:
            self.workspace_code_lens_refresh(None)

    async def end(self) -> None:
        """Leave nothing running."""
        for task in self.runs.values():
            task.cancel()
        await self.readers.close()
