"""guards.md: for each guard who notices its removal, in which models, and what this project's gate says of it."""

from collections.abc import Callable, Iterable
from itertools import groupby

from tools.reports.guards import MOST, Row, family_and_constants, models, read_rows
from tools.reports.mutants import FOLDER, REASONS, ROOT
from tools.reports.red import Red, read_red

from isrcheck.errors import quantity
from isrcheck.files import write_aside
from isrcheck.gate.mutants.report import DETECTED
from isrcheck.gate.mutants.survey import Reason, read_reasons

TITLES = {
    "published": "Published designs",
    "isr-by-request": "Changing the ISR by request",
    "isr-admission": "ISR admission",
    "partition": "Partitions",
    "original-design": "The design of 2012",
}
UNSEEN = {
    "survived": "no property is violated",
    "equivalent": "the same steps in every state",
    "undecided": f"cut off at {MOST:,} states",
    "trivially-equivalent": "the same meaning by its constants or policies",
}
HEAD = """# Every guard, in every model that has it

Made by `./dev reports`; how to read it is in [docs/mutants.md](../../docs/mutants.md). {guards} guards are written in
the models, {rows} in all where each model counts its own. Each was removed in every model that has it: a property (or
an error in the model's text) detects {noticed} of the {guards} in some model, and {reasons} are listed with the reason
([unneeded-guards.toml](../../specs/mutants/unneeded-guards.toml)). [guards.csv](guards.csv) has a line for each.

Then each `require` was deleted from the models' source, and the gate run on the rows of
[specs/guards.toml](../../specs/guards.toml) and [specs/long/guards.toml](../../specs/long/guards.toml) where that shows
first ([red.csv](red.csv)): {red} of the {guards} turn it red. What differs is a promise or an error in {by_promise}, an
action that was never to happen in {by_action}, and counts of states and steps alone in {by_counts}; the other {green}
change no step of any run, and nothing can detect them.

"Broken already" is said of a model where a property that kills elsewhere is violated with the guard too.
"""


def page(rows: list[Row], gate: list[Red], reasons: tuple[Reason, ...]) -> str:
    """The page, in Markdown."""
    said = {(each.owner, each.guard): each for each in gate}
    by_guard = _group(rows, lambda row: (row.family, row.owner, row.guard))
    detected = [group for group in by_guard if any(row.fate in DETECTED for row in group)]
    lines = [
        HEAD.format(
            guards=len(by_guard),
            rows=len(rows),
            noticed=len(detected),
            reasons=len(by_guard) - len(detected),
            red=sum(each.exit != 0 for each in gate),
            by_promise=sum(_kind(each) == "promise" for each in gate),
            by_action=sum(_kind(each) == "action" for each in gate),
            by_counts=sum(_kind(each) == "counts" for each in gate),
            green=sum(each.exit == 0 for each in gate),
        )
    ]
    for family, title in TITLES.items():
        names = [name for name in models() if family_and_constants(name)[0] == family]
        lines += [f"## {title}", "", f"Models: {', '.join(names)}.", ""]
        lines += [
            "| guard | the gate without it | what kills the mutant, and where | where nothing does |",
            "|---|---|---|---|",
        ]
        for group in by_guard:
            if group[0].family == family:
                lines.append(_line(group, said[group[0].owner, group[0].guard], reasons))
        lines.append("")
    return "\n".join(lines)


def _group(rows: list[Row], key: Callable[[Row], tuple[str, ...]]) -> list[list[Row]]:
    """Rows of equal key, in the order in which each key comes first."""
    groups: dict[tuple[str, ...], list[Row]] = {}
    for row in rows:
        groups.setdefault(key(row), []).append(row)
    return list(groups.values())


def _line(group: list[Row], said: Red, reasons: tuple[Reason, ...]) -> str:
    detected = [row for row in group if row.fate in DETECTED]
    unseen = [row for row in group if row.fate not in DETECTED]
    names = {name.partition(":")[0] for row in detected for name in row.killed_by.split()}
    guard = group[0].guard.replace("|", "\\|")
    where = _join((_notice(row), row.model) for row in detected)
    if detected:
        elsewhere = _join((_why(row, names), row.model) for row in unseen)
    else:
        elsewhere = "; ".join(dict.fromkeys(f"{r.because}: {r.reason}" for r in reasons if _is_of(r, group)))
    return f"| `{guard}` ({group[0].owner}) | {_gate(said)} | {where} | {elsewhere} |"


def _is_of(reason: Reason, group: list[Row]) -> bool:
    """Whether a reason is of this guard; the alias `partition` stands for the class that it names."""
    known = {row.model for row in group} | ({"partition"} if group[0].family == "partition" else set())
    return reason.guard == group[0].guard and bool(known & set(reason.models))


def _join(pairs: Iterable[tuple[str, str]]) -> str:
    """Join sentences, each once, with the names of the models of which it is said."""
    ordered = sorted(pairs)
    parts = ((sentence, [model for _, model in group]) for sentence, group in groupby(ordered, lambda pair: pair[0]))
    return "; ".join(
        f"{sentence}: {', '.join(names)}" for sentence, names in sorted(parts, key=lambda each: -len(each[1]))
    )


def _notice(row: Row) -> str:
    return ", ".join(_phrase(name) for name in row.killed_by.split()) or row.why.partition(", after")[0]


def _phrase(notice: str) -> str:
    name, _, steps = notice.partition(":")
    return f"{name} in {quantity(int(steps), 'step')}" if steps else f"{name} never reached"


def _why(row: Row, names: set[str]) -> str:
    broken = [name for name in row.broken_already.split() if name in names]
    if row.fate in ("survived", "undecided") and broken:
        cut = f", the rest not known: {UNSEEN['undecided']}" if row.fate == "undecided" else ""
        return f"{', '.join(broken)} broken already{cut}"
    return UNSEEN[row.fate]


def _kind(said: Red) -> str:
    """The strongest kind of difference that turns the gate red."""
    if said.promises or said.errors:
        return "promise"
    return "action" if said.actions else "counts" if said.counts else ""


def _gate(said: Red) -> str:
    words = {"promise": "a promise", "action": "an action happens", "counts": "counts alone", "": "nothing differs"}
    phrase = "an error" if said.errors and not said.promises else words[_kind(said)]
    return f"exit {said.exit}: {phrase}"


def current_page() -> str:
    """The page, from the tables that were kept."""
    return page(read_rows(), read_red(), read_reasons(ROOT / REASONS))


if __name__ == "__main__":
    write_aside(FOLDER / "guards.md", current_page())
