"""Open model files: each is read again soon after every edit, by a process that is started again when it ends."""

import asyncio
import re
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

from lsprotocol import types
from msgspec import DecodeError
from msgspec.json import decode, encode
from pygls import uris
from pygls.workspace import TextDocument, Workspace

from isrcheck.editor.facts import (
    Cancelling,
    FileFacts,
    ModelFacts,
    Problem,
    ReadFile,
    ReadingAnswer,
    ReadingEnded,
    ReadingResult,
)
from isrcheck.place import Place, source_text


class Texts:
    """The texts of files as the editor has them, else as they are on disk."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    def of_open_files(self) -> dict[str, TextDocument]:
        """The documents of all open files by path."""
        documents = self._workspace.text_documents.values()
        return {path: each for each in documents if (path := path_of(each.uri))}

    def uri(self, file: str) -> str:
        """The URI of a file, as the client spells it if the file is open."""
        document = self.of_open_files().get(file)
        return uris.from_fs_path(file) or "" if document is None else document.uri

    def source(self, file: str) -> str:
        """The source of a file; empty if it cannot be read."""
        document = self.of_open_files().get(file)
        if document is not None:
            return document.source
        try:
            return source_text(file)
        except (OSError, SyntaxError, UnicodeDecodeError):
            return ""

    def lines(self, file: str) -> list[str]:
        """The lines of a file as CPython counts them."""
        return [line.rstrip("\r") for line in self.source(file).split("\n")]

    def range(self, at: Place) -> types.Range:
        """A place in the client's units."""
        line = max(at.line - 1, 0)
        span = types.Range(types.Position(line, at.column), types.Position(line, at.end_column))
        return self._workspace.position_codec.range_to_client_units(self.lines(at.file), span)

    def place(self, file: str, position: types.Position) -> tuple[int, int]:
        """Line from 1, column in characters."""
        in_characters = self._workspace.position_codec.position_from_client_units(self.lines(file), position)
        return in_characters.line + 1, in_characters.character


def path_of(uri: str) -> str:
    """Return the path of a URI; empty if it is not of a file."""
    path = uris.to_fs_path(uri) if uri.startswith("file:") else None
    return str(Path(path).resolve()) if path else ""


_LONGEST_LINE = 1 << 28  # bytes of an answer: the facts of a hundred large models
_GRACE_SECONDS = 5.0  # beyond the limits of all that was asked, for a process that starts on a busy machine
_ATTEMPTS = 3


@dataclass(frozen=True)
class ServerLimits:
    """The limits of the processes that the server starts. Sizes are bytes."""

    reading_seconds: float
    reading_memory: int
    run_seconds: float
    run_memory: int


class Readers:
    """One warm process, which forks one for each request. `log` is told what is replaced."""

    def __init__(self, limits: ServerLimits, log: Callable[[str], object]) -> None:
        self._limits = limits
        self._log = log
        self._numbers = count(1)
        self._process: Process | None = None
        self._listening: asyncio.Task[None] | None = None
        self._starting = asyncio.Lock()
        self._waiting: dict[int, asyncio.Future[ReadingResult]] = {}

    async def ask(self, file: str, unsaved: dict[str, str], **more: bool) -> ReadingResult:
        """The facts of a file, `lowered` or `named`; when this is cancelled the work ends too."""
        for _ in range(_ATTEMPTS):
            number = next(self._numbers)
            try:
                return await self._send_request(ReadFile(number, file, unsaved, **more))
            except ConnectionError:
                self._log("the process that reads model files ended; another one was started")
            except TimeoutError:
                self._log("the process that reads model files did not answer and was replaced")
                self.kill()
            except asyncio.CancelledError:
                self._give_up(number)
                raise
            finally:
                self._waiting.pop(number, None)
        return ReadingEnded("the processes that read model files ended again and again; nothing is known of the file.")

    async def _send_request(self, request: ReadFile) -> ReadingResult:
        async with self._starting:
            process = await self._ensure_process()
        answer = asyncio.get_running_loop().create_future()
        self._waiting[request.id] = answer
        assert process.stdin is not None
        process.stdin.write(encode(request) + b"\n")
        patience = self._limits.reading_seconds * (1 + len(self._waiting)) + _GRACE_SECONDS
        return await asyncio.wait_for(answer, patience)

    async def _ensure_process(self) -> Process:
        if self._process is not None and self._listening is not None and not self._listening.done():
            return self._process
        words = [str(self._limits.reading_seconds), str(self._limits.reading_memory)]
        # -P: the folder in which an editor starts the server may have a module of any name
        command = [sys.executable, "-P", "-m", "isrcheck.editor.reading.host", *words]
        self._process = await asyncio.create_subprocess_exec(
            *command, stdin=PIPE, stdout=PIPE, stderr=DEVNULL, limit=_LONGEST_LINE
        )
        self._listening = asyncio.create_task(self._listen(self._process))
        return self._process

    async def _listen(self, process: Process) -> None:
        assert process.stdout is not None
        with suppress(ConnectionError, ValueError):  # a line beyond the limit
            while line := await process.stdout.readline():
                with suppress(DecodeError):
                    answer = decode(line, type=ReadingAnswer)
                    future = self._waiting.get(answer.id)
                    if future is not None and not future.done():
                        future.set_result(answer.answer)
        for future in self._waiting.values():
            if not future.done():
                future.set_exception(ConnectionError())

    def _give_up(self, number: int) -> None:
        if self._process is not None and self._process.stdin is not None and self._process.returncode is None:
            self._process.stdin.write(encode(Cancelling(number)) + b"\n")

    def kill(self) -> None:
        if self._process is not None and self._process.returncode is None:
            with suppress(ProcessLookupError):
                self._process.kill()

    async def close(self) -> None:
        """End the process; what is being read is not waited for."""
        self.kill()
        if self._process is not None:
            await self._process.wait()


_PAUSE_SECONDS = 0.1  # after an edit, for the next: what a quick typist leaves between two letters
_REST_SECONDS = 0.5  # after a reading that found nothing, before the model is lowered too
_CLASS = re.compile(r"^\s*class\s+\w+\s*[(\[]", re.MULTILINE)
_IMPORT = re.compile(r"^\s*(?:from|import)\s+([\w.]+)", re.MULTILINE)

NOTHING = FileFacts((), ())


@dataclass
class ModelFile:
    """An open file: `problems` of its last text, `facts` of the last one that could be read, older if `is_stale`."""

    file: str
    facts: FileFacts = NOTHING
    problems: tuple[Problem, ...] = ()
    is_stale: bool = False
    reading: asyncio.Task[None] | None = field(default=None, repr=False)
    lowering: asyncio.Task[None] | None = field(default=None, repr=False)

    def give_up(self) -> None:
        """Cancel the work for an older text."""
        for task in (self.reading, self.lowering):
            if task is not None:
                task.cancel()

    def digest(self, model: ModelFacts) -> str:
        """The digest of the current text; empty until it has been read."""
        is_known = not self.is_stale and self.reading is not None and self.reading.done()
        return model.digest if is_known else ""


class Documents:
    """The open model files. `after` is called with each file once it was read."""

    def __init__(
        self,
        readers: Readers,
        texts: Callable[[], Texts],
        packages: frozenset[str],
        after: Callable[[ModelFile], Awaitable[None]],
    ) -> None:
        self._readers, self._texts, self._packages, self._after = readers, texts, packages, after
        self._files: dict[str, ModelFile] = {}

    def __getitem__(self, file: str) -> ModelFile:
        return self._files.setdefault(file, ModelFile(file))

    def open(self) -> tuple[ModelFile, ...]:
        return tuple(self._files.values())

    def read_again(self, file: str, pause: float = _PAUSE_SECONDS) -> None:
        """Read it again, and the open files whose models stand in it too."""
        self._read_soon(self[file], pause)
        self.read_dependents_again(file, pause)

    def read_dependents_again(self, file: str, pause: float = _PAUSE_SECONDS) -> None:
        """Read again the open files whose models stand in this file, too."""
        for other in self.open():
            if other.file != file and any(file in model.files for model in other.facts.models):
                self._read_soon(other, pause)

    def _read_soon(self, known: ModelFile, pause: float) -> None:
        known.give_up()
        known.reading = asyncio.create_task(self._read(known, pause))

    async def _read(self, known: ModelFile, pause: float) -> None:
        await asyncio.sleep(pause)
        texts = {file: document.source for file, document in self._texts().of_open_files().items()}
        if not is_model_file(known.file, texts.get(known.file, ""), self._packages):
            answer: object = NOTHING
        else:
            answer = await self._readers.ask(known.file, texts)
        if isinstance(answer, FileFacts):
            known.problems = answer.problems
            known.is_stale = not answer.models and bool(answer.problems)
            known.facts = known.facts if known.is_stale else answer
        elif isinstance(answer, ReadingEnded):
            known.problems = (Problem(Place(known.file, 1, 0, 10_000), answer.sentence, answer.remedy),)
            known.is_stale = True
        await self._after(known)
        if known.facts.models and not any(not problem.is_of_base for problem in known.problems):
            known.lowering = asyncio.create_task(self._lower(known, texts))

    async def _lower(self, known: ModelFile, texts: dict[str, str]) -> None:
        await asyncio.sleep(_REST_SECONDS)
        answer = await self._readers.ask(known.file, texts, lowered=True)
        if isinstance(answer, FileFacts) and answer.problems != known.problems:
            known.problems = answer.problems
            await self._after(known)

    async def current(self, file: str) -> ModelFile:
        """Return a file once its last text has been read."""
        known = self._files.get(file) or ModelFile(file)
        while known.reading is not None and not known.reading.done():
            await asyncio.wait([known.reading])
        return known

    def forget(self, file: str) -> None:
        """Forget a file, and cancel its work."""
        known = self._files.pop(file, None)
        if known is not None:
            known.give_up()


def is_model_file(file: str, source: str, packages: frozenset[str]) -> bool:
    """Whether it has classes and imports isrcheck, a package with models, or a neighbour that does.

    Another file is not read: what an editor shows need not be run.
    """
    if not _CLASS.search(source):
        return False
    names = {name.partition(".")[0] for name in _IMPORT.findall(source)}
    return bool(names & packages) or any(_imports(Path(file).parent / f"{name}.py", packages) for name in names)


def _imports(file: Path, packages: frozenset[str]) -> bool:
    try:
        source = source_text(file) if file.is_file() else ""
    except (OSError, SyntaxError, UnicodeDecodeError):
        return False
    return bool({name.partition(".")[0] for name in _IMPORT.findall(source)} & packages)
