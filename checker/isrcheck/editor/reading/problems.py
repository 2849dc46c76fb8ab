"""Everything that is refused in one model: the first error of each of its methods, and remedies as edits."""

import ast
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from difflib import get_close_matches
from itertools import islice

from isrcheck.editor.facts import QuickFix, Replacement, TextSpan
from isrcheck.errors import AssumptionFalse, IsrcheckError, ModelError, UsageError
from isrcheck.ir.check import domain_errors
from isrcheck.ir.frozen import replace
from isrcheck.ir.model import ConstantIR, Method, ModelIR, VariableIR
from isrcheck.lang.declarations import Declarations
from isrcheck.lang.declare import Model
from isrcheck.lang.hooks import place_of_class
from isrcheck.lang.methods import MethodReader, is_open
from isrcheck.lang.read import read_model
from isrcheck.lang.source import function_tree, place_of
from isrcheck.passes import BoundModel, bind, lower
from isrcheck.place import character, source_line, source_text

_MEANT = re.compile(r"Did you mean ([\w.\-]+)\?$")
_IDENTIFIER = re.compile(r"[^\W\d]\w*")


def fix_of(error: ModelError) -> QuickFix | None:
    """The edit of a remedy; None if it leaves a choice. Raises SyntaxError for a file that does not parse."""
    place = error.place
    if not place.line or not error.remedy:
        return None
    if meant := _MEANT.search(error.remedy):
        return _rename(error, meant[1])
    tree = ast.parse(source_text(place.file))
    parents = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and place_of(place.file, node) == place:
            if edit := _of_definition(node, error):
                return QuickFix(error.remedy.rstrip("."), (edit,))
        elif hasattr(node, "lineno") and place_of(place.file, node) == place:
            for rule in _RULES:
                if (replacement := rule(node, error)) is not None:
                    node_replaced, replacement = _in_its_surroundings(node, replacement, parents)
                    return QuickFix(
                        error.remedy.rstrip("."), (Replacement(_span(place.file, node_replaced), replacement),)
                    )
    return None


def _rename(error: ModelError, meant: str) -> QuickFix | None:
    """The one word of the span that is close to what was meant."""
    place = error.place
    source = source_line(place.file, place.line)
    within = [m for m in _IDENTIFIER.finditer(source) if place.column <= m.start() and m.end() <= place.end_column]
    name = meant.removeprefix("self.")
    close = [m for m in within if m[0] != name and m[0] in error.sentence and get_close_matches(m[0], [name], 1)]
    if len(close) != 1:
        return None
    span = TextSpan(place.line, close[0].start(), place.line, close[0].end())
    return QuickFix(f"Replace {close[0][0]} with {meant}", (Replacement(span, meant),))


def _span(file: str, node: ast.AST) -> TextSpan:
    line, end_line = node.lineno, node.end_lineno  # type: ignore[attr-defined]  # of an expression or a statement
    start, end = node.col_offset, node.end_col_offset  # type: ignore[attr-defined]  # likewise
    return TextSpan(line, character(file, line, start), end_line, character(file, end_line, end))


def _in_its_surroundings(node: ast.AST, replacement: str, parents: dict[ast.AST, ast.AST]) -> tuple[ast.AST, str]:
    """The node to replace and its replacement: a bare call's statement; brackets where the context binds tighter."""
    parent = parents.get(node)
    if isinstance(parent, ast.Expr):
        return parent, replacement
    binds = isinstance(parent, ast.BinOp | ast.BoolOp | ast.UnaryOp | ast.Compare | ast.IfExp | ast.Attribute)
    first = ast.parse(replacement).body[0]
    is_loose = isinstance(first, ast.Expr) and isinstance(first.value, _LOOSE)
    return node, f"({replacement})" if is_loose and (binds or _is_indexed(node, parent)) else replacement


_LOOSE = ast.BinOp | ast.Compare | ast.UnaryOp | ast.IfExp | ast.BoolOp


def _is_indexed(node: ast.AST, parent: ast.AST | None) -> bool:
    return isinstance(parent, ast.Subscript) and parent.value is node


def _of_definition(node: ast.FunctionDef, error: ModelError) -> Replacement | None:
    """The edit of a method's return annotation, or of its missing self."""
    file = error.place.file
    if node.returns is not None and (written := re.fullmatch(r"Write -> (bool|None)\.", error.remedy)):
        return Replacement(_span(file, node.returns), written[1])
    if error.sentence == f"{node.name}() has no self.":
        bracket = source_line(file, node.lineno).find("(", character(file, node.lineno, node.col_offset)) + 1
        return Replacement(TextSpan(node.lineno, bracket, node.lineno, bracket), "self")
    return None


Rule = Callable[[ast.AST, ModelError], str | None]

_OPERATORS: dict[str, type[ast.operator]] = {
    "union": ast.BitOr,
    "intersection": ast.BitAnd,
    "difference": ast.Sub,
}
_COMPARED: dict[str, type[ast.cmpop]] = {"issubset": ast.LtE, "issuperset": ast.GtE}
_INSTEAD = {"list": "tuple", "set": "frozenset"}
_LEFT_OUT = ("int", "bool", "copy")


def _method(node: ast.AST, error: ModelError) -> str | None:
    """x.union(y), and the like, as an operator."""
    match node:
        case ast.Call(ast.Attribute(left, name), [right], []) if f".{name}() is outside" in error.sentence:
            if name in _OPERATORS:
                return ast.unparse(ast.BinOp(left, _OPERATORS[name](), right))
            if name in _COMPARED:
                return ast.unparse(ast.Compare(left, [_COMPARED[name]()], [right]))
            if name == "isdisjoint":
                empty = ast.Call(ast.Name("frozenset"), [], [])
                return ast.unparse(ast.Compare(ast.BinOp(left, ast.BitAnd(), right), [ast.Eq()], [empty]))
            if name == "get":
                return ast.unparse(ast.Subscript(left, right))
        case ast.Call(ast.Attribute(left, "copy"), [], []) if ".copy() is outside" in error.sentence:
            return ast.unparse(left)
    return None


def _change(node: ast.AST, error: ModelError) -> str | None:
    """A method that changes its value, as an assignment."""
    if "would change a value in place" not in error.sentence:
        return None
    match node:
        case ast.Call(ast.Attribute(target, "add"), [value], []):
            return f"{ast.unparse(target)} |= {{{ast.unparse(value)}}}"
        case ast.Call(ast.Attribute(target, "remove" | "discard"), [value], []):
            return f"{ast.unparse(target)} -= {{{ast.unparse(value)}}}"
        case ast.Call(ast.Attribute(target, "append"), [value], []):
            return f"{ast.unparse(target)} += ({ast.unparse(value)},)"
        case ast.Call(ast.Attribute(target, "extend"), [value], []):
            return f"{ast.unparse(target)} += {ast.unparse(value)}"
    return None


def _function(node: ast.AST, error: ModelError) -> str | None:
    match node:
        case ast.Call(ast.Name(name), [value], []) if error.sentence.startswith(f"{name}() is outside"):
            shown = ast.unparse(value)
            if name in _INSTEAD:
                return f"{_INSTEAD[name]}({shown})"
            return shown if name in _LEFT_OUT else None
    return None


def _display(node: ast.AST, error: ModelError) -> str | None:
    """A mutable value as one that does not change."""
    if "mutable value" not in error.sentence:
        return None
    match node:
        case ast.List(elements):
            return ast.unparse(ast.Tuple(elements))
        case ast.ListComp(element, generators):
            return f"tuple{ast.unparse(ast.GeneratorExp(element, generators))}"
        case ast.SetComp(element, generators):
            return f"frozenset{ast.unparse(ast.GeneratorExp(element, generators))}"
        case ast.Set():
            return f"frozenset({ast.unparse(node)})"
    return None


def _operator(node: ast.AST, error: ModelError) -> str | None:
    match node:
        case ast.BinOp(left, ast.Div(), right) if error.sentence.startswith("the operator / "):
            return ast.unparse(ast.BinOp(left, ast.FloorDiv(), right))
        case ast.AugAssign(target, ast.Div(), value) if error.sentence.startswith("the operator / "):
            return f"{ast.unparse(target)} //= {ast.unparse(value)}"
        case ast.BinOp(left, ast.BitXor(), right) if error.sentence.startswith("the operator ^ "):
            return ast.unparse(ast.Compare(left, [ast.NotEq()], [right]))
        case ast.UnaryOp(ast.Invert(), operand) if error.sentence.startswith("the sign ~ "):
            return ast.unparse(ast.UnaryOp(ast.Not(), operand))
        case ast.UnaryOp(ast.UAdd(), operand) if error.sentence.startswith("the sign + "):
            return ast.unparse(operand)
        case ast.Compare(left, [ast.Is() | ast.IsNot() as op], [right]) if error.sentence.startswith("`is` "):
            return ast.unparse(ast.Compare(left, [ast.Eq() if isinstance(op, ast.Is) else ast.NotEq()], [right]))
    return None


def _name(node: ast.AST, error: ModelError) -> str | None:
    match node:
        case ast.Name(name) if error.remedy == f"Write self.{name}.":
            return f"self.{name}"
        case ast.Name(name) if error.sentence == f"{name} is a class, not a set of its members.":
            return f"frozenset({name})"
    return None


def _statement(node: ast.AST, error: ModelError) -> str | None:
    written = re.match(r"Write (.+)\.$", error.remedy)
    match node:
        case ast.Assert(test) if error.sentence.startswith("assert "):
            return f"require({ast.unparse(test)})"
        case ast.For() if written and "..." not in error.remedy and error.sentence.startswith("a loop"):
            return written[1]
    return None


_RULES: tuple[Rule, ...] = (_method, _change, _function, _display, _operator, _name, _statement)


_MOST_TRIED = 3  # variants of a base with errors: each takes as long as the base, and mostly all have its errors
_NOT_FILLED, _MISSPELT = "() is not filled.", " meant?"


@dataclass(frozen=True)
class ReadModel:
    """A model with its errors; fields stay empty where reading failed."""

    cls: type[Model]
    errors: tuple[ModelError, ...] = ()
    constants: dict[str, ConstantIR] = field(default_factory=dict)
    variables: dict[str, VariableIR] = field(default_factory=dict)
    methods: dict[str, Method] = field(default_factory=dict)
    open: tuple[str, ...] = ()  # policies that nobody fills
    ir: ModelIR | None = None
    bound: BoundModel | None = None  # at the default constants
    is_base: bool = False  # there are variants of it, and it is refused as a model of its own only


def read(cls: type[Model]) -> ReadModel:
    """Read a model; its errors are in the result."""
    try:
        ir = read_model(cls)
    except ModelError as error:
        return _read_refused(cls, error)
    model = ReadModel(
        cls,
        tuple(domain_errors(ir)),
        {constant.name: constant for constant in ir.constants},
        {variable.name: variable for variable in ir.variables},
        {method.name: method for method in (*ir.methods, *ir.initials, *ir.helpers.values())},
        ir=ir,
    )
    return model if model.errors else _bind_defaults(model, ir)


def _read_refused(cls: type[Model], first: ModelError) -> ReadModel:
    try:
        declared = Declarations(cls)
        tried = list(MethodReader(declared).try_all())
        policies = ((name, function) for name, (role, function, _) in declared.methods.items() if role == "policy")
        open_ = tuple(name for name, function in policies if is_open(function_tree(function)[1]))
    except (ModelError, RecursionError):
        return ReadModel(cls, (first,))
    errors = tuple(each for each in tried if isinstance(each, ModelError))
    methods = {each.name: each for each in tried if isinstance(each, Method)}
    model = ReadModel(cls, errors, declared.constants, declared.variables, methods, open_)
    if errors or (open_ and not _is_unfinished(cls, open_)):
        return replace(model, is_base=bool(errors) and _is_completed(cls))
    if first.sentence.endswith(_NOT_FILLED):
        unfilled = ModelError(place_of_class(cls), first.sentence, first.remedy)
        return replace(model, errors=(unfilled,), is_base=not first.remedy.endswith(_MISSPELT))
    return replace(model, errors=(first,), is_base=_is_completed(cls))


def _is_completed(cls: type[Model]) -> bool:
    """Whether a variant has all that is missing: then the text of its base is right."""
    return any(map(_reads, islice(_variants(cls), _MOST_TRIED)))


def _variants(cls: type[Model]) -> Iterator[type[Model]]:
    """Yield the subclasses of a model, those without subclasses first."""
    derived: list[type[Model]] = type.__subclasses__(cls)
    for each in derived:
        yield from _variants(each)
    yield from derived


def _reads(cls: type[Model]) -> bool:
    try:
        return not any(domain_errors(read_model(cls)))
    except ModelError:
        return False


def _is_unfinished(cls: type[Model], open_: tuple[str, ...]) -> bool:
    """Whether a variant, of which no variant is known, leaves open what its bases do. It may be a base of others."""
    return not cls.__subclasses__() and any(name not in vars(cls) for name in open_)


def _bind_defaults(model: ReadModel, ir: ModelIR) -> ReadModel:
    try:
        return replace(model, bound=bind(ir, {}))
    except ModelError as error:
        return replace(model, errors=(error,))
    except AssumptionFalse as error:
        at = next((each.at for each in ir.assumptions if f"the assumption {each.name} " in str(error)), ir.at)
        sentence = str(error).removeprefix(f"{at}: ")
        return replace(model, errors=(ModelError(at, sentence, "Choose other defaults."),))
    except UsageError:  # a constant without a default
        return model


def lower_too(model: ReadModel) -> ReadModel:
    """Lower a model at its default constants, and add the errors that only lowering shows."""
    if model.bound is None:
        return model
    try:
        lower(model.bound)
    except ModelError as error:
        return replace(model, errors=(error,))
    except IsrcheckError:  # not of the text
        return model
    return model
