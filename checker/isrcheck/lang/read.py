"""From a model class to its text: every declaration and method, base classes first, in the order written."""

import inspect
from collections.abc import Iterator
from typing import Any

from isrcheck.errors import ModelError, nearest
from isrcheck.ir.domains import (
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
)
from isrcheck.ir.nodes import Everything, MakeRecord, Method, ModelText, pieces
from isrcheck.lang.declarations import Declarations
from isrcheck.lang.declare import Model
from isrcheck.lang.drawing import Arrow, Blame, Truncation
from isrcheck.lang.methods import PROPERTY_ROLES, MethodReader
from isrcheck.lang.source import class_tree, place_of

_read: dict[type[Model], ModelText] = {}


def read_model(cls: type[Model]) -> ModelText:
    """The text of a model or variant. Raises ModelError, with the place, for anything outside the language."""
    if cls not in _read:
        _read[cls] = _read_class(cls)
    return _read[cls]


def _read_class(cls: type[Model]) -> ModelText:
    """First what the names of a class are, then every method with those names known."""
    file, tree = class_tree(cls)
    declared = Declarations(cls)
    reader = MethodReader(declared)
    methods = reader.read()
    _check_drawing(declared, methods, reader.helpers)
    return ModelText(
        name=cls.__name__,
        doc=inspect.getdoc(cls) or "",
        constants=tuple(declared.constants.values()),
        variables=tuple(declared.variables.values()),
        actions=tuple(m for m in methods if m.role == "action"),
        properties=tuple(m for m in methods if m.role in PROPERTY_ROLES),
        assumptions=tuple(m for m in methods if m.role == "assume"),
        lemmas=tuple(m for m in methods if m.role == "lemma"),
        applicability=tuple(_applicability(methods)),
        helpers=reader.helpers,
        sorts=tuple(_sorts(declared, methods, reader.helpers)),
        filled=tuple(declared.filled),
        cls=cls,
        at=place_of(file, tree),
    )


def _check_drawing(declared: Declarations, methods: list[Method], helpers: dict[str, Method]) -> None:
    """Raises ModelError if the drawing names something that the model does not have."""
    if declared.drawing is None:
        return
    drawing, at = declared.drawing
    known = [*declared.variables, *(m.name for m in methods if m.name in helpers and not m.parameters)]
    actions = [m.name for m in methods if m.role == "action"]
    cuts = [w for w in drawing.words if isinstance(w, Truncation)]
    holes = {p.name for m in methods if m.role == "action" for p in m.parameters}
    asked = (name for w in cuts for name in w.methods() if name not in holes)
    properties = [m.name for m in methods if m.role in PROPERTY_ROLES]
    for what, names, among in (
        ("variable or method without parameters", drawing.names(), known),
        ("action", (w.action for w in drawing.words if isinstance(w, Arrow | Truncation)), actions),
        ("method", asked, list(helpers)),
        ("property", (w.property for w in drawing.words if isinstance(w, Blame)), properties),
    ):
        for name in names:
            if name not in among:
                raise ModelError(
                    at, f"the drawing names {name}, which is no {what} of the model.", nearest(name, among).strip()
                )


def _applicability(methods: list[Method]) -> Iterator[Method]:
    """The conditions under which properties are asked and actions expected. Raises ModelError for other names."""
    known = [m.name for m in methods if m.role in (*PROPERTY_ROLES, "lemma", "action")]
    for method in methods:
        if method.role == "applies":
            for name in method.about:
                if not isinstance(name, str):
                    raise ModelError(
                        method.at, "applies is given something else than a name.", 'Write @applies("NAME").'
                    )
                if name not in known:
                    raise ModelError(method.at, f"there is no property or action {name}.", nearest(name, known).strip())
            yield method


def _sorts(declared: Declarations, methods: list[Method], helpers: dict[str, Method]) -> Iterator[SortDomain]:
    """Every sort that a variable, a parameter or an action's text names."""
    found: dict[Any, SortDomain] = {}
    domains: list[Domain | None] = [v.domain for v in declared.variables.values()]
    for method in (*methods, *helpers.values()):
        domains += [*(p.domain for p in method.parameters), method.returns]
        domains += [p.domain for p in pieces(method.body) if isinstance(p, Everything | MakeRecord)]
    for domain in domains:
        for sort in _sorts_in(domain):
            found.setdefault(sort.sort, sort)
    yield from found.values()


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
