"""Remedies that are applied: the text that comes out is the one expected, and the error is gone."""

from pathlib import Path

import pytest
from tests.lang.written import load_model

from isrcheck.editor.facts import Replacement
from isrcheck.editor.reading.problems import fix_of, read

MODEL = '''
from typing import Annotated

from isrcheck import Model, Sort, UpTo, action, constant, each, invariant, require


class Node(Sort, size="nodes"):
    """Somebody."""


Count = Annotated[int, UpTo("most")]


class Wrong(Model):
    nodes: int = constant(2, "how many", at_least=1)
    most: int = constant(2, "the largest number")

    n: Count = 0
    held: dict[Node, Count] = each(Node, 0)
    group: frozenset[Node] = frozenset()
    log: Annotated[tuple[Count, ...], UpTo("most")] = ()

    @action
    def go(self, node: Node, other: Node) -> None:
        both = frozenset({node, other})
        BODY

    @invariant
    def fine(self) -> bool:
        return self.n <= self.most
'''
BODIES = {
    "self.group = self.group.union(both)": "self.group = self.group | both",
    "self.group = self.group.intersection(both)": "self.group = self.group & both",
    "self.group = both.difference(self.group)": "self.group = both - self.group",
    "require(self.group.issubset(both))": "require(self.group <= both)",
    "require(not self.group.issuperset(both))": "require(not (self.group >= both))",
    "require(self.group.isdisjoint(both))": "require(self.group & both == frozenset())",
    "self.group = self.group.copy()": "self.group = self.group",
    "self.n = self.held.get(node)": "self.n = self.held[node]",
    "self.group.add(node)": "self.group |= {node}",
    "self.group.remove(node)": "self.group -= {node}",
    "self.group.discard(node)": "self.group -= {node}",
    "self.log.append(self.n)": "self.log += (self.n,)",
    "self.log.extend(self.log)": "self.log += self.log",
    "self.log = [self.n]": "self.log = (self.n,)",
    "self.log = [x for x in self.log]": "self.log = tuple(x for x in self.log)",
    "self.group = {x for x in both}": "self.group = frozenset(x for x in both)",
    "self.group = set(both)": "self.group = frozenset(both)",
    "self.log = list(self.log)": "self.log = tuple(self.log)",
    "self.n = int(self.n)": "self.n = self.n",
    "self.n = self.n / 2": "self.n = self.n // 2",
    "self.n /= 2": "self.n //= 2",
    "require((self.n == 0) ^ (node == other))": "require((self.n == 0) != (node == other))",
    "require(~(node == other))": "require(not node == other)",
    "self.n = +self.n": "self.n = self.n",
    "require(node is other)": "require(node == other)",
    "require(node is not other)": "require(node != other)",
    "self.n = most": "self.n = self.most",
    "self.group = Node": "self.group = frozenset(Node)",
    "assert node != other": "require(node != other)",
    "self.n = self.helt[node]": "self.n = self.held[node]",
    "self.group = bot": "self.group = both",
    "for k in Node: self.held[k] = 0": "self.held = {k: 0 for k in Node}",
    "for k in Node: require(self.held[k] == 0)": "require(all(self.held[k] == 0 for k in Node))",
}
WHOLE = {
    "def fine(self) -> bool:": ("def fine(self) -> None:", "def fine(self) -> int:"),
    "def fine(self) -> bool:\n": ("def fine() -> bool:\n",),
    "def go(self, node: Node, other: Node) -> None:": ("def go(self, node: Node, other: Node) -> bool:",),
}
CASES = [(MODEL.replace("BODY", wrong), MODEL.replace("BODY", right)) for wrong, right in BODIES.items()]
RIGHT = MODEL.replace("BODY", "require(node in both)")
CASES += [(RIGHT.replace(right, wrong), RIGHT) for right, wrongs in WHOLE.items() for wrong in wrongs]


def replaced(text: str, edits: tuple[Replacement, ...]) -> str:
    (edit,) = edits
    lines = text.split("\n")
    starts = [sum(len(line) + 1 for line in lines[:number]) for number in range(len(lines) + 1)]
    start = starts[edit.span.line - 1] + edit.span.column
    end = starts[edit.span.end_line - 1] + edit.span.end_column
    return text[:start] + edit.replacement + text[end:]


@pytest.mark.parametrize(("wrong", "right"), CASES, ids=[*BODIES, *map(str, range(len(CASES) - len(BODIES)))])
def test_a_fix_removes_its_error(wrong: str, right: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    error = read(load_model(wrong, tmp_path, monkeypatch)).errors[0]
    fix = fix_of(error)
    assert fix is not None, error
    assert replaced(wrong, fix.edits) == right
    fixed = tmp_path / "fixed"
    fixed.mkdir()
    assert error.sentence not in [each.sentence for each in read(load_model(right, fixed, monkeypatch)).errors]


@pytest.mark.parametrize("body", ["self.n = missing", "self.n = min(map(self.n))", "while True: pass", "print(node)"])
def test_where_there_is_a_choice_there_is_no_fix(body: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    error = read(load_model(MODEL.replace("BODY", body), tmp_path, monkeypatch)).errors[0]
    assert fix_of(error) is None
