"""One model, and all sizes, as documents."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from isrcheck.evidence import document as doc
from isrcheck.evidence.model_facts import Facts
from isrcheck.ir.model import ModelIR
from isrcheck.lang.declare import REQUIRED, Model
from isrcheck.lang.read import read_model
from isrcheck.passes import bind
from isrcheck.passes.lowering import Lowering

_SIZES = ("variables", "bits", "instances", "nodes")
_NAME = doc.Column(fixed=True, tone=doc.Tone.STRONG)


def sizes_document(models: Mapping[str, type[Model]]) -> doc.Document:
    columns = [doc.Column("model", fixed=True, tone=doc.Tone.STRONG), *(doc.Column(s, is_number=True) for s in _SIZES)]
    rows = [[name, *_sizes(read_model(cls))] for name, cls in models.items()]
    return [doc.Table(columns, rows, caption="at the default constants")]


def _sizes(ir: ModelIR) -> tuple[str, ...]:
    """Return the sizes of a lowered model; a model with a constant to be chosen has none yet."""
    if any(c.default is REQUIRED for c in ir.constants):
        return ("-",) * len(_SIZES)
    lowering = Lowering(bind(ir, {}))
    system = lowering.system
    nodes = len(lowering.table)
    return tuple(f"{count:,}" for count in (len(system.scalars), system.bits, len(system.instances), nodes))


def model_document(facts: Facts) -> Iterator[doc.Block]:
    """Yield all there is to know about a model; facts with a `place` say where they are written."""
    yield doc.Heading((doc.strong(facts["name"]), _at(facts)), 1)
    yield from map(_paragraph, facts["about"].split("\n\n"))
    if facts["fills"]:
        yield doc.Paragraph(f"Fills: {', '.join(facts['fills'])}")
    yield doc.Verbatim(f"  {facts['command']}")
    yield from _section("constants", [(_default(c), _about_constant(c)) for c in facts["constants"]])
    yield from _section("types", [(t["name"], _about_type(t)) for t in facts["types"]])
    yield from _variables(facts["variables"])
    yield from _section(
        "policies, which a variant fills", [(p["signature"], _about_policy(p)) for p in facts["policies"]]
    )
    for title in _METHODS:
        key = title.partition(",")[0]
        name = "signature" if key in ("helpers", "actions") else "name"
        yield from _section(title, [(m[name] + _marks(m), m["sentence"] + _at(m)) for m in facts[key]])


# The first word of each is its key among the facts.
_METHODS = (
    "helpers, which a policy may call",
    "actions",
    "properties",
    "environments, for --fairness",
    "lemmas, for proofs",
)


def _section(title: str, rows: Sequence[tuple[str, doc.Line | doc.Lines]]) -> Iterator[doc.Block]:
    if rows:
        yield doc.Heading(title)
        yield doc.Table([_NAME, ""], rows)


def _variables(variables: Sequence[Facts]) -> Iterator[doc.Block]:
    """Yield the variables, group by group as the comments above them say."""
    for number, (group, members) in enumerate(groupby(variables, lambda variable: variable["group"])):
        if not number:
            yield doc.Heading("variables")
        rows = [(f"{v['name']}: {v['type']}", _about_variable(v)) for v in members]
        yield doc.Table([_NAME, ""], rows, caption=doc.quiet(group) if group else "")


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


def _about_type(named: Facts) -> str:
    return ". ".join(filter(None, (named["is"], named["sentence"])))


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
