"""The reader: the text of a model class as a ModelIR, base classes first, in the order written."""

import inspect
import re
import sys
from collections.abc import Iterator
from itertools import chain

from isrcheck.errors import ModelError, nearest, refuse_recursion
from isrcheck.ir import domains
from isrcheck.ir.domains import Domain, class_of, inner_domains
from isrcheck.ir.model import PROPERTY, Method, ModelIR, Property, TemporalProperty
from isrcheck.ir.nodes import Everything, Literal, MakeRecord, walk
from isrcheck.lang.declarations import Declarations
from isrcheck.lang.declare import Model, attributes
from isrcheck.lang.drawing import HOLE, Arrow, Blame, Change, Since, Truncation
from isrcheck.lang.hooks import place_of_class
from isrcheck.lang.methods import MethodReader
from isrcheck.lang.refinements import complete, the_canonical
from isrcheck.lang.source import Sources, class_tree, function_tree, place_of
from isrcheck.lang.source_loader import refuse_stale_bytecode
from isrcheck.lang.usage import refuse_unused
from isrcheck.place import Place

NamedDomain = domains.SortDomain | domains.EnumDomain | domains.RecordDomain

_read: dict[type[Model], tuple[ModelIR, Sources]] = {}


def read_model(cls: type[Model]) -> ModelIR:
    """Read a model. Raises ModelError, with the place, for anything outside the language."""
    if cls not in _read:
        with refuse_recursion(Place(getattr(sys.modules.get(cls.__module__), "__file__", None) or "", 0)):
            _read[cls] = _read_class(cls)
    refuse_changed(cls)
    return _read[cls][0]


def refuse_changed(cls: type[Model]) -> None:
    """Refuse a model of which CPython would run another text than was read. Raises ModelError."""
    ir, sources = _read[cls]
    changed = sources.find_change()
    if changed:
        sentence = f"{changed} is not what it was when {cls.__name__} was read."
        raise ModelError(ir.at, sentence, "Change nothing of a model once it is used: write a variant.")


def _read_class(cls: type[Model]) -> tuple[ModelIR, Sources]:
    """First what the names of a class are, then every method with those names."""
    refuse_stale_bytecode()
    file, tree = class_tree(cls)
    declared = Declarations(cls)
    reader = MethodReader(declared)
    methods = reader.read()
    _check_drawing(declared, methods, reader.helpers)
    _check_sentences(declared, methods)
    named = _collect_named_domains(declared, methods, reader.helpers)
    refuse_unused(declared, methods, reader.helpers)
    searched = (m for m in methods if isinstance(m, Property) and not isinstance(m, TemporalProperty))
    ir = ModelIR(
        name=cls.__name__,
        doc=inspect.getdoc(cls) or "",
        constants=tuple(declared.constants.values()),
        variables=tuple(declared.variables.values()),
        actions=tuple(m for m in methods if m.role == "action"),
        properties=tuple(complete(m, declared, read_model) for m in searched),
        assumptions=tuple(m for m in methods if m.role == "assume"),
        initials=tuple(m for m in methods if m.role == "initial"),
        lemmas=tuple(m for m in methods if m.role == "lemma"),
        constraints=tuple(m for m in methods if m.role == "constraint"),
        canonical=the_canonical(methods, reader.helpers),
        temporal=tuple(m for m in methods if isinstance(m, TemporalProperty)),
        environments=tuple(m for m in methods if m.role == "fairness"),
        applicability=tuple(_applicability(methods)),
        helpers=reader.helpers,
        sorts=tuple(d for d in named if isinstance(d, domains.SortDomain)),
        filled=tuple(declared.filled),
        cls=cls,
        at=place_of(file, tree),
    )
    reader.sources.classes.update((each, attributes(each)) for each in (*cls.__mro__[:-1], *map(class_of, named)))
    return ir, reader.sources


def _check_drawing(declared: Declarations, methods: list[Method], helpers: dict[str, Method]) -> None:
    if declared.drawing is None:
        return
    drawing, at = declared.drawing
    known = [*declared.variables, *(m.name for m in methods if m.name in helpers and not m.parameters)]
    actions = [m.name for m in methods if m.role == "action"]
    cuts = [w for w in drawing.words if isinstance(w, Truncation)]
    holes = {p.name for m in methods if m.role == "action" for p in m.parameters}
    asked = (name for w in cuts for name in w.methods() if name not in holes)
    properties = [m.name for m in methods if isinstance(m, Property)]
    changes = (hole for w in drawing.words if isinstance(w, Change) for hole in re.findall(r"\{(.*?)\}", w.caption))
    for what, names, among in (
        ("a variable or method without parameters", drawing.names(), known),
        ("an action", (w.action for w in drawing.words if isinstance(w, Arrow | Truncation)), actions),
        ("an action", (w.action for w in drawing.words if isinstance(w, Change) and w.action), actions),
        ("a method", asked, list(helpers)),
        ("a property", (w.property for w in drawing.words if isinstance(w, Blame | Since)), properties),
        ("a hole of a change", changes, ["value", "members", "end", "key", "among"]),
    ):
        for name in names:
            if name not in among:
                sentence = f"the drawing names {name}, which is not {what} of the model."
                raise ModelError(at, sentence, nearest(name, among).strip())


def _check_sentences(declared: Declarations, methods: list[Method]) -> None:
    """Refuse a sentence of an action that names what the action and the model do not have. Raises ModelError."""
    for method in (m for m in methods if m.sentence):
        file, tree = function_tree(declared.methods[method.name][1])
        keywords = chain(*(getattr(call, "keywords", ()) for call in tree.decorator_list))
        at = place_of(file, next((k.value for k in keywords if k.arg == "sentence"), tree))
        if type(method.sentence) is not str or re.search(r"[{}]", HOLE.sub("", method.sentence)):
            remedy = "Write a text with {parameter}, {parameter.field} or {variable[parameter]}."
            raise ModelError(at, f"the sentence of {method.name}() is {method.sentence!r}.", remedy)
        parameters = [p.name for p in method.parameters]
        for names, keys, _ in HOLE.findall(method.sentence):
            among = list(declared.variables) if keys else parameters
            what = "variable of the model" if keys else f"parameter of {method.name}()"
            asked = [(name, among, what) for name in names.split(", ")]
            keyed = [key for key in re.findall(r"\w+", keys) if not key.isdecimal()]
            asked += [(key, parameters, f"parameter of {method.name}()") for key in keyed]
            for name, known, kind in asked:
                if name not in known:
                    sentence = f"the sentence of {method.name}() names {name}, which is not a {kind}."
                    raise ModelError(at, sentence, nearest(name, known).strip())


def _applicability(methods: list[Method]) -> Iterator[Method]:
    known = [m.name for m in methods if m.role in (PROPERTY, "lemma", "action")]
    for method in (m for m in methods if m.role == "applies"):
        if not method.about:
            sentence = f"applies of {method.name}() names no property and no action."
            raise ModelError(method.at, sentence, 'Write @applies("NAME").')
        for name in method.about:
            if not isinstance(name, str):
                raise ModelError(method.at, "applies is given something else than a name.", 'Write @applies("NAME").')
            if name not in known:
                raise ModelError(method.at, f"there is no property or action {name}.", nearest(name, known).strip())
        yield method


def _collect_named_domains(
    declared: Declarations, methods: list[Method], helpers: dict[str, Method]
) -> tuple[NamedDomain, ...]:
    """The types of a model, once each. Raises ModelError for two of one name."""
    domains: dict[type, NamedDomain] = {}
    named: list[Domain | None] = [v.domain for v in declared.variables.values()]
    named += [c.domain for c in declared.constants.values()]
    for method in (*methods, *helpers.values()):
        named += [*(p.domain for p in method.parameters), method.returns]
        for node in walk(method.body):
            match node:
                case Everything(of) | MakeRecord(of) | Literal(domain=of):
                    named.append(of)
    for domain in named:
        for inner in inner_domains(domain):
            if isinstance(inner, NamedDomain):
                domains.setdefault(class_of(inner), inner)
    classes: dict[str, type] = {}
    for cls, inner in domains.items():
        if classes.setdefault(inner.name, cls) is not cls:  # in traces, and to some engines, they would be the same
            modules = dict.fromkeys((classes[inner.name].__module__, cls.__module__))
            sentence = f"two types of the model are called {inner.name}, of {' and '.join(modules)}."
            raise ModelError(place_of_class(cls), sentence, "Give one of them another name.")
    return tuple(domains.values())
