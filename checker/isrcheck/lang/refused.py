"""Syntax outside the language, in the words of a message: its name, and what to write instead.

Syntax goes by the names of Python's classes: some exist only in newer Pythons.
"""

import ast
from types import ModuleType
from typing import Final

from isrcheck.errors import ModelError
from isrcheck.lang.declare import Taken
from isrcheck.lang.names import Names, bag_of, module_refusal
from isrcheck.lang.network import METHODS
from isrcheck.place import Place

WHOLE_GRAMMAR = "docs/language.md has the whole grammar."
CALL_BY_NAME = "Call helpers and policies by name: self.helper(...)."

_LOOP = "Say what holds for each element: all(...), any(...), or a comprehension; a choice is a parameter."
_NO_ERRORS = "A step that cannot happen is a require() that is false."
_NO_SCOPE = "Write helpers as methods of the model or functions of its package."

_FORMATTED_STRING = ("an f-string or t-string", "Leave it out: traces show all values; for names use an Enum.")

REFUSED_STATEMENTS = {
    **dict.fromkeys(("For", "AsyncFor", "While", "Break", "Continue"), ("a loop", _LOOP)),
    **dict.fromkeys(("Try", "TryStar"), ("try", _NO_ERRORS)),
    "Raise": ("raise", _NO_ERRORS),
    "Assert": ("assert", "Write require() for a guard, or an @invariant."),
    **dict.fromkeys(("With", "AsyncWith"), ("with", "Write its statements alone.")),
    "FunctionDef": ("a function inside a method", _NO_SCOPE),
    "AsyncFunctionDef": ("an async function", _NO_SCOPE),
    "ClassDef": ("a class inside a method", _NO_SCOPE),
    "Global": ("global", "State is declared in the class."),
    "Nonlocal": ("nonlocal", "State is declared in the class."),
    **dict.fromkeys(("Import", "ImportFrom"), ("an import inside a method", "Import at the top of the file.")),
    "Delete": ("del", "Assign the value that stands for absence, such as None."),
    "TypeAlias": ("a type alias inside a method", "Declare it at the top of the file."),
}

REFUSED_EXPRESSIONS = {
    "Lambda": ("a lambda", "Write a helper method."),
    "List": ("a list, which is a mutable value,", "Write a tuple: (a, b)."),
    "ListComp": ("a list comprehension, which makes a mutable value,", "Write tuple(... for ...)."),
    "SetComp": ("a set comprehension, which makes a mutable value,", "Write frozenset(x for x in ...)."),
    "GeneratorExp": (
        "a generator on its own",
        "Put it into all(), any(), sum(), min(), max(), tuple() or frozenset().",
    ),
    "Dict": ("a dict display", "Write {k: ... for k in Sort}, over all keys at once; frozenset() is the empty set."),
    "NamedExpr": ("an assignment inside an expression", "Assign to a local name on a line of its own."),
    "Await": ("await", "Actions are steps of their own; nothing waits."),
    **dict.fromkeys(("Yield", "YieldFrom"), ("yield", "Return one value.")),
    **dict.fromkeys(("JoinedStr", "FormattedValue", "TemplateStr", "Interpolation"), _FORMATTED_STRING),
    "Starred": ("*", "Write each element."),
    "Slice": ("a slice on its own", "Write sequence[start:stop]."),
}

REFUSED_OPERATORS = {
    "Div": ("/", "Write // for the whole part of a quotient."),
    "Pow": ("**", "Multiply."),
    "MatMult": ("@", "Multiply integers with *."),
    "LShift": ("<<", "Multiply by a constant."),
    "RShift": (">>", "Divide by a constant: x // 2."),
    "BitXor": ("^", "Write != between truth values."),
}

REFUSED_SIGNS = {"Invert": ("~", "Write `not x` for a truth value."), "UAdd": ("+", "Leave it out.")}

_FUNCTIONS = "The functions are all, any, sum, min, max, tuple, frozenset, len, range and isinstance."
_VALUE = "Leave it out: every value has its type."

REFUSED_FUNCTIONS: dict[str, str] = {
    "print": "Leave it out: traces show every step and every value.",
    "input": "Nothing is asked while a model runs: a choice is a parameter of an action.",
    "list": "Write tuple(...), which does not change.",
    "set": "Write frozenset(...), which does not change.",
    "dict": "Write {k: ... for k in Sort}, over all keys at once.",
    "sorted": "Values are not sorted: ask for the least with min(), or say what holds with all().",
    "reversed": "Write x[len(x) - 1 - i] only where it cannot be negative; [-1] is the last element.",
    **dict.fromkeys(("enumerate", "zip"), "Write ... for i in range(len(x)), and x[i]."),
    **dict.fromkeys(("map", "filter"), "Write tuple(... for ... in ... if ...)."),
    "abs": "Write a - b if a > b else b - a.",
    "int": _VALUE,
    "bool": "Write a comparison, which is true or false.",
    "str": "For names use an Enum.",
    "super": "A policy is filled as a whole: copy the parent's text, or call a helper that both share.",
}

CHANGING_METHODS: dict[str, str] = {
    "add": "Write self.x |= {value} for a set.",
    "update": "Write self.x |= other for a set, self.x[key] = value for a map.",
    **dict.fromkeys(("remove", "discard"), "Write self.x -= {value} for a set."),
    "clear": "Assign the empty value: self.x = frozenset() or self.x = ().",
    **dict.fromkeys(("pop", "popitem"), "Write a slice: self.log = self.log[:n]."),
    "append": "Write self.log += (value,).",
    "extend": "Write self.log += other.",
    "insert": "Write self.log = self.log[:n] + (value,) + self.log[n:].",
    "setdefault": "A total map has every key: write self.x[key] = value.",
    **dict.fromkeys(("sort", "reverse"), "A sequence keeps the order in which it was written."),
}

REFUSED_METHODS: dict[str, str] = {
    "union": "Write a | b.",
    "intersection": "Write a & b.",
    "difference": "Write a - b.",
    "symmetric_difference": "Write (a - b) | (b - a).",
    "issubset": "Write a <= b.",
    "issuperset": "Write a >= b.",
    "isdisjoint": "Write a & b == frozenset().",
    **dict.fromkeys(("size", "length"), "Write len({0})."),
    "isEmpty": "Write len({0}) == 0.",
    "contains": "Write value in {0}.",
    "copy": "Values do not change: leave it out.",
    "count": "Write sum(1 for e in x if e == value).",
    "index": "Write all(...) or any(...) over range(len(x)).",
    "get": "A total map has every key: write self.x[key].",
    **dict.fromkeys(("keys", "values", "items"), "Run over the keys, as in `for k in Sort`, and read self.x[k]."),
}


def method_refusal(node: ast.AST, func: ast.Attribute, names: Names) -> ModelError:
    if func.attr in METHODS.get(kind := bag_of(func.value, names), ()):
        example = "m = " * (kind == "Channels" and func.attr == "receive") + ast.unparse(node)
        return names.refuse(node, f"{func.attr}() changes the state.", f"Write {example} on a line of its own.")
    root: ast.expr = func.value
    while isinstance(root, ast.Attribute | ast.Subscript | ast.Call):
        root = root.func if isinstance(root, ast.Call) else root.value
    if isinstance(root, ast.Name) and root.id not in names.locals:
        if isinstance(names.globals.get(root.id), ModuleType):
            return module_refusal(root, names)
        if root.id == "super":
            return builtin_refusal(node, "super", names)
    if func.attr in CHANGING_METHODS:
        return names.refuse(node, f".{func.attr}() would change a value in place.", CHANGING_METHODS[func.attr])
    remedy = REFUSED_METHODS.get(func.attr, CALL_BY_NAME).format(ast.unparse(func.value))
    return names.outside(node, f"the method .{func.attr}()", remedy)


def builtin_refusal(node: ast.AST, name: str, names: Names) -> ModelError:
    return names.outside(node, f"{name}()", REFUSED_FUNCTIONS.get(name, _FUNCTIONS))


def instead_of_loop(loop: ast.For) -> str:
    """Return what to write instead of a loop; empty if its text does not tell."""
    key = ast.unparse(loop.target)
    over = f"for {key} in {ast.unparse(loop.iter)}"
    match loop.body:
        case [ast.Assign([ast.Subscript(target, ast.Name(under))], value)] if under == key:
            return f"Write {ast.unparse(target)} = {{{key}: {ast.unparse(value)} {over}}}."
        case [ast.AugAssign(ast.Subscript(target, ast.Name(under)) as old, op, value)] if under == key:
            new = ast.unparse(ast.BinOp(ast.Name(ast.unparse(old)), op, value))
            return f"Write {ast.unparse(target)} = {{{key}: {new} {over}}}."
        case [ast.Expr(ast.Call(ast.Name("require"), [condition]))]:
            return f"Write require(all({ast.unparse(condition)} {over}))."
        case [ast.AugAssign(op=ast.Add(), value=ast.Tuple())]:
            return ""
        case [ast.AugAssign(ast.Name() | ast.Attribute() as target, ast.Add(), value)]:
            return f"Write {ast.unparse(target)} += sum({ast.unparse(value)} {over})."
        case [ast.AugAssign(ast.Name() | ast.Attribute() as target, ast.BitOr(), ast.Set([value]))]:
            return f"Write {ast.unparse(target)} |= frozenset({ast.unparse(value)} {over})."
    return ""


_COUNT: Final = "a count of the run, in what the gate reports"
_RUN: Final = "the run as a whole, in what the gate reports"

RESERVED: Final = {
    "property": {
        "deadlock": "a state without steps, in specs and in every result",
        "none": "no property at all, in --property none",
        **dict.fromkeys(("distinct", "generated", "depth", "pruned", "digest"), _COUNT),
        **dict.fromkeys(("run", "strict"), _RUN),
    },
    "constant": {"model": "the model's name, in the expressions of a spec"},
    "parameter": {
        **dict.fromkeys(dir(Taken), "something that Python keeps of every object, in taken"),
        "action": "the action's name, in taken.action",
        "_arguments": "all arguments of the step taken",
    },
}


def refuse_reserved(kind: str, name: str, at: Place) -> None:
    """Refuse a name in `RESERVED` of this kind."""
    meaning = RESERVED[kind].get(name)
    if meaning:
        raise ModelError(at, f"{name} is not a valid name of a {kind}: it means {meaning}.", "Choose another name.")
