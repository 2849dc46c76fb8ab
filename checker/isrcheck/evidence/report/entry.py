"""The runs of which a report is made."""

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from isrcheck.run.outcome import Outcome
from isrcheck.run.trace import Trace

_PLACE = re.compile(r"^(.+?)(:\d+:\d+: )")


@dataclass(frozen=True)
class Measured:
    """An outcome as JSON, and traces."""

    outcome: dict[str, Any]
    traces: dict[str, Trace] = field(default_factory=dict)
    not_asked: dict[str, str] = field(default_factory=dict)  # why properties do not apply
    # "vacuous" or "not known", by part; no
    # places; None where nobody looked
    vacuous: dict[str, str] | None = None


@dataclass(frozen=True)
class Failed:
    model: str
    constants: dict[str, Any]
    exit: int
    sentence: str


ReportedRun = Measured | Failed


def without_folders(sentence: str) -> str:
    """Return a sentence on one line; the file that it begins with stands without its folder."""
    return _PLACE.sub(lambda match: f"{Path(match[1]).name}{match[2]}", " ".join(sentence.split()))


def from_outcome(outcome: Outcome) -> Measured:
    actions = {action.name for action in outcome.actions}
    not_asked = {name: why for name, why in outcome.not_asked.items() if name not in actions}
    traces = {p.name: p.trace for p in outcome.properties if p.trace}
    vacuous = None if outcome.parts is None else {f"{p.sentence}: {p.source}": "vacuous" for p in outcome.vacuous}
    if vacuous is not None:
        vacuous |= {f"{p.sentence}: {p.source}": "not known" for p in outcome.maybe_vacuous}
    data, fairness = outcome.to_dict(), " ".join(outcome.invocation.options.fairness)
    if fairness:  # it tells runs apart as constants do
        data["constants"] = {**data["constants"], "fairness": fairness}
    return Measured(data, traces, not_asked, vacuous)
