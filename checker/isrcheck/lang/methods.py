"""The methods of a model and the helpers that they call, as their roles allow."""

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property
from types import FunctionType
from typing import Any, Self, get_args

from isrcheck.errors import ModelError, refuse_recursion
from isrcheck.ir.check.statements import ends
from isrcheck.ir.domains import BOOL, Domain, MapDomain, describe
from isrcheck.ir.frozen import replace
from isrcheck.ir.model import PROPERTY, Method, Parameter, Property, TemporalOperator, TemporalProperty
from isrcheck.ir.nodes import Clause, Comprehension, Expression, Gathering, Operation, Operator, Return, Statement, walk
from isrcheck.ir.property_kinds import REFINEMENT, TEMPORAL, PropertyKind
from isrcheck.lang.annotations import alias_names, check_bounded, check_listed, to_domain, type_hints
from isrcheck.lang.declarations import Declarations
from isrcheck.lang.declare import Fair, Role, RoleMark, Taken, mark_of
from isrcheck.lang.expressions import BUILTINS, read_clauses, read_value
from isrcheck.lang.formulas import FORMULAS, Temporal
from isrcheck.lang.names import Names, is_own, refuse_deep, refuse_private
from isrcheck.lang.refinements import names_of_refinement, refuse_branches
from isrcheck.lang.refused import refuse_reserved
from isrcheck.lang.source import Sources, function_place, function_tree, place_of
from isrcheck.lang.statements import read_block, refuse_effects
from isrcheck.lang.usage import suggest
from isrcheck.place import Place

# Roles that are conditions, besides properties: what each is called, and why it has no parameters.
_MARKS = {
    "internal": "an internal action, and @action for one of the environment",
    "fault": "what breaks, and @action for a step of the protocol",
}
_CONDITIONS = {
    "lemma": ("lemma", "a lemma speaks of a whole state"),
    "constraint": ("constraint", "a constraint is asked of a state or a step"),
    "fairness": ("fairness", "it is asked of the step taken"),
    "assume": ("assumption", "it is asked once for a run"),
    "applies": ("condition", "it is asked once for a run"),
}


@dataclass(frozen=True)
class _Written:
    name: str
    role: Role
    function: FunctionType
    owner: str
    tree: ast.FunctionDef
    names: Names
    policies: Iterable[str] = ()  # of the model, for a helper that may have been meant for one

    @cached_property
    def hints(self) -> dict[str, Any]:
        return type_hints(self.function, f"{self.name}()", self.names.at(self.tree))

    @property
    def is_condition(self) -> bool:
        return isinstance(self.role, PropertyKind) or self.role in _CONDITIONS

    @property
    def meant(self) -> str:
        """The remedy for a helper whose name is close to that of a policy; empty for others."""
        return suggest(self.name, self.policies, "a policy")

    def domain(self, name: str, at: Place) -> Domain:
        return to_domain(self.hints[name], at, alias_names(self.function.__globals__))

    def refuse(self, sentence: str, remedy: str) -> ModelError:
        return self.names.refuse(self.tree, sentence, remedy)


class MethodReader:
    """Reads the methods of a model whose names are known. Raises ModelError."""

    def __init__(self, declared: Declarations) -> None:
        self.declared = declared
        self.helpers: dict[str, Method] = {}
        self.sources = Sources()
        self._functions: dict[FunctionType, str] = {}

    def read(self) -> list[Method]:
        """Every method; `helpers` then holds those that are called, from modules too."""
        methods = []
        for name, declaration in self.declared.methods.items():
            with refuse_recursion(function_place(declaration[1])):
                methods.append(self._method(name, *declaration))
        self.helpers.update({method.name: method for method in methods if method.role in ("helper", "policy")})
        return methods

    def try_all(self) -> Iterator[Method | ModelError]:
        """Each method or its error, where `read` ends at the first error; without policies that are not filled."""
        for name, (role, function, owner) in self.declared.methods.items():
            try:
                with refuse_recursion(function_place(function)):
                    if role != "policy" or not is_open(function_tree(function)[1]):
                        yield self._method(name, role, function, owner)
            except ModelError as error:
                yield error

    def names_of(self, function: FunctionType, file: str, self_name: str) -> Names:
        return Names(
            file=file,
            method=function.__name__,
            globals=function.__globals__,
            constants=frozenset(self.declared.constants),
            variables=frozenset(self.declared.variables),
            bags={n: d.container for n, v in self.declared.variables.items() if isinstance(d := v.domain, MapDomain)},
            methods=frozenset(n for n, (role, _, _) in self.declared.methods.items() if role in ("helper", "policy")),
            actions=frozenset(n for n, (role, _, _) in self.declared.methods.items() if role == "action"),
            self_name=self_name,
            functions=frozenset(BUILTINS),
            ask=self._ask,
        )

    def _method(self, name: str, role: Role, function: FunctionType, owner: type) -> Method:
        file, tree = function_tree(function)
        arguments = _arguments(tree, file)
        if not arguments:
            raise ModelError(place_of(file, tree), f"{name}() has no self.", f"Write def {name}(self, ...).")
        state, *rest = arguments
        names = self.names_of(function, file, state.arg)
        names = replace(names, asks_enabled=isinstance(role, PropertyKind) and role != REFINEMENT)
        written = _Written(name, role, function, owner.__name__, tree, names)
        if role == "helper":
            written = replace(written, policies=self.declared.opened)
        _refuse_known(state, written.names)
        if isinstance(role, PropertyKind) or role in ("lemma", "constraint"):
            refuse_reserved("property", name, written.names.at(tree))
        if is_open(tree):
            raise self._refusal_of_unfilled(written, owner)
        if role == REFINEMENT:
            other = mark_of(function).other
            names = names_of_refinement(tree, written.names, other, written.hints, rest)
            return self._read(replace(written, names=names), [])
        if role == "fairness":
            return self._read(replace(written, names=_names_of_fairness(written, rest)), [])
        if role.is_of_steps if isinstance(role, PropertyKind) else role == "constraint" and rest:
            return self._read(replace(written, names=_names_of_step(written, owner, rest)), [])
        if written.is_condition and rest:
            _, asked = _CONDITIONS.get(str(role), ("", "a property is asked of a whole state"))
            remedy = "Say what holds with all() or any() over a sort."
            raise written.names.refuse(rest[0], f"{name}() has a parameter, and {asked}.", remedy)
        if role == "canonical" and rest:
            remedy = f"Write def {name}(self) -> None."
            raise written.names.refuse(rest[0], f"the canonical form {name}() has a parameter.", remedy)
        return self._read(written, rest)

    def _refusal_of_unfilled(self, written: _Written, owner: type) -> ModelError:
        name = written.name
        if written.role != "policy":
            return written.refuse(f"{name}() has no body.", "Write it, or mark it @policy for variants to fill.")
        helpers = ((n, base) for n, (kind, _, base) in self.declared.methods.items() if kind == "helper")
        added = {n: base for n, base in helpers if base is not owner}
        remedy = f"Fill it in a variant of {owner.__name__}: def {name}(self, ...)."
        for wrong in get_close_matches(name, sorted(added), 1):
            remedy = f"{added[wrong].__name__} has a helper {wrong}: was {name} meant?"
        return written.refuse(f"the policy {name}() is not filled.", remedy)

    def _read(self, written: _Written, arguments: list[ast.arg]) -> Method:
        name, role, tree, names = written.name, written.role, written.tree, written.names
        self.sources.add_function(written.function, tree)
        refuse_deep(tree, names)
        refuse_private(tree, names)
        parameters = tuple(_parameter(written, argument) for argument in arguments)
        names.locals.update(p.name for p in parameters)
        returns = _returns(written)
        operator, body = None, tuple[Statement, ...]()
        if role == TEMPORAL:
            operator, formula = read_formula(tree, names)
            body = (formula,)
        else:
            body = read_block(tree.body, names)
        if role == REFINEMENT:
            refuse_branches(body, name)
        _check_body(written, returns, body)
        doc = ast.get_docstring(tree) or ""
        at = names.at(tree)
        mark = mark_of(written.function)
        for option, remedy in _MARKS.items():
            if type(value := getattr(mark, option)) is not bool:
                sentence = f"{option} of the action {name}() is {value!r}, neither True nor False."
                raise ModelError(at, sentence, f"Write @action({option}=True) for {remedy}.")
        _refuse_unfair(mark, name, at)
        marked = (names.before, names.taken, mark.about, mark.internal, mark.fair, mark.sentence, mark.fault)
        rest = (doc, parameters, body, returns, written.owner, at, *marked)
        if operator is not None:
            return TemporalProperty(name, PROPERTY, *rest, kind=TEMPORAL, operator=operator)
        if isinstance(role, PropertyKind):
            return Property(name, PROPERTY, *rest, kind=role)
        method = Method(name, role, *rest)
        if name in self.declared.opened and role == "policy":
            _check_filling(method, self.declared.opened[name])
        return method

    def _ask(self, function: FunctionType) -> str:
        if function in self._functions:
            return self._functions[function]
        name, module = function.__name__, function.__module__
        taken = {*self.declared.methods, *self._functions.values()}
        called = name if name not in taken else f"{module}.{name}"
        self._functions[function] = called
        file, tree = function_tree(function)
        names = self.names_of(function, file, "")
        names = replace(names, variables=frozenset(), methods=frozenset(), constants=frozenset())
        written = _Written(name, "helper", function, module, tree, names)
        self.helpers[called] = self._read(written, _arguments(tree, file))
        return called


def _refuse_unfair(mark: RoleMark, name: str, at: Place) -> None:
    if mark.fair in ("", *get_args(Fair)):
        return
    remedy = f"Write fair={', '.join(map(repr, get_args(Fair)))}, or leave it out."
    raise ModelError(at, f"fair of the {mark.role} {name}() is {mark.fair!r}.", remedy)


def _names_of_fairness(written: _Written, rest: list[ast.arg]) -> Names:
    """The names in a fairness method, with the name of the step taken."""
    if len(rest) != 1 or written.hints.get(rest[0].arg) is not Taken:
        remedy = f"Write def {written.name}(self, taken: Taken) -> bool."
        raise written.refuse(f"the fairness {written.name}() does not see the step taken.", remedy)
    _refuse_known(rest[0], written.names)
    return replace(written.names, taken=rest[0].arg)


def _names_of_step(written: _Written, owner: type, rest: list[ast.arg]) -> Names:
    """The names in a step property, with those of the state before and of the action taken."""
    name, hints = written.name, written.hints
    if len(rest) not in (1, 2) or (len(rest) == 2 and hints.get(rest[1].arg) is not Taken):
        remedy = f"Write def {name}(self, before: Self) -> bool, and taken: Taken as a third if the action matters."
        kind = "constraint" if written.role == "constraint" else "step property"
        raise written.refuse(f"the {kind} {name}() does not see a step.", remedy)
    before = hints.get(rest[0].arg, Self)
    if before is not Self and not (isinstance(before, type) and issubclass(owner, before)):
        remedy = f"Write def {name}(self, before: Self, ...), and taken: Taken after it."
        sentence = f"the first parameter of {name}() is the state before the step."
        raise written.names.refuse(rest[0], sentence, remedy)
    for each in rest:
        _refuse_known(each, written.names)
    _refuse_swapped(written, rest[0])
    return replace(written.names, before=rest[0].arg, taken=rest[1].arg if len(rest) == 2 else "")


def _refuse_swapped(written: _Written, before: ast.arg) -> None:
    """The parameters of a step are told apart by their order; another name may mean another order."""
    names = written.names
    if (names.self_name, before.arg) != ("self", "before"):
        sentence = f"{before.arg} of {written.name}() is read as the state before the step"
        sentence += f", and {names.self_name} as the one after it."
        remedy = f"Write def {written.name}(self, before: Self, ...): self is after the step, before is before it."
        raise names.refuse(before, sentence, remedy)


def _check_filling(method: Method, declared: FunctionType) -> None:
    file, tree = function_tree(declared)
    at = place_of(file, tree)
    aliases, hints = alias_names(declared.__globals__), type_hints(declared, f"{method.name}()", at)
    names = [argument.arg for argument in _arguments(tree, file)[1:]]
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


def _check_body(written: _Written, returns: Domain | None, body: tuple[Statement, ...]) -> None:
    name, role = written.name, written.role
    if written.is_condition:
        kind, _ = _CONDITIONS.get(str(role), (PROPERTY, ""))
        refuse_effects(body, f"the {kind} {name}()")
    if returns is not None:
        what = f"the policy {name}()" if role == "policy" else f"{name}(), which returns a value,"
        refuse_effects(body, what)
        if not ends(body):
            raise written.refuse(f"{name}() does not return a value on every way through.", "End it with a return.")
        return
    for node in walk(body):
        if isinstance(node, Return) and role in ("action", "initial", "canonical"):
            raise ModelError(node.at, f"the action {name}() returns a value.", "An action assigns to variables.")
        if isinstance(node, Return):
            raise ModelError(node.at, f"{name}() returns a value that it does not declare.", "Write -> and its type.")


def _parameter(written: _Written, argument: ast.arg) -> Parameter:
    name = argument.arg
    at = written.names.at(argument)
    if name not in written.hints:
        remedy = written.meant or f"Write {name}: its type."
        raise ModelError(at, f"the parameter {name} of {written.name}() has no type.", remedy)
    domain = written.domain(name, at)
    if isinstance(domain, MapDomain):
        raise ModelError(at, f"the parameter {name} is a dict, a mutable value.", "Pass a key, and read self.x[key].")
    if written.role in ("action", "initial"):
        refuse_reserved("parameter", name, at)
        check_bounded(domain, f"the parameter {name}", at)
        check_listed(domain, f"the parameter {name}", at)
    return Parameter(name, domain, at)


def _returns(written: _Written) -> Domain | None:
    name, role, hints = written.name, written.role, written.hints
    if "return" not in hints:
        remedy = written.meant or "Write -> None, -> bool or a type."
        raise written.refuse(f"{name}() does not say what it returns.", remedy)
    if hints["return"] is type(None):
        if written.is_condition and role != REFINEMENT:
            raise written.refuse(f"the {role} {name}() returns nothing.", "Write -> bool.")
        return None
    if role in ("action", "initial", "canonical", REFINEMENT):
        what = {"initial": "action", "canonical": "canonical form"}.get(str(role), role)
        raise written.refuse(f"the {what} {name}() returns a value.", "Write -> None.")
    if (hints["return"] is Temporal) != (role == TEMPORAL):
        if role == TEMPORAL:
            raise written.refuse(f"the temporal property {name}() does not return Temporal.", "Write -> Temporal.")
        raise written.refuse(f"the {role} {name}() returns Temporal.", "Mark it @temporal, or write another type.")
    domain = BOOL if role == TEMPORAL else written.domain("return", written.names.at(written.tree))
    if written.is_condition and domain != BOOL:
        raise written.refuse(f"the {role} {name}() does not return a bool.", "Write -> bool.")
    if isinstance(domain, MapDomain):
        raise written.refuse(f"{name}() returns a dict, a mutable value.", "Return one of its values.")
    return domain


def _refuse_known(argument: ast.arg, names: Names) -> None:
    """No state has a name of the file."""
    if argument.arg in names.globals or argument.arg in BUILTINS or argument.arg == "require":
        remedy = "Call the model self, the state before a step before, and its step taken."
        raise names.refuse(argument, f"{argument.arg} has a meaning already.", remedy)


def is_open(tree: ast.FunctionDef) -> bool:
    """Whether nothing stands in it but `raise NotImplementedError`."""
    body = [s for s in tree.body if not (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant))]
    match body:
        case [ast.Raise() as only]:
            return ast.unparse(only).partition("(")[0] == "raise NotImplementedError"
    return False


def _arguments(tree: ast.FunctionDef, file: str) -> list[ast.arg]:
    given = tree.args
    if getattr(tree, "type_params", []):
        raise ModelError(place_of(file, tree), f"{tree.name}() has type parameters.", "Name the types themselves.")
    if given.vararg or given.kwarg or given.kwonlyargs or given.defaults:
        sentence = f"{tree.name}() has optional, starred or keyword-only parameters."
        raise ModelError(place_of(file, tree), sentence, "Give it plain parameters.")
    return [*given.posonlyargs, *given.args]


_FORMULA_REMEDY = (
    "Write return eventually(P), always_eventually(P), eventually_always(P), leads_to(P, Q), or all(...) of one."
)


def read_formula(tree: ast.FunctionDef, names: Names) -> tuple[TemporalOperator, Return]:
    """The formula that a method returns. Raises ModelError."""
    body = [each for each in tree.body if not (isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant))]
    match body:
        case [ast.Return(value=ast.expr() as formula)]:
            operator, clauses, condition = _read_parts(formula, names)
            at = names.at(formula)
            return operator, Return(Comprehension(Gathering.ALL, condition, clauses, at), at)
    raise names.refuse(tree, f"{tree.name}() is not one line that returns a temporal formula.", _FORMULA_REMEDY)


def _read_parts(node: ast.expr, names: Names) -> tuple[TemporalOperator, tuple[Clause, ...], Expression]:
    match node:
        case ast.Call(func=ast.Name("all"), args=[ast.GeneratorExp(inner, generators)], keywords=[]):
            clauses, known = read_clauses(generators, names)
            operator, more, condition = _read_parts(inner, known)
            return operator, (*clauses, *more), condition
        case ast.Call(func=ast.Name(name)) as call:
            for operator, meaning in FORMULAS.items():
                if is_own(name, meaning, names):
                    return operator, (), _operands(call, operator, names)
    sentence = f"{ast.unparse(node)} is not a temporal formula."
    raise names.refuse(node, sentence, _FORMULA_REMEDY)


def _operands(call: ast.Call, operator: TemporalOperator, names: Names) -> Expression:
    """Each operand is read by itself: it is asked in every state."""
    wanted = ["P", "Q"] if operator is TemporalOperator.LEADS_TO else ["P"]
    if len(call.args) != len(wanted) or call.keywords or any(isinstance(each, ast.Starred) for each in call.args):
        how_many = "two conditions" if len(wanted) == 2 else "one condition"
        sentence = f"{operator.value}() takes {how_many} of states."
        raise names.refuse(call, sentence, f"Write {operator.value}({', '.join(wanted)}).")
    first, *second = (read_value(each, names.inner(set())) for each in call.args)
    return Operation(Operator.AND, first, second[0], names.at(call)) if second else first
