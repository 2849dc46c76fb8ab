"""A report as two JSON objects: facts, which are equal on every machine and in every run, and noise, which is not."""

import json
import os
import platform
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Any

from isrcheck.errors import UsageError
from isrcheck.evidence.report.entry import Failed, Measured, ReportedRun
from isrcheck.git import git
from isrcheck.run.trace import constant_options

SCHEMA = "isrcheck.report/2"
_GIT_SECONDS = 10


def facts_of(entries: Sequence[ReportedRun], version: str, command: str, pages: bool = True) -> dict[str, Any]:
    """The facts of the runs; `pages`: whether traces have pages. Raises UsageError for a run that is there twice."""
    taken, known = set[str](), set()
    runs = [_facts_of_failure(e) if isinstance(e, Failed) else _facts_of_run(e, taken) for e in entries]
    for run in runs:
        if key(run) in known:
            raise UsageError(f"{title(run)} is asked for twice: leave one out, or give it other constants.")
        known.add(key(run))
    return {"schema": SCHEMA, "part": "facts", "version": version, "command": command, "pages": pages, "runs": runs}


def noise_of(entries: Sequence[ReportedRun], about: dict[str, Any]) -> dict[str, Any]:
    return {"schema": SCHEMA, "part": "noise", **about, "runs": [_noise(e) for e in entries]}


def describe_machine(models: Iterable[Path]) -> dict[str, Any]:
    """The date (UTC), the machine, and the git commits of the models, where known."""
    commits = sorted({commit for folder in {file.parent for file in models} if (commit := _commit(folder))})
    return {
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": {"system": platform.system(), "processor": platform.machine(), "cores": os.cpu_count()},
        "python": platform.python_version(),
        "commits": commits,
    }


def _commit(folder: Path) -> str | None:
    """The git commit of a folder; None without git."""
    commit = _git(folder, "rev-parse", "HEAD")
    if not commit:
        return None
    changed = _git(folder, "status", "--porcelain", "--untracked-files=no", "--", ".")
    return f"{commit}, with changes" if changed else commit


def _git(folder: Path, *words: str) -> str | None:
    try:
        done = git(folder, *words, seconds=_GIT_SECONDS)
    except UsageError:
        return None
    return done.stdout.decode(errors="replace").strip() if done.returncode == 0 else None


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
        **{n: outcome[n] for n in ("sample", "settings") if n in outcome},
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
