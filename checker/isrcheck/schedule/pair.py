"""Two variants under one schedule, step by step beside each other, and where they part."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from isrcheck.errors import counted
from isrcheck.evidence import document as doc
from isrcheck.evidence.document import Tone
from isrcheck.evidence.forms.pair import pair_svg
from isrcheck.evidence.forms.scene import Scene, scene
from isrcheck.run.replay import retrace
from isrcheck.run.trace import Trace, TraceStep, chosen, differences
from isrcheck.schedule.variant import ENGINE, PropertyRun, VariantRun
from isrcheck.schedule.walk import Way


@dataclass(frozen=True)
class StepEvent:
    """One step of one variant, and what it changed; `internal` if the schedule does not have it."""

    call: str
    internal: bool
    changes: tuple[str, ...]


@dataclass(frozen=True)
class PairSide:
    """One variant's run under the schedule, and what all its runs say of its properties."""

    run: VariantRun
    way: Way
    trace: Trace
    shows: PropertyRun | None  # what the run breaks; None for one that is shown for comparison

    @property
    def model(self) -> str:
        return self.run.model

    def places(self, number: int) -> tuple[int, ...]:
        """Positions in the trace of a step of the schedule and the internal actions after it; 0 is before the first."""
        first = (0,) if number == 0 else ()
        return first + tuple(place for place, taken in enumerate(self.way.taken, 1) if taken == number)

    def events(self, number: int) -> tuple[StepEvent, ...]:
        return tuple(self._event(place) for place in self.places(number) if place)

    def state(self, number: int) -> TraceStep | None:
        """Where it stands before the next step of the schedule; None if it does not get there."""
        places = self.places(number)
        return self.trace.steps[places[-1]] if places else None

    def _event(self, place: int) -> StepEvent:
        step, before = self.trace.steps[place], self.trace.steps[place - 1]
        found = (c for n, value in step.state.items() for c in differences(before.state[n], value, n))
        changes = tuple(f"{path}: {old} → {new}" for path, old, new in found)
        internal = self.way.taken[place - 1] == (self.way.taken[place - 2] if place > 1 else 0)
        return StepEvent(step.call, internal, changes)


@dataclass(frozen=True)
class Parting:
    """Where two runs part: the number of the schedule's step (0: before the first), and how, a sentence each."""

    step: int
    sentences: tuple[str, ...]


@dataclass(frozen=True)
class Pair:
    left: PairSide
    right: PairSide
    steps: tuple[str, ...]

    @property
    def parting(self) -> Parting | None:
        """The first step after which they are in different states, or that only one can take; None if there is none."""
        for number in range(len(self.steps) + 1):
            one, two = self.left.state(number), self.right.state(number)
            if one is None or two is None:
                return Parting(number, tuple(self._stuck(number)))
            differing = tuple(self._differing(one, two))
            if differing:
                return Parting(number, differing)
        return None

    def _stuck(self, number: int) -> Iterator[str]:
        for side in (self.left, self.right):
            if side.state(number) is None:
                refusal = side.run.refusal
                why = f": {refusal}" if refusal else ": it has no such step"
                yield f"{side.model} cannot take {self.steps[number - 1]}{why}."

    def _differing(self, one: TraceStep, two: TraceStep) -> Iterator[str]:
        for name in (n for n in one.state if n in two.state):
            for path, left, right in differences(one.state[name], two.state[name], name):
                yield f"{path} is {left} in {self.left.model}, {right} in {self.right.model}"

    def verdicts(self) -> Iterator[tuple[str, str, str]]:
        """(property, verdict on the left, verdict on the right) of what breaks on a side, or is undecided there."""
        ones = {p.name: p.verdict for p in self.left.run.properties}
        twos = {p.name: p.verdict for p in self.right.run.properties}
        for name in dict.fromkeys((*ones, *twos)):
            left, right = ones.get(name, "n/a"), twos.get(name, "n/a")
            if not {left, right} <= {"kept", "cannot", "n/a"}:
                yield name, left, right

    @property
    def alike(self) -> int:
        twos = {p.name: p.verdict for p in self.right.run.properties}
        return sum(p.verdict == "kept" == twos.get(p.name) for p in self.left.run.properties)


def side_of(run: VariantRun, way: Way, shows: PropertyRun | None = None) -> PairSide:
    """A side that shows the run of a violation, or this way. Raises Disagreement if the reference does not go it."""
    if shows is not None and shows.trace is not None and shows.way is not None:
        return PairSide(run, shows.way, shows.trace, shows)
    return PairSide(run, way, retrace(run.bound, way.path, run.model, ENGINE), None)


def pair_document(pair: Pair, is_drawn: bool = False) -> Iterator[doc.Block]:
    """The steps of the schedule with what each variant makes of them, once where both do the same; or both drawings."""
    yield from _head(pair)
    if is_drawn:
        yield doc.Picture(picture(pair), "both drawings")
    else:
        yield from _steps(pair)
    yield from _verdicts(pair)


def _steps(pair: Pair) -> Iterator[doc.Block]:
    for number in range(len(pair.steps) + 1):
        if number or pair.left.events(0) or pair.right.events(0):
            title = (f"{number} ", doc.code(pair.steps[number - 1])) if number else "before the first step"
            yield doc.Heading(title, 3)
            yield _step(pair, number)
        if pair.parting is not None and pair.parting.step == number:
            yield doc.Paragraph("≠ They differ from here on.", tone=Tone.STRONG)
            yield doc.Bullets(pair.parting.sentences)


def _head(pair: Pair) -> Iterator[doc.Block]:
    left, right, steps = pair.left, pair.right, counted(len(pair.steps), "step")
    yield doc.Heading(f"{left.model} and {right.model} under one schedule of {steps}", 1)
    rows = [[doc.code("  ".join(chosen(side.trace.constants))) for side in (left, right)]]
    yield doc.Table([left.model, right.model], rows)


def _step(pair: Pair, number: int) -> doc.Block:
    left, right = (list(_events(side, number)) for side in (pair.left, pair.right))
    if left == right:
        indented: list[doc.Line] = [(doc.Piece("  "), *doc.pieces(line)) for line in left]
        return doc.Paragraph(*indented)
    return doc.Table([pair.left.model, pair.right.model], [[doc.Lines(left), doc.Lines(right)]])


def _events(side: PairSide, number: int) -> Iterator[doc.Line]:
    if side.state(number) is None:
        yield "(it does not get here)"
    for event in side.events(number):
        if event.internal:
            yield ("internal action ", doc.code(event.call))
        yield from map(doc.code, event.changes or ("(nothing changes)",))


def _verdicts(pair: Pair) -> Iterator[doc.Block]:
    yield doc.Heading("Properties under this schedule")
    rows: list[doc.TableRow] = list(pair.verdicts())
    if pair.alike:
        rows.append([f"{pair.alike} {'others' if rows else counted(pair.alike, 'property')}", "kept", "kept"])
    yield doc.Table(["property", pair.left.model, pair.right.model], rows)
    if pair.parting is None:
        yield doc.Paragraph("The two runs shown do not differ.")
    for side in (pair.left, pair.right):
        if side.shows is not None:
            sentence = " ".join(side.trace.sentence.split("\n\n")[0].split())
            yield doc.Paragraph(f"✗ {side.shows.name} of {side.model}: {sentence}", tone=Tone.BAD)


def picture(pair: Pair) -> str:
    groups = [(pair.left.places(n), pair.right.places(n)) for n in range(len(pair.steps) + 1)]
    parting = pair.parting
    return pair_svg(_scene(pair.left), _scene(pair.right), groups, parting.step if parting else None)


def _scene(side: PairSide) -> Scene:
    """What there is to see on one side; a run that breaks nothing is not said to."""
    seen = scene(side.trace)
    if side.shows is not None:
        taken, whole = side.way.whole, len(side.way.path)
        scheduled = f", {taken} scheduled" if whole > taken else ""
        return replace(seen, when=f"after {counted(whole, 'step')}{scheduled}")
    whole = side.way.whole == len(side.run.steps)
    ending = "follows the schedule to its end" if whole else f"cannot take step {side.way.whole + 1}"
    refusal = f"{side.run.refusal}." if side.run.refusal and not whole else ""
    return replace(seen, shows=ending, when="", verdict=refusal, broken=False)
