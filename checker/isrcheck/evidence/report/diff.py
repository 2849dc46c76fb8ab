"""The differences of two reports."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from isrcheck.evidence import document as doc
from isrcheck.evidence.report.facts import key, title
from isrcheck.evidence.report.words import Said, verdict_in_words

_STATES = ("distinct", "generated", "depth", "pruned", "digest", "bits")


@dataclass(frozen=True)
class Difference:
    """One fact that changed."""

    run: str
    what: str
    old: str
    new: str
    flip: bool = False  # verdict or run


def differences(old: dict[str, Any], new: dict[str, Any]) -> tuple[Difference, ...]:
    """All that changed, by run in the order of the new facts; runs are the same if model and constants are."""
    before, after = ({key(run): run for run in facts["runs"]} for facts in (old, new))
    changes: list[Difference] = []
    for name, run in {**after, **before}.items():
        if name not in after:
            changes.append(Difference(title(run), "run", "there", "removed", flip=True))
        elif name in before:
            changes += _of_run(before[name], after[name])
        else:
            changes.append(Difference(title(run), "run", "not there", "added", flip=True))
    return tuple(changes)


def _of_run(old: dict[str, Any], new: dict[str, Any]) -> Iterator[Difference]:
    name = title(new)
    if "failed" in old or "failed" in new:
        if old.get("failed") != new.get("failed"):
            yield Difference(name, "run", _verdict_of_run(old), _verdict_of_run(new), flip=True)
        return
    yield from _properties(name, old, new)
    figures = [(what, old[what], new[what]) for what in ("cut", "symmetry", "engine")]
    figures += [(what, old["states"][what], new["states"][what]) for what in _STATES]
    yield from (Difference(name, what, _plain(was), _plain(now)) for what, was, now in figures if was != now)
    if old["states"]["levels"] != new["states"]["levels"]:
        yield _levels(name, old["states"]["levels"], new["states"]["levels"])
    actions = [{a["name"]: a for a in run["actions"]} for run in (old, new)]
    for each in dict.fromkeys([*actions[0], *actions[1]]):
        was, now = (_counts_of_action(known.get(each)) for known in actions)
        if was != now:
            yield Difference(name, f"action {each}", was, now)
    if "vacuous" in old and "vacuous" in new:
        for sentence in sorted({*old["vacuous"], *new["vacuous"]}):
            was, now = (run["vacuous"].get(sentence, "has a case") for run in (old, new))
            if was != now:
                yield Difference(name, sentence, was, now)


def _verdict_of_run(run: dict[str, Any]) -> str:
    return f"no verdict: {run['failed']}" if "failed" in run else str(run["verdict"])


def _properties(name: str, old: dict[str, Any], new: dict[str, Any]) -> Iterator[Difference]:
    for each in dict.fromkeys(p["name"] for run in (old, new) for p in run["properties"]):
        one, two = verdict_in_words(old, each), verdict_in_words(new, each)
        if (one.look, one.short, one.detail) != (two.look, two.short, two.detail):
            yield Difference(name, each, _cell(one), _cell(two), flip=(one.look, one.short) != (two.look, two.short))


def _cell(verdict: Said) -> str:
    return " ".join(piece for piece in (verdict.sign, verdict.short, verdict.detail) if piece)


def _levels(name: str, old: list[int], new: list[int]) -> Difference:
    at = next((i for i, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))
    one, two = (f"{levels[at]:,}" if at < len(levels) else "none" for levels in (old, new))
    return Difference(name, f"states first reached at depth {at + 1}", one, two)


def _counts_of_action(action: dict[str, Any] | None) -> str:
    return f"taken {action['generated']:,}, new {action['distinct']:,}" if action else "not there"


def _plain(value: Any) -> str:
    if value is None:
        return "none"
    return f"{value:,}" if type(value) is int else str(value)


def differences_table(changes: Sequence[Difference]) -> doc.Table:
    rows = []
    for d in sorted(changes, key=lambda d: not d.flip):
        tone = doc.Tone.BAD if d.flip else doc.Tone.PLAIN
        rows.append([doc.Lines([" ".join(content.split())], tone) for content in (d.what, d.old, d.new)])
    return doc.Table(["what", "then", "now"], rows)
