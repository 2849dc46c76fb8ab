"""The differences of two reports, for a terminal and for a pull request."""

from collections.abc import Sequence
from itertools import groupby

from rich.console import Console
from rich.table import Table
from rich.text import Text

from isrcheck.evidence.forms.wrap import plain
from isrcheck.evidence.report.diff import Difference

EQUAL = "The two reports have the same facts."
_MARKUP = str.maketrans({c: f"\\{c}" for c in "\\`*_[]<>|#~&"})


def summary(found: Sequence[Difference]) -> str:
    """How many facts differ, as a sentence."""
    flips = sum(d.flip for d in found)
    things = f"{len(found):,} fact{'' if len(found) == 1 else 's'} differ{'s' if len(found) == 1 else ''}"
    return f"{things}, {flips:,} of them a verdict or a run." if found else EQUAL


def print_differences(found: Sequence[Difference], console: Console) -> None:
    """A block for each run, flipped verdicts first and bold."""
    for run, group in groupby(found, key=lambda d: d.run):
        console.print(Text(plain(run), "bold"))
        table = Table(box=None, show_header=False, padding=(0, 2, 0, 2))
        for column in ("what", "old", "arrow", "new"):
            table.add_column(column, overflow="fold")
        for each in sorted(group, key=lambda d: not d.flip):
            style = "bold red" if each.flip else ""
            table.add_row(*(Text(plain(t), style) for t in (each.what, each.old, "→", each.new)))
        console.print(table)
        console.print()
    console.print(summary(found), highlight=False)


def differences_markdown(found: Sequence[Difference]) -> str:
    """The same as Markdown: one table."""
    if not found:
        return f"{EQUAL}\n"
    lines = [summary(found), "", "| run | what | old | new |", "|---|---|---|---|"]
    for each in found:
        texts = [_safe(text) for text in (each.run, each.what, each.old, each.new)]
        if each.flip:
            texts[1:] = [f"**{text}**" for text in texts[1:]]
        lines.append(f"| {' | '.join(texts)} |")
    return "\n".join(lines) + "\n"


def _safe(text: str) -> str:
    return " ".join(plain(text).split()).translate(_MARKUP)
