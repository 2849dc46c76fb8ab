"""Two variants under one schedule, side by side, as a document and as lane drawings."""

from collections.abc import Iterator
from dataclasses import replace

from isrcheck.errors import counted
from isrcheck.evidence import document as doc
from isrcheck.evidence.document import Tone
from isrcheck.evidence.forms.pair import pair_svg
from isrcheck.evidence.forms.scene import Scene, scene
from isrcheck.run.trace import chosen
from isrcheck.schedule.compare import Distinguished
from isrcheck.schedule.pair import Pair, PairSide


def distinguished_document(found: Distinguished, name: str, models: str, is_drawn: bool) -> Iterator[doc.Block]:
    """What a search for a distinguishing schedule found: how it ended, the schedule, and both variants under it."""
    search = found.distinction
    looked = f"{counted(search.nodes, 'pair')} of sets, {counted(search.states, 'state')}, {search.seconds:.1f} s"
    if found.pair is None or found.script is None:
        if search.cut:
            yield doc.Paragraph(
                f"undetermined: the search for a schedule that distinguishes {models} on {name} ended {search.cut}.",
                f"No schedule of up to {counted(search.depth, 'step')} does; {looked}.",
                tone=Tone.UNSURE,
            )
        else:
            yield doc.Paragraph(f"No schedule distinguishes {models} on {name} within these bounds; {looked}.")
        return
    both = "no schedule that both can follow, but " if found.one_refuses else ""
    steps = f"a schedule of {counted(len(found.labels), 'step')}" if found.labels else "the initial state alone"
    yield doc.Paragraph(f"{models} are distinguished on {name} by {both}{steps}; {looked}.", tone=Tone.STRONG)
    yield doc.Verbatim(found.script)
    yield from pair_document(found.pair, is_drawn)


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
