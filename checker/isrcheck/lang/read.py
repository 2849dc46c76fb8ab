"""From a model class to its text: every declaration and method, base classes first, in the order written."""

import ast
import inspect
import typing
from collections.abc import Iterator
from dataclasses import replace
from types import FunctionType
from typing import Any

from isrcheck.errors import ModelError, nearest
from isrcheck.ir.domains import (
    BOOL,
    INT,
    BoolDomain,
    Domain,
    EnumDomain,
    IntDomain,
    MapDomain,
    OptionalDomain,
    RecordDomain,
    SequenceDomain,
    SetDomain,
    SortDomain,
    describe,
)
from isrcheck.ir.nodes import (
    ConstantText,
    Everything,
    MakeRecord,
    Method,
    ModelText,
    Parameter,
    Statement,
    VariableText,
    pieces,
)
from isrcheck.lang.annotations import alias_names, check_bounded, check_listed, check_shape, to_domain
from isrcheck.lang.declare import ABOUT, INTERNAL, REQUIRED, ROLE, Constant, History, Model, Taken
from isrcheck.lang.drawing import Arrow, Drawing
from isrcheck.lang.names import Names
from isrcheck.lang.source import class_tree, function_tree, place_of
from isrcheck.lang.statements import check_returns, first_return, read_block, refuse_effects
from isrcheck.place import Place, source_line

PROPERTY_ROLES = ("invariant", "step", "reachable")
_CONDITIONS = (*PROPERTY_ROLES, "lemma", "assume", "applies")
_PURE_ROLES = (*_CONDITIONS, "policy")
_WHOLE, _ONCE = "a property is asked of a whole state", "it is asked once for a run"


_read: dict[type[Model], ModelText] = {}


def read_model(cls: type[Model]) -> ModelText:
    """The text of a model or variant. Raises ModelError, with the place, for anything outside the language."""
    if cls not in _read:
        _read[cls] = _Reader(cls).read()
    return _read[cls]


class _Reader:
    """Reads one class: first what its names are, then every method with those names known."""

    def __init__(self, cls: type[Model]) -> None:
        self.cls = cls
        self.line = [c for c in reversed(cls.__mro__) if issubclass(c, Model) and c is not Model]
        self.constants: dict[str, ConstantText] = {}
        self.variables: dict[str, VariableText] = {}
        self.methods: dict[str, tuple[str, FunctionType, type]] = {}  # name: role, function, owner
        self.opened: dict[str, FunctionType] = {}  # policies as first declared
        self.filled: list[str] = []
        self.helpers: dict[str, Method] = {}
        self.functions: dict[FunctionType, str] = {}
        self._drawing: tuple[Drawing, Place] | None = None

    def read(self) -> ModelText:
        file, tree = class_tree(self.cls)
        for owner in self.line:
            self._declare(owner)
        methods = [self._method(name, *entry) for name, entry in self.methods.items()]
        for method in methods:
            if method.role in ("helper", "policy"):
                self.helpers[method.name] = method
        self._check_drawing(methods)
        return ModelText(
            name=self.cls.__name__,
            doc=inspect.getdoc(self.cls) or "",
            constants=tuple(self.constants.values()),
            variables=tuple(self.variables.values()),
            actions=tuple(m for m in methods if m.role == "action"),
            properties=tuple(m for m in methods if m.role in PROPERTY_ROLES),
            assumptions=tuple(m for m in methods if m.role == "assume"),
            lemmas=tuple(m for m in methods if m.role == "lemma"),
            applicability=tuple(self._applicability(methods)),
            helpers=self.helpers,
            sorts=tuple(self._sorts(methods)),
            filled=tuple(self.filled),
            cls=self.cls,
            at=place_of(file, tree),
        )

    def _check_drawing(self, methods: list[Method]) -> None:
        """Raises ModelError if the drawing names something that the model does not have."""
        if self._drawing is None:
            return
        drawing, at = self._drawing
        known = [*self.variables, *(m.name for m in methods if m.name in self.helpers and not m.parameters)]
        actions = [m.name for m in methods if m.role == "action"]
        for what, names, among in (
            ("variable or method without parameters", drawing.names(), known),
            ("action", (w.action for w in drawing.words if isinstance(w, Arrow)), actions),
        ):
            for name in names:
                if name not in among:
                    raise ModelError(
                        at, f"the drawing names {name}, which is no {what} of the model.", nearest(name, among).strip()
                    )

    def _applicability(self, methods: list[Method]) -> Iterator[Method]:
        """The conditions under which properties are asked and actions expected. Raises ModelError for other names."""
        known = [m.name for m in methods if m.role in (*PROPERTY_ROLES, "lemma", "action")]
        for method in methods:
            if method.role == "applies":
                for name in method.about:
                    if name not in known:
                        raise ModelError(
                            method.at, f"there is no property or action {name}.", nearest(name, known).strip()
                        )
                yield method

    # Declarations

    def _declare(self, owner: type) -> None:
        file, tree = class_tree(owner)
        places = _places(tree, file, owner)
        whole = place_of(file, tree)
        hints = _hints(owner, owner.__name__, whole)
        names = alias_names(vars(inspect.getmodule(owner)))
        own = list(inspect.get_annotations(owner))
        for name in own:
            at = places.get(name, whole)
            self._declare_value(name, owner, to_domain(hints[name], at, names), at, file)
        for name, value in vars(owner).items():
            if isinstance(value, FunctionType):
                self._declare_method(name, value, owner, places.get(name, whole))
            elif isinstance(value, Drawing):
                self._drawing = (value, places.get(name, whole))
            elif name not in own and not _is_machinery(name):
                raise self._undeclared(name, value, places.get(name, whole))

    def _undeclared(self, name: str, value: object, at: Place) -> ModelError:
        """What is wrong with an attribute that is neither a declaration nor a method."""
        if name in self.constants or name in self.variables or name in self.methods:
            return ModelError(at, f"{name} is declared twice.", f"A variant adds names; {name} stands already.")
        if isinstance(value, type):
            return ModelError(at, f"{name} is a class inside a model.", "Write it at the top of the file.")
        if callable(value) or isinstance(value, staticmethod | classmethod | property):
            remedy = f"Write def {name}(self, ...), without other decorators."
            return ModelError(at, f"{name} is not a plain method.", remedy)
        return ModelError(at, f"{name} has no annotation.", f"Declare its type: {name}: bool = ...")

    def _declare_value(self, name: str, owner: type, domain: Domain, at: Place, file: str) -> None:
        if name in self.constants and isinstance(vars(owner).get(name), Constant):
            self._declare_default(name, owner, domain, at)
            return
        for known in (self.constants, self.variables, self.methods):
            if name in known:
                raise ModelError(at, f"{name} is declared twice.", f"A variant adds names; {name} stands already.")
        if name not in vars(owner):
            raise ModelError(at, f"{name} has no initial value.", f"Write {name}: ... = value.")
        value = vars(owner)[name]
        if isinstance(value, Constant):
            self.constants[name] = _constant(name, domain, value, owner.__name__, at)
            return
        is_history = isinstance(value, History)
        check_shape(domain, name, at)
        self.variables[name] = VariableText(
            name, domain, value.value if is_history else value, is_history, _comment(file, at), owner.__name__, at
        )

    def _declare_default(self, name: str, owner: type, domain: Domain, at: Place) -> None:
        """A constant stands already: a variant may give it another default, and changes nothing else of it."""
        before = self.constants[name]
        after = _constant(name, domain, vars(owner)[name], before.owner, before.at)
        kept = replace(before, default=after.default)
        if (after.domain, after.at_least, after.at_most) != (kept.domain, kept.at_least, kept.at_most):
            raise ModelError(
                at,
                f"the constant {name} of {before.owner} has another type or range here.",
                f"A variant may give {name} another default; its type and range are those at {before.at}.",
            )
        self.constants[name] = kept

    def _declare_method(self, name: str, function: FunctionType, owner: type, at: Place) -> None:
        role = getattr(function, ROLE, "helper")
        if name in self.constants or name in self.variables:
            raise ModelError(at, f"{name} is declared twice.", "Choose another name for the method.")
        if name in self.methods:
            self._check_filling(name, role, owner, at)
            role = "policy"
            if self._is_own(owner) and name not in self.filled:
                self.filled.append(name)
        elif role == "policy":
            self.opened[name] = function
        self.methods[name] = (role, function, owner)

    def _is_own(self, owner: type) -> bool:
        """Whether what a class fills is the variant's own: it is the variant, or one of several that it combines."""
        return owner is self.cls or not all(issubclass(base, owner) for base in self.cls.__bases__)

    def _check_filling(self, name: str, role: str, owner: type, at: Place) -> None:
        """Raises ModelError unless a method that stands already is a policy, and this one fills it."""
        before, _, base = self.methods[name]
        if before != "policy":
            kind = "a helper" if before == "helper" else f"an {before}" if before[0] in "ai" else f"a {before}"
            raise ModelError(
                at,
                f"{owner.__name__} overrides {name}, {kind} of {base.__name__}.",
                f"A variant fills policies and overrides nothing else: mark {name} @policy in {base.__name__}.",
            )
        if role not in ("helper", "policy"):
            raise ModelError(
                at, f"{name} is a policy of {base.__name__}, and no {role}.", "A variant fills it by a plain method."
            )

    # Methods

    def _names(self, function: FunctionType, file: str, self_name: str) -> Names:
        return Names(
            file=file,
            method=function.__name__,
            globals=function.__globals__,
            constants=frozenset(self.constants),
            variables=frozenset(self.variables),
            methods=frozenset(n for n, (role, _, _) in self.methods.items() if role in ("helper", "policy")),
            actions=frozenset(n for n, (role, _, _) in self.methods.items() if role == "action"),
            self_name=self_name,
            ask=self._ask,
        )

    def _method(self, name: str, role: str, function: FunctionType, owner: type) -> Method:
        file, tree = function_tree(function)
        arguments = _plain_arguments(tree, file)
        if not arguments:
            raise ModelError(place_of(file, tree), f"{name}() has no self.", f"Write def {name}(self, ...).")
        names = self._names(function, file, arguments[0].arg)
        if _is_open(tree):
            raise self._left_open(name, role, owner, tree, names)
        if role in _CONDITIONS and role != "step" and len(arguments) > 1:
            asked = {"lemma": "a lemma speaks of a whole state", "assume": _ONCE, "applies": _ONCE}.get(role, _WHOLE)
            remedy = "Say what holds with all() or any() over a sort."
            raise names.refuse(arguments[1], f"{name}() has a parameter, and {asked}.", remedy)
        if role == "step":
            return self._step(name, function, owner, tree, names, arguments[1:])
        return self._read_method(name, role, function, owner.__name__, tree, names, arguments[1:])

    def _left_open(self, name: str, role: str, owner: type, tree: ast.FunctionDef, names: Names) -> ModelError:
        if role != "policy":
            return names.refuse(tree, f"{name}() has no body.", "Write it, or mark it @policy to leave it open.")
        added = [n for n, (kind, _, base) in self.methods.items() if kind == "helper" and base is not owner]
        meant = nearest(name, added).strip() if added else ""
        if "Did you mean" in meant:
            wrong = meant.removeprefix("Did you mean ").removesuffix("?")
            remedy = f"{self.methods[wrong][2].__name__} has a helper {wrong}: was {name} meant?"
        else:
            remedy = f"Fill it in a variant of {owner.__name__}: def {name}(self, ...)."
        return names.refuse(tree, f"the policy {name}() is left open.", remedy)

    def _step(
        self, name: str, function: FunctionType, owner: type, tree: ast.FunctionDef, names: Names, rest: list[ast.arg]
    ) -> Method:
        hints = _hints(function, f"{name}()", names.at(tree))
        if len(rest) not in (1, 2) or (len(rest) == 2 and hints.get(rest[1].arg) is not Taken):
            raise names.refuse(
                tree,
                f"the step property {name}() does not see a step.",
                f"Write def {name}(self, before: Self) -> bool, and taken: Taken as a third if the action matters.",
            )
        taken = rest[1].arg if len(rest) == 2 else ""
        names = replace(names, before=rest[0].arg, taken=taken)
        return self._read_method(name, "step", function, owner.__name__, tree, names, [])

    def _read_method(
        self,
        name: str,
        role: str,
        function: FunctionType,
        owner: str,
        tree: ast.FunctionDef,
        names: Names,
        arguments: list[ast.arg],
    ) -> Method:
        hints = _hints(function, f"{name}()", names.at(tree))
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
            remedy = "Write @action(internal=True) for an own step, and @action for a step of the environment."
            raise ModelError(at, f"internal of the action {name}() is {internal!r}, neither True nor False.", remedy)
        method = Method(
            name, role, doc, parameters, body, returns, owner, at, names.before, names.taken, about, internal
        )
        if name in self.opened and role == "policy":
            self._check_promise(method, self.opened[name])
        return method

    def _check_promise(self, method: Method, opened: FunctionType) -> None:
        """Raises ModelError unless a policy is filled with what it was declared to take and to return."""
        file, tree = function_tree(opened)
        aliases, hints = alias_names(opened.__globals__), _hints(opened, f"{method.name}()", place_of(file, tree))
        at = place_of(file, tree)
        wanted = [to_domain(hints[a.arg], at, aliases) for a in _plain_arguments(tree, file)[1:] if a.arg in hints]
        if [p.domain for p in method.parameters] != wanted:
            shown = ", ".join(map(describe, wanted)) or "nothing"
            remedy = f"Give it the parameters that {at} declares."
            has = ", ".join(describe(p.domain) for p in method.parameters) or "nothing"
            raise ModelError(method.at, f"the policy {method.name}() takes {shown}, and here {has}.", remedy)
        promised = to_domain(hints["return"], at, aliases)
        if method.returns is not None and method.returns != promised:
            raise ModelError(
                method.at,
                f"the policy {method.name}() promises {describe(promised)}, and here {describe(method.returns)}.",
                f"Return what {at} declares.",
            )

    def _check_body(
        self,
        name: str,
        role: str,
        returns: Domain | None,
        body: tuple[Statement, ...],
        tree: ast.FunctionDef,
        names: Names,
    ) -> None:
        if role in _PURE_ROLES:
            kind = {"assume": "assumption", "applies": "condition", "policy": "policy", "lemma": "lemma"}.get(
                role, "property"
            )
            refuse_effects(body, f"the {kind} {name}()")
        if returns is not None:
            refuse_effects(body, f"{name}(), which returns a value,")
            check_returns(body, name, tree, names)
            return
        wrong = first_return(body)
        if wrong is not None and role == "action":
            raise ModelError(wrong.at, f"the action {name}() returns a value.", "An action assigns to variables.")
        if wrong is not None:
            raise ModelError(wrong.at, f"{name}() returns a value that it does not promise.", "Write -> and its type.")

    def _parameter(
        self, argument: ast.arg, hints: dict[str, Any], aliases: dict[int, str], names: Names, role: str
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
            check_bounded(domain, f"the parameter {argument.arg}", at)
            check_listed(domain, f"the parameter {argument.arg}", at)
        return Parameter(argument.arg, domain, at)

    def _returns(
        self, name: str, role: str, hints: dict[str, Any], aliases: dict[int, str], tree: ast.FunctionDef, names: Names
    ) -> Domain | None:
        if "return" not in hints:
            raise names.refuse(tree, f"{name}() does not say what it returns.", "Write -> None, -> bool or a type.")
        hint = hints["return"]
        pure = role in _PURE_ROLES
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
        if function not in self.functions:
            name = function.__name__
            taken = set(self.methods) | set(self.functions.values())
            self.functions[function] = name if name not in taken else f"{function.__module__}.{name}"
            file, tree = function_tree(function)
            names = self._names(function, file, "")
            names = replace(names, variables=frozenset(), methods=frozenset(), constants=frozenset())
            arguments = _plain_arguments(tree, file)
            module = function.__module__
            method = self._read_method(name, "helper", function, module, tree, names, arguments)
            self.helpers[self.functions[function]] = method
        return self.functions[function]

    def _sorts(self, methods: list[Method]) -> Iterator[SortDomain]:
        """Every sort that a variable, a parameter or an action's text names."""
        found: dict[Any, SortDomain] = {}
        domains: list[Domain | None] = [v.domain for v in self.variables.values()]
        for method in (*methods, *self.helpers.values()):
            domains += [*(p.domain for p in method.parameters), method.returns]
            domains += [p.domain for p in pieces(method.body) if isinstance(p, Everything | MakeRecord)]
        for domain in domains:
            for sort in _sorts_in(domain):
                found.setdefault(sort.sort, sort)
        yield from found.values()


def _is_open(tree: ast.FunctionDef) -> bool:
    """Whether a body is `raise NotImplementedError`."""
    body = [s for s in tree.body if not (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant))]
    match body:
        case [ast.Raise(exc=ast.Name(id="NotImplementedError") | ast.Call(func=ast.Name(id="NotImplementedError")))]:
            return True
    return False


def _hints(of: Any, what: str, at: Place) -> dict[str, Any]:
    """The annotations of a class or a method. Raises ModelError if one of them names what is not there."""
    try:
        return typing.get_type_hints(of, include_extras=True)
    except (NameError, TypeError, AttributeError, SyntaxError) as error:
        remedy = "Define or import every name in it at the top of the file."
        raise ModelError(at, f"an annotation of {what} has no meaning: {error}.", remedy) from None


def _sorts_in(domain: Domain | None) -> Iterator[SortDomain]:
    match domain:
        case SortDomain():
            yield domain
        case OptionalDomain(of=of) | SequenceDomain(of=of) | SetDomain(of=of):
            yield from _sorts_in(of)
        case MapDomain(key=key, value=value):
            yield from _sorts_in(key)
            yield from _sorts_in(value)
        case RecordDomain(fields=fields):
            for _, of in fields:
                yield from _sorts_in(of)
        case IntDomain() | BoolDomain() | EnumDomain() | None:
            pass


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


def _is_machinery(name: str) -> bool:
    return name.startswith("__") and name.endswith("__")


def _comment(file: str, at: Place) -> str:
    """The comment that ends a declaration's line."""
    _, mark, comment = source_line(file, at.line).partition("#")
    return comment.strip() if mark else ""


def _places(tree: ast.ClassDef, file: str, owner: type) -> dict[str, Place]:
    """Where each name of a class is declared. Raises ModelError if one is declared twice in it."""
    found: dict[str, Place] = {}
    for node in tree.body:
        match node:
            case ast.AnnAssign(target=ast.Name(id=name)) | ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                pass
            case ast.Assign(targets=[ast.Name(id=name)]):
                pass
            case _:
                continue
        if name in found:
            raise ModelError(
                place_of(file, node), f"{name} is declared twice in {owner.__name__}.", "Keep one of the two."
            )
        found[name] = place_of(file, node)
    return found


def _constant(name: str, domain: Domain, value: Constant, owner: str, at: Place) -> ConstantText:
    default = value.default
    if domain not in (BOOL, INT) and not isinstance(domain, EnumDomain):
        raise ModelError(at, f"the constant {name} is not an int, a bool or an enumeration.", "Choose one of these.")
    fits = {BOOL: bool, INT: int}.get(domain) if not isinstance(domain, EnumDomain) else type(domain.members[0])
    if default is not REQUIRED and type(default) is not fits:
        raise ModelError(at, f"the default of {name}, {default!r}, is not of its type.", "Give it a fitting default.")
    low, high = (value.at_least, value.at_most) if domain == INT else (None, None)
    if isinstance(default, int) and ((low is not None and default < low) or (high is not None and default > high)):
        raise ModelError(at, f"the default of {name}, {default}, is out of its range.", "Change one of the two.")
    return ConstantText(name, default, value.sentence, domain, low, high, owner, at, value.setting, value.measure)
