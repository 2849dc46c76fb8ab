"""A run of `prove` for a terminal."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from isrcheck.evidence.text import print_trace
from isrcheck.ir.property_kinds import Verdict
from isrcheck.run.proofs import note_lines

if TYPE_CHECKING:
    from isrcheck.run.proving import ProofRun

_STYLES = {Verdict.HOLDS: "green", Verdict.VIOLATED: "bold red", Verdict.UNDETERMINED: "yellow"}


def print_proofs(run: "ProofRun", console: Console, drawn: Mapping[str, Path]) -> None:
    """Each property with its verdict, what it rests on, and where induction fails; `drawn` has pictures of that."""
    outcome = run.outcome
    console.print(Text(outcome.model, "bold"))
    for setting in outcome.notes:
        console.print(f"  {setting}", highlight=False)
    for found, note in zip(outcome.properties, outcome.proofs, strict=True):
        console.print()
        known = "" if found.verdict is Verdict.UNDETERMINED else f", {found.assurance}"
        console.print(Text.assemble(found.name, "  ", (found.verdict.value + known, _STYLES[found.verdict])))
        for line in note_lines(note):
            indent = len(line) - len(line.lstrip()) + 2
            console.print(Padding(Text(line.lstrip()), (0, 0, 0, indent), expand=False))
        shown = found.trace or run.counterexamples.get(found.name)
        if found.name in drawn:
            console.print(Padding(Text(f"Drawn in {drawn[found.name]}."), (0, 0, 0, 2)))
        if shown:
            console.print()
            print_trace(shown, console)
    for name, why in outcome.not_asked.items():
        console.print(Text(f"\n{name}  n/a: {why}", "dim"))
    console.print(f"\n{outcome.seconds:.1f} s, {outcome.engine} engine", highlight=False)
