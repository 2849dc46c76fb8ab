"""Changes to models: each as it was at a revision of git, compared with what it is now."""

import inspect
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from msgspec import structs

from isrcheck.catalogue import find_model
from isrcheck.compare.revision import paths_at, python_files_at, repository_of
from isrcheck.engines.contract import Limits
from isrcheck.errors import IsrcheckError, UsageError, quantity
from isrcheck.evidence import document as doc
from isrcheck.evidence.document import Tone
from isrcheck.evidence.outcome_document import trace_document
from isrcheck.evidence.report.facts import Difference, differences, differences_table
from isrcheck.evidence.report.matrix import is_undecided
from isrcheck.git import commit_of
from isrcheck.run.trace import Trace, read_trace

# The new process looks for modules where it is told to before it imports any of ours.
_START = (
    "import json, sys; task = json.load(sys.stdin); sys.path[:] = task['paths']; "
    "from isrcheck.compare.side import main; main(task)"
)


@dataclass(frozen=True)
class ModelChange:
    """One model's runs as facts, then and now; `old` is None where `absent` says why.

    States that only one of them reaches are counted, unless `unknown` says why not. `trace` leads to a new one.
    """

    model: str
    constants: dict[str, str]
    old: dict[str, Any] | None
    new: dict[str, Any]
    absent: str = ""
    differences: tuple[Difference, ...] = ()
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    new_states: int | None = None
    gone: int | None = None
    unknown: str = ""
    trace: Trace | None = None

    @property
    def is_undetermined(self) -> bool:
        return any(is_undecided(run) for run in (self.old or {}, self.new))

    @property
    def is_none(self) -> bool:
        changed = (self.differences, self.added, self.removed, self.new_states, self.gone)
        return self.old is not None and not any(changed)


def changes(
    ref: str, models: Sequence[str], constants: dict[str, str], properties: Sequence[str], limits: Limits
) -> tuple[str, tuple[ModelChange, ...]]:
    """The commit that a revision names, and what became of each model since. Raises UsageError."""
    repositories = {name: repository_of(_file_of(name)) for name in models}
    repository = repositories[models[0]]
    for name, other in repositories.items():
        if other != repository:
            raise UsageError(f"{models[0]} and {name} are in two repositories: compare them one after the other.")
    commit = commit_of(repository, ref)
    with tempfile.TemporaryDirectory(prefix="isrcheck-since-") as folder:
        room = Path(folder).resolve()
        (then := room / "then").mkdir()
        python_files_at(repository, commit, then)
        shared = {"constants": constants, "properties": list(properties), "limits": structs.asdict(limits)}
        runs: list[dict[str, Any]] = [
            {**shared, "model": name, "states": f"{room}/{number}.states", "trace": f"{room}/{number}.json"}
            for number, name in enumerate(models)
        ]
        old_runs = [{**run, "load": _then(run["model"], repository, then), "inside": str(then)} for run in runs]
        old = _run_side(old_runs, paths_at(sys.path, repository, then), then)
        new_runs = [
            {**run, "load": run["model"], "before": before if "states" in before else None}
            for run, before in zip(runs, old, strict=True)
        ]
        new = _run_side(new_runs, [str(Path(p or ".").resolve()) for p in sys.path], then)
        return commit, tuple(_change(*each) for each in zip(runs, old, new, strict=True))


def _file_of(name: str) -> Path:
    if ".py" in name:
        file = Path(name.partition(":")[0]).absolute()
        if not file.is_file():
            raise UsageError(f"there is no file {name.partition(':')[0]}: give FILE.py:Class, with the path from here.")
        return file
    return Path(inspect.getfile(find_model(name))).resolve()


def _then(name: str, repository: Path, folder: Path) -> str:
    if ".py" not in name:
        return name
    path, colon, cls = name.partition(":")
    return f"{folder / Path(path).resolve().relative_to(repository)}{colon}{cls}"


def _run_side(runs: list[dict[str, Any]], paths: list[str], folder: Path) -> list[dict[str, Any]]:
    """Run the models of one side in a process and return their facts. Raises IsrcheckError if it gives no answer."""
    file = folder.with_name("answer.json")
    file.unlink(missing_ok=True)
    task = json.dumps({"paths": paths, "runs": runs, "answer": str(file)})
    command = [sys.executable, "-P", "-c", _START]
    done = subprocess.run(command, input=task, capture_output=True, encoding="utf-8", errors="replace", check=False)
    if done.returncode < 0 or not file.is_file():
        last = " ".join(done.stderr.split("\n")[-2:]).strip() or f"it ended with code {done.returncode}"
        raise IsrcheckError(f"one side of the comparison was lost, no verdict: {last}.")
    answers: list[dict[str, Any]] = json.loads(file.read_text(encoding="utf-8").replace(f"{folder}/", ""))
    return answers


def _change(run: dict[str, Any], old: dict[str, Any], new: dict[str, Any]) -> ModelChange:
    name, given = run["model"], run["constants"]
    if "absent" in new:
        raise UsageError(new["absent"])
    after = {**new["run"], "model": name, "constants": given}
    if "failed" in after and after["exit"] == 2:
        raise UsageError(after["failed"])
    if "absent" in old:
        return ModelChange(name, given, None, after, absent=old["absent"], unknown="there was no such model")
    before = {**old["run"], "model": name, "constants": given}
    names = [{p["name"] for p in side.get("properties", ())} for side in (before, after)]
    failed = "failed" in before or "failed" in after
    return ModelChange(
        name,
        given,
        before,
        after,
        differences=(*_constants(old["run"], new["run"]), *_differences(before, after)),
        added=() if failed else tuple(sorted(names[1] - names[0])),
        removed=() if failed else tuple(sorted(names[0] - names[1])),
        new_states=new.get("news"),
        gone=new.get("gone"),
        unknown="" if "news" in new else _why(old, new),
        trace=read_trace(Path(run["trace"])) if new.get("news") else None,
    )


def _differences(before: dict[str, Any], after: dict[str, Any]) -> list[Difference]:
    """Compare two runs; their digests only if neither was cut."""
    return [d for d in differences(before, after) if d.what != "digest" or "none" not in (d.old, d.new)]


def _constants(old: dict[str, Any], new: dict[str, Any]) -> tuple[Difference, ...]:
    if "failed" in old or "failed" in new:
        return ()
    before, after = old["constants"], new["constants"]
    names = dict.fromkeys([*before, *after])
    values = [(n, *(side.get(n, "not there") for side in (before, after))) for n in names]
    return tuple(Difference(f"constant {n}", str(a), str(b)) for n, a, b in values if a != b)


def _why(old: dict[str, Any], new: dict[str, Any]) -> str:
    if "failed" in old["run"] or "failed" in new["run"]:
        return "one of the two runs has no verdict"
    if unknown := old.get("unknown", new.get("unknown")):
        return str(unknown)
    before = old["variables"]
    after = new["variables"]
    words = [f"{n} is new" for n in after if n not in before]
    words += [f"{n} is gone" for n in before if n not in after]
    words += [f"{n} has another domain" for n in after if n in before and before[n] != after[n]]
    return f"the variables are not the same: {', '.join(words) or 'their order changed'}"


_COMMIT = 12  # letters of it


def changes_document(ref: str, commit: str, all_changes: Sequence[ModelChange]) -> doc.Document:
    head = doc.Heading(("isrcheck: what changed since ", doc.code(ref), f" ({commit[:_COMMIT]})"), 1)
    blocks = (block for change in all_changes for block in _blocks(change))
    return [head, doc.Paragraph(summary(all_changes), tone=Tone.STRONG), *blocks]


def summary(all_changes: Sequence[ModelChange]) -> str:
    changed, models = sum(not c.is_none for c in all_changes), quantity(len(all_changes), "model")
    if changed:
        flips = sum(d.flip for c in all_changes for d in c.differences)
        return f"{changed} of {models} changed; {quantity(flips, 'cell')} flipped."
    unknown = sum(c.is_undetermined for c in all_changes)
    some = f", but what {quantity(unknown, 'model')} came to is not known" if unknown else ""
    return f"Nothing changed in {models}{some}."


def _blocks(change: ModelChange) -> Iterator[doc.Block]:
    yield doc.Heading(doc.code(" ".join([change.model, *(f"{n}={v}" for n, v in change.constants.items())])))
    if change.differences:
        yield differences_table(change.differences)
    yield doc.Bullets([" ".join(sentence.split()) for sentence in _sentences(change)])
    if change.trace:
        steps = quantity(change.trace.length - 1, "step")
        yield doc.Fold(f"The shortest way to a new state: {steps}", trace_document(change.trace))


def _sentences(change: ModelChange) -> Iterator[str]:
    if change.old is None:
        yield f"It did not exist then: {change.absent}"
    if "failed" in change.new:
        yield f"There is no verdict now: {change.new['failed']}"
    if change.added:
        yield f"Properties added: {', '.join(change.added)}."
    if change.removed:
        yield f"Properties removed: {', '.join(change.removed)}."
    if change.unknown:
        yield f"States were not compared: {change.unknown}."
    elif change.is_undetermined:
        yield f"Not known: a run ended {change.new.get('cut') or 'early'}; until then both runs were the same."
    elif change.is_none:
        yield "Nothing changed: the same verdicts, counts and states."
    else:
        yield f"{quantity(change.new_states or 0, 'new reachable state')}, {change.gone or 0:,} no longer reachable."
