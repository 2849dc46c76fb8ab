"""What the specs expected at an earlier revision of git, beside what they expect now."""

import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from isrcheck.errors import IsrcheckError
from isrcheck.gate.cells import GateCell, cells
from isrcheck.gate.judge import Finding, GateVerdict, JudgedCell
from isrcheck.gate.spec import read_gate_spec
from isrcheck.gate.words import Answer
from isrcheck.git import commit_of, git
from isrcheck.wrap import plain

_NOTHING = "nothing"


@dataclass(frozen=True)
class ChangedExpectation:
    """Of one property in one run; its verdict may be as expected."""

    judged: JudgedCell
    what: str
    before: str
    now: str

    @property
    def finding(self) -> Finding | None:
        return next((each for each in self.judged.findings if each.what == self.what), None)


@dataclass(frozen=True)
class Earlier:
    """`unknown` is a sentence, if a spec of then cannot be read."""

    changed: tuple[ChangedExpectation, ...] = ()
    gone: int = 0  # runs that were expected then, and are in no spec now
    unknown: str = ""

    def __bool__(self) -> bool:
        return bool(self.changed or self.gone)


SAME = Earlier()


def earlier(verdict: GateVerdict, specs: Iterable[Path], ref: str) -> Earlier:
    """It raises nothing: the gate's answer does not depend on it."""
    try:
        commit = commit_of(Path.cwd(), ref)
        then = [cell for spec in specs for cell in _cells_then(spec, commit)]
    except IsrcheckError as error:
        return Earlier(unknown=f"What the specs expected at {plain(ref)} is not known: {error}")
    return _compared(verdict, then)


def _cells_then(spec: Path, commit: str) -> Iterable[GateCell]:
    """None of a spec that there was not. Raises IsrcheckError."""
    path = spec.resolve()
    shown = git(path.parent, "show", f"{commit}:./{path.name}")
    if shown.returncode:
        return ()
    with tempfile.TemporaryDirectory(prefix="isrcheck-earlier-") as folder:
        file = Path(folder) / spec.name
        file.write_bytes(shown.stdout)
        return cells(read_gate_spec(file))


def _compared(verdict: GateVerdict, then: Iterable[GateCell]) -> Earlier:
    now: dict[str, list[JudgedCell]] = {}
    for judged in verdict.cells:
        now.setdefault(_key(judged.cell), []).append(judged)
    before: dict[str, dict[str, Answer]] = {}
    for cell in then:
        before.setdefault(_key(cell), {}).update(cell.expect)
    changed = [each for key, expect in before.items() for each in _changed(expect, now.get(key, ()))]
    return Earlier(tuple(changed), len(before.keys() - now.keys()))


def _key(cell: GateCell) -> str:
    return f"{cell.name} {cell.terms.engine} {cell.terms.symmetry}"


def _changed(expect: Mapping[str, Answer], runs: Iterable[JudgedCell]) -> Iterator[ChangedExpectation]:
    """What is expected of more than one run of the same is so if it is of one."""
    runs = list(runs)
    for name, before in expect.items() if runs else ():
        found = [(judged, judged.cell.expect[name]) for judged in runs if name in judged.cell.expect]
        if not found:
            yield ChangedExpectation(runs[0], name, str(before), _NOTHING)
        elif before not in (answer for _, answer in found):
            judged, answer = found[0]
            yield ChangedExpectation(judged, name, str(before), str(answer))
