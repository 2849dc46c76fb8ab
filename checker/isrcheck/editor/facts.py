"""Facts of a model file, as the reading process sends them to the server.

Lines count from 1 and columns, in characters, from 0, as in `Place`.
"""

from msgspec import Struct

from isrcheck.place import Place


class Problem(Struct, frozen=True):
    """An error or warning at a place of a file. `models` are those that have it, empty if it is of the whole file.

    `is_of_base`: the model is one of others, and only as a model of its own it is refused.
    """

    at: Place
    sentence: str
    remedy: str = ""
    models: tuple[str, ...] = ()
    is_of_base: bool = False


class DeclaredName(Struct, frozen=True):
    """A name that a model declares, or has from a base. `opened`: of a filling, where the policy is declared."""

    name: str
    role: str
    owner: str
    at: Place  # of the name
    hover: str  # Markdown
    opened: Place | None = None


class ModelFacts(Struct, frozen=True):
    """Facts of a model in a file. `open` are the policies that no class fills: such a model cannot be checked."""

    name: str
    at: Place  # of the name
    last_line: int
    hover: str
    symbols: tuple[DeclaredName, ...]
    open: tuple[str, ...]
    files: tuple[str, ...]  # in which its text stands
    digest: str  # of their texts


class FileFacts(Struct, frozen=True, tag=True):
    problems: tuple[Problem, ...]
    models: tuple[ModelFacts, ...]
    arguments: dict[str, str] = {}  # what the command line calls each model, if that was asked


class ReadingEnded(Struct, frozen=True, tag=True):
    """A reading that gave no answer, as the subject and verb of a sentence, and what helps."""

    sentence: str
    remedy: str = ""


class ReadFile(Struct, frozen=True, tag=True):
    """A request: read this file, with what the editor has of it and others. Paths are absolute.

    `lowered`: find, too, what shows only in a model that is lowered; it takes some times as long. `named`: say, too,
    what the command line calls each model.
    """

    id: int
    file: str
    unsaved: dict[str, str]
    lowered: bool = False
    named: bool = False


class Cancelling(Struct, frozen=True, tag=True):
    """A request that needs no answer: give this one up."""

    id: int


ReadingRequest = ReadFile | Cancelling
ReadingResult = FileFacts | ReadingEnded


class ReadingAnswer(Struct, frozen=True):
    id: int
    answer: ReadingResult
