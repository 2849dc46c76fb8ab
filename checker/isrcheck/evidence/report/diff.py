"""What two reports differ in: verdicts that flipped, figures that changed, runs that came or went; never noise."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from isrcheck.evidence.report.facts import key, title
from isrcheck.evidence.report.words import said


@dataclass(frozen=True)
class Difference:
    """One fact that changed. `flip` is true of a verdict, a run, or a figure that verdicts hang on."""

    run: str
    what: str
    old: str
    new: str
    flip: bool = False


def differences(old: dict[str, Any], new: dict[str, Any]) -> tuple[Difference, ...]:
    """All that changed from one report's facts to another's, by run in the order of the new one.

    Runs are the same if model and constants are. The versions of isrcheck and the commands are not compared.
    """
    before = {key(run): run for run in old["runs"]}
    after = {key(run): run for run in new["runs"]}
    found: list[Difference] = []
    for name, run in after.items():
        if name in before:
            found += _run(before[name], run)
        else:
            found.append(Difference(title(run), "run", "not there", "added", flip=True))
    found += [
        Difference(title(run), "run", "there", "removed", flip=True)
        for name, run in before.items()
        if name not in after
    ]
    return tuple(found)


def _run(old: dict[str, Any], new: dict[str, Any]) -> Iterator[Difference]:
    name = title(new)
    if "failed" in old or "failed" in new:
        if old.get("failed") != new.get("failed") or ("failed" in old) != ("failed" in new):
            yield Difference(name, "run", _ended(old), _ended(new), flip=True)
        return
    yield from _properties(name, old, new)
    for what in ("cut", "symmetry", "engine"):
        if old[what] != new[what]:
            yield Difference(name, what, _plain(old[what]), _plain(new[what]))
    for what in ("distinct", "generated", "depth", "pruned", "digest", "bits"):
        if old["states"][what] != new["states"][what]:
            yield Difference(name, what, _plain(old["states"][what]), _plain(new["states"][what]))
    if old["states"]["levels"] != new["states"]["levels"]:
        yield _levels(name, old["states"]["levels"], new["states"]["levels"])
    yield from _actions(name, old, new)
    if "vacuous" in old and "vacuous" in new:
        for sentence in sorted({*old["vacuous"], *new["vacuous"]}):
            was, now = (run["vacuous"].get(sentence, "has a case") for run in (old, new))
            if was != now:
                yield Difference(name, sentence, was, now)


def _ended(run: dict[str, Any]) -> str:
    return f"no verdict: {run['failed']}" if "failed" in run else str(run["verdict"])


def _properties(name: str, old: dict[str, Any], new: dict[str, Any]) -> Iterator[Difference]:
    names = dict.fromkeys(p["name"] for run in (old, new) for p in run["properties"])
    for each in names:
        one, two = said(old, each), said(new, each)
        if (one.look, one.short, one.detail) != (two.look, two.short, two.detail):
            yield Difference(name, each, _cell(one), _cell(two), flip=(one.look, one.short) != (two.look, two.short))


def _cell(word: Any) -> str:
    return " ".join(part for part in (word.sign, word.short, word.detail) if part)


def _levels(name: str, old: list[int], new: list[int]) -> Difference:
    """The first depth at which the numbers of states differ."""
    at = next((i for i, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))
    one, two = (f"{levels[at]:,}" if at < len(levels) else "none" for levels in (old, new))
    return Difference(name, f"states first reached at depth {at + 1}", one, two)


def _actions(name: str, old: dict[str, Any], new: dict[str, Any]) -> Iterator[Difference]:
    before, after = ({a["name"]: a for a in run["actions"]} for run in (old, new))
    for each in dict.fromkeys([*before, *after]):
        one, two = _taken(before.get(each)), _taken(after.get(each))
        if one != two:
            yield Difference(name, f"action {each}", one, two)


def _taken(action: dict[str, Any] | None) -> str:
    if action is None:
        return "not there"
    return f"taken {action['generated']:,}, new {action['distinct']:,}"


def _plain(value: Any) -> str:
    if value is None:
        return "none"
    return f"{value:,}" if type(value) is int else str(value)
