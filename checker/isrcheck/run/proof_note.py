"""Notes on a proof, or on an attempt: its lemmas, constants and obligations, as data and as lines."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class LemmaNote:
    name: str
    place: str
    text: str


@dataclass(frozen=True)
class ObligationNote:
    """The answer of a solver to an obligation, and the seconds that it took."""

    name: str
    answer: str
    solver: str
    seconds: float


@dataclass(frozen=True)
class ProofNote:
    """The attempt to prove one property."""

    name: str
    lemmas: tuple[LemmaNote, ...]
    open: dict[str, str]
    fixed: dict[str, str]
    reason: str  # why it is not proved
    # on the constants, by name
    assumptions: tuple[str, ...] = ()
    obligations: tuple[ObligationNote, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The note as JSON; obligations only where there are any."""
        return {name: value for name, value in asdict(self).items() if value or name != "obligations"}


def note_lines(note: ProofNote) -> Iterator[str]:
    if note.reason:
        yield f"Not proved: {note.reason}."
    else:
        yield f"Proved for any number of steps, {constants_phrase(note)}."
    if note.assumptions and not note.reason:
        yield f"The constants are as these assumptions ask: {', '.join(note.assumptions)}."
    how = f"{'Tried by' if note.reason else 'By'} induction"
    yield f"{how} with the lemmas:" if note.lemmas else f"{how}, without lemmas."
    for lemma in note.lemmas:
        yield f"  {lemma.name}  [{lemma.place}]"
    if note.obligations:
        slowest = max(note.obligations, key=lambda each: each.seconds)
        refuted = sum(each.answer == "unsat" for each in note.obligations)
        yield f"Obligations refuted by z3 or cvc5: {refuted}, the slowest ({slowest.name}) in {slowest.seconds:.1f} s."


def constants_phrase(note: ProofNote) -> str:
    """The constants that a proof is about: any max_records >= 0, ...; replicas = 3."""
    open_ = note.open.items()
    free = ", ".join(f"any {n} >= {c[:-2]}" if c.endswith("..") else f"any {n} of {c}" for n, c in open_)
    fixed = ", ".join(f"{name} = {value}" for name, value in note.fixed.items())
    return "; ".join(filter(None, (free, fixed))) or "in a model without constants"
