"""A schedule run over one variant, and two variants under one schedule, step by step beside each other."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from isrcheck.engines.contract import Limits
from isrcheck.engines.frozen_values import State
from isrcheck.engines.reference.why import AskingStepper, Bound, Guard
from isrcheck.errors import quantity
from isrcheck.evidence import document as doc
from isrcheck.evidence.document import Tone
from isrcheck.ir.frozen import replace
from isrcheck.ir.property_kinds import PropertyKind
from isrcheck.passes.bind import BoundModel
from isrcheck.process.budget import OutOfBudget, budget, poll_by_timer
from isrcheck.run.replay import replay
from isrcheck.run.trace import Trace, TraceStep, constant_options, differences
from isrcheck.schedule.steps import ScheduleVocabulary, Step
from isrcheck.schedule.walk import Following, Walk, Way
from isrcheck.wrap import first_paragraph

ENGINE = "schedule"  # in disagreements


_BEYOND = 1 << 30  # a step that would leave a bound has passed every guard


@dataclass(frozen=True)
class Refusal:
    """One instance that cannot happen."""

    call: str
    guard: str  # or words about a bound
    place: str

    def __str__(self) -> str:
        return f"{self.guard} ({self.place})" if self.place else self.guard


@dataclass(frozen=True)
class PropertyRun:
    """One property over all runs."""

    name: str
    kind: PropertyKind
    verdict: str  # violated, kept, cannot (none ends), reached, unreached, undetermined
    taken: int = 0  # on the shortest way
    trace: Trace | None = None
    way: Way | None = None


@dataclass(frozen=True)
class VariantRun(Following[State]):
    model: str
    bound: BoundModel
    steps: tuple[Step, ...]
    properties: tuple[PropertyRun, ...]
    refusal: Refusal | None

    @property
    def verdict(self) -> str:
        verdicts = {p.verdict for p in self.properties}
        if "violated" in verdicts:
            return "violated"
        if self.cut:
            return "undetermined"
        if self.taken < len(self.steps):
            return "cannot"
        return "kept" if self.properties else "followed"


def run_variant(
    model: str, words: ScheduleVocabulary, steps: tuple[Step, ...], names: Iterable[str], limits: Limits
) -> VariantRun:
    """Every run of a variant under these steps; violations are replayed. Raises ModelError or Disagreement."""
    bound = words.model
    wanted = frozenset(names)
    stepper = AskingStepper(bound)
    kinds = {p.name: p.kind for p in bound.ir.properties if p.name in wanted}
    with budget(limits.seconds, limits.memory):
        following = Walk(stepper, steps, words.internal, kinds, limits.states).run()
        following, refusal = _with_refusal(following, stepper, steps)
    is_complete = following.taken == len(steps)
    decided = [
        PropertyRun(name, kind, _verdict_without_trace(kind, following.cut, is_complete))
        for name, kind in kinds.items()
    ]
    for number, one in enumerate(decided):
        if way := following.decided.get(one.name):
            trace = replay(bound, one.name, way.path, model, ENGINE)
            verdict = "reached" if one.kind.holds_by_target else "violated"
            decided[number] = PropertyRun(one.name, one.kind, verdict, way.scheduled, trace, way)
    return VariantRun(
        **vars(following), model=model, bound=bound, steps=steps, properties=tuple(decided), refusal=refusal
    )


def _with_refusal(
    following: Following[State], stepper: AskingStepper, steps: tuple[Step, ...]
) -> tuple[Following[State], Refusal | None]:
    """Find why no run takes the next step; a run that has no time for that is cut off."""
    if following.cut is not None or following.taken == len(steps):
        return following, None
    try:
        with poll_by_timer():
            return following, nearest_refusal(stepper, following.ends, steps[following.taken].instances)
    except OutOfBudget as over:
        return replace(following, cut=str(over)), None


def _verdict_without_trace(kind: PropertyKind, cut: str | None, is_complete: bool) -> str:
    if cut:
        return "undetermined"
    if not is_complete:
        return "cannot"
    return "unreached" if kind.holds_by_target else "kept"


def nearest_refusal(stepper: AskingStepper, states: Iterable[State], instances: Iterable[int]) -> Refusal | None:
    """The refusal whose guard stands furthest down; the first of equals."""
    wanted = sorted(instances)
    asked = ((answers[i], i) for answers in map(stepper.answers, states) for i in wanted)
    refused = filter(None, (_refusal_of(stepper.call(i), answer) for answer, i in asked))
    nearest = max(refused, key=lambda each: each[1], default=None)
    return nearest and nearest[0]


def _refusal_of(call: str, answer: object) -> tuple[Refusal, int] | None:
    match answer:
        case Guard(at=at, condition=condition, reached=line):
            return Refusal(call, f"require({condition})", str(at)), line
        case Bound():
            return Refusal(call, "it would leave the bounds of the constants", ""), _BEYOND
    return None


@dataclass(frozen=True)
class PairSide:
    run: VariantRun
    way: Way
    trace: Trace
    shows: PropertyRun | None  # what the run breaks; None for one that is shown for comparison

    @property
    def model(self) -> str:
        return self.run.model

    def places(self, number: int) -> tuple[int, ...]:
        """Positions in the trace of a step of the schedule and the internal actions after it."""
        first = (0,) if number == 0 else ()
        return first + tuple(place for place, taken in enumerate(self.way.taken, 1) if taken == number)

    def state(self, number: int) -> TraceStep | None:
        """The state before a step of the schedule; None if the run does not get there."""
        places = self.places(number)
        return self.trace.steps[places[-1]] if places else None


@dataclass(frozen=True)
class Parting:
    """The step at which two runs part, and how they differ there."""

    step: int
    sentences: tuple[str, ...]


@dataclass(frozen=True)
class Pair:
    left: PairSide
    right: PairSide
    steps: tuple[str, ...]

    @property
    def parting(self) -> Parting | None:
        """The first step after which their states differ, or that only one can take."""
        for number in range(len(self.steps) + 1):
            one, two = self.left.state(number), self.right.state(number)
            if one is None or two is None:
                return Parting(number, tuple(self._refusals_of_step(number)))
            differing = tuple(self._different_values(one, two))
            if differing:
                return Parting(number, differing)
        return None

    def _refusals_of_step(self, number: int) -> Iterator[str]:
        for side in (self.left, self.right):
            if side.state(number) is None:
                refusal = side.run.refusal
                why = f": {refusal}" if refusal else ": it has no such step"
                yield f"{side.model} cannot take {self.steps[number - 1]}{why}."

    def _different_values(self, one: TraceStep, two: TraceStep) -> Iterator[str]:
        for name in (n for n in one.state if n in two.state):
            for path, left, right in differences(one.state[name], two.state[name], name):
                yield f"{path} is {left} in {self.left.model}, {right} in {self.right.model}"


def pair_document(pair: Pair) -> Iterator[doc.Block]:
    """Yield a comparison of two variants as blocks, step by step."""
    yield from _head(pair)
    yield from _steps(pair)
    yield from _verdicts(pair)


def _steps(pair: Pair) -> Iterator[doc.Block]:
    for number in range(len(pair.steps) + 1):
        if number or any(len(side.places(0)) > 1 for side in (pair.left, pair.right)):
            title = (f"{number} ", doc.code(pair.steps[number - 1])) if number else "before the first step"
            yield doc.Heading(title, 3)
            yield _step(pair, number)
        if pair.parting is not None and pair.parting.step == number:
            yield doc.Paragraph("≠ They differ from here on.", tone=Tone.STRONG)
            yield doc.Bullets(pair.parting.sentences)


def _head(pair: Pair) -> Iterator[doc.Block]:
    left, right = pair.left, pair.right
    steps = quantity(len(pair.steps), "step")
    yield doc.Heading(f"{left.model} and {right.model} under one schedule of {steps}", 1)
    rows = [[doc.code("  ".join(constant_options(side.trace.constants))) for side in (left, right)]]
    yield doc.Table([left.model, right.model], rows)


def _step(pair: Pair, number: int) -> doc.Block:
    left, right = (list(_events(side, number)) for side in (pair.left, pair.right))
    if left == right:
        indented: list[doc.Line] = [(doc.Piece("  "), *doc.pieces(line)) for line in left]
        return doc.Paragraph(*indented)
    return doc.Table([pair.left.model, pair.right.model], [[doc.Lines(left), doc.Lines(right)]])


def _events(side: PairSide, number: int) -> Iterator[doc.Line]:
    places = side.places(number)
    if not places:
        yield "(it does not get here)"
    for place in filter(None, places):
        step, before = side.trace.steps[place], side.trace.steps[place - 1].state
        if place != places[0]:
            yield ("internal action ", doc.code(step.call))
        changes_of_step = (c for n, value in step.state.items() for c in differences(before[n], value, n))
        changes = [f"{path}: {old} → {new}" for path, old, new in changes_of_step]
        yield from map(doc.code, changes or ("(nothing changes)",))


def _verdicts(pair: Pair) -> Iterator[doc.Block]:
    yield doc.Heading("Properties under this schedule")
    sides = (pair.left, pair.right)
    ones, twos = ({p.name: p.verdict for p in side.run.properties} for side in sides)
    names = dict.fromkeys((*ones, *twos))
    both = [(n, ones.get(n, "n/a"), twos.get(n, "n/a")) for n in names]
    rows: list[doc.TableRow] = [row for row in both if not {*row[1:]} <= {"kept", "cannot", "n/a"}]
    if alike := sum(row[1:] == ("kept", "kept") for row in both):
        rows.append([f"{alike} {'others' if rows else quantity(alike, 'property')}", "kept", "kept"])
    yield doc.Table(["property", pair.left.model, pair.right.model], rows)
    if pair.parting is None:
        yield doc.Paragraph("The two runs shown do not differ.")
    for side in sides:
        if side.shows is not None:
            sentence = first_paragraph(side.trace.sentence)
            yield doc.Paragraph(f"✗ {side.shows.name} of {side.model}: {sentence}", tone=Tone.BAD)
