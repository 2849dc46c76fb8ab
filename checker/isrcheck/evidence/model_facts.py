"""One model as data, for `isrcheck list MODEL`: what is declared, decided and asked, in the words of its text."""

from collections.abc import Iterator
from typing import Any

from isrcheck.catalogue import family_of
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
from isrcheck.lang.declare import REQUIRED
from isrcheck.passes.constants import literal
from isrcheck.version import __version__
from isrcheck.wrap import first_paragraph

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
