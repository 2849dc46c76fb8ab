"""What a kind of property is stands in ir/property_kinds.py: no other module compares the kinds by their names."""

import ast
from collections.abc import Iterator

import pytest
from tests.structure.sources import CHECKER, ROOT, nodes, tree

from isrcheck.ir.property_kinds import DEADLOCK, INVARIANT, REACHABLE, STEP

NAMES = {kind.name for kind in (INVARIANT, STEP, REACHABLE, DEADLOCK)}
HOME = CHECKER / "ir" / "property_kinds.py"


def compared(module: ast.Module) -> Iterator[int]:
    """The lines in which the name of a kind is compared, or looked up."""
    for node in nodes(module):
        parts: list[ast.expr] = []
        if isinstance(node, ast.Compare):
            parts = [node.left, *node.comparators]
        elif isinstance(node, ast.Dict):
            parts = [key for key in node.keys if key]
        elif isinstance(node, ast.MatchValue):
            parts = [node.value]
        elif isinstance(node, ast.keyword) and node.arg in ("kind", "role"):
            parts = [node.value]
        yield from (node.lineno for part in parts if NAMES & set(literals(part)) and hasattr(node, "lineno"))


def literals(part: ast.expr) -> Iterator[str]:
    parts = part.elts if isinstance(part, ast.Tuple | ast.List | ast.Set) else [part]
    yield from (p.value for p in parts if isinstance(p, ast.Constant) and isinstance(p.value, str))


# A word of the language that authors may not use, and a flag of the command line: neither is a kind.
OTHERS = {"lang/refused.py", "commands/mutate.py"}


def test_no_other_module_compares_kinds_by_name() -> None:
    files = [f for f in CHECKER.rglob("*.py") if f != HOME and f.relative_to(CHECKER).as_posix() not in OTHERS]
    assert len(files) > 100
    assert [f"{f.relative_to(ROOT)}:{n}" for f in files for n in compared(tree(f))] == []


@pytest.mark.parametrize("text", ['k == "step"', 'k in ("invariant", "x")', '{"reachable": 1}', 'f(kind="deadlock")'])
def test_a_comparison_is_found(text: str) -> None:
    assert list(compared(ast.parse(text))) == [1]


def test_other_uses_of_the_words_are_none() -> None:
    assert list(compared(ast.parse('print("step"); f("invariant", word="step")'))) == []
