"""The matrix of verdicts as Markdown, for a pull request or an issue."""

from collections.abc import Iterator, Sequence
from typing import Any

from isrcheck.evidence.forms.markdown import code, safe
from isrcheck.evidence.report.facts import title, word
from isrcheck.evidence.report.matrix import Row, RunGroup, is_undecided, legend, tables
from isrcheck.evidence.report.matrix_text import own_constants, states, summary
from isrcheck.evidence.report.words import Said


def matrix_markdown(runs: Sequence[dict[str, Any]]) -> str:
    """One table for runs that are alike, then what the signs mean and hide, then the sum."""
    lines = [line for table in tables(runs) for line in _table(table)]
    remarks = [remark for run in runs for remark in _remarks(run)]
    signs = "  \n".join(f"{sign} {safe(meaning)}" for _, sign, meaning in legend(runs))
    return "\n".join([*lines, signs, "", *remarks, *([""] if remarks else []), summary(runs)]) + "\n"


def _table(table: RunGroup) -> Iterator[str]:
    if table.constants:
        yield "All with " + code(" ".join(f"{n}={word(v)}" for n, v in table.constants.items())) + ":"
        yield ""
    heads = ["model", "states", *(code(name) + _kind(kind) for name, kind in table.properties)]
    yield f"| {' | '.join(heads)} |"
    yield "|---|--:|" + "---|" * len(table.properties)
    for row in table.rows:
        cells = [_model(row, table), _states(row.run), *(_cell(said) for _, said, _ in row.cells)]
        yield f"| {' | '.join(cells)} |"
    yield ""


def _states(run: dict[str, Any]) -> str:
    pruned = 0 if "failed" in run else run["states"]["pruned"]
    return states(run) + (f"<br>{pruned:,} pruned" if pruned else "")


def _kind(kind: str) -> str:
    return f"<br>{safe(kind)}"


def _model(row: Row, table: RunGroup) -> str:
    own = own_constants(row, table)
    return code(row.run["model"]) + (f"<br>{code(own)}" if own else "")


def _cell(said: Said) -> str:
    brief = f"**{safe(said.brief)}**" if said.look in ("violated", "undetermined", "failed") else safe(said.brief)
    return f"{said.sign} {brief}".rstrip()


def _remarks(run: dict[str, Any]) -> Iterator[str]:
    if "failed" in run:
        yield f"- ! {code(title(run))}: **no verdict**, exit {run['exit']}: {safe(' '.join(run['failed'].split()))}"
    elif is_undecided(run):
        yield f"- ? {code(title(run))}: **undetermined**, the run ended {safe(run['cut'] or 'early')}."
