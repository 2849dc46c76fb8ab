"""The declarations of a model class and its bases, base classes first, with the comments beside them for readers."""

import ast
import inspect
from types import FunctionType
from typing import Any, NamedTuple, get_args

from isrcheck.errors import ModelError
from isrcheck.ir.domains import BOOL, INT, Domain, EnumDomain
from isrcheck.ir.frozen import replace
from isrcheck.ir.model import ConstantIR, VariableIR
from isrcheck.lang.annotations import alias_names, check_shape, is_record, to_domain, type_hints
from isrcheck.lang.declare import REQUIRED, Constant, Each, History, Measure, Members, Model, Role, Start, mark_of
from isrcheck.lang.drawing import Drawing
from isrcheck.lang.hooks import check_model_class, is_special
from isrcheck.lang.network import KINDS
from isrcheck.lang.refused import refuse_reserved
from isrcheck.lang.source import class_tree, place_of, places_in_class
from isrcheck.place import Place, character, source_line


class VariableComment(NamedTuple):
    """The comment behind a declaration, and the one above the lines among which it stands; empty if there is none."""

    beside: str = ""
    above: str = ""


def comments_of_variables(file: str, tree: ast.ClassDef) -> dict[str, VariableComment]:
    """Return the comments of the annotated names in a class body, by name."""
    return {
        node.target.id: VariableComment(_comment_beside(file, node), _comment_above(file, node.lineno, tree.lineno))
        for node in tree.body
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
    }


def _comment_beside(file: str, node: ast.AnnAssign) -> str:
    last = node.end_lineno or node.lineno
    behind = source_line(file, last)[character(file, last, node.end_col_offset or 0) :]
    if "#" in behind:
        return behind.partition("#")[2].strip()
    return source_line(file, node.lineno).partition("  # ")[2].strip() if last > node.lineno else ""


def _comment_above(file: str, line: int, first: int) -> str:
    """Return the comment lines above the lines without a gap in which this line stands."""
    while line > first and source_line(file, line).strip() and not _is_comment(file, line):
        line -= 1
    lines: list[str] = []
    while line > first and _is_comment(file, line):
        lines.insert(0, source_line(file, line).strip().removeprefix("#").strip())
        line -= 1
    return " ".join(lines)


def _is_comment(file: str, line: int) -> bool:
    return source_line(file, line).lstrip().startswith("#")


class Declarations:
    """The names of one model or variant, in the order written. Raises ModelError."""

    def __init__(self, cls: type[Model]) -> None:
        self.cls = cls
        self.constants: dict[str, ConstantIR] = {}
        self.variables: dict[str, VariableIR] = {}
        self.methods: dict[str, tuple[Role, FunctionType, type]] = {}  # name: role, function, owner
        self.opened: dict[str, FunctionType] = {}  # policies as first declared
        self.filled: list[str] = []
        self.drawing: tuple[Drawing, Place] | None = None
        check_model_class(cls)
        for owner in reversed(cls.__mro__):
            if issubclass(owner, Model) and owner is not Model:
                self._declare(owner)

    def _declare(self, owner: type) -> None:
        file, tree = class_tree(owner)
        places = _places(tree, file, owner)
        class_place = place_of(file, tree)
        hints = type_hints(owner, owner.__name__, class_place)
        names = alias_names(vars(inspect.getmodule(owner)))
        own = list(inspect.get_annotations(owner))
        comments = comments_of_variables(file, tree)
        for name in own:
            at = places.get(name, class_place)
            comment = comments.get(name, VariableComment())
            self._declare_value(name, owner, to_domain(hints[name], at, names), at, comment)
        for name, value in vars(owner).items():
            if isinstance(value, FunctionType):
                self._declare_method(name, value, owner, places.get(name, class_place))
            elif isinstance(value, Drawing):
                self.drawing = (value, places.get(name, class_place))
            elif name not in own and not is_special(name):
                raise self._refusal_of_undeclared(name, value, places.get(name, class_place))

    def _refusal_of_undeclared(self, name: str, value: object, at: Place) -> ModelError:
        if name in {*self.constants, *self.variables, *self.methods}:
            return ModelError(at, f"{name} is declared twice.", f"A variant adds names; {name} stands already.")
        if isinstance(value, type):
            return ModelError(at, f"{name} is a class inside a model.", "Write it at the top of the file.")
        if callable(value) or isinstance(value, staticmethod | classmethod | property):
            remedy = f"Write def {name}(self, ...), without other decorators."
            return ModelError(at, f"{name} is not a plain method.", remedy)
        return ModelError(at, f"{name} has no annotation.", f"Declare its type: {name}: bool = ...")

    def _declare_value(self, name: str, owner: type, domain: Domain, at: Place, comment: VariableComment) -> None:
        if name in self.constants and isinstance(vars(owner).get(name), Constant):
            self._declare_default(name, owner, domain, at)
            return
        if name in {*self.constants, *self.variables, *self.methods}:
            raise ModelError(at, f"{name} is declared twice.", f"A variant adds names; {name} stands already.")
        if name not in vars(owner):
            raise ModelError(at, f"{name} has no initial value.", f"Write {name}: ... = value.")
        value = vars(owner)[name]
        _refuse_subclass(name, value, at)
        if isinstance(value, Constant):
            refuse_reserved("constant", name, at)
            self.constants[name] = _constant(name, domain, value, owner.__name__, at)
            return
        history = isinstance(value, History)
        check_shape(domain, name, at)
        initial = value.value if history else value
        self.variables[name] = VariableIR(
            name=name,
            domain=domain,
            initial=initial,
            is_history=history,
            comment=comment.beside,
            group=comment.above,
            owner=owner.__name__,
            at=at,
        )

    def _declare_default(self, name: str, owner: type, domain: Domain, at: Place) -> None:
        before = self.constants[name]
        after = _constant(name, domain, vars(owner)[name], before.owner, before.at)
        kept = replace(before, default=after.default)
        if (after.domain, after.at_least, after.at_most) != (kept.domain, kept.at_least, kept.at_most):
            remedy = f"A variant may give {name} another default; its type and range are those at {before.at}."
            raise ModelError(at, f"the constant {name} of {before.owner} has another type or range here.", remedy)
        self.constants[name] = kept

    def _declare_method(self, name: str, function: FunctionType, owner: type, at: Place) -> None:
        role = mark_of(function).role
        if name in self.constants or name in self.variables:
            raise ModelError(at, f"{name} is declared twice.", "Choose another name for the method.")
        if name in self.methods:
            self._check_filling(name, role, owner, at)
            role = "policy"
            # The variant's own: it is the variant's text, or that of one of several that it combines
            own = owner is self.cls or not all(issubclass(base, owner) for base in self.cls.__bases__)
            if own and name not in self.filled:
                self.filled.append(name)
        elif role == "policy":
            self.opened[name] = function
        self.methods[name] = (role, function, owner)

    def _check_filling(self, name: str, role: Role, owner: type, at: Place) -> None:
        before, _, base = self.methods[name]
        before = str(before)
        if before != "policy":
            kind = "a helper" if before == "helper" else f"an {before}" if before[0] in "ai" else f"a {before}"
            remedy = _INSTEAD_OF_OVERRIDING.get(before, _OTHER_NAME).format(name=name, base=base.__name__)
            raise ModelError(at, f"{owner.__name__} overrides {name}, {kind} of {base.__name__}.", remedy)
        if role not in ("helper", "policy"):
            sentence = f"{name} is a policy of {base.__name__}, and here it is marked @{role}."
            raise ModelError(at, sentence, "A variant fills it by a plain method.")


_EXACT = (frozenset, tuple, dict, Constant, History, Each, Members, *reversed(KINDS.values()), Start)


def _refuse_subclass(name: str, value: Any, at: Place) -> None:
    """Refuse a value of a class derived from a plain one, in elements too."""
    kind = next((kind for kind in _EXACT if isinstance(value, kind)), None)
    if kind not in (None, type(value)) and not is_record(type(value)):
        sentence = f"the value of {name} is a {type(value).__name__}, a class derived from {kind.__name__}."
        raise ModelError(at, sentence, "A variable begins with a literal, a record, each(...) or members(...).")
    if isinstance(value, dict):
        parts = [*value, *value.values()]
    else:
        parts = [*value] if isinstance(value, frozenset | tuple) else [getattr(value, "value", None)]
    for element in parts if kind else ():
        _refuse_subclass(name, element, at)


_OTHER_NAME = "A variant fills policies and overrides nothing else: choose another name for yours."
_INSTEAD_OF_OVERRIDING = {
    "action": "Fill a policy, or write an action of another name; else copy {base}, and let {name} ask a new policy.",
    "helper": "Choose another name for yours; to decide it otherwise, copy {base} and mark {name} @policy there.",
}


def _places(tree: ast.ClassDef, file: str, owner: type) -> dict[str, Place]:
    places: dict[str, Place] = {}
    for name, at in places_in_class(file, tree):
        if name in places:
            raise ModelError(at, f"{name} is declared twice in {owner.__name__}.", "Keep one of the two.")
        places[name] = at
    return places


def _constant(name: str, domain: Domain, value: Constant, owner: str, at: Place) -> ConstantIR:
    default = value.default
    if domain not in (BOOL, INT) and not isinstance(domain, EnumDomain):
        raise ModelError(at, f"the constant {name} is not an int, a bool or an enumeration.", "Choose one of these.")
    fits = {BOOL: bool, INT: int}.get(domain) if not isinstance(domain, EnumDomain) else type(domain.members[0])
    if default is not REQUIRED and type(default) is not fits:
        raise ModelError(at, f"the default of {name}, {default!r}, is not of its type.", "Give it a fitting default.")
    for limit in (value.at_least, value.at_most):
        if limit is not None and type(limit) is not int:
            raise ModelError(at, f"the constant {name} has the limit {limit!r}, which is not an int.", "Give an int.")
    if value.measure not in get_args(Measure) or (value.measure != "value" and not value.setting):
        remedy = f"Write one of {', '.join(get_args(Measure))}, beside a setting."
        raise ModelError(at, f"the constant {name} has the measure {value.measure!r} and no use for it.", remedy)
    low, high = (value.at_least, value.at_most) if domain == INT else (None, None)
    if isinstance(default, int) and ((low is not None and default < low) or (high is not None and default > high)):
        raise ModelError(at, f"the default of {name}, {default}, is out of its range.", "Change one of the two.")
    return ConstantIR(
        name=name,
        default=default,
        sentence=value.sentence,
        domain=domain,
        at_least=low,
        at_most=high,
        owner=owner,
        at=at,
        setting=value.setting,
        measure=value.measure,
    )
