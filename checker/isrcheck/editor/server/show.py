"""Facts of a file in the protocol's terms: problems, outline, hover texts, places."""

import re
from collections.abc import Iterable, Iterator

from lsprotocol import types

from isrcheck.editor.facts import DeclaredName, ModelFacts, Problem, TextSpan
from isrcheck.editor.server.documents import ModelFile, Texts
from isrcheck.ir.property_kinds import KINDS

SOURCE = "isrcheck"
_IDENTIFIER = re.compile(r"[^\W\d]\w*")
_Kind = types.SymbolKind
# By the kind of a name: the title of its group in the outline, in this order, and its icon.
_GROUPS = {
    "constant": ("constants", _Kind.Constant),
    "variable": ("variables", _Kind.Variable),
    "policy": ("policies", _Kind.Interface),
    "initial": ("initial states", _Kind.Event),
    "action": ("actions", _Kind.Event),
    **{kind.name: (f"{kind.title}s".replace("ys", "ies"), _Kind.Property) for kind in KINDS.values()},
    "lemma": ("lemmas", _Kind.Property),
    "assume": ("assumptions", _Kind.Boolean),
    "applies": ("conditions on constants", _Kind.Boolean),
    "constraint": ("constraints", _Kind.Boolean),
    "fairness": ("fairness", _Kind.Boolean),
    "canonical": ("canonical forms", _Kind.Method),
    "helper": ("helpers", _Kind.Method),
}


def diagnostics(problems: Iterable[Problem], texts: Texts) -> list[types.Diagnostic]:
    """The diagnostics of one file."""
    return [
        types.Diagnostic(
            texts.range(each.file, each.span),
            _message(each),
            types.DiagnosticSeverity.Information if each.is_of_base else types.DiagnosticSeverity.Error,
            source=SOURCE,
        )
        for each in problems
    ]


def _message(problem: Problem) -> str:
    by_itself = f"{', '.join(problem.models)} cannot be checked by itself: " if problem.is_of_base else ""
    return f"{by_itself}{problem.sentence}\n{problem.remedy}".strip()


def quick_fixes(known: ModelFile, within: types.Range, texts: Texts) -> Iterator[types.CodeAction]:
    """Yield the quick fixes of the problems that touch a range."""
    for problem in known.problems:
        place = texts.range(problem.file, problem.span)
        if problem.fix is None or problem.file != known.file or place.end < within.start or within.end < place.start:
            continue
        edits = [types.TextEdit(texts.range(problem.file, each.span), each.replacement) for each in problem.fix.edits]
        yield types.CodeAction(
            problem.fix.title,
            types.CodeActionKind.QuickFix,
            diagnostics([problem], texts),
            is_preferred=True,
            edit=types.WorkspaceEdit({texts.uri(problem.file): edits}),
        )


def outline(known: ModelFile, texts: Texts) -> list[types.DocumentSymbol]:
    """Each model of the file, its own names by role."""
    symbols = []
    for model in known.models:
        if model.at.file == known.file:
            groups = list(_groups(model, texts))
            extent, name = (texts.range(known.file, span) for span in (model.at.span, model.at.name_span))
            symbols.append(types.DocumentSymbol(model.name, _Kind.Class, extent, name, children=groups))
    return symbols


def _groups(model: ModelFacts, texts: Texts) -> Iterator[types.DocumentSymbol]:
    own = [symbol for symbol in model.symbols if symbol.owner == model.name and symbol.at.file == model.at.file]
    for kind, (title, icon) in _GROUPS.items():
        children = []
        for symbol in own:
            if symbol.kind == kind:
                extent, name = (texts.range(symbol.at.file, span) for span in (symbol.at.span, symbol.at.name_span))
                detail = f"fills the policy of {_owner_of(symbol, model)}" if symbol.opened else ""
                children.append(types.DocumentSymbol(symbol.name, icon, extent, name, detail=detail))
        if children:
            start, end = min(c.range.start for c in children), max(c.range.end for c in children)
            first = children[0].selection_range
            yield types.DocumentSymbol(title, _Kind.Namespace, types.Range(start, end), first, children=children)


def _owner_of(symbol: DeclaredName, model: ModelFacts) -> str:
    return symbol.opened_by or model.name


def name_at(known: ModelFile, line: int, column: int, texts: Texts) -> tuple[ModelFacts, DeclaredName | None] | None:
    """The model's name that stands there: where it is declared, behind a dot, or in a text; without one, the model."""
    lines = texts.lines(known.file)
    source = lines[line - 1] if 0 < line <= len(lines) else ""
    identifier = next((m for m in _IDENTIFIER.finditer(source) if m.start() <= column <= m.end()), None)
    if identifier is None:
        return None
    for model in sorted(known.models, key=lambda each: not _holds(each.at.span, line)):
        if identifier[0] == model.name:
            return model, None
        for symbol in model.symbols:
            if symbol.name == identifier[0] and (
                _declares(symbol, known.file, line, identifier.start()) or _reads(source, identifier)
            ):
                return model, symbol
    return None


def _holds(span: TextSpan, line: int) -> bool:
    return span.line <= line <= span.end_line


def _declares(symbol: DeclaredName, file: str, line: int, column: int) -> bool:
    at = symbol.at
    return (at.file, at.name_span.line, at.name_span.column) == (file, line, column)


def _reads(line: str, identifier: re.Match[str]) -> bool:
    return line[: identifier.start()].endswith((".", '"', "'"))
