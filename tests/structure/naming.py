"""The rules of names, docstrings and calls that this repository keeps, as functions of a syntax tree."""

import ast
import re
from collections.abc import Iterator

from tests.structure.sources import nodes

FITS_EVERYTHING = {"entry", "found", "made", "part", "seen", "text", "told", "whole", "word"}
PRIVATE_LANGUAGE = {"admit", "aim", "asked", "kept", "look", "standing", "telling", "weigh"}
IRREGULAR_PARTICIPLES = set(
    "begun bent bought broken brought built caught chosen done drawn driven dealt eaten fallen felt forgotten found"
    " frozen given gone grown heard held hidden hung kept known laid left lent lost made meant met paid risen said sent"
    " shot shown slept sold sought spent spoken stolen stood struck stuck sworn taken taught thought thrown told torn"
    " understood woken won worn woven written".split()
)
ENDS_LIKE_A_PARTICIPLE = re.compile(r"[a-z]{2}(ed|ing)$")
NO_PARTICIPLES = set(
    "breed bring drawing embed everything exceed feed finding king meaning need reading"
    " nothing proceed ring seed shed sing something speed spring"
    " string succeed thing wing".split()
)
DECLARES_A_PROPERTY = {"eventually", "invariant", "leads_to", "lemma", "reachable", "step", "temporal"}
ATTRIBUTE = {"cached_property", "property"}
NO_SUBJECT = re.compile(
    r"^(Above|After|Also|And|As|At(?! most| least)|Because|Before|Behind|Below|Beside|Between|But|By|Empty|For|From|He"
    r"|If|In|Into|Its?|Like|Neither|None|Not|Nothing|Of|On|One of|Only|Or|Out|Over|She|Since|Than|That|The same|Theirs?"
    r"|Them|These|They|This|Those|To|Under|Unless|Until|Up|What|Whatever|When|Where|Which|While|Who|Whoever|Whose|With"
    r"|Without|(True|False) (if|for))\b|^`"
)
ONLY_RAISES = re.compile(r"^Raises?\b[^.]*\.?$")
MOST_POSITIONS = 6


def is_participle(name: str) -> bool:
    if name.startswith("caught_up_"):  # Kafka's adjective, as in lastCaughtUpTimeMs
        return False
    first = name.lstrip("_").split("_")[0]
    return not name.startswith("__") and (
        first in IRREGULAR_PARTICIPLES or bool(ENDS_LIKE_A_PARTICIPLE.search(first) and first not in NO_PARTICIPLES)
    )


def decorators(function: ast.FunctionDef | ast.AsyncFunctionDef) -> set[str]:
    """The last names of what decorates a function: `step` of `@step` and of `@lang.step(...)`."""
    bare = [d.func if isinstance(d, ast.Call) else d for d in function.decorator_list]
    return {d.attr if isinstance(d, ast.Attribute) else d.id for d in bare if isinstance(d, ast.Attribute | ast.Name)}


def functions(tree: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in nodes(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def bound_names(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield every name that the source binds, with its line: definitions, parameters, targets, captures, imports."""
    for node in nodes(tree):
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                yield node.lineno, node.name
            case ast.arg():
                yield node.lineno, node.arg
            case ast.Name(ctx=ast.Store()):
                yield node.lineno, node.id
            case ast.Attribute(value=ast.Name("self" | "cls"), ctx=ast.Store()):
                yield node.lineno, node.attr
            case ast.alias(asname=str(name)):
                yield 0, name
            case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                yield node.lineno, name


def wrong_names(tree: ast.AST) -> Iterator[tuple[int, str]]:
    for line, name in bound_names(tree):
        if name.strip("_").lower() in FITS_EVERYTHING:
            yield line, f"{name} fits everything"
    for function in functions(tree):
        exempt = decorators(function) & (ATTRIBUTE | DECLARES_A_PROPERTY)
        if function.name.strip("_") in PRIVATE_LANGUAGE:
            yield function.lineno, f"{function.name}() does not say what it does"
        elif is_participle(function.name) and not exempt:
            yield function.lineno, f"{function.name}() is a participle"


def wrong_docstrings(tree: ast.AST) -> Iterator[tuple[int, str]]:
    for node in nodes(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Module):
            docstring = ast.get_docstring(node, clean=False) or ""
            line = getattr(node, "lineno", 1)
            if NO_SUBJECT.match(docstring):
                yield line, f'"{docstring.splitlines()[0]}" has no subject'
            elif ONLY_RAISES.match(docstring):
                yield line, f'"{docstring.splitlines()[0]}" only says what is raised'


def long_calls(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield calls of too many arguments by position; a list of names, or of marks of a Drawing, may be long."""
    for node in nodes(tree):
        if isinstance(node, ast.Call) and len(node.args) > MOST_POSITIONS:
            is_list = ast.unparse(node.func) == "Drawing" or all(
                isinstance(a, ast.Constant) and isinstance(a.value, str) for a in node.args[1:]
            )
            if not is_list and not any(isinstance(argument, ast.Starred) for argument in node.args):
                yield node.lineno, f"{ast.unparse(node.func)}(...) has {len(node.args)} positional arguments"
