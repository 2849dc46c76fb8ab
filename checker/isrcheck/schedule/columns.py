"""Two variants side by side as text of at most 100 columns, and as Markdown."""

from collections.abc import Iterator
from itertools import zip_longest

from isrcheck.evidence.forms.markdown import code, safe
from isrcheck.evidence.forms.wrap import columns, plain, wrapped
from isrcheck.run.trace import chosen
from isrcheck.schedule.pair import Event, Pair, Side

WIDTH = 100
_HALF = (WIDTH - 3) // 2


def pair_text(pair: Pair) -> str:
    """The steps of the schedule with what each variant makes of them; once where both do the same. + is an own step."""
    return "\n".join(line.rstrip() for line in _lines(pair)) + "\n"


def _lines(pair: Pair) -> Iterator[str]:
    yield from _beside([pair.left.model, _constants(pair.left)], [pair.right.model, _constants(pair.right)])
    parting = pair.parting
    for number in range(len(pair.steps) + 1):
        parted = parting is not None and parting.step == number
        one, two = pair.left.events(number), pair.right.events(number)
        if number or one or two or parted:
            yield ""
            yield from _heading(f"{number} {pair.steps[number - 1]}" if number else "before the first step")
        yield from _events(pair, number, one, two)
        if parting is not None and parted:
            yield from (f"≠ {line}" for line in wrapped("They part here.", WIDTH - 2))
            for sentence in parting.sentences:
                first, *rest = wrapped(sentence, WIDTH - 4)
                yield f"  {first}"
                yield from (f"    {line}" for line in rest)
    yield ""
    yield from _ending(pair)


def _heading(text: str) -> Iterator[str]:
    first, *rest = wrapped(f"── {text}", WIDTH)
    yield first + (" " + "─" * (WIDTH - columns(first) - 1) if columns(first) < WIDTH - 1 and not rest else "")
    yield from rest


def _events(pair: Pair, number: int, one: tuple[Event, ...], two: tuple[Event, ...]) -> Iterator[str]:
    if one == two:
        for line in _told(one):
            yield from (f"  {part}" for part in wrapped(line, WIDTH - 2))
        return
    halves = [
        list(_told(events)) if side.state(number) is not None else ["(it does not get here)"]
        for side, events in ((pair.left, one), (pair.right, two))
    ]
    yield from _beside(*halves)


def _told(events: tuple[Event, ...]) -> Iterator[str]:
    for event in events:
        if event.own:
            yield f"+ {event.call}"
        yield from event.changes or ("(nothing changes)",)


def _beside(one: list[str], two: list[str]) -> Iterator[str]:
    """Lines of two columns."""
    left, right = ([part for line in lines for part in wrapped(line, _HALF)] for lines in (one, two))
    for first, second in zip_longest(left, right, fillvalue=""):
        yield f"{first}{' ' * (_HALF - columns(first))} │ {second}"


def _ending(pair: Pair) -> Iterator[str]:
    yield from _heading("what each promises under this schedule")
    rows = list(pair.verdicts())
    width = max((columns(plain(name)) for name, _, _ in rows), default=0)
    for name, left, right in rows:
        yield f"  {plain(name)}{' ' * (width - columns(plain(name)))}  {left:<12}  {right}"
    if pair.alike:
        yield f"  {pair.alike} {'other ' if rows else ''}propert{'y' if pair.alike == 1 else 'ies'} kept by both"
    if pair.parting is None:
        yield "  The two runs shown do not part."
    for side in (pair.left, pair.right):
        if side.shows is not None:
            sentence = " ".join(side.trace.sentence.split("\n\n")[0].split())
            yield from wrapped(f"✗ {side.shows.name} of {side.model}: {sentence}", WIDTH)


def _constants(side: Side) -> str:
    return "  ".join(chosen(side.trace.constants))


# Markdown


def pair_markdown(pair: Pair) -> str:
    """The same as a table, for a pull request or an issue."""
    left, right = pair.left.model, pair.right.model
    head = [f"### {safe(left)} and {safe(right)} under one schedule", ""]
    head += [f"{safe(side.model)}: {code(_constants(side))}  " for side in (pair.left, pair.right)]
    table = ["", f"| step | schedule | {safe(left)} | {safe(right)} |", "|---:|---|---|---|"]
    for number in range(len(pair.steps) + 1):
        step = code(pair.steps[number - 1]) if number else "before the first step"
        cells = " | ".join(_cell(side, number) for side in (pair.left, pair.right))
        if number or pair.left.events(0) or pair.right.events(0):
            table.append(f"| {number} | {step} | {cells} |")
    return "\n".join([*head, *table, "", *_parted(pair), "", *_promised(pair)]) + "\n"


def _cell(side: Side, number: int) -> str:
    if side.state(number) is None:
        return "*it does not get here*"
    lines = []
    for event in side.events(number):
        if event.own:
            lines.append(f"own step {code(event.call)}")
        lines += [code(change) for change in event.changes] or ["nothing changes"]
    return "<br>".join(lines)


def _parted(pair: Pair) -> Iterator[str]:
    parting = pair.parting
    if parting is None:
        yield "The two runs shown do not part."
        return
    yield f"**They part at step {parting.step}.**"
    yield ""
    yield from (f"- {safe(sentence)}" for sentence in parting.sentences)


def _promised(pair: Pair) -> Iterator[str]:
    yield f"| property | {safe(pair.left.model)} | {safe(pair.right.model)} |"
    yield "|---|---|---|"
    yield from (f"| {safe(name)} | {left} | {right} |" for name, left, right in pair.verdicts())
    if pair.alike:
        yield f"| {pair.alike} other{'s' if pair.alike > 1 else ''} | kept | kept |"
