"""A text made smaller while it still shows the same difference."""

import ast
import time
from collections.abc import Callable, Iterator
from functools import partial


def shrink(source: str, shows: Callable[[str], bool], seconds: float) -> str:
    """Take away statements and replace expressions by their parts, as long as `shows` is true of the text."""
    ends = time.monotonic() + seconds
    changed = True
    while changed:
        changed = False
        for smaller in _smaller(source):
            if time.monotonic() > ends:
                return source
            if len(smaller) < len(source) and shows(smaller):
                source, changed = smaller, True
                break
    return source


def _smaller(source: str) -> Iterator[str]:
    """Texts with one statement less, or one expression replaced by a part of its own, the largest first."""
    count = sum(1 for _ in _places(ast.parse(source)))
    for place in range(count):
        tree = ast.parse(source)
        change = next(change for at, change in enumerate(_places(tree)) if at == place)
        change()
        try:
            yield ast.unparse(ast.fix_missing_locations(tree))
        except (ValueError, AttributeError, TypeError):
            continue


def _places(tree: ast.Module) -> Iterator[Callable[[], None]]:
    for node in ast.walk(tree):
        for name, value in ast.iter_fields(node):
            if name in ("body", "orelse", "cases", "args", "elts", "values", "keywords", "ifs") and isinstance(
                value, list
            ):
                least = 1 if name == "body" and not isinstance(node, ast.Module) else 0
                for index in range(len(value)):
                    if len(value) > least:
                        yield partial(value.__delitem__, index)
                if isinstance(node, ast.If | ast.Match):
                    continue
            elif name == "orelse" or not isinstance(value, ast.expr):
                continue
            for operand in _parts(value):
                yield partial(setattr, node, name, operand)


def _parts(value: object) -> Iterator[ast.expr]:
    """Yield the subexpressions of an expression, and constants that may stand for it."""
    if isinstance(value, ast.expr) and not isinstance(value, ast.Constant | ast.Name):
        yield from (child for child in ast.iter_child_nodes(value) if isinstance(child, ast.expr))
        if isinstance(value, ast.Compare | ast.BoolOp | ast.UnaryOp | ast.Call | ast.IfExp | ast.BinOp):
            yield from (ast.Constant(True), ast.Constant(1))
