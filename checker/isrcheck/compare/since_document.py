"""What a change to models did, as a document for a terminal and for a pull request."""

from collections.abc import Iterator, Sequence

from isrcheck.compare.since import ModelChange
from isrcheck.errors import counted
from isrcheck.evidence import document as doc
from isrcheck.evidence.document import Tone
from isrcheck.evidence.report.diff import differences_table
from isrcheck.evidence.trace_document import trace_document

_COMMIT = 12  # letters of it


def changes_document(ref: str, commit: str, found: Sequence[ModelChange]) -> doc.Document:
    """How many models changed, then for each what flipped, and its new states with the shortest way to one."""
    head = doc.Heading(("isrcheck: what changed since ", doc.code(ref), f" ({commit[:_COMMIT]})"), 1)
    blocks = (block for change in found for block in _blocks(change))
    return [head, doc.Paragraph(summary(found), tone=Tone.STRONG), *blocks]


def summary(found: Sequence[ModelChange]) -> str:
    changed = [c for c in found if not c.is_none]
    flips = sum(d.flip for c in found for d in c.differences)
    if not changed:
        unknown = sum(c.is_undetermined for c in found)
        some = f", but what {counted(unknown, 'model')} came to is not known" if unknown else ""
        return f"Nothing changed in {counted(len(found), 'model')}{some}."
    return f"{len(changed)} of {counted(len(found), 'model')} changed; {counted(flips, 'cell')} flipped."


def _blocks(change: ModelChange) -> Iterator[doc.Block]:
    yield doc.Heading(doc.code(" ".join([change.model, *(f"{n}={v}" for n, v in change.constants.items())])))
    if change.differences:
        yield differences_table(change.differences)
    yield doc.Bullets([" ".join(sentence.split()) for sentence in _sentences(change)])
    if change.trace:
        steps = counted(change.trace.length - 1, "step")
        yield doc.Fold(f"The shortest way to a new state: {steps}", trace_document(change.trace))


def _sentences(change: ModelChange) -> Iterator[str]:
    if change.old is None:
        yield f"It did not exist then: {change.absent}"
    if "failed" in change.new:
        yield f"There is no verdict now: {change.new['failed']}"
    if change.added:
        yield f"Properties added: {', '.join(change.added)}."
    if change.removed:
        yield f"Properties removed: {', '.join(change.removed)}."
    if change.unknown:
        yield f"States were not compared: {change.unknown}."
    elif change.is_undetermined:
        yield f"Not known: a run ended {change.new.get('cut') or 'early'}; until then both runs were the same."
    elif change.is_none:
        yield "Nothing changed: the same verdicts, counts and states."
    else:
        yield f"{counted(change.new_states or 0, 'new reachable state')}, {change.gone or 0:,} no longer reachable."
