"""Mermaid's grammar of sequence diagrams, as far as we write it: each line is a statement of a known form."""

import re

import pytest
from tests.evidence.every import traces
from tests.evidence.stories import made_up
from tests.evidence.test_forms import nasty

from isrcheck.evidence.forms.table import render_trace
from isrcheck.ir.frozen import replace
from isrcheck.run.trace import Trace

# Letters that Mermaid would read are entities; `end` closes a block wherever it stands alone.
TEXT = r"(?:[^#;:<>\"&{}%\\\n]|#\d+;|<br/>)+"
STATEMENTS = {
    "title": rf"    title {TEXT}",
    "participant": rf"    participant (p\d+) as {TEXT}",
    "message": rf"    (p\d+)(?:->>|-->|-\)|-x)(p\d+): {TEXT}",
    "note": rf"    Note over (p\d+)(?:,(p\d+))?: {TEXT}",
}


def statements(trace: Trace) -> list[str]:
    """The kinds of the statements in order. Raises AssertionError for a line that Mermaid could not read."""
    text = render_trace(trace, "mermaid")
    assert text.endswith("\n")
    first, *lines = text[:-1].split("\n")
    assert first == "sequenceDiagram"
    kinds: list[str] = []
    declared: set[str] = set()
    for line in lines:
        kind, found = next((k, m) for k, p in STATEMENTS.items() if (m := re.fullmatch(p, line)))
        assert not re.search(r"\bend\b", line, re.IGNORECASE), line
        names = {name for name in found.groups() if name}
        assert kind == "participant" or names <= declared, line
        declared |= names
        kinds.append(kind)
    return kinds


def test_every_trace_is_a_sequence_diagram() -> None:
    for trace in traces():
        kinds = statements(trace)
        assert kinds[0] == "title"
        assert kinds[-1] == "note"
        assert kinds[1 : 1 + kinds.count("participant")] == ["participant"] * kinds.count("participant")
        assert len(kinds) >= trace.length


@pytest.mark.parametrize("word", ["end", "End", "the end of it", "a;b", "x: y", "100%%", "#35;", "note over p0: x"])
def test_words_that_mermaid_would_read_are_text(word: str) -> None:
    states = [{"log": {"map": [[word, []], ["other", []]]}}, {"log": {"map": [[word, [word]], ["other", []]]}}]
    statements(replace(made_up(states), model=word, name=word, sentence=word))


def test_hostile_names_are_text() -> None:
    statements(nasty())
