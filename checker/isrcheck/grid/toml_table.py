"""Tables of a TOML file as msgspec structures; what is wrong is told with its line, its key and what was expected.

The `description` of a field says what is expected of it: `a text`, with {key} for the field's name.
"""

import re
import tomllib
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, TypeVar, get_args

import msgspec

from isrcheck.errors import UsageError, nearest
from isrcheck.grid.places import line_of
from isrcheck.grid.size import parse_size

T = TypeVar("T", bound=msgspec.Struct)
_AT = re.compile(r"(.*?)(?: - at `\$(.*)`)?", re.DOTALL)
_UNKNOWN = re.compile(r"Object contains unknown field `(.*)`", re.DOTALL)

Text = Annotated[str | None, msgspec.Meta(description="a text")]
Texts = Annotated[
    Annotated[list[str], msgspec.Meta(min_length=1)] | None,
    msgspec.Meta(description='a list of texts, such as {key} = ["..."]'),
]
Truth = Annotated[bool | None, msgspec.Meta(description="true or false")]
Above0 = Annotated[Annotated[int, msgspec.Meta(ge=1)] | None, msgspec.Meta(description="a whole number above 0")]
Inner = Annotated[dict[str, Any], msgspec.Meta(description="a table, such as {key} = {{ name = 1 }}")]


class Bytes(int):
    """A size of memory, which may be written with a unit."""


def read_toml(file: Path, wanted: str) -> str:
    """The text of a file. Raises UsageError if it cannot be read."""
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        raise UsageError(f"{file} cannot be read as a spec: give a TOML file with {wanted} tables.") from None


def parse_toml(text: str, name: str, known: Iterable[str]) -> dict[str, Any]:
    """The keys at the top of a TOML text. Raises UsageError for a text that is not TOML, and for unknown keys."""
    try:
        data = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise UsageError(f"{name} is not TOML: {error}.") from None
    for key in data:
        if key not in known:
            raise UsageError(f"{name}: there is no key {key} at the top of a spec.{nearest(key, known)}")
    return data


def tables_of(data: Mapping[str, Any], header: str, name: str) -> list[dict[str, Any]]:
    """The tables under [[header]]; none if there are none. Raises UsageError for something else."""
    tables = data.get(header, [])
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise UsageError(f"{name}: {header} is an array of tables: write [[{header}]].")
    return tables


@dataclass(frozen=True)
class TablePlace:
    """The table [[header]] with this position, from 0, in a file of this text and name."""

    text: str
    name: str
    header: str
    position: int

    def line(self, *keys: str) -> int:
        """The line of a key; one in an inner table is given after the table."""
        return line_of(self.text, self.header, self.position, *keys)

    def place(self, *keys: str) -> str:
        """FILE:LINE of a key, or of the table."""
        return f"{self.name}:{self.line(*keys)}"

    def refused(self, sentence: str, *keys: str) -> UsageError:
        """The error that says this of a key."""
        return UsageError(f"{self.place(*keys)}: {sentence}.")

    def read(self, table: Mapping[str, Any], kind: type[T]) -> T:
        """The structure of a table. Raises UsageError."""
        try:
            return msgspec.convert(table, kind, dec_hook=_decoded)
        except msgspec.ValidationError as error:
            match = _AT.fullmatch(str(error))
            assert match is not None
            keys = re.findall(r"\.(\w+)", match[2] or "")
            raise self._refusal(match[1], keys, table, kind) from None

    def _refusal(
        self, message: str, keys: list[str], table: Mapping[str, Any], kind: type[msgspec.Struct]
    ) -> UsageError:
        value: Any = table
        for number, key in enumerate(keys):
            value = next(each for each in value if key in each)[key] if isinstance(value, list) else value[key]
            described, inner = _field(kind, key)
            kind = inner if number < len(keys) - 1 or _UNKNOWN.fullmatch(message) else kind
        if unknown := _UNKNOWN.fullmatch(message):
            where = keys[-1] if keys else f"a {self.header}"
            known = [field.encode_name for field in msgspec.structs.fields(kind)]
            return UsageError(
                f"{self.place(*keys, unknown[1])}: there is no key {unknown[1]} in {where}.{nearest(unknown[1], known)}"
            )
        return self.refused(f"{keys[-1]} is {described.format(key=keys[-1])}, not {value!r}", *keys)


def _field(kind: type[msgspec.Struct], key: str) -> tuple[str, type[msgspec.Struct]]:
    """The description of a field, and the structure in it, or around it where it has none."""
    field = next(field for field in msgspec.structs.fields(kind) if field.encode_name == key)
    parts = [field.type]
    for part in parts:
        parts += get_args(part)
    described = next((part.description for part in parts if isinstance(part, msgspec.Meta) and part.description), None)
    inner = next((part for part in parts if isinstance(part, type) and issubclass(part, msgspec.Struct)), kind)
    return described or "something else", inner


def _decoded(kind: type, value: Any) -> Any:
    if kind is not Bytes:
        raise NotImplementedError(kind)
    with suppress(UsageError):
        size = parse_size(value) if isinstance(value, str) else value
        if type(size) is int and size > 0:
            return Bytes(size)
    raise ValueError
