"""A run of `prove` as a document."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from isrcheck.evidence import document as doc
from isrcheck.evidence.outcome_document import TONES
from isrcheck.evidence.trace_document import trace_blocks
from isrcheck.ir.property_kinds import Verdict
from isrcheck.run.proofs import note_lines

if TYPE_CHECKING:
    from isrcheck.run.proving import ProofRun


def proof_document(run: "ProofRun", drawn: Mapping[str, Path]) -> Iterator[doc.Block]:
    """Each property with its verdict, what it rests on, and where induction fails; `drawn` has pictures of that."""
    outcome = run.outcome
    yield doc.Heading(outcome.model, 1)
    if outcome.notes:
        yield doc.Paragraph(*outcome.notes)
    for found, note in zip(outcome.properties, outcome.proofs, strict=True):
        assurance = "" if found.verdict is Verdict.UNDETERMINED else f", {found.assurance}"
        verdict = doc.Piece(found.verdict.value + assurance, TONES[found.verdict])
        yield doc.Heading((doc.strong(found.name), "  ", verdict))
        picture = [f"Drawn in {drawn[found.name]}."] if found.name in drawn else []
        yield doc.Paragraph(*note_lines(note), *picture)
        shown = found.trace or run.counterexamples.get(found.name)
        if shown:
            yield from trace_blocks(shown)
    if outcome.not_asked:
        yield doc.Paragraph(*(f"{name}  n/a: {why}" for name, why in outcome.not_asked.items()), tone=doc.Tone.QUIET)
    yield doc.Paragraph(f"{outcome.seconds:.1f} s, {outcome.engine} engine")
