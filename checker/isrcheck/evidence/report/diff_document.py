"""The differences of two reports as a document."""

from collections.abc import Sequence
from itertools import groupby

from isrcheck.errors import counted
from isrcheck.evidence import document as doc
from isrcheck.evidence.document import Tone
from isrcheck.evidence.report.diff import Difference

EQUAL = "The two reports have the same facts."


def differences_document(found: Sequence[Difference]) -> doc.Document:
    """How many facts differ, then a table for each run."""
    blocks: list[doc.Block] = [doc.Paragraph(summary(found))]
    for run, group in groupby(found, key=lambda d: d.run):
        blocks += [doc.Heading(run), differences_table(list(group))]
    return blocks


def summary(found: Sequence[Difference]) -> str:
    """How many facts differ, as a sentence."""
    flips = sum(d.flip for d in found)
    differ = f"{counted(len(found), 'fact')} differ{'s' if len(found) == 1 else ''}"
    return f"{differ}, {flips:,} of them a verdict or a run." if found else EQUAL


def differences_table(found: Sequence[Difference]) -> doc.Table:
    """What changed, verdicts that flipped first and bold."""
    rows = [
        [doc.Lines([" ".join(text.split())], Tone.BAD if d.flip else Tone.PLAIN) for text in (d.what, d.old, d.new)]
        for d in sorted(found, key=lambda d: not d.flip)
    ]
    return doc.Table(["what", "then", "now"], rows)
