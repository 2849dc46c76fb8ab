"""Words that a reader has to look up, or read twice, stand nowhere in the documents, specs, checker and models."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.structure.sources import CHECKER, LOGS, MODEL, RISK, ROOT, TOYS, name_of

NEVER = re.compile(
    r"""\b(
        promis(e|es|ed|ing)
        | left\ idle
        | asleep
        | made\ anew
        | held\ against
        | held\ to
        | noticed\ by
        | nobody\ notices
        | (strikes?|struck|striking)\ out
        | left\ open
        | (?<!there\ )is\ no\ (?!longer\b|more\b|other\b|older\b|faster\b)[a-z]
    )""",
    re.VERBOSE | re.IGNORECASE,
)
READ = {".css", ".html", ".j2", ".js", ".md", ".py", ".toml", ".txt", ".yml"}


def texts() -> Iterator[tuple[Path, str]]:
    named = (ROOT / name for name in ("README.md", "action.yml", "dev", "docs", "specs"))
    roots = [*named, CHECKER, MODEL, RISK, TOYS, LOGS]
    files = [file for root in roots for file in ([root] if root.is_file() else sorted(root.rglob("*")))]
    for file in files:
        if file.suffix in READ or file.name == "dev":
            yield file, file.read_text(encoding="utf-8")


def words(text: str) -> str:
    """Text as running words: names split at underscores and capitals, lines joined, marks of comments left out."""
    apart = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", text)
    return re.sub(r"[\s_#*`\"']+", " ", apart)


def never_words(text: str) -> list[str]:
    running = words(text)
    return [running[max(0, m.start() - 30) : m.end() + 15] for m in NEVER.finditer(running)]


def test_no_text_uses_a_word_that_is_never_used() -> None:
    assert {name_of(file): uses for file, text in texts() if (uses := never_words(text))} == {}


@pytest.mark.parametrize(
    "text",
    [
        "what it promises", "class PromisedWork", "def left_idle()", "an action asleep", '"left"\n    "open"',
        "held\n# against TLC", "3 is no constant", "nobody_notices", "lines struck out",
    ],
)  # fmt: skip
def test_a_word_is_found(text: str) -> None:
    assert never_words(text)


@pytest.mark.parametrize(
    "text",
    [
        "a compromise",
        "there is no key",
        "it is no longer there",
        "is no more than 2",
        "is no older than",
        "the left side",
    ],
)
def test_ordinary_english_is_none(text: str) -> None:
    assert not never_words(text)
