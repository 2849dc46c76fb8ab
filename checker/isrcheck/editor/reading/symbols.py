"""The declarations of a model: each name with its place, role and hover text."""

import ast
import inspect
from collections.abc import Iterator

from isrcheck.editor.facts import DeclaredName, Location, TextSpan
from isrcheck.editor.reading.hover import Hovers
from isrcheck.editor.reading.problems import ReadModel
from isrcheck.errors import ModelError
from isrcheck.ir.property_kinds import PropertyKind
from isrcheck.lang.declare import Constant, Model, mark_of
from isrcheck.lang.hooks import is_special
from isrcheck.lang.source import class_tree
from isrcheck.place import character, source_line


def symbols_of(model: ReadModel) -> Iterator[DeclaredName]:
    """Base classes first, as written; of a name that a variant gives another meaning, the last."""
    hovers = Hovers(model)
    symbols: dict[str, DeclaredName] = {}
    for owner in reversed(model.cls.__mro__):
        if issubclass(owner, Model) and owner is not Model:
            for symbol in _own(owner, hovers, symbols):
                symbols[symbol.name] = symbol
    yield from symbols.values()


def location_of_class(cls: type) -> Location:
    """The place of a class. Raises ModelError if its text is not known."""
    file, tree = class_tree(cls)
    return location(file, tree)


def _own(owner: type[Model], hovers: Hovers, before: dict[str, DeclaredName]) -> Iterator[DeclaredName]:
    try:
        file, tree = class_tree(owner)
    except ModelError:
        return
    for name, node in _nodes(tree):
        value = vars(owner).get(name)
        if is_special(name):
            continue
        known = before.get(name)
        if isinstance(node, ast.FunctionDef) and inspect.isfunction(value):
            mark = mark_of(value).role
            role, kind = ("property", mark.name) if isinstance(mark, PropertyKind) else (mark, mark)
            if known and known.role == "policy":
                role = kind = "policy"
            is_filling = known is not None and role == "policy"
            opened = (known.opened or known.at) if known and is_filling else None
            opened_by = (known.opened_by or known.owner) if known and is_filling else ""
        elif isinstance(node, ast.AnnAssign):
            is_constant = isinstance(value, Constant)
            role = kind = "constant" if is_constant or (known and known.role == "constant") else "variable"
            opened, opened_by = None, ""
        else:
            continue
        doc = inspect.getdoc(value) if inspect.isfunction(value) else ""
        by = f"of {opened_by}, filled by {owner.__name__}" if opened_by else f"of {owner.__name__}"
        rest = [_signature(node), doc or ""] if isinstance(node, ast.FunctionDef) and role == "policy" else [doc or ""]
        hover = hovers.of(name, role, kind, by, rest)
        yield DeclaredName(
            name=name,
            role=role,
            kind=kind,
            owner=owner.__name__,
            at=location(file, node),
            hover=hover,
            opened=opened,
            opened_by=opened_by,
        )


def _signature(method: ast.FunctionDef) -> str:
    """The parameters and the result of a policy as text, without self."""
    parameters = ", ".join(map(ast.unparse, method.args.args[1:]))
    return f"`({parameters}) -> {ast.unparse(method.returns) if method.returns else '?'}`"


def _nodes(block: ast.AST) -> Iterator[tuple[str, ast.AnnAssign | ast.FunctionDef]]:
    """Yield the declarations of a class body, compound statements included."""
    for node in ast.iter_child_nodes(block):
        match node:
            case ast.AnnAssign(ast.Name(name)) | ast.FunctionDef(name):
                yield name, node
            case ast.ClassDef() | ast.expr():
                continue
            case ast.stmt() | ast.ExceptHandler() | ast.match_case():
                yield from _nodes(node)


def location(file: str, node: ast.AnnAssign | ast.FunctionDef | ast.ClassDef) -> Location:
    """Decorators included."""
    first = min([node.lineno, *(each.lineno for each in getattr(node, "decorator_list", []))])
    start = character(file, node.lineno, node.col_offset)
    end_line = node.end_lineno or node.lineno
    end = character(file, end_line, node.end_col_offset or 0)
    definition = TextSpan(first, start, end_line, end)
    name = ast.unparse(node.target) if isinstance(node, ast.AnnAssign) else node.name
    at = source_line(file, node.lineno).find(name, start)
    return Location(file, definition, TextSpan(node.lineno, at, node.lineno, at + len(name)))
