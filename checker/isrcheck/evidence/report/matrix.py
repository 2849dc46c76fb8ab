"""The matrix of verdicts: runs below each other, properties side by side, in tables of runs that share most of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from isrcheck.evidence.report.words import Said, said
from isrcheck.ir import property_kinds as kinds


@dataclass(frozen=True)
class MatrixRow:
    """A run by its position in the report, and what it says of each property of its table."""

    number: int
    run: dict[str, Any]
    cells: tuple[tuple[str, Said, str | None], ...]  # property, verdict, and the stem of its drawing


@dataclass(frozen=True)
class RunGroup:
    """Runs of models that are alike. `constants` are those that all of them have, with one value."""

    properties: tuple[tuple[str, str], ...]  # name and kind
    constants: dict[str, Any]
    rows: tuple[MatrixRow, ...]


def groups(runs: Sequence[dict[str, Any]]) -> tuple[RunGroup, ...]:
    """The tables, in the order of the runs: a run joins the first one with which it shares most of its properties."""
    found: list[list[int]] = []
    for number, run in enumerate(runs):
        home = next((g for g in found if _alike(run, [runs[n] for n in g])), None)
        if home is None:
            found.append([number])
        else:
            home.append(number)
    return tuple(_group([(n, runs[n]) for n in group]) for group in found)


def _alike(run: dict[str, Any], others: Sequence[dict[str, Any]]) -> bool:
    if "failed" in run:
        return run["model"] in {o["model"] for o in others}
    own = {p["name"] for p in run["properties"]}
    theirs = {p["name"] for o in others for p in o.get("properties", ())}
    return 2 * len(own & theirs) > min(len(own), len(theirs)) if own and theirs else own == theirs


def _group(numbered: Sequence[tuple[int, dict[str, Any]]]) -> RunGroup:
    of = {p["name"]: kinds.named(p["kind"]) for _, run in numbered for p in run.get("properties", ())}
    order = sorted(of, key=lambda name: of[name].holds_by_target)  # what can happen stands behind what must hold
    rows = tuple(MatrixRow(n, run, tuple(_cell(run, name) for name in order)) for n, run in numbered)
    names = tuple((name, of[name].in_matrix or of[name].name) for name in order)
    return RunGroup(names, _shared([run for _, run in numbered]), rows)


def _cell(run: dict[str, Any], name: str) -> tuple[str, Said, str | None]:
    found: dict[str, Any] = next((p for p in run.get("properties", ()) if p["name"] == name), {})
    return name, said(run, name), found.get("drawn")


def _shared(runs: Sequence[dict[str, Any]]) -> dict[str, Any]:
    first, *rest = (run["constants"] for run in runs)
    return {n: v for n, v in first.items() if rest and all(n in c and c[n] == v for c in rest)}


def spoken(run: dict[str, Any]) -> list[tuple[Said, list[str], str | None]]:
    """What a run says: each verdict once with all properties that it is said of, but violations one by one."""
    found: dict[tuple[Said, str | None], list[str]] = {}
    for each in run["properties"]:
        found.setdefault((said(run, each["name"]), each["drawn"]), []).append(each["name"])
    return [(word, names, drawn) for (word, drawn), names in found.items()]


def unasked(run: dict[str, Any]) -> dict[str, list[str]]:
    """The reasons why properties do not apply to a run that was asked for all of them, each once."""
    found: dict[str, list[str]] = {}
    reasons = {} if "asked" in run else run.get("not_asked", {})
    for name, why in reasons.items():
        found.setdefault(why, []).append(name)
    return found


def is_undecided(run: dict[str, Any]) -> bool:
    """Whether a run leaves a property undetermined; one that ended before it read its model has none yet."""
    return run.get("verdict") == "undetermined" or any(
        p["verdict"] == "undetermined" for p in run.get("properties", ())
    )


def tally(runs: Sequence[dict[str, Any]]) -> dict[str, int]:
    """How many cells look like what: violated, holds, within, undetermined; and how many runs failed."""
    found: dict[str, int] = dict.fromkeys(("violated", "holds", "within", "undetermined", "failed"), 0)
    for run in runs:
        looks = [said(run, p["name"]).look for p in run.get("properties", ())]
        if not looks and is_undecided(run):
            looks = ["undetermined"]
        for look in ["failed"] if "failed" in run else looks:
            found[look] += 1
    return found
