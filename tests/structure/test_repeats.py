"""No block of ten lines stands twice: not to the letter, nor, in functions, with other names, texts and numbers.

Blank lines, comments, docstrings and imports are passed over. Tables and declarations are alike in form by nature,
policies that variants fill among them, so that there only blocks that are the same to the letter count.
"""

import ast
import io
import keyword
import tokenize
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import pytest
from tests.structure.sources import CHECKER, LOGS, MODEL, RISK, TOYS, name_of, nodes, python_files, source, tree

BLOCK = 10
NOTHING = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}
KINDS = {tokenize.STRING: "'text'", tokenize.NUMBER: "1"}


class Line(NamedTuple):
    number: int
    letter: str
    shape: str
    in_function: bool


Block = tuple[str, int, int]  # a file, its first line and its last


def covered(nodes: Iterable[ast.AST]) -> set[int]:
    return {
        line
        for node in nodes
        if isinstance(node, ast.stmt)
        for line in range(first_line(node), (node.end_lineno or node.lineno) + 1)
    }


def first_line(node: ast.stmt) -> int:
    """That of its first decorator, if it has any."""
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(decorator.lineno for decorator in decorators)])


def is_passed_over(node: ast.AST) -> bool:
    text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
    return text or isinstance(node, ast.Import | ast.ImportFrom)


def is_declared_only(function: ast.FunctionDef) -> bool:
    """Whether nothing but a docstring and `raise NotImplementedError` stands in it: a policy, to be filled."""
    body = [statement for statement in function.body if not is_passed_over(statement)]
    return len(body) == 1 and isinstance(body[0], ast.Raise) and ast.unparse(body[0]) == "raise NotImplementedError"


def shape(token: tokenize.TokenInfo) -> str:
    if token.type == tokenize.NAME:
        return token.string if keyword.iskeyword(token.string) else "name"
    return KINDS.get(token.type, token.string)


def lines(text: str, module: ast.Module) -> Iterator[Line]:
    """The lines that count; a closing bracket alone does not."""
    passed = covered(filter(is_passed_over, nodes(module)))
    functions = covered(n for n in nodes(module) if isinstance(n, ast.FunctionDef) and not is_declared_only(n))
    tokens = defaultdict(list)
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in NOTHING:
            tokens[token.start[0]].append(token)
    for number, these in sorted(tokens.items()):
        if number not in passed and any(token.type != tokenize.OP for token in these):
            letter = " ".join(token.string for token in these)
            yield Line(number, letter, " ".join(map(shape, these)), number in functions)


def blocks(name: str, known: list[Line]) -> Iterator[tuple[tuple[str, ...], Block]]:
    """Every ten lines that follow each other, by what they say; in functions also by their shape."""
    for window in zip(*(known[n:] for n in range(BLOCK)), strict=False):
        place = (name, window[0].number, window[-1].number)
        yield tuple(line.letter for line in window), place
        if all(line.in_function for line in window):
            yield ("shape", *(line.shape for line in window)), place


def repeats(files: dict[str, list[Line]]) -> list[tuple[Block, Block]]:
    """Pairs of places that say the same; of neighbouring blocks the first."""
    first: dict[tuple[str, ...], Block] = {}
    found: list[tuple[Block, Block]] = []
    for name, known in files.items():
        for block, place in blocks(name, known):
            other = first.setdefault(block, place)
            if other[0] == name and place[1] <= other[2]:  # itself, or its own next lines
                continue
            if not found or found[-1][0][0] != other[0] or found[-1][1][0] != name or place[1] > found[-1][1][2]:
                found.append((other, place))
    return found


@pytest.mark.heavy(reason="reads every line of the project")
def test_no_block_of_ten_lines_stands_twice() -> None:
    files = {
        name_of(file): list(lines(source(file), tree(file))) for file in python_files(CHECKER, MODEL, RISK, TOYS, LOGS)
    }
    assert repeats(files) == []


def read(text: str) -> list[Line]:
    return list(lines(text, ast.parse(text)))


def test_a_repeat_is_found_also_with_other_names() -> None:
    body = "def f(a, b):\n" + "".join(f"    a{n} = b.c + {n}\n" for n in range(9))
    other = body.replace("a", "x").replace("c", "z") + "    return 1\n"
    assert repeats({"one.py": read(body), "two.py": read(other)}) == [(("one.py", 1, 10), ("two.py", 1, 10))]
    assert repeats({"one.py": read(body), "two.py": read(other.replace("+ 4", "- 4"))}) == []


def test_tables_of_one_form_are_none() -> None:
    table = "".join(f"A{n} = {n}\n" for n in range(12))
    assert repeats({"one.py": read(table), "two.py": read(table.replace("A", "B"))}) == []
    assert len(repeats({"one.py": read(table), "two.py": read(table)})) == 1
