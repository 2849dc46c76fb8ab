"""Refusal of names that a model defines and nothing uses, since they may be misspelt.

A helper or a constant is used if any model of its package uses it, loaded or not.
"""

import ast
import inspect
import re
import sys
from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from functools import lru_cache
from itertools import chain
from pathlib import Path
from types import CodeType, FunctionType

from isrcheck.errors import ModelError
from isrcheck.ir.domains import BOOL
from isrcheck.ir.model import Method
from isrcheck.ir.nodes import ReadConstant, walk
from isrcheck.lang.declarations import Declarations
from isrcheck.lang.declare import Model
from isrcheck.lang.drawing import Truncation
from isrcheck.lang.source import function_tree, place_of
from isrcheck.place import source_bytes


def refuse_unused(declared: Declarations, methods: list[Method], helpers: dict[str, Method]) -> None:
    """Refuse helpers, policies and constants that nothing uses. Raises ModelError."""
    texts = [*methods, *helpers.values()]
    used = {name for method in texts for name in method.calls}
    if declared.drawing is not None:
        drawing = declared.drawing[0]
        used |= {*drawing.names(), *chain(*(w.methods() for w in drawing.words if isinstance(w, Truncation)))}
    policies = list(declared.opened)
    for method in methods:
        owner = declared.methods[method.name][2]
        unused = method.role == "helper" and method.name not in used and not _is_named_elsewhere(method.name, owner)
        like_a_role = method.returns is None or (method.returns == BOOL and not method.parameters)
        if unused and (policies or _is_variant(owner) or like_a_role):
            sentence = f"{method.name}() of {method.owner} has no role, fills no policy, and no model calls it."
            remedy = "Call it, leave it out, or mark it @action, @invariant or another role."
            raise ModelError(method.at, sentence, suggest(method.name, policies, "a policy") or remedy)
    for name, function in declared.opened.items():
        owner = next(base for base in declared.cls.__mro__ if vars(base).get(name) is function)
        if name not in used and not _is_named_elsewhere(name, owner):
            file, tree = function_tree(function)
            sentence = f"no model asks the policy {name}() of {owner.__name__}."
            raise ModelError(place_of(file, tree), sentence, "Ask it where it decides, or leave it out.")
    _refuse_constants(declared, texts)
    _refuse_outside_class(declared.cls)


def _is_variant(owner: type) -> bool:
    return any(base is not Model for base in owner.__bases__)


def suggest(name: str, known: Iterable[str], what: str) -> str:
    """Return the remedy that asks whether the closest known name was meant; empty if none is close."""
    lower = {n.lower(): n for n in known}
    close = get_close_matches(name.lower(), lower, 1)
    return f"Did you mean {lower[close[0]]}, {what}?" if close else ""


def _refuse_constants(declared: Declarations, texts: list[Method]) -> None:
    """Refuse an unused constant of a variant: it may have been meant to replace a default."""
    owners = {name: owner for owner in declared.cls.__mro__ for name in inspect.get_annotations(owner)}
    used = {node.name for method in texts for node in walk(method.body) if isinstance(node, ReadConstant)}
    for constant in declared.constants.values():
        owner = owners[constant.name]
        if constant.name in used or not _is_variant(owner):
            continue
        if not _is_bound(constant.name, owner) and not _is_named_elsewhere(constant.name, owner):
            inherited = [name for name, of in owners.items() if of is not owner and name in declared.constants]
            sentence = f"nothing uses the constant {constant.name} of {owner.__name__}."
            meant = suggest(constant.name, inherited, "a constant that it inherits")
            raise ModelError(constant.at, sentence, meant or "Use it, or leave it out.")


def _refuse_outside_class(cls: type[Model]) -> None:
    """Refuse functions that take self and belong to no class."""
    module = sys.modules.get(cls.__module__)
    methods = {id(value) for model in _models(Model) for value in vars(model).values()}
    for function in [*vars(module).values()] if module else ():
        if not isinstance(function, FunctionType) or function.__module__ != cls.__module__:
            continue
        if function.__code__.co_varnames[:1] == ("self",) and id(function) not in methods:
            file, tree = function_tree(function)
            sentence = f"{function.__name__}() takes self and belongs to no class."
            remedy = f"Indent it, to make it a method of {cls.__name__}, or call its first parameter something else."
            raise ModelError(place_of(file, tree), sentence, remedy)


def _is_named_elsewhere(name: str, owner: type) -> bool:
    """Files count whether they are loaded or not: chance must not decide."""
    functions = (
        value
        for base in _classes_in_one_object(owner)
        for value in vars(base).values()
        if isinstance(value, FunctionType)
    )
    if any(name in _names(function.__code__) for function in functions):
        return True
    return any(name in source and name in _attributes_of_self(source) for source in _texts(owner))


@lru_cache(maxsize=512)
def _attributes_of_self(source: str) -> frozenset[str]:
    """Attributes of self and of before."""
    try:
        classes = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.ClassDef)]
    except (SyntaxError, ValueError, RecursionError):
        return frozenset()
    methods = [node for cls in classes for node in cls.body if isinstance(node, ast.FunctionDef)]
    return frozenset(
        node.attr
        for method in methods
        for node in ast.walk(method)
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id in {a.arg for a in method.args.args[:2]}
    )


def _is_bound(name: str, owner: type) -> bool:
    """Whether it bounds a type or sort."""
    modules = {base.__module__ for base in _classes_in_one_object(owner)}
    files = [getattr(sys.modules.get(module), "__file__", None) for module in modules]
    texts = chain((_source_of(Path(file)) for file in files if file), _texts(owner))
    return any(re.search(rf"(UpTo|Between|start\(|size\s*=).*\b{name}\b", source) for source in texts)


def _classes_in_one_object(owner: type) -> set[type]:
    """The classes whose methods run in one object with those of a class."""
    package = owner.__module__.partition(".")[0]
    models = (model for model in _models(owner) if model.__module__.partition(".")[0] == package)
    return {base for model in models for base in model.__mro__ if base not in (Model, object)}


def _models(cls: type) -> Iterator[type]:
    yield cls
    derived: list[type] = type.__subclasses__(cls)
    for each in derived:
        yield from _models(each)


def _names(code: CodeType) -> set[str]:
    inner = (_names(each) for each in code.co_consts if isinstance(each, CodeType))
    return set(code.co_names).union(*inner)


def _texts(owner: type) -> Iterator[str]:
    package = sys.modules.get(owner.__module__.partition(".")[0])
    for folder in getattr(package, "__path__", ()):
        yield from (_source_of(file) for file in sorted(Path(folder).rglob("*.py")))


def _source_of(file: Path) -> str:
    return source_bytes(file).decode(errors="replace")
