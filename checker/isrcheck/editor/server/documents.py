"""Open model files: each is read again soon after every edit, and what an older text gave is dropped."""

import asyncio
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path

from isrcheck.editor.facts import FileFacts, ModelFacts, Problem, ReadFile, ReadingEnded, TextSpan
from isrcheck.editor.server.readers import Readers
from isrcheck.editor.server.texts import Texts
from isrcheck.place import source_text

_PAUSE_SECONDS = 0.1  # after an edit, for the next: what a quick typist leaves between two letters
_REST_SECONDS = 0.5  # after a reading that found nothing, before the model is lowered too
_CLASS = re.compile(r"^\s*class\s+\w+\s*[(\[]", re.MULTILINE)
_IMPORT = re.compile(r"^\s*(?:from|import)\s+([\w.]+)", re.MULTILINE)

NOTHING = FileFacts((), ())


@dataclass
class ModelFile:
    """`facts` are of the last text that could be read; `problems` of the last text, which is another if `is_stale`."""

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

    @property
    def models(self) -> tuple[ModelFacts, ...]:
        return self.facts.models


class Documents:
    """`after` is called with each file that was read."""

    def __init__(self, readers: Readers, texts: Callable[[], Texts], packages: frozenset[str]) -> None:
        self._readers = readers
        self._texts = texts
        self._packages = packages
        self._files: dict[str, ModelFile] = {}
        self.after: Callable[[ModelFile], Awaitable[None]] = _nothing

    def __getitem__(self, file: str) -> ModelFile:
        return self._files.setdefault(file, ModelFile(file))

    def open(self) -> tuple[ModelFile, ...]:
        return tuple(self._files.values())

    def read_again(self, file: str, pause: float = _PAUSE_SECONDS) -> None:
        """Read it again, and the open files whose models stand in it too."""
        self._read_soon(self[file], pause)
        self.read_dependents_again(file, pause)

    def read_dependents_again(self, file: str, pause: float = _PAUSE_SECONDS) -> None:
        """Read the open files again whose models stand in this one too."""
        for other in self.open():
            if other.file != file and any(file in model.files for model in other.models):
                self._read_soon(other, pause)

    def _read_soon(self, known: ModelFile, pause: float) -> None:
        known.give_up()
        known.reading = asyncio.create_task(self._read(known, pause))

    async def _read(self, known: ModelFile, pause: float) -> None:
        await asyncio.sleep(pause)
        texts = self._texts().texts_of_open_files()
        if not is_model_file(known.file, texts.get(known.file, ""), self._packages):
            answer: object = NOTHING
        else:
            answer = await self._readers.ask(lambda number: ReadFile(number, known.file, texts))
        if isinstance(answer, FileFacts):
            known.problems = answer.problems
            known.is_stale = not answer.models and bool(answer.problems)
            known.facts = known.facts if known.is_stale else answer
        elif isinstance(answer, ReadingEnded):
            known.problems = (Problem(known.file, TextSpan(1, 0, 1, 10_000), answer.sentence, answer.remedy),)
            known.is_stale = True
        await self.after(known)
        if known.models and not any(not problem.is_of_base for problem in known.problems):
            known.lowering = asyncio.create_task(self._lower(known, texts))

    async def _lower(self, known: ModelFile, texts: dict[str, str]) -> None:
        await asyncio.sleep(_REST_SECONDS)
        answer = await self._readers.ask(lambda number: ReadFile(number, known.file, texts, lowered=True))
        if isinstance(answer, FileFacts) and answer.problems != known.problems:
            known.problems = answer.problems
            await self.after(known)

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


async def _nothing(_: ModelFile) -> None:
    """Nobody waits for files."""


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
