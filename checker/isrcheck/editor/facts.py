"""Facts of a model file, as the reading process sends them to the server.

Lines count from 1 and columns, in characters, from 0, as in `Place`.
"""

from msgspec import Struct


class TextSpan(Struct, frozen=True):
    """A span of a file: its first character, and the one after its last."""

    line: int
    column: int
    end_line: int
    end_column: int


class Replacement(Struct, frozen=True):
    span: TextSpan
    replacement: str


class QuickFix(Struct, frozen=True):
    """The remedy of an error as edits of the file."""

    title: str
    edits: tuple[Replacement, ...]


class Problem(Struct, frozen=True):
    """`models`: those of the file that have it; none if the file as a whole has.

    `is_of_base`: the model is one of others, and only as a model of its own it is refused.
    """

    file: str
    span: TextSpan
    sentence: str
    remedy: str = ""
    models: tuple[str, ...] = ()
    fix: QuickFix | None = None
    is_of_base: bool = False


class Location(Struct, frozen=True):
    """The place of a definition: its span, and the span of its name."""

    file: str
    span: TextSpan
    name_span: TextSpan


class DeclaredName(Struct, frozen=True):
    """A name that a model declares, or has from a base. `opened`: of a filling, where the policy is declared."""

    name: str
    role: str
    kind: str  # of a property; else the role
    owner: str
    at: Location
    hover: str  # Markdown
    opened: Location | None = None
    opened_by: str = ""


class ModelFacts(Struct, frozen=True):
    """`open`: policies that no class of its line fills; such a model cannot be checked."""

    name: str
    at: Location
    hover: str
    symbols: tuple[DeclaredName, ...]
    open: tuple[str, ...]
    files: tuple[str, ...]  # in which its text stands
    digest: str  # of their texts


class FileFacts(Struct, frozen=True, tag=True):
    problems: tuple[Problem, ...]
    models: tuple[ModelFacts, ...]


class Filling(Struct, frozen=True):
    """A method of a variant that fills a policy of a base, known from the text alone."""

    policy: str
    model: str  # the class that declares the policy
    module: str  # where that stands
    variant: str
    at: Location


class Fillings(Struct, frozen=True, tag=True):
    fillings: tuple[Filling, ...]


class ReadingEnded(Struct, frozen=True, tag=True):
    """A reading that gave no answer, as the subject and verb of a sentence, and what helps."""

    sentence: str
    remedy: str = ""


class ReadFile(Struct, frozen=True, tag=True):
    """A request: read this file, with what the editor has of it and others. Paths are absolute.

    `lowered`: find, too, what shows only in a model that is lowered; it takes some times as long.
    """

    id: int
    file: str
    unsaved: dict[str, str]
    lowered: bool = False


class Indexing(Struct, frozen=True, tag=True):
    """A request: every filling in these folders and in the packages with models."""

    id: int
    folders: tuple[str, ...]
    unsaved: dict[str, str]


class Naming(Struct, frozen=True, tag=True):
    """A request: what the command line calls a model of this file."""

    id: int
    file: str
    model: str


class Named(Struct, frozen=True, tag=True):
    argument: str


class Cancelling(Struct, frozen=True, tag=True):
    """A request that needs no answer: give this one up."""

    id: int


ReadingRequest = ReadFile | Indexing | Naming | Cancelling
ReadingResult = FileFacts | Fillings | Named | ReadingEnded


class ReadingAnswer(Struct, frozen=True):
    id: int
    answer: ReadingResult
