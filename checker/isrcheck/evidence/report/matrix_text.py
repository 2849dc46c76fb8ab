"""The matrix of verdicts on a terminal: as many properties side by side as there is room for, the rest below."""

from collections.abc import Iterator, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from isrcheck.evidence.forms.wrap import columns, plain, wrapped
from isrcheck.evidence.report.facts import title, word
from isrcheck.evidence.report.matrix import Row, RunGroup, is_undecided, legend, tables, tally
from isrcheck.evidence.report.words import Said

_STYLES = {"violated": "bold red", "holds": "green", "within": "green", "undetermined": "yellow", "failed": "bold red"}
_LEAST, _MOST = 8, 12  # letters of a property's column
_NAME = 34  # letters of a model's column, at most
_STATES = 14
_GAP = 2


def print_matrix(runs: Sequence[dict[str, Any]], console: Console) -> None:
    """Every table in blocks as wide as the console, what each sign means, what the signs hide, and the sum."""
    for table in tables(runs):
        if table.constants:
            console.print(Text(f"all with {_constants(table.constants)}", "dim"))
        for grid in _blocks(table, console.width):
            console.print(grid)
            console.print()
    for _, sign, meaning in legend(runs):
        console.print(Text(f"{sign} {meaning}", "dim"))
    for run in runs:
        for line in _remarks(run):
            console.print(line)
    console.print(Text(summary(runs)))


def summary(runs: Sequence[dict[str, Any]]) -> str:
    """How many cells say what, as a sentence."""
    total = tally(runs)
    parts = [f"{total['violated']} violated", f"{total['holds']} hold", f"{total['within']} hold within bounds"]
    parts.append(f"{total['undetermined']} undetermined")
    if total["failed"]:
        parts.append(f"{total['failed']} run{'' if total['failed'] == 1 else 's'} without a verdict")
    return f"{', '.join(parts)}."


def states(run: dict[str, Any]) -> str:
    """How many states a run found, or saw, where it did not see all of them; that it has no verdict, if it failed."""
    if "failed" in run:
        return "! no verdict"
    if run["states"]["distinct"] is None:
        return "-"
    return f"{run['states']['distinct']:,}{' seen' if run['cut'] else ''}"


def own_constants(row: Row, table: RunGroup) -> str:
    """The constants that a row does not share with its table, as they are written on the command line."""
    return _constants({n: v for n, v in row.run["constants"].items() if n not in table.constants})


def _constants(constants: dict[str, Any]) -> str:
    return " ".join(f"{plain(n)}={plain(word(v))}" for n, v in constants.items())


def _blocks(table: RunGroup, width: int) -> Iterator[Grid]:
    """The table in parts, each with the models and with whole columns that fit."""
    names = [_names(row, table) for row in table.rows]
    left = min(
        max((columns(line) for lines in names for line in lines.plain.split("\n")), default=5), _NAME, width // 2
    )
    widths = [min(max(columns(name), _LEAST), _MOST) for name, _ in table.properties]
    first, block = True, list[int]()
    room = width - left - _GAP - _STATES - _GAP
    for place, wide in enumerate(widths):
        if block and room < wide:
            yield _grid(table, names, left, widths, block, first)
            names = _short_names(table, names)
            first, block, room = False, [], width - left - _GAP
        block.append(place)
        room -= wide + _GAP
    yield _grid(table, names, left, widths, block, first)


def _grid(table: RunGroup, names: list[Text], left: int, widths: list[int], block: list[int], first: bool) -> Grid:
    grid = Grid(box=None, padding=(0, _GAP, 0, 0), pad_edge=False, header_style="bold")
    grid.add_column("model", width=left, overflow="fold")
    if first:
        grid.add_column("states", width=_STATES, justify="right")
    for place in block:
        name, kind = table.properties[place]
        head = Text("\n".join(_folded(plain(name), widths[place])))
        head.append(f"\n{plain(kind)}", "dim not bold")
        grid.add_column(head, width=widths[place], overflow="fold", vertical="top")
    for row, name_text in zip(table.rows, names, strict=True):
        cells = [_cell(row.cells[place][1], widths[place]) for place in block]
        grid.add_row(name_text, *([_counts(row.run)] if first else []), *cells)
    return grid


def _counts(run: dict[str, Any]) -> Text:
    text = Text(states(run))
    if "failed" not in run and run["states"]["pruned"]:
        text.append(f"\n{run['states']['pruned']:,} pruned", "dim")
    return text


def _names(row: Row, table: RunGroup) -> Text:
    own = own_constants(row, table)
    text = Text("\n".join(wrapped(row.run["model"], _NAME)), "bold")
    for line in wrapped(own, _NAME) if own else ():
        text.append(f"\n{line}", "dim not bold")
    return text


def _short_names(table: RunGroup, names: list[Text]) -> list[Text]:
    """The models alone, where that tells the rows apart: the first block has their constants."""
    models = [row.run["model"] for row in table.rows]
    if len(set(models)) < len(models):
        return names
    return [Text("\n".join(wrapped(model, _NAME)), "bold") for model in models]


def _folded(name: str, width: int) -> list[str]:
    """A name in lines, broken after its underscores."""
    lines = [""]
    for part in name.replace("_", "_\0").split("\0"):
        for piece in wrapped(part, width):
            if columns(lines[-1] + piece) <= width:
                lines[-1] += piece
            else:
                lines.append(piece)
    return lines


def _cell(said: Said, width: int) -> Text:
    first, *rest = wrapped(f"{said.sign} {plain(said.brief)}".rstrip(), width)
    text = Text(first, _STYLES.get(said.look, "dim"))
    for line in rest:
        text.append(f"\n  {line}" if columns(line) + 2 <= width else f"\n{line}")
    return text


def _remarks(run: dict[str, Any]) -> Iterator[Text]:
    """What a row of a run that ended early or came to nothing does not say."""
    if "failed" in run:
        yield Text(f"! {plain(title(run))}: no verdict, exit {run['exit']}: {plain(run['failed'])}", "bold red")
    elif is_undecided(run):
        cut = run["cut"] or "before every state was seen"
        yield Text(f"? {plain(title(run))}: undetermined, the run ended {plain(cut)}.", "yellow")
