"""One model, and all sizes."""

from collections.abc import Iterator, Mapping

from isrcheck.evidence import document as doc
from isrcheck.ir.model import ConstantIR, Method, ModelIR
from isrcheck.lang.declare import REQUIRED, Model
from isrcheck.lang.read import read_model
from isrcheck.passes import bind
from isrcheck.passes.constants import literal
from isrcheck.passes.lowering import Lowering
from isrcheck.wrap import first_paragraph

_SIZES = ("variables", "bits", "instances", "nodes")


def sizes_document(models: Mapping[str, type[Model]]) -> doc.Document:
    columns = [doc.Column("model", fixed=True, tone=doc.Tone.STRONG), *(doc.Column(s, is_number=True) for s in _SIZES)]
    rows = [[name, *_sizes(read_model(cls))] for name, cls in models.items()]
    return [doc.Table(columns, rows, caption="at the default constants")]


def _sizes(ir: ModelIR) -> tuple[str, ...]:
    """A model with a constant to be chosen has no size yet."""
    if any(c.default is REQUIRED for c in ir.constants):
        return ("-",) * len(_SIZES)
    lowering = Lowering(bind(ir, {}))
    system = lowering.system
    nodes = len(lowering.table)
    return tuple(f"{count:,}" for count in (len(system.scalars), system.bits, len(system.instances), nodes))


def model_document(name: str, ir: ModelIR) -> Iterator[doc.Block]:
    yield doc.Heading((doc.strong(name), f"  {ir.at}"), 1)
    for paragraph in ir.doc.split("\n\n"):
        yield doc.Paragraph(*paragraph.splitlines())
    if ir.filled:
        yield doc.Paragraph(f"Fills: {', '.join(ir.filled)}")
    sections = {
        "constants": [
            (_default(c), c.sentence + f" (the setting {c.setting})" * bool(c.setting)) for c in ir.constants
        ],
        "actions": [(_signature(a), first_paragraph(a.doc)) for a in ir.actions],
        "properties": [
            (f"{p.name} ({p.kind})", f"{first_paragraph(p.doc)} [{p.at}]") for p in (*ir.properties, *ir.temporal)
        ],
        "environments, for --fairness": [(f"{m.name} ({m.fair})", first_paragraph(m.doc)) for m in ir.environments],
        "lemmas, for proofs": [(m.name, f"{first_paragraph(m.doc)} [{m.at}]") for m in ir.lemmas],
        "lowered, at these defaults": list(zip(_SIZES, _sizes(ir), strict=True)),
    }
    for title, rows in sections.items():
        if rows:
            yield from (doc.Heading(title), doc.Table([doc.Column(fixed=True), ""], rows))


def _default(constant: ConstantIR) -> str:
    if constant.default is REQUIRED:
        return f"{constant.name} (must be chosen)"
    return f"{constant.name}={literal(constant.default)}"


def _signature(action: Method) -> str:
    said = [*(["internal action"] if action.internal else []), *([f"fair: {action.fair}"] if action.fair else [])]
    return f"{action.name}({', '.join(p.name for p in action.parameters)})" + (f" ({', '.join(said)})" if said else "")
