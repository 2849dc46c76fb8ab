"""Report on a schedule that was played, for people and as data."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from isrbrokers.schedule.course import Move
from isrbrokers.schedule.facts import ACKED, HW, PRODUCER, RECORD, UP, Fact, Facts, broker_subject, in_words
from isrbrokers.schedule.playing import PARTS, TOGETHER, UNDETERMINED, Played, exit_of
from isrcheck.errors import quantity
from isrcheck.evidence.document import (
    Block,
    Bullets,
    Column,
    Lines,
    Paragraph,
    Piece,
    Table,
    TableRow,
    Tone,
    bad,
    good,
    unsure,
)
from isrcheck.run.trace import encode

SCHEMA = "isrcheck.played/1"
_WORDS = {TOGETHER: good, PARTS: bad, UNDETERMINED: unsure}


@dataclass(frozen=True)
class PlayedSchedule:
    """All that was played, and what the model says of the end."""

    system: str  # kafka-4.1.1
    model: str
    constants: Mapping[str, Any]
    steps: int  # of the schedule
    played: tuple[Played, ...]
    violated: tuple[str, ...]  # properties that the model's last state violates
    folder: Path | None  # where the run was kept

    @property
    def exit(self) -> int:
        """The exit code: 0, 12 or 20."""
        return exit_of(self.played)

    @property
    def verdict(self) -> str:
        """The verdict: together, parts or undetermined."""
        return self.played[-1].verdict

    def document(self) -> Iterator[Block]:
        """A row a step, and the verdict."""
        number_column, verdict = Column("", is_number=True, fixed=True), Column("", fixed=True)
        columns: list[Column | str] = [number_column, "step", f"{self.system} afterwards", verdict]
        rows: list[TableRow] = [
            [str(at), _step(one), _afterwards(one.facts), _WORDS[one.verdict](one.verdict)]
            for at, one in enumerate(self.played, 1)
        ]
        yield Table(columns, rows)
        yield Paragraph(
            "Brokers with high watermark and log end; acknowledged records by their offsets.", tone=Tone.QUIET
        )
        yield from self._verdict()
        if self.folder:
            yield Paragraph(f"{self.folder} has the run.", tone=Tone.QUIET)

    def _verdict(self) -> Iterator[Block]:
        last, at = self.played[-1], len(self.played)
        piece = _WORDS[self.verdict](self.verdict.capitalize())
        if self.verdict == TOGETHER:
            themselves = sum(len(one.follow) for one in self.played)
            more = f", and {quantity(themselves, 'step')} that brokers took by themselves" if themselves else ""
            yield Paragraph(
                (piece, f": {self.system} did what {self.model} says, through {quantity(at, 'step')}{more}.")
            )
            if self.violated:
                yield Paragraph(
                    ("What they show violates ", Piece(", ".join(self.violated), Tone.STRONG), f" of {self.model}.")
                )
        elif self.verdict == PARTS:
            yield Paragraph((piece, f" at step {at} of {self.steps}, {last.sentence}:"))
            yield Bullets([str(each) for each in last.differences])
        else:
            yield Paragraph((piece, f" at step {at} of {self.steps}, {last.sentence}: {last.because}."))

    def to_dict(self, version: str) -> dict[str, Any]:
        """The report as plain data."""
        last = self.played[-1]
        parts = [
            {**asdict(each), "observed": _plain(each.observed), "modelled": _plain(each.modelled)}
            for each in last.differences
        ]
        return {
            "schema": SCHEMA,
            "version": version,
            "system": self.system,
            "model": self.model,
            "constants": {name: encode(value) for name, value in self.constants.items()},
            "verdict": self.verdict,
            "exit": self.exit,
            "steps": self.steps,
            "played": [_as_data(one) for one in self.played],
            "parts": {"step": len(self.played), "differences": parts} if self.verdict == PARTS else None,
            "because": last.because or None,
            "violated": list(self.violated),
        }


def _step(one: Played) -> Lines:
    """The step, what was done before it since it needed that, and what followed by itself."""
    done = [str(stage.move) for stage in one.stages[:-1]]
    first = one.sentence if one.stages else f"{one.sentence} (had happened)"
    return Lines([*(f"before it: {move}" for move in done), first, *_by_itself(one.follow)])


def _by_itself(moves: Sequence[Move]) -> Iterator[str]:
    """An action a line, with those who took it."""
    takers: dict[str, list[str]] = {}
    for move in moves:
        takers.setdefault(move.action, []).append(move.taker)
    yield from (f"by itself: {action} {', '.join(who)}" for action, who in takers.items())


def _afterwards(facts: Facts) -> Lines:
    """The partition in a line or two: on record, and each broker's log end and high watermark."""
    if (RECORD, "leader epoch") not in facts:
        return Lines(["no partition"])
    said = {what: in_words(facts[RECORD, what]) for what in ("leader", "leader epoch", "ISR", "ELR")}
    elr = f", ELR {said['ELR']}" if facts[RECORD, "ELR"] else ""
    record = f"leader {said['leader']}, epoch {said['leader epoch']}, ISR {said['ISR']}{elr}"
    offsets = facts.get((PRODUCER, ACKED))
    brokers = ", ".join(_broker(facts, fact) for fact in sorted(facts) if fact[1] == UP)
    return Lines([record, brokers, *([f"acknowledged {in_words(offsets)}"] if offsets else [])])


def _broker(facts: Facts, fact: Fact) -> str:
    of, _ = fact
    number = of.removeprefix(broker_subject(0)[:-1])
    if not facts[fact]:
        return f"{number} down"
    records = facts.get((of, "leader epochs of its records"), ())
    return f"{number}: {facts.get((of, HW), 0)}/{len(records)}"


def _as_data(one: Played) -> dict[str, Any]:
    return {
        "step": one.sentence,
        "done": [str(stage.move) for stage in one.stages],
        "by_itself": [str(move) for move in one.follow],
        "verdict": one.verdict,
        "seconds": round(one.seconds, 2),
        "observed": {f"{what} of {of}": _plain(value) for (of, what), value in one.facts.items()},
    }


def _plain(value: Any) -> Any:
    return sorted(value) if isinstance(value, frozenset | tuple) else value


def line(one: Played, number: int, steps: int) -> str:
    """Return a step as a line of progress."""
    return f"step {number} of {steps}, {one.sentence}: {one.verdict} ({one.seconds:.1f} s)"
