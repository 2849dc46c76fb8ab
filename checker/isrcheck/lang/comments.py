"""The comments of a class beside its variables, and above groups of them: for readers, never for what is checked."""

import ast
from typing import NamedTuple

from isrcheck.place import character, source_line


class VariableComment(NamedTuple):
    """The comment behind a declaration, and the one above the lines among which it stands; empty if there is none."""

    beside: str = ""
    above: str = ""


def comments_of_variables(file: str, tree: ast.ClassDef) -> dict[str, VariableComment]:
    """Return the comments of the annotated names in a class body, by name."""
    return {
        node.target.id: VariableComment(_comment_beside(file, node), _comment_above(file, node.lineno, tree.lineno))
        for node in tree.body
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
    }


def _comment_beside(file: str, node: ast.AnnAssign) -> str:
    last = node.end_lineno or node.lineno
    behind = source_line(file, last)[character(file, last, node.end_col_offset or 0) :]
    if "#" in behind:
        return behind.partition("#")[2].strip()
    return source_line(file, node.lineno).partition("  # ")[2].strip() if last > node.lineno else ""


def _comment_above(file: str, line: int, first: int) -> str:
    """Return the comment lines above the lines without a gap in which this line stands."""
    while line > first and source_line(file, line).strip() and not _is_comment(file, line):
        line -= 1
    lines: list[str] = []
    while line > first and _is_comment(file, line):
        lines.insert(0, source_line(file, line).strip().removeprefix("#").strip())
        line -= 1
    return " ".join(lines)


def _is_comment(file: str, line: int) -> bool:
    return source_line(file, line).lstrip().startswith("#")
