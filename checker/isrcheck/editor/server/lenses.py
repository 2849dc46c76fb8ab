"""Lenses: what can be run of each model, and what runs have said, over the model and over each property."""

from collections.abc import Iterable, Iterator

from lsprotocol import types

from isrcheck.editor.facts import DeclaredName, ModelFacts
from isrcheck.editor.server.documents import ModelFile
from isrcheck.editor.server.texts import Texts
from isrcheck.editor.server.verdicts import ModelVerdicts, VerdictBook

COMMANDS = ("check", "explore", "prove")
SHOW_TRACE = "isrcheck.showTrace"  # a command of the client's; one without it shows the lens as text


def lenses(known: ModelFile, files: Iterable[ModelFile], book: VerdictBook, texts: Texts) -> Iterator[types.CodeLens]:
    """`files`: all that are open, whose models may have properties that stand in this one."""
    uri = texts.uri(known.file)
    for model in known.models:
        where = texts.range(known.file, model.at.name_span)
        if model.at.file != known.file:
            continue
        if model.open:
            title = f"fill {', '.join(model.open)} in a variant to check it"
            yield types.CodeLens(where, types.Command(title, ""))
            continue
        for name in COMMANDS:
            yield types.CodeLens(where, types.Command(name, f"isrcheck.{name}", arguments=[uri, model.name]))
        for verdicts in book.of(known.file, model.name):
            title = f"{verdicts.command}: {verdicts.summary()}, {verdicts.age(known.digest(model))}"
            yield types.CodeLens(where, types.Command(title, ""))
    yield from _of_properties(known, [(each, model) for each in files for model in each.models], book, texts)


def _of_properties(
    known: ModelFile, models: list[tuple[ModelFile, ModelFacts]], book: VerdictBook, texts: Texts
) -> Iterator[types.CodeLens]:
    asked = [(each, model) for each, model in models if book.of(each.file, model.name)]
    for each, model in asked:
        for symbol in model.symbols:
            if symbol.role in ("property", "lemma") and symbol.at.file == known.file:
                for verdicts in book.of(each.file, model.name):
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
    title = f"{subject}{prover}{phrase}, {verdicts.age(file.digest(model))}"
    violated = any(p["name"] == symbol.name and p.get("trace") for p in verdicts.outcome["properties"])
    arguments = [texts.uri(file.file), model.name, symbol.name]
    command = types.Command(title, SHOW_TRACE, arguments=arguments) if violated else types.Command(title, "")
    return types.CodeLens(texts.range(symbol.at.file, symbol.at.name_span), command)
