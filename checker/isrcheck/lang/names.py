"""The meanings of names in one method: of a name alone, and after `self.`."""

import ast
from collections.abc import Callable, Iterable, Mapping
from dataclasses import field
from difflib import get_close_matches
from enum import Enum
from types import FunctionType, ModuleType
from typing import Any, TypeGuard

from isrcheck.errors import ModelError, nearest
from isrcheck.ir.domains import Domain, SortDomain
from isrcheck.ir.frozen import Frozen, replace
from isrcheck.ir.nodes import (
    Conditional,
    Everything,
    Expression,
    Item,
    Literal,
    Narrowed,
    Operation,
    Operator,
    ReadConstant,
    ReadLocal,
    ReadVariable,
)
from isrcheck.lang.annotations import enum_domain, sort_domain
from isrcheck.lang.declare import Sort
from isrcheck.lang.source import place_of
from isrcheck.place import Place

LONG_CHAIN = 32  # operands of `and` or `or`, of which more are no deeper
# Levels of an expression: less than Python's parser takes, so that every walk through it comes back. The walk with most
# calls a level, inlining, takes 5, and Python stops after 1,000.
DEEPEST = 100


class Names(Frozen):
    file: str
    method: str
    globals: Mapping[str, Any]
    constants: frozenset[str]
    variables: frozenset[str]
    methods: frozenset[str]  # helpers and policies of the model
    actions: frozenset[str]
    self_name: str  # empty in a function
    functions: frozenset[str]  # of the grammar, such as len
    ask: Callable[[FunctionType], str]  # a module-level helper's name in the model's list
    bags: Mapping[str, str] = field(default_factory=dict)  # variables with methods: Network, Bag or Channels
    before: str = ""
    taken: str = ""
    asks_enabled: bool = False  # in a property
    abstract: tuple[str, frozenset[str]] = ("", frozenset())  # in a refinement: the abstract state, and its variables
    locals: set[str] = field(default_factory=set)
    sometimes: set[str] = field(default_factory=set)  # local names that have a value on some ways only
    hidden: Mapping[str, str] = field(default_factory=dict)  # what a comprehension's own names are called, if not so
    narrowed: dict[str, tuple[tuple[Domain, bool], ...]] = field(default_factory=dict)  # by `key_of`: see `Narrowed`

    def at(self, node: ast.AST) -> Place:
        return place_of(self.file, node)

    def refuse(self, node: ast.AST, sentence: str, remedy: str) -> ModelError:
        return ModelError(self.at(node), sentence, remedy)

    def outside(self, node: ast.AST, what: str, remedy: str) -> ModelError:
        return self.refuse(node, f"{what} is outside the modelling language.", remedy)

    def unknown(self, node: ast.AST, sentence: str, name: str, known: Iterable[str]) -> ModelError:
        return self.refuse(node, sentence, nearest(name, known).strip())

    def has_meaning(self, name: str) -> bool:
        """Whether a name is not free for a local value."""
        own = (self.self_name, self.before, self.taken, self.abstract[0])
        return name in own or name in self.globals or name in self.functions

    def hide(self, name: str) -> "tuple[Names, str]":
        """The names inside a comprehension with this name, which hides a local one; and its name from here on."""
        own = name
        while own in self.locals:
            own += "'"
        return replace(self.inner({own}), hidden={**self.hidden, name: own}), own

    def inner(self, names: set[str]) -> "Names":
        return replace(self, locals=self.locals | names, narrowed=dict(self.narrowed))


def key_of(node: Expression) -> str:
    """The key of a value that can be narrowed: a local name or a variable; empty for another expression."""
    match node:
        case Narrowed(value):
            return key_of(value)
        case ReadLocal(name):
            return name
        case ReadVariable(name, before):
            return f"{'before' if before else 'self'}.{name}"
    return ""


def narrow_value(node: Expression, names: Names) -> Expression:
    """The value narrowed to what is known of it here."""
    for domain, within in names.narrowed.get(key_of(node), ()):
        node = Narrowed(node, domain, within, node.at)
    return node


def refuse_deep(tree: ast.FunctionDef, names: Names) -> None:
    waiting: list[tuple[ast.AST, int]] = [(tree, 0)]
    while waiting:
        node, depth = waiting.pop()
        depth += _levels(node)
        if depth > DEEPEST:
            remedy = "Give parts of it names, or say it with all(), any() or sum()."
            raise names.refuse(node, f"this expression is nested deeper than {DEEPEST} levels.", remedy)
        waiting.extend((child, depth) for child in ast.iter_child_nodes(node))


def _levels(node: ast.AST) -> int:
    """How much deeper its children are."""
    match node:
        case ast.BoolOp(values=values):
            return len(values) - 1 if len(values) <= LONG_CHAIN else len(values).bit_length()
        case ast.Compare(ops=ops):
            return len(ops)
        case ast.expr():
            return 1
    return 0


def refuse_private(tree: ast.FunctionDef, names: Names) -> None:
    """Refuse names __x, which Python reads as _CLASS__x. Raises ModelError."""
    for node in ast.walk(tree) if names.self_name else ():
        match node:
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.arg(arg=name):
                if name.startswith("__") and not name.endswith("__"):
                    sentence = f"{name} begins with __, and Python puts the name of the class before it."
                    raise names.refuse(node, sentence, f"Call it {name.lstrip('_') or 'x'}.")


def read_name(node: ast.Name, names: Names) -> Expression:
    if node.id in names.locals:
        return narrow_value(ReadLocal(names.hidden.get(node.id, node.id), names.at(node)), names)
    if everything(node, names) is not None:
        remedy = f"Write frozenset({node.id}) for the set, or `for x in {node.id}`."
        raise names.refuse(node, f"{node.id} is a class, not a set of its members.", remedy)
    if node.id in (names.self_name, names.before, names.taken) and node.id:
        remedy = f"Write {node.id}.action or {node.id}.parameter." if node.id == names.taken else ""
        remedy = remedy or f"Read its parts: {node.id}.variable."
        raise names.refuse(node, f"{node.id} is not a value of the model.", remedy)
    if node.id in names.constants | names.variables | names.methods:
        raise names.refuse(node, f"{node.id} belongs to the model.", f"Write self.{node.id}.")
    if isinstance(names.globals.get(node.id), ModuleType):
        raise module_refusal(node, names)
    if node.id in names.globals:
        sentence = f"{node.id} is a global of the module, which a model may not read."
        raise names.refuse(node, sentence, "Make it a constant of the model, or write its value.")
    if node.id in names.sometimes:
        remedy = "Assign to it in each branch, or before."
        raise names.refuse(node, f"{node.id} has no value on some ways to this line.", remedy)
    raise names.refuse(node, f"{names.method}() does not know the name {node.id}.", _nearest_name(node.id, names))


def module_refusal(node: ast.Name, names: Names) -> ModelError:
    module = names.globals[node.id].__name__
    shown = "a module" if module == node.id else f"the module {module}"
    sentence = f"{node.id} is {shown}, and a model uses nothing of other modules."
    return names.refuse(node, sentence, "Say the same with all, any, sum, min, max and len, or with a helper.")


def _nearest_name(unknown: str, names: Names) -> str:
    own = names.constants | names.variables | names.methods
    for close in get_close_matches(unknown, sorted(names.locals | own), 1):
        return f"Did you mean {'' if close in names.locals else 'self.'}{close}?"
    return nearest(unknown, names.locals | {f"self.{name}" for name in own}).strip()


def everything(node: ast.expr, names: Names) -> Everything | None:
    """All members, if a sort or enumeration is named; else None."""
    if not isinstance(node, ast.Name) or node.id in names.locals:
        return None
    meaning = names.globals.get(node.id)
    if not isinstance(meaning, type) or not issubclass(meaning, Sort | Enum):
        return None
    return Everything(sort_domain(meaning) if issubclass(meaning, Sort) else enum_domain(meaning), names.at(node))


def member_of_sort(node: ast.Subscript, of: Everything, names: Names) -> Expression:
    """Read the member of a sort by number, as Node[0]. Raises ModelError."""
    match of.domain, node.slice:
        case SortDomain(name=name, symmetric=True), _:
            sentence = f"{name} is symmetric, and {ast.unparse(node)} tells one of its members from the others."
            raise names.refuse(node, sentence, "Leave symmetric=True out, or take a parameter.")
        case SortDomain(make=make), ast.Constant(int() as index) if not isinstance(index, bool):
            return Literal(make(index), names.at(node), of.domain)
    remedy = "Write Node[0] with a number, of a sort that is not symmetric."
    raise names.refuse(node, f"{ast.unparse(node)} is not a member by its number.", remedy)


def bag_of(node: ast.expr, names: Names) -> str:
    """The container of self.network, or before.network: Network, Bag or Channels; empty for another expression."""
    match node:
        case ast.Attribute(ast.Name(owner), name) if owner and owner in (names.self_name, names.before):
            return names.bags.get(name, "")
    return ""


def count_of(network: Expression, message: Expression, at: Place) -> Expression:
    """How often a network holds a message: 0 times also what it can never hold."""
    there = Operation(Operator.IN, message, network, at)
    return Conditional(there, Item(network, message, at), Literal(0, at), at)


def is_own(name: str, meaning: object, names: Names) -> bool:
    """Whether a name means this word of the language."""
    return name not in names.locals and names.globals.get(name) is meaning


def refuse_early(name: str, generators: list[ast.comprehension], own: ast.comprehension, names: Names) -> None:
    """Python makes a name local to the whole comprehension, but for the first `for`'s source."""
    first, *others = generators[: generators.index(own) + 1]
    parts = [*first.ifs, *(node_read for each in others for node_read in (each.iter, *each.ifs))] if others else []
    for node in (inner for expression in parts[: len(parts) - len(own.ifs)] for inner in ast.walk(expression)):
        if name in names.locals and isinstance(node, ast.Name) and node.id == name:
            raise names.refuse(node, f"{name} has no value yet: `for {name}` stands behind it.", "Choose another name.")


def read_member(node: ast.AST, name: str, before: bool, names: Names) -> Expression:
    if names.bags.get(name) == "Channels":
        raise names.refuse(node, f"{name} is read under a channel only.", f"Write self.{name}[channel].")
    if name in names.variables:
        return narrow_value(ReadVariable(name, before, names.at(node)), names)
    if name in names.constants:
        return ReadConstant(name, names.at(node))
    if name in names.methods | names.actions:
        raise names.refuse(node, f"{name} is a method.", f"Call it: self.{name}(...).")
    known = names.variables | names.constants | names.methods
    raise names.unknown(node, f"the model has no variable or constant {name}.", name, known)


def keyword_name(keyword: ast.keyword, names: Names) -> str:
    if keyword.arg is None:
        raise names.outside(keyword.value, "**", "Name each argument.")
    return keyword.arg


def same_package(meaning: object, names: Names) -> TypeGuard[FunctionType]:
    """Whether it may be a helper."""
    here = str(names.globals.get("__name__", ""))
    return isinstance(meaning, FunctionType) and meaning.__module__.split(".")[0] == here.split(".")[0]
