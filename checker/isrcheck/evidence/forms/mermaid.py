"""A trace as a Mermaid diagram."""

import re
from collections.abc import Iterator

from isrcheck.evidence.forms.row import Card, SceneRow
from isrcheck.evidence.forms.scene import FOLLOWS, Scene
from isrcheck.wrap import plain


def mermaid_text(drawn: Scene) -> str:
    lines = ["sequenceDiagram", f"    title {_safe(drawn.heading)}"]
    lines += [f"    participant p{i} as {_safe(name)}" for i, name in enumerate(drawn.lanes)]
    over = f"    Note over p0,p{len(drawn.lanes) - 1}: " if len(drawn.lanes) > 1 else "    Note over p0: "
    lines += [f"    {line}" for row in drawn.rows[1:] for line in _step_of(drawn, row)]
    if drawn.closing:
        lines.append("    end" if drawn.is_forever(drawn.rows[-1]) else over + _safe(drawn.closing))
    lines.append(
        over + "<br/>".join(_safe(sentence) for sentence in (f"{drawn.sign} {drawn.statement}", *drawn.explanation))
    )
    if drawn.follows:
        lines.append(over + _safe(FOLLOWS))
        lines += [f"    {line}" for row in drawn.follows for line in _step(row)]
        lines.append(over + "<br/>".join(map(_safe, drawn.consequence)))
    return "\n".join(lines) + "\n"


def _step_of(drawn: Scene, row: SceneRow) -> Iterator[str]:
    if drawn.begins_cycle(row):
        yield f"loop {_safe(drawn.forever)}"
    yield from _step(row)


def _step(row: SceneRow) -> Iterator[str]:
    title = f"{row.number} {row.action}"
    news = [(lane, _news(card)) for lane, card in enumerate(row.cards) if card.changed]
    if row.shot:
        arrow = "-x" if row.shot.lost else "-)" if row.shot.leaves else "->>" if row.shot.label else "-->"
        label = f"{title}: {row.shot.sentence}" if row.shot.label else title
        yield f"p{row.shot.source}{arrow}p{row.shot.target}: {_safe(label)}"
    elif news:
        yield f"Note over p{news[0][0]}: {_safe(title)}"
    else:
        yield f"Note over p0: {_safe(f'{title} ({row.arguments}): nothing changes')}"
    if row.truncation:
        news[-1][1].insert(0, row.truncation)
    yield from (f"Note over p{lane}: {'<br/>'.join(_safe(line) for line in texts)}" for lane, texts in news if texts)


def _news(card: Card) -> list[str]:
    news = [f"✗ {card.blame}"] if card.blame else []
    if any(cell.is_bad or cell.state == "new" for cell in card.cells or ()):
        cells = [f"[{cell.name}{f' {cell.state}' * cell.is_bad}]" for cell in card.cells or ()]
        news.append("log " + " ".join(cells))
    news += [f"{flag.name} {flag.offset}" for flag in card.flags if flag.changed]
    news += [strip.marked for strip in card.strips if strip.changed]
    return news + [f"{fact.name} {fact.before} → {fact.value}" for fact in card.facts if fact.before]


def _safe(label: str) -> str:
    """Even the word `end` is escaped."""
    shown = "".join(f"#{ord(c)};" if c in '#;:<>"&{}%\\' else c for c in plain(label))
    return re.sub(r"\b(e)(?=nd\b)", lambda match: f"#{ord(match[0])};", shown, flags=re.IGNORECASE)
