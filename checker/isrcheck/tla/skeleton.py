"""The skeleton of a proof: the conjunction of the lemmas, and the theorems that a proof system would prove."""

from collections.abc import Sequence

from isrcheck.ir.model import ModelIR
from isrcheck.tla.modules import Module, Writer
from isrcheck.tla.page import comment, module_text

INDUCTIVE = "Inductive"
_SAID = """What isrcheck prove takes for an inductive invariant. TLC can test whether it is an invariant of small
instances: it is in the configuration. The theorems are for a proof system; their proofs are left out."""


def skeleton(writer: Writer, own: Sequence[Module], ir: ModelIR, lemmas: Sequence[str]) -> Module:
    """A module over the model's own. `ir` has the lemmas among its properties."""
    named = [writer.names.methods[name] for name in lemmas]
    proved = [p for p in ir.properties if p.kind.is_provable and p.name not in lemmas]
    lines = [*comment(_SAID), "", f"{INDUCTIVE} =="]
    lines += [f"    /\\ {name}" for name in ("TypeOk", *named)]
    lines += ["", *_theorem("InductiveInitially", f"Init => {INDUCTIVE}")]
    lines += _theorem("InductiveIsKept", f"{INDUCTIVE} /\\ [Next]_vars => {INDUCTIVE}'")
    lines += _theorem("InductiveIsAnInvariant", f"Spec => []{INDUCTIVE}")
    for method in proved:
        name = writer.names.methods[method.name]
        if method.kind.is_of_steps:
            lines += _theorem(f"{name}OfSpec", f"Spec => {name}")
        else:
            lines += _theorem(f"{name}Initially", f"Init => {name}")
            lines += _theorem(f"{name}IsKept", f"{INDUCTIVE} /\\ {name} /\\ [Next]_vars => {name}'")
            lines += _theorem(f"{name}IsAnInvariant", f"Spec => []{name}")
    name = f"{writer.name}Proof"
    return Module(name, module_text(name, writer.name, lines), own[-1].names | {INDUCTIVE})


def _theorem(name: str, claim: str) -> list[str]:
    return [f"THEOREM {name} == {claim}", "PROOF OMITTED", ""]
