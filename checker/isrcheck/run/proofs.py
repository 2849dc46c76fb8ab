"""What is said of a proof, or a try."""

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
    """Of a proof for any size: what a solver said of an obligation, after how many seconds."""

    name: str
    answer: str
    solver: str
    seconds: float


@dataclass(frozen=True)
class LemmaSearchNote:
    """Of a search for lemmas: what its candidates are true of, and how many were dropped since a step broke them."""

    instances: int
    states: int
    dropped: int


@dataclass(frozen=True)
class ProofNote:
    """What was tried for one property."""

    name: str
    k: int
    lemmas: tuple[LemmaNote, ...]
    variables: tuple[str, ...]  # looked at
    others: tuple[str, ...]  # not looked at
    open: dict[str, str]
    fixed: dict[str, str]
    reason: str  # why it is not proved
    # on the constants, by name
    assumptions: tuple[str, ...] = ()
    # lemmas that steps do not keep
    dropped: tuple[str, ...] = ()
    strengthen: tuple[str, ...] = ()
    obligations: tuple[ObligationNote, ...] = ()
    searched: LemmaSearchNote | None = None

    def to_dict(self) -> dict[str, Any]:
        """As JSON; obligations and a search for lemmas only where there are any."""
        return {n: value for n, value in asdict(self).items() if value or n not in ("obligations", "searched")}


def note_lines(note: ProofNote) -> Iterator[str]:
    if note.reason:
        yield f"Not proved: {note.reason}."
    else:
        yield f"Proved for any number of steps, {constants_phrase(note)}."
    if note.assumptions and not note.reason:
        yield f"The constants are as these assumptions ask: {', '.join(note.assumptions)}."
    if not note.k:
        return
    how = f"{'Tried by' if note.reason else 'By'} {note.k}-induction"
    yield f"{how} with the lemmas:" if note.lemmas else f"{how}, without lemmas."
    for lemma in note.lemmas:
        if lemma.text.startswith("@lemma"):
            yield from (f"    {line}" for line in ("", *lemma.text.splitlines()))
        else:
            yield f"  {lemma.name}  [{lemma.place}]"
    if note.searched is not None:
        seen, dropped = note.searched, f"{note.searched.dropped} were dropped again"
        yield f"Candidates are true in {seen.states:,} states of {seen.instances} small instances; {dropped}."
    if note.obligations:
        slowest = max(note.obligations, key=lambda each: each.seconds)
        refuted = sum(each.answer == "unsat" for each in note.obligations)
        yield f"Obligations refuted by z3 or cvc5: {refuted}, the slowest ({slowest.name}) in {slowest.seconds:.1f} s."
    if note.dropped:
        yield f"Left out, since steps do not keep them: {', '.join(note.dropped)}."
    yield f"Looked at: {', '.join(note.variables) or 'no variable'}."
    if note.others:
        yield f"Not looked at: {', '.join(note.others)}."
        if not note.reason:
            yield "The proof does not say whether text that only these read goes wrong: isrcheck check looks for that."
    if note.strengthen:
        yield "A lemma might exclude where this begins. Facts that are false there, and true in every state seen:"
        yield from (f"  {fact}" for fact in note.strengthen)


def constants_phrase(note: ProofNote) -> str:
    """What a proof is about: any max_records >= 0, ...; replicas = 3."""
    open_ = note.open.items()
    free = ", ".join(f"any {n} >= {c[:-2]}" if c.endswith("..") else f"any {n} of {c}" for n, c in open_)
    fixed = ", ".join(f"{name} = {value}" for name, value in note.fixed.items())
    return "; ".join(part for part in (free, fixed) if part) or "in a model without constants"
