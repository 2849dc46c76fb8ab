"""A report as two JSON objects: facts, which are equal on every machine and in every run, and noise, which is not."""

import json
import os
import platform
import subprocess
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Any

from isrcheck.errors import UsageError
from isrcheck.evidence.report.entry import Entry, Failed, Measured
from isrcheck.run.trace import chosen

SCHEMA = "isrcheck.report/2"
_GIT_SECONDS = 10


def facts_of(entries: Sequence[Entry], version: str, command: str, pages: bool = True) -> dict[str, Any]:
    """What the runs found; `pages` says whether traces have pages. Raises UsageError if a run is there twice."""
    taken, known = set[str](), set()
    runs = [_failed(e) if isinstance(e, Failed) else _measured(e, taken) for e in entries]
    for run in runs:
        if key(run) in known:
            raise UsageError(f"{title(run)} is asked for twice: leave one out, or give it other constants.")
        known.add(key(run))
    return {"schema": SCHEMA, "part": "facts", "version": version, "command": command, "pages": pages, "runs": runs}


def noise_of(entries: Sequence[Entry], made: dict[str, Any]) -> dict[str, Any]:
    return {"schema": SCHEMA, "part": "noise", **made, "runs": [_noise(e) for e in entries]}


def made_here(models: Iterable[Path]) -> dict[str, Any]:
    """The date (UTC), the machine, and the git commits of the models, where known."""
    commits = sorted({found for folder in {file.parent for file in models} if (found := _commit(folder))})
    return {
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": {"system": platform.system(), "processor": platform.machine(), "cores": os.cpu_count()},
        "python": platform.python_version(),
        "commits": commits,
    }


def _commit(folder: Path) -> str | None:
    """None without git."""
    commit = _git(folder, "rev-parse", "HEAD")
    if not commit:
        return None
    changed = _git(folder, "status", "--porcelain", "--untracked-files=no", "--", ".")
    return f"{commit}, with changes" if changed else commit


def _git(folder: Path, *words: str) -> str | None:
    command = ["git", "-C", str(folder), *words]
    try:
        done = subprocess.run(
            command, capture_output=True, encoding="utf-8", errors="replace", timeout=_GIT_SECONDS, check=False
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip() if done.returncode == 0 else None


def key(run: dict[str, Any]) -> tuple[str, str]:
    """Runs with the same are the same."""
    return run["model"], json.dumps(run["constants"], sort_keys=True)


def title(run: dict[str, Any]) -> str:
    return " ".join([run["model"], *chosen(run["constants"])])


def _measured(entry: Measured, taken: set[str]) -> dict[str, Any]:
    outcome = entry.outcome
    name, named = _stem(outcome["model"], taken), outcome["invocation"]["properties"]
    run = {n: outcome[n] for n in ("version", "model", "constants", "engine", "symmetry", "verdict", "exit", "cut")}
    return {
        **run,
        "states": outcome["states"],
        "properties": [_property(p, p["name"] in entry.traces, name, taken) for p in outcome["properties"]],
        **({"not_asked": entry.not_asked} if entry.not_asked else {}),
        "actions": outcome["actions"],
        **({} if entry.vacuous is None else {"vacuous": entry.vacuous}),
        **{n: outcome[n] for n in ("sample", "settings") if n in outcome},
        **({} if named is None else {"asked": named}),
        "command": outcome["invocation"]["line"],
    }


def _property(found: dict[str, Any], shown: bool, model: str, taken: set[str]) -> dict[str, Any]:
    trace = found["trace"]
    drawn = shown and found["verdict"] == "violated"
    return {
        **{n: found[n] for n in ("name", "kind", "verdict", "assurance")},
        "length": trace["length"] if trace else None,
        "drawn": _stem(f"{model}-{found['name']}", taken) if drawn else None,
    }


def _failed(entry: Failed) -> dict[str, Any]:
    return {"model": entry.model, "constants": entry.constants, "exit": entry.exit, "failed": entry.sentence}


def _noise(entry: Entry) -> dict[str, Any]:
    if isinstance(entry, Failed):
        return {"model": entry.model, "constants": entry.constants}
    names = ("model", "constants", "workers", "seconds", "startup_seconds", "peak_rss_bytes")
    return {n: entry.outcome[n] for n in names}


def _stem(name: str, taken: set[str]) -> str:
    """A file's name, numbered if taken."""
    plain = "".join(c if c.isalnum() or c in "-_" else "-" for c in name).strip("-")[:80] or "run"
    numbered = (plain if number == 1 else f"{plain}-{number}" for number in count(1))
    stem = next(stem for stem in numbered if stem.casefold() not in taken)
    taken.add(stem.casefold())
    return stem
