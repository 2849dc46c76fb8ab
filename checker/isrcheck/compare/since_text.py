"""What a change to models did, for a terminal and for a pull request."""

from collections.abc import Iterator, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from isrcheck.compare.since import Change
from isrcheck.evidence.forms.lanes import lanes_text
from isrcheck.evidence.forms.markdown import code, markdown_text, safe
from isrcheck.evidence.forms.scene import scene
from isrcheck.evidence.forms.wrap import plain
from isrcheck.evidence.report.diff import Difference

_COMMIT = 12  # letters of it


def print_changes(ref: str, commit: str, found: Sequence[Change], console: Console) -> None:
    """A block for each model, what flipped first and bold, then its new states with the shortest way to one."""
    console.print(Text(f"since {plain(ref)} ({commit[:_COMMIT]})", "dim"))
    for change in found:
        console.print(Text(f"\n{_title(change)}", "bold"))
        if change.differences:
            console.print(_table(change.differences))
        for line in _sentences(change):
            console.print(Text(f"  {plain(line)}"))
        if change.trace:
            console.print()
            console.print(Text(lanes_text(scene(change.trace))), soft_wrap=True)
    console.print(Text(f"\n{summary(found)}"))


def changes_markdown(ref: str, commit: str, found: Sequence[Change]) -> str:
    """The same for a comment: what changed in a table, the new trace folded away below it."""
    lines = [f"## isrcheck: what changed since {code(ref)} ({commit[:_COMMIT]})", "", f"**{safe(summary(found))}**", ""]
    for change in found:
        lines += _block(change)
    return "\n".join(lines).rstrip("\n") + "\n"


def summary(found: Sequence[Change]) -> str:
    """How many models changed, as a sentence."""
    changed = [c for c in found if not c.is_none]
    flips = sum(d.flip for c in found for d in c.differences)
    if not changed:
        unknown = sum(c.is_undetermined for c in found)
        some = f", but what {_counted(unknown, 'model')} came to is not known" if unknown else ""
        return f"Nothing changed in {_counted(len(found), 'model')}{some}."
    return f"{len(changed)} of {_counted(len(found), 'model')} changed; {_counted(flips, 'cell')} flipped."


def _title(change: Change) -> str:
    return plain(" ".join([change.model, *(f"{n}={v}" for n, v in change.constants.items())]))


def _table(found: Sequence[Difference]) -> Table:
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 2))
    for column in ("what", "old", "arrow", "new"):
        table.add_column(column, overflow="fold")
    for each in sorted(found, key=lambda d: not d.flip):
        style = "bold red" if each.flip else ""
        table.add_row(*(Text(plain(t), style) for t in (each.what, each.old, "→", each.new)))
    return table


def _sentences(change: Change) -> Iterator[str]:
    if change.old is None:
        yield f"It was not there: {change.absent}"
    if "failed" in change.new:
        yield f"There is no verdict now: {change.new['failed']}"
    if change.added:
        yield f"Properties added: {', '.join(change.added)}."
    if change.removed:
        yield f"Properties removed: {', '.join(change.removed)}."
    if change.unknown:
        yield f"States were not compared: {change.unknown}."
    elif change.is_undetermined:
        yield f"Not known: a run ended {change.new.get('cut') or 'early'}, and so much was the same."
    elif change.is_none:
        yield "Nothing changed: the same verdicts, counts and states."
    else:
        yield f"{_counted(change.news or 0, 'new reachable state')}, {change.gone or 0:,} no longer reachable."
    if change.trace:
        steps = change.trace.length - 1
        yield f"The shortest way to a new state takes {_counted(steps, 'step')}:"


def _block(change: Change) -> Iterator[str]:
    yield f"### {code(_title(change))}"
    yield ""
    if change.differences:
        yield "| what | then | now |"
        yield "|---|---|---|"
        for each in sorted(change.differences, key=lambda d: not d.flip):
            cells = [safe(" ".join(text.split())) for text in (each.what, each.old, each.new)]
            yield f"| {' | '.join(f'**{c}**' if each.flip else c for c in cells)} |"
        yield ""
    for line in _sentences(change):
        yield f"- {safe(' '.join(line.split()))}"
    yield ""
    if change.trace:
        steps = _counted(change.trace.length - 1, "step")
        yield f"<details><summary>The shortest way to a new state: {steps}</summary>"
        yield ""
        yield markdown_text(change.trace)
        yield "</details>"
        yield ""


def _counted(number: int, thing: str) -> str:
    return f"{number:,} {thing}{'' if number == 1 else 's'}"
