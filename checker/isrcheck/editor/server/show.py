"""Facts of a file in the protocol's terms: problems, outline, names, and lenses with verdicts."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from lsprotocol import types

from isrcheck.editor.facts import DeclaredName, ModelFacts, Problem
from isrcheck.editor.server.documents import ModelFile, Texts
from isrcheck.ir.frozen import replace
from isrcheck.ir.property_kinds import Verdict, kind_by_name
from isrcheck.place import Place
from isrcheck.run.outcome import describe_bounds, word_verdict
from isrcheck.run.trace import span

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
    names = [(model.name, texts.range(model.at)) for model in known.facts.models if model.at.file == known.file]
    return [types.DocumentSymbol(name, types.SymbolKind.Class, at, at) for name, at in names]


def name_at(known: ModelFile, line: int, column: int, texts: Texts) -> tuple[ModelFacts, DeclaredName | None] | None:
    """The model's name that stands there: where it is declared, behind a dot, or in a text; without one, the model."""
    lines = texts.lines(known.file)
    source = lines[line - 1] if 0 < line <= len(lines) else ""
    identifier = next((m for m in _IDENTIFIER.finditer(source) if m.start() <= column <= m.end()), None)
    if identifier is None:
        return None
    for model in sorted(known.facts.models, key=lambda each: not each.at.line <= line <= each.last_line):
        if identifier[0] == model.name:
            return model, None
        for symbol in model.symbols:
            is_declared = replace(symbol.at, end_column=0) == Place(known.file, line, identifier.start())
            if symbol.name == identifier[0] and (is_declared or _reads(source, identifier)):
                return model, symbol
    return None


def _reads(line: str, identifier: re.Match[str]) -> bool:
    return line[: identifier.start()].endswith((".", '"', "'"))


@dataclass(frozen=True)
class ModelVerdicts:
    """The verdicts of one run; `digest` is of the text that ran, empty if that changed meanwhile."""

    command: str
    outcome: dict[str, Any]
    digest: str

    def of(self, name: str) -> str:
        """A property's verdict as a phrase; empty if the run says nothing of it."""
        for each in self.outcome["properties"]:
            if each["name"] == name:
                return f"{verdict_phrase(each, self.outcome)} ({each['assurance']})"
        return ""

    def note(self, digest: str) -> str:
        """The end of a lens: empty if the verdicts are of the current text."""
        return "" if self.digest and digest == self.digest else ", of an older text"

    def summary(self) -> str:
        """The counts of all verdicts; a property that holds within bounds is counted apart."""
        verdicts = [each["verdict"] for each in self.outcome["properties"]]
        within = {Verdict.HOLDS: f" {_bounds(self.outcome)}".rstrip()}
        counts = [f"{verdicts.count(v.value)} {v.value}{within.get(v, '')}" for v in Verdict if v.value in verdicts]
        return ", ".join(counts) or self.outcome["verdict"]


def verdict_phrase(decided: dict[str, Any], outcome: dict[str, Any]) -> str:
    """The verdict of a property in an outcome's JSON, worded as in the table of `check`, bounds included."""
    ended = (outcome["cut"] or "").partition(", while ")[0]
    reason = decided.get("reason") or (f"the run ended {ended}" if ended else "")
    trace = decided["trace"]
    length = span(trace["length"], trace.get("loop")) if trace else ""
    kind, verdict = kind_by_name(decided["kind"]), Verdict(decided["verdict"])
    return word_verdict(kind, verdict, length, reason, _bounds(outcome))


def _bounds(outcome: dict[str, Any]) -> str:
    return describe_bounds(outcome["states"]["pruned"], outcome.get("constraints"))


VerdictBook = dict[tuple[str, str], dict[str, ModelVerdicts]]  # by file and class of the model, the last by command
COMMANDS = ("check", "explore", "prove")
SHOW_TRACE = "isrcheck.showTrace"  # a command of the client's; one without it shows the lens as text


def lenses(known: ModelFile, files: Iterable[ModelFile], book: VerdictBook, texts: Texts) -> Iterator[types.CodeLens]:
    """Yield the lenses of a file: verdicts and commands above its models and properties. `files` are all open ones."""
    uri = texts.uri(known.file)
    for model in known.facts.models:
        where = texts.range(model.at)
        if model.at.file != known.file:
            continue
        if model.open:
            title = f"fill {', '.join(model.open)} in a variant to check it"
            yield types.CodeLens(where, types.Command(title, ""))
            continue
        for name in COMMANDS:
            yield types.CodeLens(where, types.Command(name, f"isrcheck.{name}", arguments=[uri, model.name]))
        for verdicts in book.get((known.file, model.name), {}).values():
            title = f"{verdicts.command}: {verdicts.summary()}{verdicts.note(known.digest(model))}"
            yield types.CodeLens(where, types.Command(title, ""))
    yield from _of_properties(known, [(each, model) for each in files for model in each.facts.models], book, texts)


def _of_properties(
    known: ModelFile, models: list[tuple[ModelFile, ModelFacts]], book: VerdictBook, texts: Texts
) -> Iterator[types.CodeLens]:
    for each, model in models:
        for symbol in model.symbols:
            if symbol.role in ("property", "lemma") and symbol.at.file == known.file:
                for verdicts in book.get((each.file, model.name), {}).values():
                    if lens := _of_property(symbol, model, verdicts, each, texts):
                        yield lens


def _of_property(
    symbol: DeclaredName, model: ModelFacts, verdicts: ModelVerdicts, file: ModelFile, texts: Texts
) -> types.CodeLens | None:
    phrase = verdicts.of(symbol.name)
    if not phrase:
        return None
    subject = "" if symbol.owner == model.name else f"{model.name}: "
    prover = "prove: " if verdicts.command == "prove" else ""
    title = f"{subject}{prover}{phrase}{verdicts.note(file.digest(model))}"
    violated = any(p["name"] == symbol.name and p.get("trace") for p in verdicts.outcome["properties"])
    arguments = [texts.uri(file.file), model.name, symbol.name]
    command = types.Command(title, SHOW_TRACE, arguments=arguments) if violated else types.Command(title, "")
    return types.CodeLens(texts.range(symbol.at), command)
