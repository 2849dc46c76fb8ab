"""Facts of a file in the protocol's terms: problems, outline, hover texts, places."""

import re
from collections.abc import Iterable

from lsprotocol import types

from isrcheck.editor.facts import DeclaredName, ModelFacts, Problem
from isrcheck.editor.server.documents import ModelFile, Texts
from isrcheck.ir.frozen import replace
from isrcheck.place import Place

SOURCE = "isrcheck"
_IDENTIFIER = re.compile(r"[^\W\d]\w*")


def diagnostics(problems: Iterable[Problem], texts: Texts) -> list[types.Diagnostic]:
    """The diagnostics of one file."""
    return [
        types.Diagnostic(
            texts.range(each.at),
            _message(each),
            types.DiagnosticSeverity.Information if each.is_of_base else types.DiagnosticSeverity.Error,
            source=SOURCE,
        )
        for each in problems
    ]


def _message(problem: Problem) -> str:
    by_itself = f"{', '.join(problem.models)} cannot be checked by itself: " if problem.is_of_base else ""
    return f"{by_itself}{problem.sentence}\n{problem.remedy}".strip()


def outline(known: ModelFile, texts: Texts) -> list[types.DocumentSymbol]:
    """The models of a file, among which a command without one lets the user choose."""
    names = [(model.name, texts.range(model.at)) for model in known.models if model.at.file == known.file]
    return [types.DocumentSymbol(name, types.SymbolKind.Class, at, at) for name, at in names]


def name_at(known: ModelFile, line: int, column: int, texts: Texts) -> tuple[ModelFacts, DeclaredName | None] | None:
    """The model's name that stands there: where it is declared, behind a dot, or in a text; without one, the model."""
    lines = texts.lines(known.file)
    source = lines[line - 1] if 0 < line <= len(lines) else ""
    identifier = next((m for m in _IDENTIFIER.finditer(source) if m.start() <= column <= m.end()), None)
    if identifier is None:
        return None
    for model in sorted(known.models, key=lambda each: not each.at.line <= line <= each.last_line):
        if identifier[0] == model.name:
            return model, None
        for symbol in model.symbols:
            is_declared = replace(symbol.at, end_column=0) == Place(known.file, line, identifier.start())
            if symbol.name == identifier[0] and (is_declared or _reads(source, identifier)):
                return model, symbol
    return None


def _reads(line: str, identifier: re.Match[str]) -> bool:
    return line[: identifier.start()].endswith((".", '"', "'"))
