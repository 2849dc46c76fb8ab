"""The calls and loops that are outside the language, and what to write instead: as near as possible to what came."""

import ast
from types import ModuleType

from isrcheck.errors import ModelError
from isrcheck.lang.names import Names, refused_module

_FUNCTIONS = "The functions are all, any, sum, min, max, tuple, frozenset, len and range."
_COMPREHENSION = "Write tuple(... for ... in ... if ...)."
_POSITIONS = "Write ... for i in range(len(x)), and x[i]."
_VALUE = "Leave it out: every value has its type."

REFUSED_FUNCTIONS: dict[str, str] = {
    "print": "Leave it out: traces show every step and every value.",
    "input": "Nothing is asked while a model runs: a choice is a parameter of an action.",
    "list": "Write tuple(...), which does not change.",
    "set": "Write frozenset(...), which does not change.",
    "dict": "Write {k: ... for k in Sort}, over all keys at once.",
    "sorted": "Values are not sorted: ask for the least with min(), or say what holds with all().",
    "reversed": "Write x[len(x) - 1 - i] only where it cannot be negative; [-1] is the last element.",
    "enumerate": _POSITIONS,
    "zip": _POSITIONS,
    "map": _COMPREHENSION,
    "filter": _COMPREHENSION,
    "abs": "Write a - b if a > b else b - a.",
    "int": _VALUE,
    "bool": "Write a comparison, which is true or false.",
    "str": "For names use an Enum.",
    "isinstance": _VALUE,
    "super": "A policy is filled as a whole: move what is shared to a helper.",
}

_ADD, _REMOVE = "Write self.x |= {value} for a set.", "Write self.x -= {value} for a set."
_APPEND = "Write self.log += (value,)."
_CUT = "Write a slice: self.log = self.log[:n]."
_KEYS = "Run over the keys, as in `for k in Sort`, and read self.x[k]."

CHANGING_METHODS: dict[str, str] = {
    "add": _ADD,
    "update": "Write self.x |= other for a set, self.x[key] = value for a map.",
    "remove": _REMOVE,
    "discard": _REMOVE,
    "clear": "Assign the empty value: self.x = frozenset() or self.x = ().",
    "pop": _CUT,
    "popitem": _CUT,
    "append": _APPEND,
    "extend": "Write self.log += other.",
    "insert": "Write self.log = self.log[:n] + (value,) + self.log[n:].",
    "setdefault": "A total map has every key: write self.x[key] = value.",
    "sort": "A sequence keeps the order in which it was written.",
    "reverse": "A sequence keeps the order in which it was written.",
}

REFUSED_METHODS: dict[str, str] = {
    "union": "Write a | b.",
    "intersection": "Write a & b.",
    "difference": "Write a - b.",
    "symmetric_difference": "Write (a - b) | (b - a).",
    "issubset": "Write a <= b.",
    "issuperset": "Write a >= b.",
    "isdisjoint": "Write a & b == frozenset().",
    "copy": "Values do not change: leave it out.",
    "count": "Write sum(1 for e in x if e == value).",
    "index": "Write all(...) or any(...) over range(len(x)).",
    "get": "A total map has every key: write self.x[key].",
    "keys": _KEYS,
    "values": _KEYS,
    "items": _KEYS,
}


def refused_method(node: ast.AST, func: ast.Attribute, names: Names) -> ModelError:
    """Why `value.name(...)` is refused, and what to write instead."""
    root: ast.expr = func.value
    while isinstance(root, ast.Attribute | ast.Subscript | ast.Call):
        root = root.func if isinstance(root, ast.Call) else root.value
    if isinstance(root, ast.Name) and root.id not in names.locals:
        if isinstance(names.globals.get(root.id), ModuleType):
            return refused_module(root, names)
        if root.id == "super":
            return refused_builtin(node, "super", names)
    if func.attr in CHANGING_METHODS:
        return names.refuse(node, f".{func.attr}() would change a value in place.", CHANGING_METHODS[func.attr])
    remedy = REFUSED_METHODS.get(func.attr, "Call helpers and policies by name: self.helper(...).")
    return names.refuse(node, f"the method .{func.attr}() is outside the modelling language.", remedy)


def refused_builtin(node: ast.AST, name: str, names: Names) -> ModelError:
    """Why a function of Python's own is refused, and what to write instead."""
    sentence = f"{name}() is outside the modelling language."
    return names.refuse(node, sentence, REFUSED_FUNCTIONS.get(name, _FUNCTIONS))


def instead_of_loop(loop: ast.For) -> str:
    """What to write instead of a loop with one statement; empty if its text does not tell."""
    key = ast.unparse(loop.target)
    over = f"for {key} in {ast.unparse(loop.iter)}"
    match loop.body:
        case [ast.Assign(targets=[ast.Subscript(value=target, slice=ast.Name(id=under))], value=value)] if under == key:
            return f"Write {ast.unparse(target)} = {{{key}: {ast.unparse(value)} {over}}}."
        case [
            ast.AugAssign(target=ast.Subscript(value=target, slice=ast.Name(id=under)) as old, op=op, value=value)
        ] if under == key:
            new = ast.unparse(ast.BinOp(ast.Name(ast.unparse(old)), op, value))
            return f"Write {ast.unparse(target)} = {{{key}: {new} {over}}}."
        case [ast.Expr(value=ast.Call(func=ast.Name(id="require"), args=[condition]))]:
            return f"Write require(all({ast.unparse(condition)} {over}))."
        case [ast.AugAssign(target=ast.Name() | ast.Attribute() as target, op=ast.Add(), value=value)] if (
            not isinstance(value, ast.Tuple)
        ):
            return f"Write {ast.unparse(target)} += sum({ast.unparse(value)} {over})."
        case [
            ast.AugAssign(target=ast.Name() | ast.Attribute() as target, op=ast.BitOr(), value=ast.Set(elts=[value]))
        ]:
            return f"Write {ast.unparse(target)} |= frozenset({ast.unparse(value)} {over})."
    return ""
