"""One model's card: constants, actions, properties, what a variant changes, its size; and the sizes of all models."""

from collections.abc import Mapping

from rich.console import Console
from rich.table import Table
from rich.text import Text

from isrcheck.ir.nodes import ConstantIR, Method, ModelIR
from isrcheck.lang.declare import REQUIRED, Model
from isrcheck.lang.read import read_model
from isrcheck.passes import bind
from isrcheck.passes.constants import word
from isrcheck.passes.lowering import Lowering
from isrcheck.summaries import summary


def print_sizes(models: Mapping[str, type[Model]], console: Console) -> None:
    """What each model is lowered to at its default constants."""
    table = Table(box=None, pad_edge=False, title="at the default constants", title_justify="left")
    table.add_column("model", style="bold", no_wrap=True)
    for heading in _SIZES:
        table.add_column(heading, justify="right")
    for name, cls in models.items():
        table.add_row(name, *_sizes(read_model(cls)))
    console.print(table)


def _sizes(ir: ModelIR) -> tuple[str, ...]:
    """What the model is lowered to at its default constants; a model with a constant to be chosen has no size yet."""
    if any(c.default is REQUIRED for c in ir.constants):
        return ("-",) * len(_SIZES)
    lowering = Lowering(bind(ir, {}))
    system, nodes = lowering.system, len(lowering.table)
    return tuple(f"{count:,}" for count in (len(system.scalars), system.bits, len(system.instances), nodes))


def print_model(name: str, ir: ModelIR, console: Console) -> None:
    """All of one model that a person needs to run it."""
    console.print(Text.assemble((name, "bold"), f"  {ir.at}"))
    console.print(ir.doc, highlight=False)
    if ir.filled:
        console.print(f"\nFills: {', '.join(ir.filled)}", highlight=False)
    _section(console, "constants", [(_default(c), _about(c)) for c in ir.constants])
    _section(console, "actions", [(_signature(a), summary(a.doc)) for a in ir.actions])
    _section(console, "properties", [(f"{p.name} ({p.kind})", f"{summary(p.doc)} [{p.at}]") for p in ir.properties])
    _section(console, "lemmas, for proofs", [(m.name, f"{summary(m.doc)} [{m.at}]") for m in ir.lemmas])
    _section(console, "lowered, at these defaults", list(zip(_SIZES, _sizes(ir), strict=True)))


_SIZES = ("variables", "bits", "instances", "nodes")


def _default(constant: ConstantIR) -> str:
    return (
        f"{constant.name} (must be chosen)"
        if constant.default is REQUIRED
        else f"{constant.name}={word(constant.default)}"
    )


def _about(constant: ConstantIR) -> str:
    return constant.sentence + (f" (the setting {constant.setting})" if constant.setting else "")


def _signature(action: Method) -> str:
    own = " (own step)" if action.internal else ""
    return f"{action.name}({', '.join(p.name for p in action.parameters)}){own}"


def _section(console: Console, title: str, rows: list[tuple[str, str]]) -> None:
    if not rows:
        return
    console.print(f"\n{title}", style="dim")
    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column()
    for row in rows:
        table.add_row(Text(row[0]), Text(row[1]))
    console.print(table)
