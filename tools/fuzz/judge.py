"""One model through the explorer and through isrcheck's commands, and where they differ."""

import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

from tools.fuzz.commands import SLOW, Ending, run_command, run_in_process
from tools.fuzz.explorer import Answers, explore

STATES = 1500  # of a model; larger ones are left out, since each engine searches them
SECONDS = 10.0
SYMBOLIC_DEPTH = 5
COUNTS = ("distinct", "generated", "depth", "pruned")
ENGINES = ("reference", "native", "evaluator", "workers", "gpu", "disk", "symmetry", "symbolic", "prove")
_WORDS = {
    "reference": ["--engine", "reference"],
    "native": [],
    "evaluator": ["--engine", "evaluator"],
    "workers": ["--workers", "2"],
    "gpu": ["--engine", "gpu"],
    "symmetry": ["--symmetry"],
    "symbolic": ["--engine", "symbolic", "--max-depth", str(SYMBOLIC_DEPTH), "--max-seconds", "6"],
}


class Difference:
    """A difference, and the command that shows it. `kind` is what a shrunk text must still show."""

    def __init__(self, engine: str, kind: str, report: str, words: list[str]) -> None:
        self.engine, self.kind, self.report, self.words = engine, kind, report, words

    @property
    def signature(self) -> tuple[str, str]:
        return self.engine, self.kind


class Judged:
    """The end of a model: refused, invalid, too large, an error in the model, or decided; and its differences."""

    def __init__(self, ended: str) -> None:
        self.ended = ended
        self.compared: list[str] = []  # engines whose verdicts or counts were compared
        self.claims = 0  # proofs compared at small sizes
        self.refusals: list[str] = []
        self.differences: list[Difference] = []


def explore_apart(source: str, cls: str, values: Mapping[str, Any]) -> Answers | str:
    """The explorer's answers; else why there are none."""
    try:
        answers = run_in_process(lambda: explore(source, cls, values, STATES), SECONDS)
    except RuntimeError as error:
        return str(error).split(":")[0]
    return "too slow" if answers is None else answers


def judge_model(
    source: str, cls: str, values: Mapping[str, Any], engines: tuple[str, ...] = ENGINES, seed: int = 0
) -> Judged:
    """Compare all that the engines say of a model with these constants."""
    answers = explore_apart(source, cls, values)
    if isinstance(answers, str):
        return Judged("invalid" if answers == "Invalid" else f"left out: {answers}")
    folder = Path(tempfile.mkdtemp(prefix="isrcheck-fuzz-"))
    try:
        file = folder / "model.py"
        file.write_text(source, encoding="utf-8")
        return Comparison(file, cls, values, answers, Random(seed)).run(engines)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


class Comparison:
    """The commands of one model beside the explorer's answers."""

    def __init__(self, file: Path, cls: str, values: Mapping[str, Any], answers: Answers, rng: Random) -> None:
        self.file, self.cls, self.values, self.answers, self.rng = file, cls, values, answers, rng
        self.judged = Judged("error" if answers.error else "decided")
        self.digests: dict[str, tuple[int, str]] = {}  # with the bits of a state, which hang on the number of slots

    def words(self, command: str, *more: str) -> list[str]:
        given = [argument for name, value in self.values.items() for argument in ("-c", f"{name}={value}")]
        return [
            command,
            f"{self.file}:{self.cls}",
            *(given if command == "check" else ()),
            *more,
        ]

    def run(self, engines: tuple[str, ...]) -> Judged:
        for engine in engines:
            if self._is_documented_refusal(engine) or (len(engines) == len(ENGINES) and not self._is_drawn(engine)):
                continue
            if engine == "prove":
                self._prove(engine)
            elif not self._check(engine):
                break
        packings = set(self.digests.values())
        if len(packings) > len({bits for bits, _ in packings}):
            self._differ("digest", "digest", str(self.digests), [])
        return self.judged

    def _is_drawn(self, engine: str) -> bool:
        """The others than these two are asked of two models in three, so that there are more models."""
        return engine in ("reference", "native") or self.rng.random() < 0.67

    def _is_documented_refusal(self, engine: str) -> bool:
        """Whether to leave out an engine that is documented to refuse this model; one in twenty is tried anyway."""
        roles = set(self.answers.roles.values())
        refused = _REFUSES.get(engine, set()) & roles
        no_sort = engine == "symmetry" and "symmetric=True" not in self.file.read_text()
        return bool(refused or no_sort) and self.rng.random() < 0.95

    def _differ(self, engine: str, kind: str, report: str, words: list[str]) -> None:
        self.judged.differences.append(Difference(engine, kind, report, words))

    def _check(self, engine: str) -> bool:
        """Whether the model was read."""
        more = _WORDS.get(engine) or (["--disk", str(self.file.parent / "disk")] if engine == "disk" else [])
        asked = ["--deadlock", "--no-vacuity"]
        ending = run_command(self.words("check", *asked, *more), SECONDS * 2)
        if ending.fault:
            self._differ(engine, ending.fault, ending.printed, ending.words)
            return True
        if ending.code == SLOW:
            self.judged.refusals.append(f"{engine}: slow")
            return True
        if ending.code == 2 or (ending.code == 75 and not self.answers.error and not self.answers.maybe):
            return self._note_refusal(engine, ending)
        if ending.code == 75 and self.answers.maybe:
            return True
        self._compare(engine, ending)
        return True

    def _note_refusal(self, engine: str, ending: Ending) -> bool:
        """A refusal by the reader of what it may refuse; an error that the explorer does not meet is a difference."""
        if ending.code == 75 and re.search(_MEETS, _sentence(ending)):
            self._differ(engine, "an error that the explorer does not meet", ending.printed, ending.words)
            return True
        self.judged.refusals.append(f"{engine}: {_sentence(ending)}")
        if engine == "reference":
            self.judged.ended = "refused"
        return engine != "reference"

    def _compare(self, engine: str, ending: Ending) -> None:
        self.judged.compared.append(engine)
        if self.answers.error and engine != "symbolic":
            if ending.code != 75:
                self._differ(
                    engine, f"exit {ending.code} where the model has an error", self._both(ending), ending.words
                )
            return
        for kind in self._wrong(engine, ending):
            self._differ(engine, kind, self._both(ending), ending.words)

    def _both(self, ending: Ending) -> str:
        known = {k: v for k, v in vars(self.answers).items() if k != "roles"}
        states = (ending.outcome or {}).get("states")
        return f"explorer: {known}\nisrcheck: exit {ending.code}, {ending.verdicts}, {states}\n{ending.printed}"

    def _wrong(self, engine: str, ending: Ending) -> Iterator[str]:
        """Yield the kinds of differences between an outcome and the explorer's answers."""
        if ending.outcome is None:
            if ending.code != 75:
                yield "no outcome"
            return
        states = ending.outcome["states"]
        if engine not in ("symbolic", "symmetry") and ending.outcome["cut"] is None:
            for count in COUNTS:
                if states[count] != getattr(self.answers, count):
                    yield f"count {count}"
            self.digests[engine] = states["bits"], states["digest"]
        names = {n for n, role in self.answers.roles.items() if role in _ROLES} | {"deadlock"}
        if engine != "symbolic" and ending.code not in (20, 75) and names - set(ending.verdicts):
            yield f"no verdict of {min(names - set(ending.verdicts))}"
        for name, (verdict, length) in ending.verdicts.items():
            wrong = self._is_wrong(engine, name, verdict, length)
            if wrong:
                yield wrong

    def _is_wrong(self, engine: str, name: str, verdict: str, length: int | None) -> str:
        role = self.answers.roles.get(name, name)
        if role == "temporal":
            right = self.answers.temporal.get(name)
            if right is None:  # no state was expanded, or the model has an error
                return ""
            wrong = (verdict == "violated" or engine != "symbolic") and verdict not in right
            return f"temporal {verdict} for {'/'.join(sorted(right))}" if wrong else ""
        known = self.answers.lengths.get(name)
        at = "holds" if role == "reachable" else "violated"
        if engine == "symbolic":
            if known is not None and known <= SYMBOLIC_DEPTH and not self.answers.error:
                return (
                    ""
                    if (verdict in (at, "undetermined") and length in (known, None))
                    else f"{role} {verdict} for {at}"
                )
            return (
                f"{role} {verdict} beyond"
                if verdict == at and (known is None or known != length) and not self.answers.error
                else ""
            )
        right_verdict = at if known is not None else "violated" if role == "reachable" else "holds"
        if verdict == "undetermined":
            return ""
        if verdict != right_verdict:
            return f"{role} {verdict} for {right_verdict}"
        return f"{role} length" if known is not None and length is not None and length != known else ""

    def _prove(self, engine: str) -> None:
        ending = run_command(self.words("prove", "--max-seconds", "6"), SECONDS * 2)
        if ending.fault:
            self._differ(engine, ending.fault, ending.printed, ending.words)
            return
        if ending.code in (2, 75, SLOW) or ending.outcome is None:
            self.judged.refusals.append(f"{engine}: {_sentence(ending)}")
            return
        self.judged.compared.append(engine)
        proofs = {p["name"]: p for p in ending.outcome.get("proofs", [])}
        for name, (verdict, _) in ending.verdicts.items():
            if verdict == "holds" and name in proofs:
                self._refute(engine, name, proofs[name], ending)

    def _refute(self, engine: str, name: str, proof: dict[str, Any], ending: Ending) -> None:
        """Look for a violation of what was proved, at small sizes that the proof covers."""
        if self.answers.roles.get(name) not in ("invariant", "step"):
            return
        self.judged.claims += 1
        ranges = {n: _smallest(span) for n, span in proof["open"].items()}
        is_without_error = {*self.answers.roles.values()} <= {"invariant", "step"} and all(
            verdict == "holds" for verdict, _ in ending.verdicts.values()
        )
        choices = [dict(zip(ranges, choice, strict=True)) for choice in product(*ranges.values())]
        for choice in self.rng.sample(choices, min(5, len(choices))):
            values = {**self.values, **{n: v for n, v in proof["fixed"].items() if isinstance(v, int)}, **choice}
            known = {n: v for n, v in values.items() if f"    {n}: int = constant(" in self.file.read_text()}
            answers = explore_apart(self.file.read_text(), self.cls, known)
            if isinstance(answers, str):
                continue
            if name in answers.lengths or (is_without_error and answers.error):
                how = f"violated, trace of {answers.lengths[name]} states" if name in answers.lengths else answers.error
                report = f"{name} with {known}: {how}\n{ending.printed}"
                self._differ(engine, "a wrong proof", report, ending.words)
                return


_MEETS = r"raised|outside its domain|goes wrong|after \w+\(|has no element|of nothing"
_REFUSES = {
    "disk": {"temporal", "constraint", "initial"},
    "gpu": {"temporal"},
    "symmetry": {"temporal"},
    "symbolic": {"initial"},
    "prove": {"initial"},
}
_ROLES = ("invariant", "step", "reachable", "temporal", "refinement")


def _smallest(span: str) -> range | list[int]:
    low, _, high = str(span).partition("..")
    least = int(low or 0)
    return range(least, min(int(high), least + 3) + 1 if high else max(least + 1, 4))


def _sentence(ending: Ending) -> str:
    """The sentence of an error, without its place."""
    first = next((line for line in ending.printed.splitlines() if line.startswith("isrcheck:")), "")
    return re.sub(r"^isrcheck: (\S+:\d+(:\d+)?: )?", "", first) or f"exit {ending.code}"
