"""A survey as a document: what kills each mutant, what each property kills, and the guards that nothing needs."""

from collections.abc import Iterator
from itertools import groupby
from typing import Any

from isrcheck.evidence import document as doc
from isrcheck.gate.mutants.words import cell, change_of, constants_of, reason_of, remarks, tally, told

_TONES = {
    "survived": doc.Tone.BAD,
    "undecided": doc.Tone.UNSURE,
    "lost": doc.Tone.UNSURE,
    "equivalent": doc.Tone.QUIET,
    "trivially-equivalent": doc.Tone.QUIET,
}
_ABOUT_STEPS = (
    "A number is that of the steps after which a property that held is violated; never reached: a reachability "
    "property is not met any more."
)


def survey_document(facts: dict[str, Any], by_property: bool = False) -> doc.Document:
    """The whole survey; `by_property` gives each property that kills a column in the tables of mutants."""
    configurations = facts["configurations"]
    return [
        doc.Heading(f"Mutants of {facts['model']}", 1),
        doc.Verbatim(facts["command"]),
        doc.Paragraph(
            *(
                f"[{number}] {constants_of(each)}: {each['distinct']:,} states, depth {each['depth']}"
                for number, each in enumerate(configurations)
            )
        ),
        doc.Paragraph(tally(facts), tone=doc.Tone.STRONG),
        *([doc.Paragraph(_ABOUT_STEPS)] if by_property else []),
        *_mutants(facts, by_property),
        *_properties(facts),
        *_guards(facts),
    ]


def _mutants(facts: dict[str, Any], by_property: bool) -> Iterator[doc.Block]:
    names = [p["name"] for p in facts["properties"] if p["kills"]] if by_property else []
    columns: list[doc.Column | str] = [doc.Column("place", fixed=True, tone=doc.Tone.QUIET), "change", "outcome"]
    columns += [doc.Column(name, is_number=True) for name in names]
    numbered = len(facts["configurations"]) > 1
    for (method, owner), group in groupby(facts["mutants"], key=lambda m: (m["method"], m["owner"])):
        yield doc.Heading((method, doc.quiet(f"  {owner}")), 2)
        yield doc.Table(columns, [_row(mutant, names, numbered) for mutant in group], keys=3 if names else 0)


def _row(mutant: dict[str, Any], names: list[str], numbered: bool) -> list[doc.Line | doc.Lines]:
    at = f" [{mutant['configuration']}]" if numbered and mutant["fate"] not in _TONES else ""
    steps = {kill["name"]: cell(kill) for kill in mutant["killed_by"]}
    outcome = doc.Piece((mutant["fate"] if names else told(mutant)) + at, _TONES.get(mutant["fate"], doc.Tone.GOOD))
    line = mutant["at"].rpartition("/")[2].partition(":")[2]
    return [line, doc.code(change_of(mutant)), outcome, *(steps.get(name, "") for name in names)]


def _properties(facts: dict[str, Any]) -> Iterator[doc.Block]:
    rows = [
        [doc.code(p["name"]), p["kind"], *((str(p["kills"]), str(p["alone"])) if p["can_kill"] else ("-", "-"))]
        for p in facts["properties"]
        if p["asked"]
    ]
    numbers = [doc.Column(title, is_number=True) for title in ("kills", "alone")]
    yield doc.Heading("Properties")
    yield doc.Table(["property", "kind", *numbers], rows)
    notes = remarks(facts)
    if not facts["everything"]:
        notes.append("Each mutant was checked up to the first property that killed it; --all asks every property.")
    if notes:
        yield doc.Paragraph(*notes)


def _guards(facts: dict[str, Any]) -> Iterator[doc.Block]:
    guards = facts["unneeded_guards"]
    if guards:
        yield doc.Heading(f"Guards whose removal nothing detects: {len(guards)}")
    if guards and not facts["reasons_given"]:
        yield doc.Bullets([doc.code(each["guard"]) for each in guards])
    elif guards:
        tones = [doc.quiet if each["because"] else doc.bad for each in guards]
        rows = [[doc.code(g["guard"]), tone(reason_of(g, facts))] for g, tone in zip(guards, tones, strict=True)]
        yield doc.Table(["guard", "why"], rows)
    if facts["wrong_reasons"]:
        yield doc.Paragraph(*facts["wrong_reasons"], tone=doc.Tone.BAD)
