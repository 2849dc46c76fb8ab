"""Settings side by side."""

from collections.abc import Mapping

from isrcheck.plugin import Document, Heading, Lines, Paragraph, Table, Tone
from isrrisk.answer import Answer
from isrrisk.budget import in_words
from isrrisk.document import beyond, document_of_search, document_of_wider, no_loss, verdict_sentence
from isrrisk.setting import is_alike
from isrrisk.wording import WORDS

Column = tuple[Lines, ...]


def comparison_document(answers: Mapping[str, Answer]) -> Document:
    """The least that does each loss, by setting; settings that answer alike share a column."""
    columns: dict[str, tuple[list[str], Answer]] = {}
    for name, answer in answers.items():
        key = repr([_cell(answer, loss) for loss in WORDS]) + _extent(answer)
        columns.setdefault(key, ([], answer))[0].append(name)
    yield Heading("What a setting survives", 1)
    yield Paragraph(*(f"{name}: {verdict_sentence(answer)}" for name, answer in answers.items()))
    yield Table(
        ["what goes wrong", *(_column_title(names, answers) for names, _ in columns.values())],
        [(words, *(_cell(answer, loss) for _, answer in columns.values())) for loss, words in WORDS.items()],
    )
    for name, answer in answers.items():
        described = answer.setting.description()
        yield Paragraph(f"{described}." if described.startswith(name) else f"{name}: {described}.")
        for remark in answer.setting.remarks():
            yield Paragraph(remark)
        yield from document_of_search(answer)
        yield from document_of_wider(answer)


def _column_title(names: list[str], answers: Mapping[str, Answer]) -> str:
    """The names of a column's settings; where they are several questions, that no fault searched separates them."""
    first, *others = (answers[name].setting for name in names)
    is_one_question = all(is_alike(first, other) for other in others)
    return _title(names) if is_one_question else f"{_title(names)}: alike as far as searched"


def _title(names: list[str]) -> str:
    """Kafka 4.1, 4.4 for two releases, else the names."""
    head = names[0].rpartition(" ")[0]
    if head and all(name.rpartition(" ")[0] == head and "," not in name for name in names):
        return f"{head} {', '.join(name.rpartition(' ')[2] for name in names)}"
    return "; ".join(names)


def _extent(answer: Answer) -> str:
    return answer.last.budget.description() if answer.last else ""


def _cell(answer: Answer, loss: str) -> Lines:
    losses = [each for each in answer.losses if each.name == loss]
    if losses:
        faults = [f"{in_words(each.faults)} ({each.steps} steps)" for each in losses]
        return Lines([*faults, *beyond(answer, losses)], Tone.BAD)
    return Lines([no_loss(answer, loss)], Tone.UNSURE if answer.undecided else Tone.GOOD)
