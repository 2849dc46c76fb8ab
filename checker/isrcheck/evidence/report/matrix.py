"""The matrix of verdicts."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from isrcheck.errors import quantity
from isrcheck.evidence import document as doc
from isrcheck.evidence.document import Tone
from isrcheck.evidence.report.facts import LEGEND, Said, property_of, title, verdict_in_words
from isrcheck.ir import property_kinds as kinds
from isrcheck.ir.frozen import replace
from isrcheck.run.trace import constant_options

TONES = {
    "violated": Tone.BAD,
    "holds": Tone.GOOD,
    "within": Tone.WITHIN,
    "undetermined": Tone.UNSURE,
    "failed": Tone.BAD,
}
_WORDS = {"absent": "n/a", "unasked": "not asked", "failed": "no verdict", "within": "holds within bounds"}


@dataclass(frozen=True)
class MatrixRow:
    number: int
    run: dict[str, Any]
    cells: tuple[tuple[str, Said, str | None], ...]  # with the stem of the drawing


@dataclass(frozen=True)
class RunGroup:
    """Runs of models that are alike."""

    properties: tuple[tuple[str, str], ...]  # name and kind
    constants: dict[str, Any]  # of all rows
    rows: tuple[MatrixRow, ...]
    agreed: tuple[str, ...] = ()  # properties that are left out


def groups(runs: Sequence[dict[str, Any]]) -> list[RunGroup]:
    """A run joins the first with which it shares most of its properties."""
    by_group: list[list[tuple[int, dict[str, Any]]]] = []
    for number, run in enumerate(runs):
        home = next((group for group in by_group if _is_alike(run, [other for _, other in group])), None)
        if home is None:
            by_group.append(home := [])
        home.append((number, run))
    return [_group(numbered) for numbered in by_group]


def _is_alike(run: dict[str, Any], others: Sequence[dict[str, Any]]) -> bool:
    if "failed" in run:
        return run["model"] in {o["model"] for o in others}
    own = {p["name"] for p in run["properties"]}
    theirs = {p["name"] for o in others for p in o.get("properties", ())}
    return 2 * len(own & theirs) > min(len(own), len(theirs)) if own and theirs else own == theirs


def _group(numbered: Sequence[tuple[int, dict[str, Any]]]) -> RunGroup:
    of = {p["name"]: kinds.kind_by_name(p["kind"]) for _, run in numbered for p in run.get("properties", ())}
    # what can happen comes last
    order = sorted(of, key=lambda name: of[name].holds_by_target)
    rows = tuple(MatrixRow(n, run, tuple(_cell(run, name) for name in order)) for n, run in numbered)
    first, *rest = (run["constants"] for _, run in numbered)
    shared = {n: v for n, v in first.items() if rest and all(n in c and c[n] == v for c in rest)}
    return RunGroup(tuple((name, of[name].in_matrix or of[name].name) for name in order), shared, rows)


def keep_differing(group: RunGroup) -> RunGroup:
    """Leave out the properties on which all rows agree."""
    columns = range(len(group.properties))
    kept = [place for place in columns if _may_differ([row.cells[place][1] for row in group.rows])]
    return replace(
        group,
        properties=tuple(group.properties[place] for place in kept),
        rows=tuple(replace(row, cells=tuple(row.cells[place] for place in kept)) for row in group.rows),
        agreed=tuple(group.properties[place][0] for place in columns if place not in kept),
    )


def _may_differ(verdicts: Sequence[Said]) -> bool:
    """Whether verdicts, or lengths, differ; a run without a verdict may differ from all, one not asked from none."""
    looks = {verdict.look for verdict in verdicts}
    decided = {(verdict.sign, verdict.brief) for verdict in verdicts if verdict.look not in ("absent", "unasked")}
    return len(decided) > 1 or not looks.isdisjoint(("undetermined", "failed"))


def _cell(run: dict[str, Any], name: str) -> tuple[str, Said, str | None]:
    return name, verdict_in_words(run, name), (property_of(run, name) or {}).get("drawn")


def is_undecided(run: dict[str, Any]) -> bool:
    return "undetermined" in (run.get("verdict"), *(p["verdict"] for p in run.get("properties", ())))


def tally(runs: Sequence[dict[str, Any]]) -> dict[str, int]:
    counts: dict[str, int] = dict.fromkeys(TONES, 0)
    for run in runs:
        looks = [verdict_in_words(run, p["name"]).look for p in run.get("properties", ())]
        if not looks and is_undecided(run):
            looks = ["undetermined"]
        for look in ["failed"] if "failed" in run else looks:
            counts[look] += 1
    return counts


def summary(runs: Sequence[dict[str, Any]]) -> str:
    total = tally(runs)
    verbs = {"violated": "violated", "holds": "hold", "within": "hold within bounds", "undetermined": "undetermined"}
    failed = [f"{quantity(total['failed'], 'run')} without a verdict"] if total["failed"] else []
    return f"{', '.join([*(f'{total[look]} {verb}' for look, verb in verbs.items()), *failed])}."


def comparison(facts: dict[str, Any], *, with_command: bool = False, only_differing: bool = False) -> doc.Document:
    runs = facts["runs"]
    origin = doc.Fold(f"Made by isrcheck {facts['version']}", [doc.Verbatim(facts["command"])])
    head = doc.Heading(f"Comparison of {quantity(len(runs), 'run')}", 1)
    return [
        head,
        doc.Paragraph(summary(runs)),
        *([origin] if with_command else []),
        *matrix(runs, only_differing=only_differing),
    ]


def matrix(
    runs: Sequence[dict[str, Any]], *, in_report: bool = False, only_differing: bool = False
) -> Iterator[doc.Block]:
    """Tables, what their signs mean, and what they hide; in a report with links."""
    run_groups = list(map(keep_differing, groups(runs))) if only_differing else groups(runs)
    for group in run_groups:
        yield _table(group, in_report)
        if group.agreed:
            yield doc.Paragraph(doc.quiet(f"All rows agree on {', '.join(group.agreed)}."))
    looks = {cell.look for group in run_groups for row in group.rows for _, cell, _ in row.cells}
    yield doc.Paragraph(
        *(f"{sign} {meaning}" for look, (sign, meaning) in LEGEND.items() if look in looks), tone=Tone.QUIET
    )
    if remarks := [remark for run in runs for remark in _remarks(run)]:
        yield doc.Bullets(remarks)


def _table(group: RunGroup, in_report: bool) -> doc.Table:
    columns = [doc.Column(doc.Lines([name, doc.quiet(kind)])) for name, kind in group.properties]
    rows = [[_model(row, group, in_report), _states(row.run), *_cells(row, in_report)] for row in group.rows]
    shared = f"all with {' '.join(constant_options(group.constants))}" if group.constants else ""
    return doc.Table(["model", doc.Column("states", is_number=True), *columns], rows, shared, keys=1)


def _model(row: MatrixRow, group: RunGroup, in_report: bool) -> doc.Lines:
    name = row.run["model"]
    own = constant_options({n: v for n, v in row.run["constants"].items() if n not in group.constants})
    linked = doc.Piece(name, Tone.STRONG, f"#run-{row.number + 1}") if in_report else doc.code(name)
    return doc.Lines([linked, *([doc.quiet(" ".join(own))] if own else [])])


def _states(run: dict[str, Any]) -> doc.Lines:
    if "failed" in run:
        return doc.Lines(["! no verdict"])
    states = run["states"]
    distinct = "-" if states["distinct"] is None else f"{states['distinct']:,}{' seen' if run['cut'] else ''}"
    cut_off = {"pruned": states["pruned"], "not expanded": run.get("constraints", {}).get("outside")}
    return doc.Lines([distinct, *(doc.quiet(f"{count:,} {what}") for what, count in cut_off.items() if count)])


def _cells(row: MatrixRow, in_report: bool) -> Iterator[doc.Lines]:
    for name, verdict, drawn in row.cells:
        file = f"traces/{quote(drawn)}" if drawn and in_report else ""
        brief = doc.Piece(verdict.brief, link=f"{file}.html" if file else "")
        drawing = [doc.Piece("drawing", link=f"{file}.svg")] if file else []
        hint = f"{name}: {verdict.reach}"
        yield doc.Lines([(f"{verdict.sign} ", brief), *drawing], TONES.get(verdict.look, Tone.QUIET), hint)


def _remarks(run: dict[str, Any]) -> Iterator[doc.Line]:
    if "failed" in run:
        failed = " ".join(run["failed"].split())
        yield ("! ", doc.code(title(run)), ": ", doc.bad("no verdict"), f", exit {run['exit']}: {failed}")
    elif is_undecided(run):
        cut = run["cut"] or "before every state was seen"
        yield ("? ", doc.code(title(run)), ": ", doc.unsure("undetermined"), f", the run ended {cut}.")


def verdict_word(run: dict[str, Any], name: str) -> str:
    """The verdict of a property, or why there is none; one that bounds may have helped to is not "holds"."""
    look, decided = verdict_in_words(run, name).look, property_of(run, name) or {}
    return _WORDS.get(look, str(decided.get("verdict", look)))
