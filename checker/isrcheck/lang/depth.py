"""How deeply an expression may be nested: less than Python's parser takes, so that every walk through it comes back."""

import ast

from isrcheck.lang.expressions import LONG_CHAIN
from isrcheck.lang.names import Names

DEEPEST = 100  # levels; the walk with most calls a level, inlining, takes 5, and Python stops after 1,000


def refuse_deep(tree: ast.FunctionDef, names: Names) -> None:
    """Raises ModelError at the first expression of a method that is nested deeper than `DEEPEST` levels."""
    waiting: list[tuple[ast.AST, int]] = [(tree, 0)]
    while waiting:
        node, depth = waiting.pop()
        depth += _levels(node)
        if depth > DEEPEST:
            remedy = "Give parts of it names, or say it with all(), any() or sum()."
            raise names.refuse(node, f"this expression is nested deeper than {DEEPEST} levels.", remedy)
        waiting.extend((child, depth) for child in ast.iter_child_nodes(node))


def _levels(node: ast.AST) -> int:
    """By how much a node nests what it holds, once it was read."""
    match node:
        case ast.BoolOp(values=values):
            return len(values) - 1 if len(values) <= LONG_CHAIN else len(values).bit_length()
        case ast.Compare(ops=ops):
            return len(ops)
        case ast.expr():
            return 1
    return 0
