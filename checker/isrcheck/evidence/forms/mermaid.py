"""A trace as a Mermaid diagram."""

import re
from collections.abc import Iterator

from isrcheck.evidence.forms.row import Card, SceneRow
from isrcheck.evidence.forms.scene import FOLLOWS, Scene
from isrcheck.wrap import plain


def mermaid_text(seen: Scene) -> str:
    lines = ["sequenceDiagram", f"    title {_safe(seen.heading)}"]
    lines += [f"    participant p{i} as {_safe(name)}" for i, name in enumerate(seen.lanes)]
    over = f"    Note over p0,p{len(seen.lanes) - 1}: " if len(seen.lanes) > 1 else "    Note over p0: "
    lines += [f"    {line}" for row in seen.rows[1:] for line in _step_of(seen, row)]
    if seen.closing:
        lines.append("    end" if seen.is_forever(seen.rows[-1]) else over + _safe(seen.closing))
    lines.append(over + "<br/>".join(_safe(text) for text in (f"{seen.sign} {seen.statement}", *seen.explanation)))
    if seen.follows:
        lines.append(over + _safe(FOLLOWS))
        lines += [f"    {line}" for row in seen.follows for line in _step(row)]
        lines.append(over + "<br/>".join(map(_safe, seen.consequence)))
    return "\n".join(lines) + "\n"


def _step_of(seen: Scene, row: SceneRow) -> Iterator[str]:
    if seen.begins_cycle(row):
        yield f"loop {_safe(seen.forever)}"
    yield from _step(row)


def _step(row: SceneRow) -> Iterator[str]:
    title = f"{row.number} {row.action}"
    news = [(lane, _news(card)) for lane, card in enumerate(row.cards) if card.changed]
    if row.shot:
        arrow = "-x" if row.shot.lost else "-)" if row.shot.leaves else "->>" if row.shot.text else "-->"
        text = f"{title}: {row.shot.sentence}" if row.shot.text else title
        yield f"p{row.shot.source}{arrow}p{row.shot.target}: {_safe(text)}"
    elif news:
        yield f"Note over p{news[0][0]}: {_safe(title)}"
    else:
        yield f"Note over p0: {_safe(f'{title} ({row.arguments}): nothing changes')}"
    if row.truncation:
        news[-1][1].insert(0, row.truncation)
    yield from (f"Note over p{lane}: {'<br/>'.join(_safe(text) for text in texts)}" for lane, texts in news if texts)


def _news(card: Card) -> list[str]:
    found = [f"✗ {card.blame}"] if card.blame else []
    if any(cell.is_bad or cell.state == "new" for cell in card.cells or ()):
        cells = [f"[{cell.text}{f' {cell.state}' * cell.is_bad}]" for cell in card.cells or ()]
        found.append("log " + " ".join(cells))
    found += [f"{flag.name} {flag.offset}" for flag in card.flags if flag.changed]
    found += [strip.marked for strip in card.strips if strip.changed]
    return found + [f"{fact.name} {fact.before} → {fact.value}" for fact in card.facts if fact.before]


def _safe(text: str) -> str:
    """Even the word `end` is escaped."""
    shown = "".join(f"#{ord(c)};" if c in '#;:<>"&{}%\\' else c for c in plain(text))
    return re.sub(r"\b(e)(?=nd\b)", lambda found: f"#{ord(found[0])};", shown, flags=re.IGNORECASE)
