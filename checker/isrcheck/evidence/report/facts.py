"""A report as two JSON objects: facts, which are equal on every machine and in every run, and noise, which is not.

Verdicts in words; the differences of two runs.
"""

import json
import os
import platform
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import count
from typing import Any

from isrcheck.errors import UsageError, quantity
from isrcheck.evidence.report.entry import Failed, Measured, ReportedRun
from isrcheck.ir import property_kinds as kinds
from isrcheck.run.outcome import describe_bounds
from isrcheck.run.trace import constant_options

LEGEND = {
    "violated": ("✗", "violated, and the steps of the shortest trace"),
    "holds": ("✓", "holds in every reachable state; or can happen, and in how many steps"),
    "within": ("◐", "holds within bounds: in every reachable state, but bounds or constraints cut something off"),
    "undetermined": ("?", "undetermined: the run was cut short"),
    "absent": ("-", "does not apply"),
    "unasked": ("·", "not asked"),
    "failed": ("!", "no verdict"),
}


@dataclass(frozen=True)
class Said:
    """A verdict in words; `look` decides its colour and sign."""

    look: str
    short: str
    detail: str
    reach: str

    @property
    def sign(self) -> str:
        return LEGEND[self.look][0]

    @property
    def brief(self) -> str:
        if self.look == "within" or self.detail == "exhaustive":
            return "" if self.short.startswith("holds") else self.short
        return self.detail.split(", ")[0].removesuffix(" steps").removesuffix(" step") or self.short


def property_of(run: dict[str, Any], name: str) -> dict[str, Any] | None:
    return next((p for p in run.get("properties", ()) if p["name"] == name), None)


def verdict_in_words(run: dict[str, Any], name: str) -> Said:
    decided = property_of(run, name)
    if decided is not None:
        return {"violated": _say_violated, "holds": _say_holds}.get(decided["verdict"], _say_undetermined)(run, decided)
    if "failed" in run:
        return Said("failed", "no verdict", "", run["failed"])
    why = run.get("not_asked", {}).get(name)
    if why is not None:
        return Said("absent", "n/a", "", f"It does not apply with these constants: {why}")
    if name == kinds.DEADLOCK.name or "asked" in run:
        return Said("unasked", "not asked", "", "This run was not asked about it.")
    return Said("absent", "n/a", "", "The model has no such property.")


def _say_violated(run: dict[str, Any], decided: dict[str, Any]) -> Said:
    known_by = decided["assurance"]
    if decided["length"] is None:
        within = f" {_bounds(run)}".rstrip()
        return Said("violated", "never reached", known_by, f"No state meets this property{within}: {_every_state(run)}")
    steps = quantity(decided["length"] - 1, "step")
    way = f"A random walk broke it after {steps}" if run.get("sample") else f"The shortest trace takes {steps}"
    return Said("violated", "violated", f"{steps}, {known_by}", f"{way}; the reference replayed it and saw the same.")


def _say_holds(run: dict[str, Any], decided: dict[str, Any]) -> Said:
    known_by = decided["assurance"]
    if kinds.kind_by_name(decided["kind"]).holds_by_target:
        steps = quantity(decided["length"] - 1, "step") if decided["length"] else "some way"
        reach = f"It happens: the shortest way takes {steps}, and the reference walked it."
        return Said("holds", "reached", f"{steps}, {known_by}", reach)
    if known_by == "proved":
        return Said("holds", "holds", "proved", "It is proved, for any number of steps.")
    if within := _bounds(run):
        return Said("within", f"holds {within}", known_by, f"It holds {within}: {_every_state(run)}")
    return Said("holds", "holds", known_by, f"It holds: {_every_state(run)}")


def _say_undetermined(run: dict[str, Any], decided: dict[str, Any]) -> Said:
    cut = f"the run ended {run['cut']}" if run["cut"] else "the run did not see every state"
    kind, _, number = decided["assurance"].rstrip(")").partition("(")
    looked = {
        "bounded": f"every behaviour of at most {number} steps was looked at, and longer ones were not",
        "sampled": f"{number} random walks met no violation, and they prove nothing",
    }.get(kind, decided["assurance"])
    return Said("undetermined", "undetermined", decided["assurance"], f"It is not decided: {cut}; {looked}.")


def _bounds(run: dict[str, Any]) -> str:
    return describe_bounds(run["states"]["pruned"], run.get("constraints"))


def _every_state(run: dict[str, Any]) -> str:
    distinct = run["states"]["distinct"]
    if distinct == 1:
        return "the one reachable state was looked at."
    whose = " (one for each symmetry class)" if run["symmetry"] else ""
    return f"all {quantity(distinct, 'reachable state')}{whose} were looked at."


SCHEMA = "isrcheck.report/3"


def facts_of(entries: Sequence[ReportedRun], version: str, command: str) -> dict[str, Any]:
    """The facts of the runs. Raises UsageError for a run that is there twice."""
    taken, known = set[str](), set()
    runs = [_facts_of_failure(e) if isinstance(e, Failed) else _facts_of_run(e, taken) for e in entries]
    for run in runs:
        if key(run) in known:
            raise UsageError(f"{title(run)} is asked for twice: leave one out, or give it other constants.")
        known.add(key(run))
    return {"schema": SCHEMA, "part": "facts", "version": version, "command": command, "runs": runs}


def noise_of(entries: Sequence[ReportedRun], about: dict[str, Any]) -> dict[str, Any]:
    return {"schema": SCHEMA, "part": "noise", **about, "runs": [_noise(e) for e in entries]}


def describe_machine() -> dict[str, Any]:
    """The date (UTC), the machine and its Python."""
    return {
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": {"system": platform.system(), "processor": platform.machine(), "cores": os.cpu_count()},
        "python": platform.python_version(),
    }


def key(run: dict[str, Any]) -> tuple[str, str]:
    """Runs with the same are the same."""
    return run["model"], json.dumps(run["constants"], sort_keys=True)


def title(run: dict[str, Any]) -> str:
    return " ".join([run["model"], *constant_options(run["constants"])])


def _facts_of_run(run_file: Measured, taken: set[str]) -> dict[str, Any]:
    outcome = run_file.outcome
    name, named = _stem(outcome["model"], taken), outcome["invocation"]["properties"]
    run = {n: outcome[n] for n in ("version", "model", "constants", "engine", "symmetry", "verdict", "exit", "cut")}
    return {
        **run,
        "states": outcome["states"],
        "properties": [_property(p, p["name"] in run_file.traces, name, taken) for p in outcome["properties"]],
        **({"not_asked": run_file.not_asked} if run_file.not_asked else {}),
        "actions": outcome["actions"],
        **({} if run_file.vacuous is None else {"vacuous": run_file.vacuous}),
        **{n: outcome[n] for n in ("sample", "settings", "constraints") if n in outcome},
        **({} if named is None else {"asked": named}),
        "command": outcome["invocation"]["line"],
    }


def _property(decided: dict[str, Any], shown: bool, model: str, taken: set[str]) -> dict[str, Any]:
    trace = decided["trace"]
    drawn = shown and decided["verdict"] == "violated"
    return {
        **{n: decided[n] for n in ("name", "kind", "verdict", "assurance")},
        "length": trace["length"] if trace else None,
        "drawn": _stem(f"{model}-{decided['name']}", taken) if drawn else None,
    }


def _facts_of_failure(failure: Failed) -> dict[str, Any]:
    return {"model": failure.model, "constants": failure.constants, "exit": failure.exit, "failed": failure.sentence}


def _noise(run_file: ReportedRun) -> dict[str, Any]:
    if isinstance(run_file, Failed):
        return {"model": run_file.model, "constants": run_file.constants}
    names = ("model", "constants", "workers", "seconds", "startup_seconds", "peak_rss_bytes")
    return {n: run_file.outcome[n] for n in names}


def _stem(name: str, taken: set[str]) -> str:
    """A file's name, numbered if taken."""
    plain = "".join(c if c.isalnum() or c in "-_" else "-" for c in name).strip("-")[:80] or "run"
    numbered = (plain if number == 1 else f"{plain}-{number}" for number in count(1))
    stem = next(stem for stem in numbered if stem.casefold() not in taken)
    taken.add(stem.casefold())
    return stem
