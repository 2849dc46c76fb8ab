"""A verdict for a terminal: a line for each spec, then whatever is not as expected."""

from collections.abc import Iterator

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from isrcheck.errors import counted
from isrcheck.gate.judge import GateVerdict, JudgedCell, Status
from isrcheck.gate.places import of_finding, of_vacuity
from isrcheck.wrap import plain

_STYLES = {
    Status.MET: "green",
    Status.DIFFERS: "bold red",
    Status.UNDETERMINED: "yellow",
    Status.ERROR: "bold red",
    Status.LEFT_OUT: "yellow",
}
_MOST = 40  # runs shown with all that is wrong


def print_verdict(verdict: GateVerdict, console: Console) -> None:
    """The whole verdict; the last line has the exit code."""
    console.print(Padding(_specs(verdict), (0, 0, 1, 0)))
    wrong = [judged for judged in verdict.cells if judged.wrong]
    for judged in wrong[:_MOST]:
        _print_wrong(judged, console)
    if len(wrong) > _MOST:
        console.print(f"… and {len(wrong) - _MOST:,} runs more; --json FILE has all of them.\n", style="yellow")
    for vacuous in verdict.vacuous:
        where = vacuous.place or str(of_vacuity(vacuous).place)
        console.print(Text.assemble(("vacuous  ", "yellow"), plain(f"{vacuous.sentence}  {where}")))
    for maybe in verdict.maybe_vacuous:
        console.print(Text.assemble(("not known  ", "yellow"), plain(maybe.sentence)))
    if verdict.vacuous or verdict.maybe_vacuous:
        console.print()
    if verdict.interrupted:
        console.print("The gate was interrupted: what is missing is not known.", style="yellow")
    console.print(_closing(verdict))


def _specs(verdict: GateVerdict) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("spec", overflow="fold")
    for name in ("runs", *(s.value for s in _shown(verdict)), "s"):
        table.add_column(name, justify="right", no_wrap=True)
    for spec in dict.fromkeys(str(j.cell.terms.spec) for j in verdict.cells):
        own = [j for j in verdict.cells if str(j.cell.terms.spec) == spec]
        counts = [(s, sum(j.status is s for j in own)) for s in _shown(verdict)]
        shown = [Text(f"{n:,}" if n else "·", _STYLES[s] if n else "dim") for s, n in counts]
        table.add_row(plain(spec), f"{len(own):,}", *shown, f"{sum(j.seconds for j in own):,.1f}")
    return table


def _shown(verdict: GateVerdict) -> list[Status]:
    return [s for s in Status if s is Status.MET or verdict.count(s)]


def _print_wrong(judged: JudgedCell, console: Console) -> None:
    cell = judged.cell
    constants = "  ".join(f"{name}={cell.constants[name]}" for name in cell.given)
    console.print(Text.assemble((plain(cell.model), "bold"), "  ", plain(constants)))
    for finding in judged.wrong:
        style = _STYLES[finding.status]
        head = Text.assemble((f"{finding.status.value}  ", style), (f"{plain(finding.what)}: ", "bold"))
        said = f"expected {finding.expected}, found "
        console.print(Padding(Text.assemble(head, plain(said), (plain(finding.found), style)), (0, 0, 0, 2)))
        if finding.kind == "property":
            written = of_finding(cell, finding)
            console.print(_below(f"{written.place}  {written.sentence}"))
    for line in _again(judged):
        console.print(_below(line))
    console.print()


def _below(line: str) -> Padding:
    return Padding(Text(plain(line), "dim"), (0, 0, 0, 6))


def _again(judged: JudgedCell) -> Iterator[str]:
    yield f"expected in {judged.cell.origin}"
    if judged.outcome:
        yield judged.outcome.command


def _closing(verdict: GateVerdict) -> Text:
    """The one line that says how the gate ended."""
    stand = verdict.expectations
    parts = [
        f"{stand[s]:,} {'differ' if s is Status.DIFFERS and stand[s] != 1 else s.value}"
        for s in Status
        if stand[s] or s is Status.MET
    ]
    if verdict.vacuous:
        parts.append(f"{len(verdict.vacuous)} vacuous")
    if verdict.maybe_vacuous:
        parts.append(f"{len(verdict.maybe_vacuous)} maybe vacuous")
    said = (
        f"gate: {counted(len(verdict.cells), 'run')}, {counted(sum(stand.values()), 'expectation')}: {', '.join(parts)}"
    )
    ended = f"; {verdict.seconds:.1f} s, {counted(verdict.workers, 'worker')}. Exit {verdict.exit}."
    return Text(said + ended, "green" if verdict.exit == 0 else "bold red")
