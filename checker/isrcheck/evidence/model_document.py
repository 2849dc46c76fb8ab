"""A model as data, for `isrcheck list MODEL`; and one model, all sizes, and families as documents."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from isrcheck.catalogue import family_of, name_of
from isrcheck.evidence import document as doc
from isrcheck.families import Family
from isrcheck.ir.domains import (
    Domain,
    EnumDomain,
    IntDomain,
    RecordDomain,
    SequenceDomain,
    SortDomain,
    SumDomain,
    describe,
    inner_domains,
)
from isrcheck.ir.model import ConstantIR, Method, ModelIR
from isrcheck.lang.declare import REQUIRED, Model
from isrcheck.version import __version__
from isrcheck.wrap import first_paragraph


def families_document(families: Mapping[str, Family]) -> doc.Document:
    """Return a line for each family, and the commands that say more."""
    rows = [(f"{name} ({len(family.models)})", family.sentence) for name, family in families.items()]
    name, family = next(iter(families.items()))
    return [doc.Table([doc.NAME, ""], rows), _commands({f"isrcheck list {name}": "the models of a family"}, family)]


def family_document(name: str, family: Family) -> doc.Document:
    """Return the models of a family, each with its sentence."""
    heading = doc.Heading((doc.strong(name), f": {family.sentence}"), 1)
    return [heading, doc.Table([doc.NAME, ""], list(family.models.items())), _commands({}, family)]


def _commands(first: Mapping[str, str], family: Family) -> doc.Table:
    """Return lines to copy: those that come first, and two for the first model of a family."""
    model = next(iter(family.models))
    more = {f"isrcheck list {model}": "one model", f"isrcheck check {model}": "its verdict"}
    return doc.Table([doc.Column(fixed=True), ""], [*first.items(), *more.items()])


SCHEMA = "isrcheck.model/1"
Facts = dict[str, Any]


def model_facts(name: str, ir: ModelIR) -> Facts:
    """Return the facts of a model under this name, as JSON has them."""
    environments = [{**_facts_of_method(m), "fair": m.fair} for m in ir.environments]
    actions = [{**_facts_of_method(m), "internal": m.internal, "fair": m.fair} for m in ir.actions]
    properties = [{**_facts_of_method(p), "kind": p.kind.name} for p in (*ir.properties, *ir.temporal)]
    return {
        "schema": SCHEMA,
        "version": __version__,
        "name": name,
        "class": ir.name,
        "family": family_of(ir.cls),
        "place": str(ir.at),
        "about": ir.doc,
        "command": command_of(name, ir),
        "import": import_of(ir.cls),
        "fills": list(ir.filled),
        "constants": [_facts_of_constant(c) for c in ir.constants],
        "types": [*_types(ir)],
        "variables": [
            {
                "name": v.name,
                "type": describe(v.domain),
                "comment": v.comment,
                "group": v.group,
                "history": v.is_history,
                "declared_by": v.owner,
                "place": str(v.at),
            }
            for v in ir.variables
        ],
        "policies": [_facts_of_policy(m, ir) for m in ir.helpers.values() if m.role == "policy"],
        "helpers": [_facts_of_method(m) for m in ir.helpers.values() if _may_be_called(m, ir)],
        "actions": actions,
        "properties": properties,
        "environments": environments,
        "lemmas": [_facts_of_method(m) for m in ir.lemmas],
    }


def without_places(facts: Facts) -> Facts:
    """Return the facts of a model, none of which says where it is written."""
    lists = {key: [without_places(each) for each in value] for key, value in facts.items() if _has_facts(value)}
    return {key: value for key, value in {**facts, **lists}.items() if key != "place"}


def _has_facts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(each, dict) for each in value)


def import_of(cls: type[Model]) -> str:
    """The statement that imports a listed model's class, from the outermost package that has it; else empty."""
    parts = cls.__module__.split(".")
    packages = [".".join(parts[:end]) for end in range(1, len(parts) + 1)]
    having = (name for name in packages if getattr(sys.modules.get(name), cls.__name__, None) is cls)
    return f"from {next(having, cls.__module__)} import {cls.__name__}" if name_of(cls) != cls.__name__ else ""


def command_of(name: str, ir: ModelIR) -> str:
    """The shortest line that decides a model's properties."""
    missing = [f"-c {c.name}=VALUE" for c in ir.constants if c.default is REQUIRED]
    return " ".join(["isrcheck check", name, *missing])


def signature(method: Method) -> str:
    """A method as its author writes it: may_join(follower: Follower) -> bool."""
    parameters = ", ".join(f"{p.name}: {describe(p.domain)}" for p in method.parameters)
    return f"{method.name}({parameters})" + (f" -> {describe(method.returns)}" if method.returns else "")


def _facts_of_method(method: Method) -> Facts:
    return {
        "name": method.name,
        "signature": signature(method),
        "sentence": first_paragraph(method.doc),
        "owner": method.owner,
        "place": str(method.at),
    }


def _facts_of_policy(method: Method, ir: ModelIR) -> Facts:
    """The facts of a policy: what it decides, as first declared, and what the class that fills it says."""
    first = next(cls for cls in reversed(ir.cls.__mro__) if method.name in vars(cls))
    facts = _facts_of_method(method)
    filled = facts.pop("sentence") if first.__name__ != method.owner else ""
    facts["filled_by"] = facts.pop("owner")
    about = first_paragraph(vars(first)[method.name].__doc__ or "")
    return {**facts, "declared_by": first.__name__, "sentence": about, "as_filled": filled}


def _facts_of_constant(constant: ConstantIR) -> Facts:
    from isrcheck.passes.constants import literal

    is_required = constant.default is REQUIRED
    return {
        "name": constant.name,
        "type": describe(constant.domain),
        "default": None if is_required else literal(constant.default),
        "at_least": constant.at_least,
        "at_most": constant.at_most,
        "setting": constant.setting,
        "sentence": constant.sentence,
        "place": str(constant.at),
    }


def _may_be_called(method: Method, ir: ModelIR) -> bool:
    """Whether a policy may call a method: a helper of the model that gives a value."""
    return method.role == "helper" and method.returns is not None and hasattr(ir.cls, method.name)


def _types(ir: ModelIR) -> Iterator[Facts]:
    """Yield the named types of variables and signatures, each after those that it is made of."""
    methods = [*ir.actions, *ir.helpers.values()]
    domains: list[Domain | None] = [v.domain for v in ir.variables]
    domains += [domain for m in methods for domain in (*(p.domain for p in m.parameters), m.returns)]
    names = set[str]()
    for domain in (inner for outer in domains for inner in inner_domains(outer)):
        name = getattr(domain, "name", "")
        if name and name not in names:
            names.add(name)
            yield {"name": name, "is": _definition(domain), "sentence": _doc_of_type(domain)}


def _definition(domain: Domain) -> str:
    match domain:
        case IntDomain(high=high, low=low):
            return f"{low}..{'any' if high is None else high}"
        case SortDomain(size=size):
            return f"a sort of {size} members"
        case EnumDomain(members=members):
            return " | ".join(member.name for member in members)
        case RecordDomain(fields=fields):
            return ", ".join(f"{name}: {describe(of)}" for name, of in fields)
        case SequenceDomain(of=of, high=high):
            return f"tuple[{describe(of) if of else ''}, ...], at most {high} long"
        case SumDomain(members=members):
            return " | ".join(map(describe, members))
    return describe(domain)


def _doc_of_type(domain: Domain) -> str:
    match domain:
        case SortDomain(sort=cls) | RecordDomain(make=cls):
            return first_paragraph(_own_doc(cls))
        case EnumDomain(members=members):
            return first_paragraph(_own_doc(type(members[0])))
    return ""


def _own_doc(cls: Any) -> str:
    """The docstring that a class has itself; not that which Python gives a tuple."""
    doc = vars(cls).get("__doc__") or ""
    return "" if doc.startswith(f"{cls.__name__}(") else doc


def model_document(facts: Facts) -> Iterator[doc.Block]:
    """Yield all there is to know about a model; facts with a `place` say where they are written."""
    yield doc.Heading((doc.strong(facts["name"]), _at(facts)), 1)
    yield from map(_paragraph, facts["about"].split("\n\n"))
    if facts["fills"]:
        yield doc.Paragraph(f"Fills: {', '.join(facts['fills'])}")
    yield doc.Verbatim("\n".join(f"  {line}" for line in (facts["import"], facts["command"]) if line))
    yield from doc.section("constants", [(_default(c), _about_constant(c)) for c in facts["constants"]])
    yield from doc.section(
        "types", [(t["name"], ". ".join(filter(None, (t["is"], t["sentence"])))) for t in facts["types"]]
    )
    yield from _variables(facts["variables"])
    yield from doc.section(
        "policies, which a variant fills", [(p["signature"], _about_policy(p)) for p in facts["policies"]]
    )
    for title in _METHODS:
        key = title.partition(",")[0]
        name = "signature" if key in ("helpers", "actions") else "name"
        yield from doc.section(title, [(m[name] + _marks(m), m["sentence"] + _at(m)) for m in facts[key]])


# The first word of each is its key among the facts.
_METHODS = (
    "helpers, which a policy may call",
    "actions",
    "properties",
    "environments, for --fairness",
    "lemmas, for proofs",
)


def _variables(variables: Sequence[Facts]) -> Iterator[doc.Block]:
    """Yield the variables, group by group as the comments above them say."""
    for number, (group, members) in enumerate(groupby(variables, lambda variable: variable["group"])):
        if not number:
            yield doc.Heading("variables")
        rows = [(f"{v['name']}: {v['type']}", _about_variable(v)) for v in members]
        yield doc.Table([doc.NAME, ""], rows, caption=doc.quiet(group) if group else "")


def _paragraph(paragraph: str) -> doc.Paragraph:
    """Return a paragraph that is wrapped anew, or its lines where some are indented."""
    is_shaped = "\n " in paragraph
    return doc.Paragraph(*(paragraph.splitlines() if is_shaped else [" ".join(paragraph.split())]))


def _at(facts: Facts) -> str:
    return f" [{facts['place']}]" if "place" in facts else ""


def _default(constant: Facts) -> str:
    default = "" if constant["default"] is None else f"={constant['default']}"
    return f"{constant['name']}{default or ' (must be chosen)'}"


def _about_constant(constant: Facts) -> str:
    setting = f" (the setting {constant['setting']})" if constant["setting"] else ""
    return f"{constant['sentence']}{setting}{_at(constant)}"


def _about_variable(variable: Facts) -> str:
    history = "(history: only properties read it)" if variable["history"] else ""
    return " ".join(filter(None, (variable["comment"], history, _at(variable).strip())))


def _about_policy(policy: Facts) -> doc.Lines:
    """Return what a policy decides, and what the class that fills it says."""
    filled = ": ".join(filter(None, (f"filled by {policy['filled_by']}", policy["as_filled"])))
    return doc.Lines([policy["sentence"], filled + _at(policy)])


def _marks(method: Facts) -> str:
    """Return what else there is to say of a method, in brackets behind its name."""
    fair = f"fair: {method['fair']}" if method.get("fair") else ""
    marks = [method.get("kind", ""), "internal action" if method.get("internal") else "", fair]
    return f" ({', '.join(filter(None, marks))})" if any(marks) else ""
