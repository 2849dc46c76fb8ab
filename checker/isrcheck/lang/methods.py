"""The methods of a model, and the helpers that they call: what each takes, returns and does, as its role allows."""

import ast
import inspect
from dataclasses import replace
from types import FunctionType
from typing import Any, Self

from isrcheck.errors import ModelError, nearest, refusing_recursion
from isrcheck.ir.domains import BOOL, Domain, MapDomain, describe
from isrcheck.ir.model import PROPERTY, Method, Parameter, Property
from isrcheck.ir.nodes import Statement
from isrcheck.ir.property_kinds import PropertyKind
from isrcheck.lang.annotations import alias_names, check_bounded, check_listed, to_domain, type_hints
from isrcheck.lang.declarations import Declarations
from isrcheck.lang.declare import ABOUT, INTERNAL, Role, Taken
from isrcheck.lang.depth import refuse_deep
from isrcheck.lang.expressions import BUILTINS
from isrcheck.lang.names import Names, refuse_private
from isrcheck.lang.reserved import refuse_reserved
from isrcheck.lang.source import function_place, function_tree, place_of
from isrcheck.lang.sources import Sources
from isrcheck.lang.statements import check_returns, first_return, read_block, refuse_effects
from isrcheck.place import Place

_CONDITIONS = ("lemma", "assume", "applies")
_WHOLE, _ONCE = "a property is asked of a whole state", "it is asked once for a run"


class MethodReader:
    """Reads the methods of a model whose names are known. Raises ModelError for anything outside the language."""

    def __init__(self, declared: Declarations) -> None:
        self.declared = declared
        self.helpers: dict[str, Method] = {}
        self.sources = Sources()
        self._functions: dict[FunctionType, str] = {}

    def read(self) -> list[Method]:
        """Every method of the model; `helpers` then holds those that are called, from modules too."""
        methods = []
        for name, entry in self.declared.methods.items():
            with refusing_recursion(function_place(entry[1])):
                methods.append(self._method(name, *entry))
        for method in methods:
            if method.role in ("helper", "policy"):
                self.helpers[method.name] = method
        return methods

    def _names(self, function: FunctionType, file: str, self_name: str) -> Names:
        return Names(
            file=file,
            method=function.__name__,
            globals=function.__globals__,
            constants=frozenset(self.declared.constants),
            variables=frozenset(self.declared.variables),
            methods=frozenset(n for n, (role, _, _) in self.declared.methods.items() if role in ("helper", "policy")),
            actions=frozenset(n for n, (role, _, _) in self.declared.methods.items() if role == "action"),
            self_name=self_name,
            functions=frozenset(BUILTINS),
            ask=self._ask,
        )

    def _method(self, name: str, role: Role, function: FunctionType, owner: type) -> Method:
        file, tree = function_tree(function)
        arguments = _plain_arguments(tree, file)
        if not arguments:
            raise ModelError(place_of(file, tree), f"{name}() has no self.", f"Write def {name}(self, ...).")
        names = self._names(function, file, arguments[0].arg)
        _refuse_meaning(arguments[0], names)
        if isinstance(role, PropertyKind) or role == "lemma":
            refuse_reserved("property", name, names.at(tree))
        if _is_open(tree):
            raise self._unfilled(name, role, owner, tree, names)
        if isinstance(role, PropertyKind) and role.is_of_steps:
            names = self._names_of_step(name, function, owner, tree, names, arguments[1:])
            return self._read_method(name, role, function, owner.__name__, tree, names, [])
        if _is_condition(role) and len(arguments) > 1:
            asked = {"lemma": "a lemma speaks of a whole state", "assume": _ONCE, "applies": _ONCE}.get(
                str(role), _WHOLE
            )
            remedy = "Say what holds with all() or any() over a sort."
            raise names.refuse(arguments[1], f"{name}() has a parameter, and {asked}.", remedy)
        return self._read_method(name, role, function, owner.__name__, tree, names, arguments[1:])

    def _unfilled(self, name: str, role: Role, owner: type, tree: ast.FunctionDef, names: Names) -> ModelError:
        if role != "policy":
            return names.refuse(tree, f"{name}() has no body.", "Write it, or mark it @policy for variants to fill.")
        added = [n for n, (kind, _, base) in self.declared.methods.items() if kind == "helper" and base is not owner]
        meant = nearest(name, added).strip() if added else ""
        if "Did you mean" in meant:
            wrong = meant.removeprefix("Did you mean ").removesuffix("?")
            remedy = f"{self.declared.methods[wrong][2].__name__} has a helper {wrong}: was {name} meant?"
        else:
            remedy = f"Fill it in a variant of {owner.__name__}: def {name}(self, ...)."
        return names.refuse(tree, f"the policy {name}() is not filled.", remedy)

    def _names_of_step(
        self, name: str, function: FunctionType, owner: type, tree: ast.FunctionDef, names: Names, rest: list[ast.arg]
    ) -> Names:
        """The names of a property of steps, with those of the state before and of the action taken."""
        hints = type_hints(function, f"{name}()", names.at(tree))
        if len(rest) not in (1, 2) or (len(rest) == 2 and hints.get(rest[1].arg) is not Taken):
            raise names.refuse(
                tree,
                f"the step property {name}() does not see a step.",
                f"Write def {name}(self, before: Self) -> bool, and taken: Taken as a third if the action matters.",
            )
        before = hints.get(rest[0].arg, Self)
        if before is not Self and not (isinstance(before, type) and issubclass(owner, before)):
            remedy = f"Write def {name}(self, before: Self, ...), and taken: Taken after it."
            raise names.refuse(rest[0], f"the first parameter of {name}() is the state before the step.", remedy)
        for each in rest:
            _refuse_meaning(each, names)
        taken = rest[1].arg if len(rest) == 2 else ""
        return replace(names, before=rest[0].arg, taken=taken)

    def _read_method(
        self,
        name: str,
        role: Role,
        function: FunctionType,
        owner: str,
        tree: ast.FunctionDef,
        names: Names,
        arguments: list[ast.arg],
    ) -> Method:
        self.sources.add_function(function, tree)
        refuse_deep(tree, names)
        refuse_private(tree, names)
        hints = type_hints(function, f"{name}()", names.at(tree))
        aliases = alias_names(function.__globals__)
        parameters = tuple(self._parameter(a, hints, aliases, names, role) for a in arguments)
        names.locals.update(p.name for p in parameters)
        returns = self._returns(name, role, hints, aliases, tree, names)
        body = read_block(tree.body, names)
        self._check_body(name, role, returns, body, tree, names)
        doc = inspect.cleandoc(ast.get_docstring(tree) or "")
        about = getattr(function, ABOUT, ()) if role == "applies" else ()
        at = names.at(tree)
        internal = getattr(function, INTERNAL, False)
        if not isinstance(internal, bool):
            remedy = "Write @action(internal=True) for an internal action, and @action for one of the environment."
            raise ModelError(at, f"internal of the action {name}() is {internal!r}, neither True nor False.", remedy)
        rest = (doc, parameters, body, returns, owner, at, names.before, names.taken, about, internal)
        if isinstance(role, PropertyKind):
            return Property(name, PROPERTY, *rest, kind=role)
        method = Method(name, role, *rest)
        if name in self.declared.opened and role == "policy":
            self._check_filling(method, self.declared.opened[name])
        return method

    def _check_filling(self, method: Method, declared: FunctionType) -> None:
        """Raises ModelError unless a policy is filled with what it was declared to take and to return."""
        file, tree = function_tree(declared)
        at = place_of(file, tree)
        aliases, hints = alias_names(declared.__globals__), type_hints(declared, f"{method.name}()", at)
        names = [argument.arg for argument in _plain_arguments(tree, file)[1:]]
        wanted = [to_domain(hints[name], at, aliases) for name in names if name in hints]
        taken, given = "", ""
        if [p.domain for p in method.parameters] != wanted:
            taken = ", ".join(map(describe, wanted)) or "nothing"
            given = ", ".join(describe(p.domain) for p in method.parameters) or "nothing"
        elif any(p.name in names and p.name != name for p, name in zip(method.parameters, names, strict=True)):
            taken, given = ", ".join(names), ", ".join(p.name for p in method.parameters)
        if taken:
            remedy = f"Give it the parameters that {at} declares."
            raise ModelError(method.at, f"the policy {method.name}() takes {taken}, and here {given}.", remedy)
        returned = to_domain(hints["return"], at, aliases)
        if method.returns is not None and method.returns != returned:
            sentence = f"the policy {method.name}() returns {describe(returned)}, and here {describe(method.returns)}."
            raise ModelError(method.at, sentence, f"Return what {at} declares.")

    def _check_body(
        self,
        name: str,
        role: Role,
        returns: Domain | None,
        body: tuple[Statement, ...],
        tree: ast.FunctionDef,
        names: Names,
    ) -> None:
        if _is_pure(role):
            kinds = {"assume": "assumption", "applies": "condition", "policy": "policy", "lemma": "lemma"}
            kind = kinds.get(str(role), PROPERTY)
            refuse_effects(body, f"the {kind} {name}()")
        if returns is not None:
            refuse_effects(body, f"{name}(), which returns a value,")
            check_returns(body, name, tree, names)
            return
        wrong = first_return(body)
        if wrong is not None and role == "action":
            raise ModelError(wrong.at, f"the action {name}() returns a value.", "An action assigns to variables.")
        if wrong is not None:
            raise ModelError(wrong.at, f"{name}() returns a value that it does not declare.", "Write -> and its type.")

    def _parameter(
        self, argument: ast.arg, hints: dict[str, Any], aliases: dict[int, str], names: Names, role: Role
    ) -> Parameter:
        at = names.at(argument)
        if argument.arg not in hints:
            raise ModelError(at, f"the parameter {argument.arg} has no type.", f"Write {argument.arg}: its type.")
        domain = to_domain(hints[argument.arg], at, aliases)
        if isinstance(domain, MapDomain):
            raise ModelError(
                at, f"the parameter {argument.arg} is a dict, a mutable value.", "Pass a key, and read self.x[key]."
            )
        if role == "action":
            refuse_reserved("parameter", argument.arg, at)
            check_bounded(domain, f"the parameter {argument.arg}", at)
            check_listed(domain, f"the parameter {argument.arg}", at)
        return Parameter(argument.arg, domain, at)

    def _returns(
        self, name: str, role: Role, hints: dict[str, Any], aliases: dict[int, str], tree: ast.FunctionDef, names: Names
    ) -> Domain | None:
        if "return" not in hints:
            raise names.refuse(tree, f"{name}() does not say what it returns.", "Write -> None, -> bool or a type.")
        hint = hints["return"]
        pure = _is_pure(role)
        if hint is type(None):
            if pure:
                remedy = "Write -> and what it decides." if role == "policy" else "Write -> bool."
                raise names.refuse(tree, f"the {role} {name}() returns nothing.", remedy)
            return None
        if role == "action":
            raise names.refuse(tree, f"the action {name}() returns a value.", "Write -> None.")
        domain = to_domain(hint, names.at(tree), aliases)
        if pure and role != "policy" and domain != BOOL:
            raise names.refuse(tree, f"the {role} {name}() does not return a bool.", "Write -> bool.")
        if isinstance(domain, MapDomain):
            raise names.refuse(tree, f"{name}() returns a dict, a mutable value.", "Return one of its values.")
        return domain

    def _ask(self, function: FunctionType, at: Place) -> str:
        """A module-level helper by the name that it goes under in this model."""
        if function not in self._functions:
            name = function.__name__
            taken = set(self.declared.methods) | set(self._functions.values())
            self._functions[function] = name if name not in taken else f"{function.__module__}.{name}"
            file, tree = function_tree(function)
            names = self._names(function, file, "")
            names = replace(names, variables=frozenset(), methods=frozenset(), constants=frozenset())
            arguments = _plain_arguments(tree, file)
            module = function.__module__
            method = self._read_method(name, "helper", function, module, tree, names, arguments)
            self.helpers[self._functions[function]] = method
        return self._functions[function]


def _is_condition(role: Role) -> bool:
    return isinstance(role, PropertyKind) or role in _CONDITIONS


def _is_pure(role: Role) -> bool:
    return role == "policy" or _is_condition(role)


def _refuse_meaning(argument: ast.arg, names: Names) -> None:
    """Raises ModelError for a state that goes by a name of the file or of the language."""
    if argument.arg in names.globals or argument.arg in BUILTINS or argument.arg == "require":
        sentence = f"{argument.arg} has a meaning already."
        raise names.refuse(
            argument, sentence, "Call the model self, the state before a step before, and its step taken."
        )


def _is_open(tree: ast.FunctionDef) -> bool:
    """Whether a body is `raise NotImplementedError`."""
    body = [s for s in tree.body if not (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant))]
    match body:
        case [ast.Raise(exc=ast.Name(id="NotImplementedError") | ast.Call(func=ast.Name(id="NotImplementedError")))]:
            return True
    return False


def _plain_arguments(tree: ast.FunctionDef, file: str) -> list[ast.arg]:
    arguments = tree.args
    if getattr(tree, "type_params", []):
        raise ModelError(place_of(file, tree), f"{tree.name}() has type parameters.", "Name the types themselves.")
    if arguments.vararg or arguments.kwarg or arguments.kwonlyargs or arguments.defaults:
        raise ModelError(
            place_of(file, tree),
            f"{tree.name}() has optional, starred or keyword-only parameters.",
            "Give it plain parameters.",
        )
    return [*arguments.posonlyargs, *arguments.args]
