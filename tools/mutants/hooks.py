"""Hooks that Python offers an author: pieces of text, most of them in `pieces/` with gaps for names, and where they go.

The reader either refuses such a text or reads what CPython runs: nothing between.
"""

import ast
import re
from functools import cache
from pathlib import Path
from random import Random
from textwrap import indent

from tools.mutants.places import classes, role

_FOLDER = Path(__file__).parent / "pieces"
_DECORATORS = (
    "@turned", "@wrapped", "@same", "@staticmethod", "@classmethod", "@property", "@__import__('functools').cache",
    "@__import__('functools').lru_cache", "@action", "@invariant", "@step", "@policy", "@applies_nothing",
    "@__import__('functools').partial", "@__import__('typing').final", "@__import__('typing').no_type_check",
    "@__import__('abc').abstractmethod", "@__import__('contextlib').contextmanager", "@Descriptor",
)  # fmt: skip
_BASES = {
    "value": ("Mixin", "Lazy", "str", "int", "Helping"),
    "model": (
        "Mixin",
        "Lazy",
        "Helping",
        "metaclass=Meta",
        "metaclass=Quiet",
        "dict",
        "__import__('abc').ABC",
        "object",
    ),
}
_INITIAL = {
    "0": ("Odd(0)", "False", "0.0", "Odd(1)", "IntOne.ONE", "[]", "None", "-0", "int()"),
    "1": ("Odd(1)", "True", "1.0", "IntOne.ONE"),
    "False": ("0", "Odd(0)", "None"),
    "frozenset()": ("Full()", "set()", "()", "Full({1})", "frozenset([0])", "frozenset({True})", "{}.keys()"),
    "()": ("Long()", "[]", "frozenset()", "(0,)", "Long((0,))", "(False,)"),
    "None": ("0", "False", "...", "NotImplemented"),
}
_INT_ENUM = "\n\nclass IntOne(__import__('enum').IntEnum):\n    ONE = 1\n"


@cache
def pieces(place: str) -> tuple[str, ...]:
    """The pieces of text for one place: a value type, a model, the head or the tail of a text, or after its reading."""
    return tuple((_FOLDER / f"{place}.txt").read_text(encoding="utf-8").rstrip("\n").split("\n\n"))


def _piece(place: str, names: dict[str, str], rng: Random) -> str:
    """Draw one of them, with the model's names in it. Raises KeyError for a name that the model does not have."""
    return re.sub(r"<(\w+)>", lambda gap: names[gap[1]], rng.choice(pieces(place)))


def add_hook(source: str, rng: Random, process: bool = False) -> str | None:
    """The text with one hook; None if what the hook needs is not in it.

    `process` takes those that change Python or isrcheck itself, which docs/limits.md leaves out.
    """
    tree = ast.parse(source)
    names = _names(tree, rng)
    ways = (
        _in_value,
        _in_value,
        _in_model,
        _in_head,
        _in_tail,
        _decorate,
        _add_base,
        _change_initial,
        _afterwards,
        _twins,
    )
    try:
        if process:
            return "\n".join([source, "", _piece("process", names, rng), ""])
        return rng.choice(ways)(source, tree, names, rng)
    except KeyError:
        return None


def _names(tree: ast.Module, rng: Random) -> dict[str, str]:
    """Names of the text by what they are; a kind that it does not have is not among them."""
    by_kind: dict[str, list[str]] = {}
    models = _models(tree)
    for owner in classes(tree):
        bases = {ast.unparse(base) for base in owner.bases}
        kind = {"Enum": "enum", "NamedTuple": "record", "Sort": "sort"}.get(next(iter(bases), ""), "")
        if kind:
            by_kind.setdefault(kind, []).append(owner.name)
        for node in owner.body:
            match node:
                case ast.Assign(targets=[ast.Name(id=name)]) if kind == "enum" and owner.name == by_kind["enum"][0]:
                    by_kind.setdefault("member", []).append(name)
                case ast.AnnAssign(target=ast.Name(id=name)) if kind == "record" and owner.name == by_kind["record"][0]:
                    by_kind.setdefault("field", []).append(name)
                case ast.AnnAssign(target=ast.Name(id=name)) if owner in models and "constant(" not in ast.unparse(
                    node
                ):
                    by_kind.setdefault("variable", []).append(name)
                case ast.FunctionDef(name=name) if owner in models:
                    by_kind.setdefault(role(node), []).append(name)
    by_kind["function"] = [node.name for node in tree.body if isinstance(node, ast.FunctionDef)]
    by_kind["model"], by_kind["base"] = [models[-1].name], [models[0].name]
    by_kind["helper"] = by_kind.get("helper", []) + by_kind.get("policy", [])
    by_kind["other_action"] = by_kind.get("action", [])
    first = {"enum", "record"}  # whose members and fields are listed
    return {kind: names[0] if kind in first else rng.choice(names) for kind, names in by_kind.items() if names}


def _models(tree: ast.Module) -> list[ast.ClassDef]:
    return [
        c for c in classes(tree) if any(isinstance(n, ast.FunctionDef) and role(n) != "helper" for n in c.body)
    ] or [classes(tree)[-1]]


def _values(tree: ast.Module) -> list[ast.ClassDef]:
    return [c for c in classes(tree) if c.bases and ast.unparse(c.bases[0]) in ("Enum", "NamedTuple", "Sort")]


def _insert(source: str, after_line: int, lines: str, indent: int = 0) -> str:
    all_lines = source.split("\n")
    all_lines[after_line:after_line] = [" " * indent + line if line else line for line in lines.split("\n")]
    return "\n".join(all_lines)


def _in_value(source: str, tree: ast.Module, names: dict[str, str], rng: Random) -> str | None:
    owners = _values(tree)
    if not owners:
        return None
    owner = rng.choice(owners)
    end = owner.body[-1].end_lineno or 0
    if rng.random() < 0.15 and ast.unparse(owner.bases[0]) == "Enum":
        kind = rng.choice(["__import__('enum').IntEnum", "__import__('enum').Flag", "int, Enum", "str, Enum"])
        return re.sub(rf"class {owner.name}\(Enum\)", f"class {owner.name}({kind})", source)
    return _insert(source, end, _piece("value", names, rng), 4)


def _in_model(source: str, tree: ast.Module, names: dict[str, str], rng: Random) -> str | None:
    owner = rng.choice(_models(tree))
    end = rng.choice(owner.body).end_lineno or 0
    return _insert(_with_help(source, tree, names), end + _help_lines(names), _piece("model", names, rng), 4)


def _in_head(source: str, tree: ast.Module, names: dict[str, str], rng: Random) -> str | None:
    return _insert(source, _imports_end(tree), _piece("head", names, rng))


def _in_tail(source: str, tree: ast.Module, names: dict[str, str], rng: Random) -> str | None:
    return "\n".join([source, "", _piece("tail", names, rng), ""])


def _decorate(source: str, tree: ast.Module, names: dict[str, str], rng: Random) -> str | None:
    candidates = [n for c in _models(tree) for n in c.body if isinstance(n, ast.FunctionDef)]
    node = rng.choice(candidates)
    line = (node.decorator_list[0] if node.decorator_list and rng.random() < 0.6 else node).lineno - 1
    return _insert(_with_help(source, tree, names), line + _help_lines(names), rng.choice(_DECORATORS), 4)


def _add_base(source: str, tree: ast.Module, names: dict[str, str], rng: Random) -> str | None:
    """More bases, or a metaclass."""
    values = _values(tree)
    kind = "value" if values and rng.random() < 0.5 else "model"
    owner = rng.choice(values if kind == "value" else _models(tree))
    bases = [ast.unparse(b) for b in owner.bases] + [ast.unparse(k) for k in owner.keywords]
    more = rng.choice(_BASES[kind])
    own = [*bases, more] if "=" in more or rng.random() < 0.3 else [more, *bases]
    head = f"class {owner.name}({', '.join(sorted(own, key=lambda b: '=' in b))}):"
    changed = re.sub(rf"^class {owner.name}\(.*?\):", lambda _: head, source, count=1, flags=re.MULTILINE | re.DOTALL)
    return _with_help(changed, tree, names)


def _change_initial(source: str, tree: ast.Module, names: dict[str, str], rng: Random) -> str | None:
    """An initial value of another type that is equal to it, or almost."""
    candidates = [n for c in _models(tree) for n in c.body if isinstance(n, ast.AnnAssign) and n.value is not None]
    candidates = [n for n in candidates if ast.unparse(n.value or n) in _INITIAL or "each(" in ast.unparse(n)]
    if not candidates:
        return None
    node = rng.choice(candidates)
    old = ast.unparse(node.value or node)
    if old in _INITIAL:
        new = rng.choice(_INITIAL[old])
    else:
        new = rng.choice(
            [re.sub(r"\b0\)", "Odd(0))", old), f"Many({old}.value)", "{}", re.sub("False", "0", old), f"dict({old})"]
        )
    line = f"{ast.unparse(node.target)}: {ast.unparse(node.annotation)} = {new}"
    lines = source.split("\n")
    lines[node.lineno - 1 : node.end_lineno] = ["    " + line]
    return _with_help("\n".join(lines), tree, names, _INT_ENUM)


def _afterwards(source: str, tree: ast.Module, names: dict[str, str], rng: Random) -> str | None:
    lines = indent(_piece("after", names, rng), "    ")
    return f"{source}\n\ndef after_reading():\n{lines}\n"


def _twins(source: str, tree: ast.Module, names: dict[str, str], rng: Random) -> str | None:
    """A second record class that is equal to the first, made where the first is, or compared with it."""
    record = names["record"]
    owner = next(c for c in classes(tree) if c.name == record)
    twin = ast.unparse(owner).replace(f"class {record}(", "class Twin(")
    uses = [
        m.start() for m in re.finditer(rf"(?<![\w.]){record}\(", source) if not source[: m.start()].endswith("class ")
    ]
    if not uses:
        return None
    start = rng.choice(uses)
    changed = source[:start] + rng.choice(["Twin(", "(", "tuple.__new__(Twin, "]) + source[start + len(record) + 1 :]
    return _insert(changed, owner.end_lineno or 0, f"\n\n{twin}\n\n")


def _imports_end(tree: ast.Module) -> int:
    return max((n.end_lineno or 0 for n in tree.body if isinstance(n, ast.Import | ast.ImportFrom)), default=0)


def _with_help(source: str, tree: ast.Module, names: dict[str, str], more: str = "") -> str:
    """The text with the decorators, metaclasses and classes that hooks use."""
    return _insert(source, _imports_end(tree), _help(names) + more)


def _help(names: dict[str, str]) -> str:
    source = (_FOLDER / "help.txt").read_text(encoding="utf-8")
    return "\n" + source.replace("<helper>", names.get("helper", "hooked"))


def _help_lines(names: dict[str, str]) -> int:
    return _help(names).count("\n") + 1
