"""Tables of TOML as msgspec structures; a field's `description` says what is expected of it."""

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, TypeVar, get_args

import msgspec

from isrcheck.errors import UsageError, nearest
from isrcheck.files import unreadable

T = TypeVar("T", bound=msgspec.Struct)
_AT = re.compile(r"(.*?)(?: - at `\$(.*)`)?", re.DOTALL)
_UNKNOWN = re.compile(r"Object contains unknown field `(.*)`", re.DOTALL)
_HEADER = re.compile(r"^\s*\[\[?\s*([^\]]*?)\s*\]\]?")

TomlString = Annotated[str, msgspec.Meta(description="a text")]
Texts = Annotated[
    tuple[str, ...], msgspec.Meta(min_length=1, description='a list of texts, such as {key} = ["..."]')
]  # without a value: ()
Truth = Annotated[bool, msgspec.Meta(description="true or false")]
Above0 = Annotated[int, msgspec.Meta(ge=1, description="a whole number above 0")]
Inner = Annotated[dict[str, Any], msgspec.Meta(description="a table, such as {key} = {{ name = 1 }}")]


def read_toml(file: Path, wanted: str) -> str:
    """The text of a file. Raises UsageError if it cannot be read."""
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise unreadable(file, "a spec", f"give a TOML file with {wanted} tables", error) from None


def parse_toml(source: str, name: str, known: Iterable[str]) -> dict[str, Any]:
    """The keys at the top of a TOML text. Raises UsageError for a text that is not TOML, and for unknown keys."""
    try:
        data = tomllib.loads(source)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise UsageError(f"{name} is not TOML: {error}.") from None
    for key in data:
        if key not in known:
            raise UsageError(f"{name}: there is no key {key} at the top of a spec.{nearest(key, known)}")
    return data


def tables_of(data: Mapping[str, Any], header: str, name: str) -> list[dict[str, Any]]:
    """The tables under [[header]], if any. Raises UsageError for something else."""
    tables = data.get(header, [])
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise UsageError(f"{name}: {header} is an array of tables: write [[{header}]].")
    return tables


@dataclass(frozen=True)
class TablePlace:
    """The table [[header]] with this position, from 0, in a file of this text and name."""

    source: str
    name: str
    header: str
    position: int

    def line(self, *keys: str) -> int:
        """The line, from 1, of the innermost of these keys that is found."""
        lines = self.source.splitlines()
        starts = [n for n, line in enumerate(lines) if _header(line) == self.header]
        if self.position >= len(starts):
            return 1
        line_number, last = [*starts, len(lines)][self.position : self.position + 2]
        for key in keys:
            written = re.compile(rf"""(?:^|[\s{{,])["']?{re.escape(key)}["']?\s*=(?!=)""")
            inner = f"{self.header}.{key}"
            numbers = (n for n in range(line_number, last) if written.search(lines[n]) or _header(lines[n]) == inner)
            line_number = next(numbers, line_number)
        return line_number + 1

    def place(self, *keys: str) -> str:
        """FILE:LINE of a key, or all."""
        return f"{self.name}:{self.line(*keys)}"

    def refusal(self, sentence: str, *keys: str) -> UsageError:
        return UsageError(f"{self.place(*keys)}: {sentence}.")

    def read(self, table: Mapping[str, Any], kind: type[T]) -> T:
        """Convert a table to a structure. Raises UsageError."""
        try:
            return msgspec.convert(table, kind)
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
            remedy = nearest(unknown[1], kind.__struct_encode_fields__)
            return UsageError(f"{self.place(*keys, unknown[1])}: there is no key {unknown[1]} in {where}.{remedy}")
        return self.refusal(f"{keys[-1]} is {described.format(key=keys[-1])}, not {value!r}", *keys)


def _header(line: str) -> str | None:
    match = _HEADER.match(line.partition("#")[0])
    return match[1] if match and "=" not in line.partition("[")[0] else None


def _field(kind: type[msgspec.Struct], key: str) -> tuple[str, type[msgspec.Struct]]:
    """The description of a field, and the structure in it, or around it where it has none."""
    field = next(field for field in msgspec.structs.fields(kind) if field.encode_name == key)
    parts = [field.type]
    for annotation in parts:
        parts += get_args(annotation)
    described = next((each.description for each in parts if isinstance(each, msgspec.Meta) and each.description), None)
    inner = next((each for each in parts if isinstance(each, type) and issubclass(each, msgspec.Struct)), kind)
    return described or "something else", inner


_BYTES = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
_SECONDS = {"": 1, "s": 1, "m": 60, "h": 3600}


def parse_size(size: str) -> int:
    """Parse a size such as 500M or 8G, to bytes. Raises UsageError."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)([KMGT]?)i?B?", size.strip(), re.IGNORECASE)
    if not match:
        raise UsageError(f"{size} is not a size of memory: write bytes, or a number with K, M, G or T, such as 8G.")
    return int(float(match[1]) * _BYTES[match[2].upper()])


def parse_duration(duration: str) -> float:
    """Parse a duration such as 60s or 5m, to seconds. Raises UsageError."""
    match = re.fullmatch(r"(\d{1,9}(?:\.\d{1,9})?)\s*([smh]?)", duration.strip(), re.ASCII)
    if not match or not float(match[1]):
        raise UsageError(f"{duration} is not a length of time: write seconds, or a number with s, m or h, such as 60s.")
    return float(match[1]) * _SECONDS[match[2]]
