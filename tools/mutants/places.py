"""Places where a text can be mutated: expressions by kind, statements by their block, methods by their role."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import cast

ROLES = ("action", "invariant", "reachable", "step", "policy", "lemma")
_NOT_VALUES = {"annotation", "returns", "decorator_list", "func", "targets", "target", "ctx"}
_WEIGHTS = {"action": 8, "helper": 2, "policy": 4}


@dataclass(frozen=True)
class Slot:
    """A place in a tree where an expression stands."""

    owner: ast.AST
    field: str
    index: int | None

    @property
    def node(self) -> ast.expr:
        value = getattr(self.owner, self.field)
        return cast(ast.expr, value if self.index is None else value[self.index])

    def put(self, node: ast.expr) -> None:
        if self.index is None:
            setattr(self.owner, self.field, node)
        else:
            getattr(self.owner, self.field)[self.index] = node


def classes(tree: ast.Module) -> list[ast.ClassDef]:
    return [node for node in tree.body if isinstance(node, ast.ClassDef)]


def methods(tree: ast.Module) -> list[ast.FunctionDef]:
    """Every function of the text, in classes or not: actions several times, for they shape the graph."""
    nodes = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    return [node for node in nodes for _ in range(_WEIGHTS.get(role(node), 1))]


def role(method: ast.FunctionDef) -> str:
    """The mark above a method; helper without one."""
    marks = [ast.unparse(mark).partition("(")[0] for mark in method.decorator_list]
    return next((mark for mark in marks if mark in ROLES), "helper")


def slots(node: ast.AST) -> Iterator[Slot]:
    """The places of expressions that are read, under a method or a statement."""
    for field, value in ast.iter_fields(node):
        if field in _NOT_VALUES:
            yield from (s for t in _as_list(value) if isinstance(t, ast.Subscript) for s in slots(t))
            continue
        for index, child in enumerate(_as_list(value)):
            if isinstance(child, ast.expr):
                is_text = isinstance(child, ast.Constant) and isinstance(child.value, str)
                if not is_text and not isinstance(child, ast.GeneratorExp):
                    yield Slot(node, field, index if isinstance(value, list) else None)
            if isinstance(child, ast.AST):
                yield from slots(child)


def _as_list(value: object) -> list[object]:
    return value if isinstance(value, list) else [value]


def blocks(method: ast.FunctionDef) -> list[list[ast.stmt]]:
    """Every list of statements in a method, its own first."""
    bodies = [method.body]
    for node in ast.walk(method):
        if isinstance(node, ast.If):
            bodies += [node.body, *([node.orelse] if node.orelse else [])]
    return bodies


def statements(block: list[ast.stmt]) -> list[int]:
    """The positions of a block's statements, docstrings left out."""
    return [i for i, s in enumerate(block) if not (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant))]


def is_require(node: ast.stmt) -> bool:
    match node:
        case ast.Expr(value=ast.Call(func=ast.Name(id="require"))):
            return True
    return False


class Kinds:
    """The kinds of a text's expressions, as far as their form and the annotations tell: an annotation's text."""

    def __init__(self, tree: ast.Module) -> None:
        self.numbers = {"int"}
        self.variables: dict[str, str] = {}
        for node in tree.body:
            match node:
                case ast.Assign(targets=[ast.Name(id=name)], value=value) if "[int" in ast.unparse(value):
                    self.numbers.add(name)
        for owner in classes(tree):
            for each in owner.body:
                match each:
                    case ast.AnnAssign(target=ast.Name(id=name), annotation=annotation):
                        self.variables[name] = ast.unparse(annotation)
        self.fields = self.variables

    def of(self, node: ast.expr, method: ast.FunctionDef) -> str:
        """truth, number, or an annotation's text; empty if not known."""
        match node:
            case ast.Constant(value=bool()) | ast.Compare() | ast.BoolOp() | ast.UnaryOp(op=ast.Not()):
                return "truth"
            case ast.Constant(value=int()) | ast.UnaryOp(op=ast.USub()):
                return "number"
            case ast.Call(func=ast.Name(id="any" | "all")):
                return "truth"
            case ast.Call(func=ast.Name(id="len" | "sum" | "min" | "max")):
                return "number"
            case ast.Attribute(value=ast.Name(id="self" | "before"), attr=name):
                return self._kind_of(self.variables.get(name, ""))
            case ast.Attribute(attr=name):
                return self._kind_of(self.fields.get(name, ""))
            case ast.Name(id=name):
                hints = {a.arg: ast.unparse(a.annotation) for a in method.args.args if a.annotation}
                return self._kind_of(hints.get(name, ""))
            case ast.Subscript(value=value):
                inner = self.of(value, method)
                if inner.startswith("dict["):
                    return self._kind_of(inner[5:-1].partition(", ")[2])
            case ast.BinOp(left=left):
                return self.of(left, method)
            case ast.IfExp(body=body):
                return self.of(body, method)
        return ""

    def _kind_of(self, annotation: str) -> str:
        if annotation in self.numbers or annotation.startswith("Annotated[int"):
            return "number"
        return "truth" if annotation == "bool" else annotation

    def among(self, method: ast.FunctionDef, kind: str) -> list[Slot]:
        """The places in a method where an expression of this kind stands."""
        return [slot for slot in slots(method) if self.of(slot.node, method) == kind]
